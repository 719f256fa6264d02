package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// countUncoveredReviews counts the open reviews available to the person that no other user could
// claim: neither in their own name nor, for the given delegate, on behalf of the person.
func (p *permissionChange) countUncoveredReviews(
	person domain.User, self domain.ID, delegate *domain.User,
) (int, error) {
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return 0, err
	}
	filter, err := authorizer.QueueFilter(person)
	if err != nil {
		return 0, err
	}
	reviews, err := p.tx.QueuePage(p.ctx, filter, store.DueAny, nil, maxRecheckedReviews)
	if err != nil || len(reviews) == 0 {
		return 0, err
	}
	users, err := p.tx.Users(p.ctx, nil)
	if err != nil {
		return 0, err
	}
	absences, now, err := p.currentAbsences()
	if err != nil {
		return 0, err
	}
	users = slices.DeleteFunc(users, func(u domain.User) bool {
		return u.ID == self || domain.SubstituteOf(u.ID, absences, now) != u.ID
	})
	uncovered := 0
	for _, review := range reviews {
		facts, err := p.reviewFacts(review, now)
		if err != nil {
			return 0, err
		}
		if delegate != nil {
			if _, err := authorizer.AuthorizeOnBehalfOf(*delegate, person, domain.ActClaim,
				asUnclaimed(facts)); err == nil {
				continue
			}
		}
		if len(authorizer.Eligible(users, domain.ActClaim, asUnclaimed(facts))) == 0 {
			uncovered++
		}
	}
	return uncovered, nil
}

func (p *permissionChange) currentAbsences() ([]domain.Absence, time.Time, error) {
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return nil, now, err
	}
	absences, err := p.tx.Absences(p.ctx, nil)
	return absences, now, err
}

// reviewFacts loads the facts that the policy evaluates for a review.
func (p *permissionChange) reviewFacts(
	review domain.Review, now time.Time,
) (domain.ReviewFacts, error) {
	c, err := p.tx.Case(p.ctx, review.CaseID)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	exclusions, err := p.tx.Exclusions(p.ctx, c.ID, c.Parties())
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	def, err := p.svc.definitions.get(p.ctx, p.tx.Reader, c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	return store.NewReviewFacts(c, review, exclusions, def.HasAmount, now), nil
}
