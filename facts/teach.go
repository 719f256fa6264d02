package facts

import (
	"slices"
	"time"

	"countersign/domain"
)

// Approval is an approving decision that counts for the case.
type Approval struct {
	By, OnBehalfOf domain.ID
	At             time.Time
}

// Teaches reports whether the value in force of a field was confirmed well enough that later
// documents are read by it: after its last change by a person, a person approved the case who is
// neither its submitter nor the one who entered the value. A value that a person repeats after
// another source was entered by that source. A value from memory was entered by the first person who
// repeats it, otherwise it would confirm itself. A language model teaches nothing. A delegate and the delegator count as one person, and so do the accounts of
// a person.
func (h History) Teaches(
	field string, submitter domain.ID, approvals []Approval, persons Persons,
) bool {
	inForce, ok := h.InForce(field)
	if !ok || inForce.Value == "" || inForce.Order || inForce.LearnedFrom != domain.NoID ||
		inForce.ofModel() ||
		len(h.Differences(field)) > 0 {
		return false
	}
	var entered []domain.ID // the person and their delegator
	changed := time.Time{}
	first := true
	for _, entry := range h.entries(field) {
		isHuman := entry.Set.Source == domain.SourceHuman
		if isHuman && entry.Set.At.After(changed) {
			changed = entry.Set.At
		}
		if first && entry.Value == inForce.Value && !entry.Order && !entry.ofModel() &&
			entry.LearnedFrom == domain.NoID {
			first = false
			if isHuman || entry.Set.Source == domain.SourceDeclared {
				entered = []domain.ID{entry.Set.By, entry.OnBehalfOf}
			}
		}
	}
	return slices.ContainsFunc(approvals, func(a Approval) bool {
		approved := func(account domain.ID) bool {
			person := persons.Of(account)
			return account != domain.NoID &&
				(person == persons.Of(a.By) || person == persons.Of(a.OnBehalfOf))
		}
		return !a.At.Before(changed) && !approved(submitter) && !slices.ContainsFunc(entered, approved)
	})
}

// WithoutMemory returns the history without the values that the memory of earlier documents selected:
// what a person enters counts as their own although memory suggested it.
func (h History) WithoutMemory() History {
	plain := slices.Clone(h)
	for i := range plain {
		plain[i].Assertions = slices.DeleteFunc(slices.Clone(plain[i].Assertions),
			func(a domain.Assertion) bool { return a.LearnedFrom != domain.NoID })
	}
	return plain
}
