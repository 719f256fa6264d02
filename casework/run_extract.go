package casework

import (
	"context"
	"fmt"
	"io"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/store"
	"countersign/workflow"
)

// maxStructured bounds an e-invoice that is parsed in the worker itself.
const maxStructured = 10 << 20

// machineSources are the sources of values that reading finds: a new reading replaces them.
var machineSources = []domain.FieldSource{domain.SourceXML, domain.SourceText, domain.SourceOCR, domain.SourceLLM, domain.SourceDeclared}

// extractWork is the work of finding the fields.
type extractWork struct {
	session *stageSession
	fields  []domain.Field
	facts   keyFacts
}

// newExtractProcessor find the fields: e-invoice XML before the text layer before OCR. Values a person has set stay.
func newExtractProcessor(svc *Service) stageProcessor[*extractWork] {
	return stageProcessor[*extractWork]{dependsOnFacts: true,
		newWork: func(p *stageSession, _ *workflow.Node) *extractWork { return &extractWork{session: p} },
		prepare: func(ctx context.Context, work *extractWork) error {
			if err := svc.loadPages(ctx, work.session); err != nil {
				return err
			}
			return svc.loadFieldsAndFindings(ctx, work.session)
		},
		execute: func(ctx context.Context, work *extractWork) error {
			p := work.session
			found, err := extractFields(p.pages, p.invoice, p.record)
			if err != nil {
				return err
			}
			work.fields = preserveEnteredFields(found, p.fields)
			work.facts, err = keyFactsOf(ctx, svc.db.Autocommit(), p.record, work.fields, p.now)
			return err
		},
		save: (*extractWork).save,
		summary: func(work *extractWork) *generated.StageCompletedV1Summary {
			count := int64(len(work.fields))
			return &generated.StageCompletedV1Summary{Fields: &count}
		},
	}
}

func (work *extractWork) save(t *transition) {
	c := &t.change.Case
	c.FactsRevision++
	work.facts.applyTo(c)
	for i := range work.fields {
		if slices.Contains(machineSources, work.fields[i].Source) {
			work.fields[i].Revision = c.FactsRevision
		}
	}
	t.change.Fields, t.change.DeleteFieldSources = work.fields, machineSources
	work.session.fields = work.fields
}

// extractFields are what the machine reads of the pages and the XML, without any person's correction. A damaged e-invoice
// inside a readable document leaves the pages to speak; one without pages is an error.
func extractFields(pages []domain.Page, told *invoice, c domain.Case) ([]domain.Field, error) {
	seen := extraction.Extract(pages, extraction.Hints{Country: c.Country, Currency: c.DeclaredAmount.Currency})
	fields, err := told.parse()
	if err != nil && len(pages) > 0 {
		return seen, nil
	}
	if err != nil || len(fields) == 0 {
		return seen, err
	}
	return extraction.Merge(fields, seen), nil
}

// invoice is the e-invoice in a file, or none, and what it tells: read once for all who ask.
type invoice struct {
	xml    []byte
	parsed bool
	fields []domain.Field
	err    error
}

// parse returns the fields that the e-invoice tells; none without one. Nobody writes into them.
func (i *invoice) parse() ([]domain.Field, error) {
	if !i.parsed && len(i.xml) > 0 {
		i.fields, i.err = extraction.FromXML(i.xml)
	}
	i.parsed = true
	return i.fields, i.err
}

// preserveEnteredFields puts values that a person set, or a program outside, in the place of what was found.
func preserveEnteredFields(found, present []domain.Field) []domain.Field {
	fields := make([]domain.Field, 0, len(found)+len(present))
	given := map[string]bool{}
	for _, field := range present {
		if !slices.Contains(machineSources, field.Source) {
			given[field.Name] = true
			fields = append(fields, field)
		}
	}
	for _, field := range found {
		if !given[field.Name] {
			fields = append(fields, field)
		}
	}
	return fields
}

// loadPages reads, once per session, the pages and the XML that an earlier session has stored.
func (svc *Service) loadPages(ctx context.Context, p *stageSession) error {
	if p.pagesLoaded {
		return nil
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return err
	}
	pages, told, err := svc.storedPages(ctx, svc.db.Reader(), *p.document)
	if err != nil {
		return err
	}
	p.pages, p.invoice, p.pagesLoaded = pages, told, true
	return nil
}

// loadDocument reads the newest document, if the lease has not brought it.
func (svc *Service) loadDocument(ctx context.Context, p *stageSession) error {
	if p.document != nil {
		return nil
	}
	document, err := svc.db.Reader().Document(ctx, p.record.ID)
	if err != nil {
		return err
	}
	p.document = &document
	return nil
}

// storedPages returns the kept pages of a revision, and its e-invoice.
func (svc *Service) storedPages(ctx context.Context, r store.Reader, document domain.Document) ([]domain.Page, *invoice, error) {
	pages, err := r.Pages(ctx, document.CaseID, document.Revision)
	if err != nil || document.StructuredKey == "" {
		return pages, &invoice{}, err
	}
	content, _, err := svc.ports.Blobs.Open(ctx, document.StructuredKey)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = content.Close() }()
	xml, err := io.ReadAll(io.LimitReader(content, maxStructured))
	if err != nil {
		return nil, nil, fmt.Errorf("casework: read e-invoice: %w", err)
	}
	return pages, &invoice{xml: xml}, nil
}
