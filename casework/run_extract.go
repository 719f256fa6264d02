package casework

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/reading/extraction"
	"countersign/rules"
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
	time     string // of day, as printed
	lines    *domain.LineItems
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
			kind, err := svc.documentType(ctx, svc.db.Reader(), work.session.record)
			if err != nil {
				return err
			}
			if err := work.examine(ctx, svc, kind); err != nil {
				return err
			}
			work.facts, work.use, err = svc.deriveReading(ctx, work.session, kind, work.fields,
				work.document, work.read...)
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

// examine extracts the fields, and seals what the reading asserts.
func (work *extractWork) examine(
	ctx context.Context, svc *Service, kind *domain.DocumentType,
) error {
	p := work.session
	lessons, err := svc.lessonsFor(ctx, p.pages)
	if err != nil {
		return err
	}
	found, examined, err := extractFields(p.pages, p.invoice, p.record, kind, lessons)
	if err != nil {
		return err
	}
	work.document = *p.document
	work.document.Features = examined.Features
	work.document.NotPrinted = examined.NotPrinted
	work.document.Parts = examined.Parts
	work.setLines(examined.Lines)
	work.fields, work.replaced = preserveEnteredFields(found, p.fields), machineSourcesOf(p.fields)
	work.kind = extraction.Kind(p.pages, p.invoice.xml)
	work.time = extraction.TimeOfDay(p.pages)
	work.read, err = readingSets(withUnaided(found, examined.Unaided), examined.Other,
		p.record.FactsRevision+1, p.document.Revision, svc.salts)
	return err
}

// deriveReading computes the key facts of a case after a reading of its document, and what its order
// takes from the evidence; nil without an order.
func (svc *Service) deriveReading(
	ctx context.Context, p *stageSession, kind *domain.DocumentType, fields []domain.Field,
	document domain.Document, read ...domain.AssertionSet,
) (keyFacts, *domain.OrderUse, error) {
	history, err := historyOf(ctx, svc.db.Reader(), p.record, p.fields)
	if err != nil {
		return keyFacts{}, nil, err
	}
	history = withSets(history, read...)
	def, err := svc.definitions.get(ctx, svc.db.Reader(), p.record.ProcessKey,
		p.record.ProcessVersion)
	if err != nil {
		return keyFacts{}, nil, err
	}
	derived, err := keyFactsOf(ctx, svc.db.Autocommit(), def, kind, p.record, fields, history, p.now)
	if err != nil || p.record.OrderRevision == 0 {
		return derived, nil, err
	}
	order, err := svc.loadOrder(ctx, svc.db.Reader(), p.record, history, document, nil, p.now)
	return derived, &order.use, err
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
	if work.lines != nil {
		work.lines.Revision, work.lines.At = c.FactsRevision, t.now
		t.change.LineItems = work.lines
	}
	t.assertSealed(work.read...)
}

// setLines keeps the line items. A reading without any adds no row, unless an earlier one of the
// document may have had some.
func (work *extractWork) setLines(lines domain.LineItems) {
	work.document.LineSum = domain.Money{}
	if sum, ok := lines.CertainSum(); ok && lines.Currency != "" {
		work.document.LineSum = domain.Money{Minor: sum, Currency: lines.Currency}
	}
	if lines.Found() == 0 && work.session.record.FactsRevision <= 1 {
		return
	}
	lines.CaseID = work.document.CaseID
	lines.DocumentRevision = work.document.Revision
	work.lines = &lines
}

