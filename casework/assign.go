package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ReassignReviews asks to give reviews to a person; NoID as To lets the least loaded eligible person have each.
type ReassignReviews struct {
	Once    Once
	Reviews []domain.ID
	To      domain.ID
	Reason  string
	// Expected are the versions the person saw, by review; a review without one asks for nothing.
	Expected map[domain.ID]string
}

// Reassigned is the result of one item: Err is nil when it was done.
type Reassigned struct {
	ReviewID domain.ID
	To       domain.ID
	Err      error `json:"-"`
	// Code repeats Err's code, so that a replayed outcome tells the same.
	Code    domain.Code
	Message string
}

// maxBulk bounds the items of one bulk command.
const maxBulk = 200

// ReassignReviews moves reviews to eligible people, each in a transaction of its own, with a result per item.
func (h *Hall) ReassignReviews(ctx context.Context, actor domain.Actor, in ReassignReviews) ([]Reassigned, error) {
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulk {
		return nil, domain.Invalid("reviewIds", "between 1 and %d reviews can be moved at once", maxBulk)
	}
	results := make([]Reassigned, 0, len(in.Reviews))
	for _, id := range in.Reviews {
		to, err := h.reassign(ctx, actor, in, id)
		if domain.CodeOf(err).Kind() == domain.KindUnavailable && !domain.HasCode(err, domain.Busy) && ctx.Err() != nil {
			return results, err
		}
		item := Reassigned{ReviewID: id, To: to, Err: err, Code: domain.CodeOf(err)}
		if err != nil {
			item.Message, _ = sentence(err)
		}
		results = append(results, item)
	}
	return results, nil
}

func (h *Hall) reassign(ctx context.Context, actor domain.Actor, in ReassignReviews, id domain.ID) (domain.ID, error) {
	once := in.Once
	if once.Key != "" {
		once.Key += "/" + id.String()[:8] + id.String()[24:]
	}
	on := OnReview{Once: once, ReviewID: id}
	return onReview(ctx, h, actor, "reassign", on, in, func(c *command, review domain.Review) (domain.ID, error) {
		if err := c.mayReview(domain.ActReassign, review); err != nil {
			return domain.NoID, err
		}
		if !open(review) {
			return domain.NoID, domain.Fail(domain.StateMismatch, "This review is no longer open.").WithDetail("status", string(review.Status))
		}
		if err := expect(in.Expected[id], ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return domain.NoID, err
		}
		to, err := c.assignee(review, in.To)
		if err != nil {
			return domain.NoID, err
		}
		if to == review.Assignee {
			return to, nil
		}
		c.assign(review, to, in.Reason)
		return to, nil
	})
}

// assignee returns the person named if eligible, or the eligible person with the fewest open reviews.
func (c *command) assignee(review domain.Review, wanted domain.ID) (domain.ID, error) {
	eligible, err := c.eligible(review)
	if err != nil {
		return domain.NoID, err
	}
	if wanted != domain.NoID {
		if wanted, err = c.instead(wanted); err != nil {
			return domain.NoID, err
		}
		for _, person := range eligible {
			if person.ID == wanted {
				return wanted, nil
			}
		}
		return domain.NoID, domain.Fail(domain.NotEligible, "This person may not decide this review.").
			WithWayOut("Choose one of the eligible people.")
	}
	ids := make([]domain.ID, 0, len(eligible))
	for _, person := range eligible {
		if person.ID != review.Assignee {
			ids = append(ids, person.ID)
		}
	}
	if len(ids) == 0 {
		return domain.NoID, domain.Fail(domain.NotEligible, "Nobody else may decide this review.").
			WithWayOut("An administrator can give somebody the queue or a larger limit.")
	}
	loads, err := c.tx.OpenLoads(c.ctx, ids)
	if err != nil {
		return domain.NoID, err
	}
	best := ids[0]
	for _, id := range ids[1:] {
		if loads[id] < loads[best] {
			best = id
		}
	}
	return best, nil
}

// eligible are the people who are there and may claim and decide the review now, as the policy says on the locked rows.
func (c *command) eligible(review domain.Review) ([]domain.User, error) {
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	bars, err := c.barsOf()
	if err != nil {
		return nil, err
	}
	facts := unclaimed(store.ReviewFactsOf(c.before, review, *bars, c.def.HasAmount, c.now))
	return c.present(c.held.judge.Eligible(users, domain.ActClaim, facts))
}

// unclaimed asks about the review as if nobody held it.
func unclaimed(facts domain.ReviewFacts) domain.ReviewFacts {
	facts.Status, facts.Assignee, facts.ClaimLive = domain.ReviewOpen, domain.NoID, false
	return facts
}

// assign gives the review to a person, whose time to claim starts anew.
func (c *command) assign(review domain.Review, to domain.ID, reason string) {
	c.tell(generated.ReviewReassignedV1{From: review.Assignee, Reason: reason, ReviewID: review.ID, To: to})
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, to, time.Time{}
	review.LeftBy, review.LeftHow = domain.NoID, ""
	c.waitAnew(review)
}
