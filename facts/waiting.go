package facts

import (
	"slices"
	"strings"

	"countersign/domain"
)

// AwaitingOther returns the sorted fields of the document whose newest entered value waits for a second
// person and was entered by one of the people, or on behalf of one.
func (h History) AwaitingOther(people []domain.ID) []string {
	var fields []string
	for _, set := range h {
		for _, assertion := range set.Assertions {
			if assertion.Pending != "" && !assertion.Order {
				fields = append(fields, assertion.Field)
			}
		}
	}
	slices.Sort(fields)
	return slices.DeleteFunc(slices.Compact(fields), func(field string) bool {
		newest, entered := h.Entered(field)
		return !entered || newest.Pending == "" ||
			!slices.Contains(people, newest.Set.By) && !slices.Contains(people, newest.OnBehalfOf)
	})
}

// Entered returns the newest unresolved value of a field that a person entered. ok is false if there is
// none.
func (h History) Entered(field string) (newest Entry, ok bool) {
	for _, entry := range slices.Backward(h.Unresolved(field)) {
		if entry.Set.Source == domain.SourceHuman && !entry.Order {
			return entry, true
		}
	}
	return newest, false
}

// ConfirmFirst refuses the last approval of a document by the people while a value that they entered
// waits for a second person; nil if none does, or if another person has approved the document as it is.
// The people are one person with all accounts, or a delegate with the delegator. An approval that was given
// by one of them, or in the name of one, or so by the author of the value, is not that of another person.
func (h History) ConfirmFirst(people []domain.ID, votes []domain.Vote, persons Persons) error {
	fields := slices.DeleteFunc(h.AwaitingOther(people), func(field string) bool {
		newest, _ := h.Entered(field)
		return approvedByOther(slices.Concat(people, newest.authors()), votes, persons)
	})
	if len(fields) == 0 {
		return nil
	}
	return domain.Errorf(domain.FourEyes,
		"Another reviewer has to confirm the values that you changed: %s.",
		strings.Join(fields, ", ")).
		WithRemedy("Release the review for another reviewer, or restore the earlier values.").
		WithDetail("reason", "own_change").WithDetail("fields", strings.Join(fields, ","))
}

// authors returns who asserted the entry, and on whose behalf.
func (e Entry) authors() []domain.ID {
	if e.OnBehalfOf == domain.NoID {
		return []domain.ID{e.Set.By}
	}
	return []domain.ID{e.Set.By, e.OnBehalfOf}
}

// approvedByOther reports whether the votes of one review are all of other persons than the given ones.
func approvedByOther(than []domain.ID, votes []domain.Vote, persons Persons) bool {
	excluded := map[domain.ID]bool{}
	for _, account := range than {
		excluded[persons.Of(account)] = true
	}
	own := map[domain.ID]bool{} // by review
	for _, vote := range votes {
		own[vote.ReviewID] = own[vote.ReviewID] || excluded[persons.Of(vote.Person)]
	}
	return slices.ContainsFunc(votes, func(vote domain.Vote) bool { return !own[vote.ReviewID] })
}