// extractFields extracts the fields of the document type from the pages and the XML, and what the
// pages show. Its own fields are found by the labels of its definition.
func extractFields(
	pages []domain.Page, xml *invoice, c domain.Case, kind *domain.DocumentType,
	lessons []domain.Lesson,
) ([]domain.Field, extraction.Examination, error) {
	hints := extraction.Hints{Country: c.Country, DocumentType: c.DocumentType,
		Currency: c.DeclaredAmount.Currency, Lessons: lessons}
	found, examined, err := extractBuiltinFields(pages, xml, hints)
	if err != nil {
		return nil, examined, err
	}
	otherNumber := len(xml.xml) > 0 && !isInvoiceLike(kind)
	foreign := func(f domain.Field) bool {
		return !kind.HasBuiltin(f.Name) || otherNumber && f.Name == domain.FieldNumber
	}
	found = slices.DeleteFunc(found, foreign)
	examined.Other = slices.DeleteFunc(examined.Other, foreign)
	examined.Unaided = slices.DeleteFunc(examined.Unaided, foreign)
	if !kind.HasBuiltin(domain.FieldCurrency) {
		for _, fields := range [][]domain.Field{found, examined.Other} {
			for i := range fields {
				fields[i].Currency = "" // no currency of the document counts
			}
		}
	}
	currency := cmp.Or(fieldValue(found, domain.FieldCurrency), hints.Currency)
	return append(found, extraction.FindByLabels(pages, kind, hints, currency)...), examined, nil
}

// isInvoiceLike reports whether the number of an e-invoice can be that of the type. The number of a type without
// a total and without kinds of documents is another one, such as that of a register.
func isInvoiceLike(kind *domain.DocumentType) bool {
	return kind.HasBuiltin(domain.FieldTotal) || kind.HasBuiltin(domain.FieldKind)
}

// extractBuiltinFields extracts the fields that the extractor knows by their names. If the e-invoice
// is damaged, it uses the pages alone; without pages that is an error.
func extractBuiltinFields(
	pages []domain.Page, xml *invoice, hints extraction.Hints,
) ([]domain.Field, extraction.Examination, error) {
	structured, err := xml.parse()
	examined := extraction.Examine(pages, hints, structured)
	for _, fields := range []*[]domain.Field{&examined.Fields, &examined.Other, &examined.Elsewhere,
		&examined.Unaided} {
		*fields = extraction.Calibrate(pages, *fields)
	}
	examined.Other = slices.DeleteFunc(examined.Other,
		func(f domain.Field) bool { return !rules.IsKeyField(f.Name) })
	if err != nil || len(structured) == 0 {
		if len(pages) > 0 {
			err = nil
		}
		examined.Other = append(examined.Elsewhere, examined.Other...)
		return examined.Fields, examined, err
	}
	found := extraction.Merge(structured, examined.Fields)
	examined.Other = append(examined.Elsewhere, sameSource(examined.Other, found)...)
	examined.Lines = extraction.MergeLines(xml.lines, examined.Lines)
	examined.Features = extraction.FeaturesOfInvoice(found, examined.Features)
	return found, examined, nil
}

// sameSource returns the values of another engine for the fields that were read by recognition, and
// not taken from the e-invoice.
func sameSource(other, found []domain.Field) []domain.Field {
	return slices.DeleteFunc(other, func(o domain.Field) bool {
		return !slices.ContainsFunc(found,
			func(f domain.Field) bool { return f.Name == o.Name && f.Source == o.Source })
	})
}

// withUnaided returns the fields that a reading asserts: those found, and before them what was read
// without memory where memory decides. Otherwise memory could remove a value from the risk basis.
func withUnaided(found, unaided []domain.Field) []domain.Field {
	asserted := make([]domain.Field, 0, len(found)+len(unaided))
	for _, field := range unaided {
		if slices.ContainsFunc(found, func(f domain.Field) bool {
			return f.Name == field.Name && f.LearnedFrom != domain.NoID
		}) {
			asserted = append(asserted, field)
		}
	}
	return append(asserted, found...)
}

// invoice is the e-invoice of a file, if any, parsed once.
type invoice struct {
	xml    []byte
	parsed bool
	fields []domain.Field
	lines  domain.LineItems
	err    error
}

// parse returns the fields of the e-invoice, or none without one. Callers must not modify them.
func (i *invoice) parse() ([]domain.Field, error) {
	if !i.parsed && len(i.xml) > 0 {
		i.fields, i.lines, i.err = extraction.InvoiceFromXML(i.xml)
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
