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

// maxStructured is the maximum size of an e-invoice that the worker parses.
const maxStructured = 10 << 20

// machineSources are the sources of extracted values, which a new extraction replaces.
var machineSources = []domain.FieldSource{domain.SourceXML, domain.SourceText, domain.SourceOCR,
	domain.SourceLLM, domain.SourceDeclared}

// extractWork is the state of the extract stage.
type extractWork struct {
	session  *stageSession
	fields   []domain.Field
	replaced []domain.FieldSource // of the present fields
	document domain.Document
	read     []domain.AssertionSet
	facts    keyFacts
	kind     domain.DocumentKind
	time     string           // of day, as printed
	use      *domain.OrderUse // of the case's order
}

// newExtractProcessor returns the processor that extracts the fields. E-invoice XML takes
// precedence over the text layer, the text layer over OCR, and a user's value over all of them.
func newExtractProcessor(svc *Service) stageProcessor[*extractWork] {
	return stageProcessor[*extractWork]{dependsOnFacts: true,
		newWork: func(p *stageSession, _ *workflow.Node) *extractWork {
			return &extractWork{session: p}
		},
		prepare: func(ctx context.Context, work *extractWork) error {
			if err := svc.loadPages(ctx, work.session); err != nil {
				return err
			}
			return svc.loadFieldsAndFindings(ctx, work.session)
		},
		execute: func(ctx context.Context, work *extractWork) error {
			p := work.session
			found, examined, err := extractFields(p.pages, p.invoice, p.record)
			if err != nil {
				return err
			}
			work.document = *p.document
			work.document.Features = examined.Features
			work.document.NotPrinted = examined.NotPrinted
			history, err := historyOf(ctx, svc.db.Reader(), p.record, p.fields)
			if err != nil {
				return err
			}
			work.fields, work.replaced = preserveEnteredFields(found, p.fields), machineSourcesOf(p.fields)
			work.kind = extraction.Kind(p.pages, p.invoice.xml)
			work.time = extraction.TimeOfDay(p.pages)
			work.read, err = readingSets(found, p.record.FactsRevision+1, p.document.Revision,
				svc.salts)
			if err != nil {
				return err
			}
			history = withSets(history, work.read...)
			def, err := svc.definitions.get(ctx, svc.db.Reader(), p.record.ProcessKey,
				p.record.ProcessVersion)
			if err != nil {
				return err
			}
			work.facts, err = keyFactsOf(ctx, svc.db.Autocommit(), def, p.record, work.fields,
				history, p.now)
			if err != nil || p.record.OrderRevision == 0 {
				return err
			}
			order, err := svc.loadOrder(ctx, svc.db.Reader(), p.record, history, *p.document, nil,
				p.now)
			work.use = &order.use
			return err
		},
		save: (*extractWork).save,
		summary: func(work *extractWork) *generated.StageCompletedV1Summary {
			count := int64(len(work.fields))
			return &generated.StageCompletedV1Summary{Fields: &count,
				Assertions: assertionHashes(work.read)}
		},
	}
}

func (work *extractWork) save(t *transition) {
	c := &t.change.Case
	c.FactsRevision++
	work.facts.applyTo(c)
	c.DocumentKind, c.DocumentTime = work.kind, work.time
	for i := range work.fields {
		if slices.Contains(machineSources, work.fields[i].Source) {
			work.fields[i].Revision = c.FactsRevision
		}
	}
	t.change.Fields, t.change.DeleteFieldSources = work.fields, work.replaced
	t.change.ReadDocument = &work.document
	work.session.fields, work.session.document = work.fields, &work.document
	t.change.OrderUse = work.use
	t.assertSealed(work.read...)
}

// extractFields extracts the fields from the pages and the XML, and what the pages show. If the
// e-invoice is damaged, it uses the pages alone; without pages that is an error.
func extractFields(
	pages []domain.Page, xml *invoice, c domain.Case,
) ([]domain.Field, extraction.Examination, error) {
	structured, err := xml.parse()
	examined := extraction.Examine(pages, extraction.Hints{Country: c.Country,
		DocumentType: c.DocumentType, Currency: c.DeclaredAmount.Currency}, structured)
	if err != nil && len(pages) > 0 {
		return examined.Fields, examined, nil
	}
	if err != nil || len(structured) == 0 {
		return examined.Fields, examined, err
	}
	found := extraction.Merge(structured, examined.Fields)
	examined.Features = extraction.FeaturesOfInvoice(found)
	return found, examined, nil
}

// invoice is the e-invoice of a file, if any, parsed once.
type invoice struct {
	xml    []byte
	parsed bool
	fields []domain.Field
	err    error
}

// parse returns the fields of the e-invoice, or none without one. Callers must not modify them.
func (i *invoice) parse() ([]domain.Field, error) {
	if !i.parsed && len(i.xml) > 0 {
		i.fields, i.err = extraction.FromXML(i.xml)
	}
	i.parsed = true
	return i.fields, i.err
}

// preserveEnteredFields returns the extracted fields with those replaced that a user or an external
// program has set.
func preserveEnteredFields(found, present []domain.Field) []domain.Field {
	fields := make([]domain.Field, 0, len(found)+len(present))
	entered := map[string]bool{}
	for _, field := range present {
		if !slices.Contains(machineSources, field.Source) {
			entered[field.Name] = true
			fields = append(fields, field)
		}
	}
	for _, field := range found {
		if !entered[field.Name] {
			fields = append(fields, field)
		}
	}
	return fields
}

// machineSourcesOf returns the sources of the extracted values among the fields.
func machineSourcesOf(fields []domain.Field) (sources []domain.FieldSource) {
	for _, field := range fields {
		if slices.Contains(machineSources, field.Source) && !slices.Contains(sources, field.Source) {
			sources = append(sources, field.Source)
		}
	}
	return sources
}

// loadPages loads, once per session, the stored pages and e-invoice.
func (svc *Service) loadPages(ctx context.Context, p *stageSession) error {
	if p.pagesLoaded {
		return nil
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return err
	}
	pages, embedded, err := svc.storedPages(ctx, svc.db.Reader(), *p.document)
	if err != nil {
		return err
	}
	p.pages, p.invoice, p.pagesLoaded = pages, embedded, true
	return nil
}

// loadDocument loads the newest document, unless the lease returned it.
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

// storedPages returns the stored pages and e-invoice of a revision.
func (svc *Service) storedPages(
	ctx context.Context, r store.Reader, document domain.Document,
) ([]domain.Page, *invoice, error) {
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
