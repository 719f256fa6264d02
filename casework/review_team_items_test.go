package casework_test

import (
	"slices"

	"countersign/casework"
	"countersign/domain"
)

// changeLineItems replaces the line items of the document, which lowers no risk and ends no finding about what
// was read. One about another case can end because that case has ended.
func (h *teamHistory) changeLineItems(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	before := h.findingRules(h.id)
	err := errOf(h.svc.CorrectLineItems(h.ctx, by, casework.CorrectLineItems{
		ReviewTarget: on, Items: []casework.LineItemInput{
			line("Screws", "1", "", pick(h.liveCase, "1.00", "900.00", "1500000.00"))}}))
	h.try("line items", err)
	if err != nil || h.paired {
		return
	}
	after, record := h.findingRules(h.id), h.caseByID(h.id)
	for _, rule := range before {
		if rule != "corrected_sum_mismatch" && !slices.Contains(after, rule) {
			h.t.Fatalf("other line items end %s after %v", rule, h.commands)
		}
	}
	if record.BaseMinor < h.before.BaseMinor || record.Risk < h.before.Risk &&
		!slices.Contains(before, "corrected_sum_mismatch") {
		h.t.Fatalf("other line items lower the risk from %d to %d after %v", h.before.Risk, record.Risk,
			h.commands)
	}
}

// requireItemsSeen checks that a person approved a document whose line items do not add up, or that two people
// corrected it.
func (h *teamHistory) requireItemsSeen(approvals []approval, sets []domain.AssertionSet) {
	h.t.Helper()
	if !h.linesDiffer || len(approvals) > 0 {
		return
	}
	var people []domain.ID
	for _, set := range sets {
		if person := h.head(set.By); set.Source == domain.SourceHuman && person != h.head(h.sam.UserID) &&
			!slices.Contains(people, person) {
			people = append(people, person)
		}
	}
	if len(people) < 2 {
		h.t.Fatalf("line items that do not add up were archived unseen after %v\n%s", h.commands,
			textOf(sets))
	}
}
