package casework

import (
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// A case whose amount at risk is above the limit of every reviewer would stay undecided. The
// reviewers with the highest limits can claim its review, return it, and resolve its values, two of
// them together; they cannot approve it while the amount is above their limits.

// authorizeBeyondLimits is authorizeReview for an action that does not carry out anything. It is also
// permitted to the reviewers with the highest limits if the amount is above every limit.
func (c *command) authorizeBeyondLimits(action domain.Action, review domain.Review) error {
	refusal := c.authorizeReview(action, review)
	if !domain.HasCode(refusal, domain.ApprovalLimit) || c.absent {
		return refusal
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return err
	}
	if len(c.snapshot.authorizer.Eligible(users, domain.ActClaim, asUnclaimed(facts))) > 0 {
		return refusal
	}
	within := withoutAmount(facts)
	if _, err := c.authorizePersons(action, within); err != nil {
		return refusal
	}
	if highest := c.highestLimits(users, within); !highest.includes(c.personIDs()) {
		return refusal
	}
	return nil
}

// withoutAmount returns the facts as if the amount were within every limit.
func withoutAmount(facts domain.ReviewFacts) domain.ReviewFacts {
	facts.AmountKnown, facts.BaseMinor = true, 0
	return facts
}

// highestLimits are the reviewers of a review with the largest limit and with the next one, if only
// one person has the largest.
type highestLimits struct {
	largest int64
	people  map[domain.ID]int64 // their limits
}

// highestLimits returns the people with the highest limits among those who could claim the review if
// the amount were within their limits, whatever they have done on the case before.
func (c *command) highestLimits(users []domain.User, within domain.ReviewFacts) highestLimits {
	within.InterestedIDs, within.VotedIDs = nil, nil
	eligible := c.snapshot.authorizer.Eligible(users, domain.ActClaim, asUnclaimed(within))
	limits := make([]int64, len(eligible))
	for i := range eligible {
		limits[i] = authz.LargestAmount(eligible[i], within.DocumentType)
	}
	sorted := slices.Sorted(slices.Values(limits))
	found := highestLimits{people: map[domain.ID]int64{}}
	if len(sorted) < 2 {
		return found // one person alone resolves nothing above the limits
	}
	found.largest = sorted[len(sorted)-1]
	for i := range eligible {
		if limits[i] >= sorted[len(sorted)-2] {
			found.people[eligible[i].ID] = limits[i]
		}
	}
	return found
}

// includes reports whether all people are among those with the highest limits.
func (h highestLimits) includes(people []domain.ID) bool {
	return !slices.ContainsFunc(people, func(id domain.ID) bool {
		_, ok := h.people[id]
		return !ok
	})
}

// anyLargest reports whether one of the people has the largest limit.
func (h highestLimits) anyLargest(people ...domain.ID) bool {
	return slices.ContainsFunc(people, func(id domain.ID) bool {
		limit, ok := h.people[id]
		return ok && limit == h.largest
	})
}

// resolvesAboveLimits reports whether the reviewer resolves an amount above every limit together with
// one of the people who have asserted the same values: both are among those with the highest limits,
// and one of them has the largest.
func (c *command) resolvesAboveLimits(largest int64, confirmed []domain.ID) (bool, error) {
	if len(confirmed) == 0 || c.actor.System {
		return false, nil
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return false, err
	}
	if err := c.lockReviews(); err != nil {
		return false, err
	}
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return false, err
	}
	for _, review := range c.reviews {
		if !isOpen(review) || review.Repairs() || review.Assignee != c.actor.UserID {
			continue
		}
		facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
		facts.AmountKnown, facts.BaseMinor = true, max(facts.BaseMinor, largest)
		if len(c.snapshot.authorizer.Eligible(users, domain.ActClaim, asUnclaimed(facts))) > 0 {
			continue
		}
		highest := c.highestLimits(users, withoutAmount(facts))
		if highest.includes(c.personIDs()) && slices.ContainsFunc(confirmed,
			func(other domain.ID) bool {
				return highest.includes([]domain.ID{other}) &&
					(highest.anyLargest(other) || highest.anyLargest(c.personIDs()...))
			}) {
			return true, nil
		}
	}
	return false, nil
}

// personIDs returns the ids of everybody who acts.
func (c *command) personIDs() []domain.ID {
	ids := make([]domain.ID, 0, len(c.persons))
	for _, person := range c.persons {
		ids = append(ids, person.ID)
	}
	return ids
}
