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

// extracting is the work of finding the fields.
type extracting struct {
	pass   *pass
	fields []domain.Field
	facts  keyFacts
}

// extractSteps find the fields: e-invoice XML before the text layer before OCR. Values a person has set stay.
func extractSteps(h *Hall) steps[*extracting] {
	return steps[*extracting]{onFacts: true,
		begin: func(p *pass, _ *workflow.Node) *extracting { return &extracting{pass: p} },
		prepare: func(ctx context.Context, work *extracting) error {
			if err := h.loadReading(ctx, work.pass); err != nil {
				return err
			}
			return h.loadJudgement(ctx, work.pass)
		},
		act: func(ctx context.Context, work *extracting) error {
			p := work.pass
			found, err := machineFields(p.pages, p.invoice, p.kase)
			if err != nil {
				return err
			}
			work.fields = keepGiven(found, p.fields)
			work.facts, err = keyFactsOf(ctx, h.db.Alone(), p.kase, work.fields, p.now)
			return err
		},
		save: (*extracting).save,
		summary: func(work *extracting) *generated.StageCompletedV1Summary {
			count := int64(len(work.fields))
			return &generated.StageCompletedV1Summary{Fields: &count}
		},
	}
}

func (work *extracting) save(t *transition) {
	c := &t.change.Case
	c.FactsRevision++
	work.facts.applyTo(c)
	for i := range work.fields {
		if slices.Contains(machineSources, work.fields[i].Source) {
			work.fields[i].Revision = c.FactsRevision
		}
	}
	t.change.Fields, t.change.DropFields = work.fields, machineSources
	work.pass.fields = work.fields
}

// machineFields are what the machine reads of the pages and the XML, without any person's correction. A damaged e-invoice
// inside a readable document leaves the pages to speak; one without pages is an error.
func machineFields(pages []domain.Page, told *invoice, c domain.Case) ([]domain.Field, error) {
	seen := extraction.Extract(pages, extraction.Hints{Country: c.Country, Currency: c.DeclaredAmount.Currency})
	fields, err := told.read()
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
	opened bool
	fields []domain.Field
	err    error
}

// read returns the fields that the e-invoice tells; none without one. Nobody writes into them.
func (i *invoice) read() ([]domain.Field, error) {
	if !i.opened && len(i.xml) > 0 {
		i.fields, i.err = extraction.FromXML(i.xml)
	}
	i.opened = true
	return i.fields, i.err
}

// keepGiven puts values that a person set, or a program outside, in the place of what was found.
func keepGiven(found, present []domain.Field) []domain.Field {
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

// loadReading reads, once a pass, the pages and the XML that an earlier pass has kept.
func (h *Hall) loadReading(ctx context.Context, p *pass) error {
	if p.readDone {
		return nil
	}
	if err := h.loadDocument(ctx, p); err != nil {
		return err
	}
	pages, told, err := h.reading(ctx, h.db.Reader(), *p.document)
	if err != nil {
		return err
	}
	p.pages, p.invoice, p.readDone = pages, told, true
	return nil
}

// loadDocument reads the newest document, if the lease has not brought it.
func (h *Hall) loadDocument(ctx context.Context, p *pass) error {
	if p.document != nil {
		return nil
	}
	document, err := h.db.Reader().Document(ctx, p.kase.ID)
	if err != nil {
		return err
	}
	p.document = &document
	return nil
}

// reading returns the kept pages of a revision, and its e-invoice.
func (h *Hall) reading(ctx context.Context, r store.Reader, document domain.Document) ([]domain.Page, *invoice, error) {
	pages, err := r.Pages(ctx, document.CaseID, document.Revision)
	if err != nil || document.StructuredKey == "" {
		return pages, &invoice{}, err
	}
	content, _, err := h.ports.Blobs.Open(ctx, document.StructuredKey)
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
