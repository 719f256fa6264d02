package authz

import (
	"slices"

	"countersign/domain"
)

// A review that no user may decide would stay open: its amount is above every limit, or every user who
// could decide it has voted on the case or set one of its values. Some users can then claim it, to
// return it or to resolve its values. They cannot approve, reject or escalate it.

// HighestLimits are the users with the largest limit for a review and with the next one, if only one
// user has the largest.
type HighestLimits struct {
	largest int64
	limits  map[domain.ID]int64 // of these users
}

// WithoutAmount returns the facts as if the amount were within every limit.
func WithoutAmount(facts domain.ReviewFacts) domain.ReviewFacts {
	facts.AmountKnown, facts.BaseMinor = true, 0
	return facts
}

// HighestLimits returns the users with the highest limits among those who could claim the review if the
// amount were within their limits, whatever they have done on the case before.
func (a *Authority) HighestLimits(
	users []domain.User, facts domain.ReviewFacts,
) HighestLimits {
	facts = withoutAmountAndActs(facts)
	eligible := a.Eligible(users, domain.ActClaim, facts)
	limits := make([]int64, len(eligible))
	for i := range eligible {
		limits[i] = LargestAmount(eligible[i], facts.DocumentType)
	}
	sorted := slices.Sorted(slices.Values(limits))
	found := HighestLimits{limits: map[domain.ID]int64{}}
	if len(sorted) < 2 {
		return found // one user alone resolves nothing above the limits
	}
	found.largest = sorted[len(sorted)-1]
	for i := range eligible {
		if limits[i] >= sorted[len(sorted)-2] {
			found.limits[eligible[i].ID] = limits[i]
		}
	}
	return found
}

// Include reports whether all people are among those with the highest limits.
func (h HighestLimits) Include(people ...domain.ID) bool {
	return !slices.ContainsFunc(people, func(id domain.ID) bool {
		_, ok := h.limits[id]
		return !ok
	})
}

// AnyLargest reports whether one of the people has the largest limit.
func (h HighestLimits) AnyLargest(people ...domain.ID) bool {
	return slices.ContainsFunc(people, func(id domain.ID) bool {
		limit, ok := h.limits[id]
		return ok && limit == h.largest
	})
}

// EligibleAboveLimits returns the users who could claim the review if its amount were within their
// limits, and are among those with the highest limits.
func (a *Authority) EligibleAboveLimits(
	users []domain.User, facts domain.ReviewFacts,
) []domain.User {
	highest := a.HighestLimits(users, facts)
	return slices.DeleteFunc(a.Eligible(users, domain.ActClaim, WithoutAmount(facts)),
		func(user domain.User) bool { return !highest.Include(user.ID) })
}

// RelaxUndecidable returns the facts with which the people may claim and return a review that no user
// may decide. It returns false if a user may decide it, or if others than these people may claim it:
// the users with the highest limits, else those who have voted on the case or set one of its values.
func (a *Authority) RelaxUndecidable(
	users []domain.User, facts domain.ReviewFacts, people ...domain.ID,
) (domain.ReviewFacts, bool) {
	if len(a.Eligible(users, domain.ActClaim, facts)) > 0 {
		return facts, false
	}
	if len(a.EligibleAboveLimits(users, facts)) > 0 {
		return WithoutAmount(facts), a.HighestLimits(users, facts).Include(people...)
	}
	return withoutAmountAndActs(facts), true
}

// EligibleToReturn returns the users who may claim a review that no user may decide.
func (a *Authority) EligibleToReturn(
	users []domain.User, facts domain.ReviewFacts,
) []domain.User {
	if len(a.Eligible(users, domain.ActClaim, facts)) > 0 {
		return nil
	}
	if highest := a.EligibleAboveLimits(users, facts); len(highest) > 0 {
		return highest
	}
	return a.Eligible(users, domain.ActClaim, withoutAmountAndActs(facts))
}

// withoutAmountAndActs returns the facts as if the amount were within every limit, and as if no one had
// voted on the case or set one of its values.
func withoutAmountAndActs(facts domain.ReviewFacts) domain.ReviewFacts {
	facts = WithoutAmount(facts)
	facts.VotedIDs, facts.InterestedIDs = nil, nil
	return facts
}
