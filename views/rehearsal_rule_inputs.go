package views

import (
	"context"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
)

// loadRuleInputs reads what rules can use of the cases, and the overrides of their findings, if a rule set is
// rehearsed.
func (r *rehearsal) loadRuleInputs(ctx context.Context, reader store.Reader, past []pastCase,
	ids []domain.ID) error {
	if r.rules == nil {
		return nil
	}
	fields, err := reader.Fields(ctx, ids...)
	if err != nil {
		return err
	}
	documents, err := reader.Documents(ctx, ids...)
	if err != nil {
		return err
	}
	lines, err := reader.CorrectedLineItems(ctx, ids...)
	if err != nil {
		return err
	}
	overrides, err := reader.Overrides(ctx, ids...)
	if err != nil {
		return err
	}
	fieldsOf := byCase(fields, func(f *store.CaseField) domain.ID { return f.CaseID })
	documentsOf := byCase(documents, func(d *domain.Document) domain.ID { return d.CaseID })
	linesOf := byCase(lines, func(l *domain.LineItems) domain.ID { return l.CaseID })
	overridesOf := byCase(overrides, func(o *domain.FindingOverride) domain.ID { return o.CaseID })
	for i := range past {
		p := &past[i]
		kind, err := r.views.DocumentTypeOf(ctx, p.Case)
		if err != nil {
			return err
		}
		var document domain.Document
		if newestFirst := documentsOf[p.ID]; len(newestFirst) > 0 {
			document = newestFirst[0]
		}
		known := make([]domain.Field, 0, len(fieldsOf[p.ID]))
		for _, row := range fieldsOf[p.ID] {
			known = append(known, row.Field)
		}
		p.input = rules.CaseInput(p.Case, kind, known, document,
			domain.LaterTime(p.CreatedAt, document.CreatedAt))
		p.input.CorrectedLines = linesInForce(linesOf[p.ID], document)
		p.overrides = overridesOf[p.ID]
	}
	return nil
}

// linesInForce returns the newest correction of the line items of a document; nil if there is none.
func linesInForce(corrections []domain.LineItems, document domain.Document) *domain.LineItems {
	last := len(corrections) - 1
	if !document.LinesCorrected || last < 0 || corrections[last].DocumentRevision != document.Revision {
		return nil
	}
	return &corrections[last]
}

// byCase groups rows by their cases, in their order.
func byCase[T any](rows []T, caseOf func(*T) domain.ID) map[domain.ID][]T {
	groups := map[domain.ID][]T{}
	for i := range rows {
		id := caseOf(&rows[i])
		groups[id] = append(groups[id], rows[i])
	}
	return groups
}
