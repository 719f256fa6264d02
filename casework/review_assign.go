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

// ReassignResult is the result of one item: Err is nil when it was done.
type ReassignResult struct {
	ReviewID domain.ID
	To       domain.ID
	Err      error `json:"-"`
	// Code repeats Err's code, so that a replayed outcome tells the same.
	Code    domain.Code
	Message string
}

// maxBulkReviews bounds the items of one bulk command.
const maxBulkReviews = 200

// ReassignReviews moves reviews to eligible people, each in a transaction of its own, with a result per item.
func (svc *Service) ReassignReviews(ctx context.Context, actor domain.Actor, in ReassignReviews) ([]ReassignResult, error) {
	if err := svc.inScope(ctx, actor, "reassign", domain.ActReassign); err != nil {
		return nil, err
	}
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulkReviews {
		return nil, domain.Invalid("reviewIds", "between 1 and %d reviews can be moved at once", maxBulkReviews)
	}
	if _, err := checkReason(in.Reason); err != nil {
		return nil, err
	}
	results := make([]ReassignResult, 0, len(in.Reviews))
	for _, id := range in.Reviews {
		to, err := svc.reassignReview(ctx, actor, in, id)
		if domain.CodeOf(err).Kind() == domain.KindUnavailable && !domain.HasCode(err, domain.Busy) && ctx.Err() != nil {
			return results, err
		}
		item := ReassignResult{ReviewID: id, To: to, Err: err, Code: domain.CodeOf(err)}
		if err != nil {
			item.Message, _ = failureText(err)
		}
		results = append(results, item)
	}
	return results, nil
}

func (svc *Service) reassignReview(ctx context.Context, actor domain.Actor, in ReassignReviews, id domain.ID) (domain.ID, error) {
	once := in.Once.of(id)
	on := ReviewTarget{Once: once, ReviewID: id}
	return runReviewCommand(ctx, svc, actor, "reassign", on, in, func(c *command, review domain.Review) (domain.ID, error) {
		if err := c.authorizeReview(domain.ActReassign, review); err != nil {
			return domain.NoID, err
		}
		if !isOpen(review) {
			return domain.NoID, domain.Errorf(domain.StateMismatch, "This review is no longer open.").WithDetail("status", string(review.Status))
		}
		if err := checkExpectedVersion(in.Expected[id], ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return domain.NoID, err
		}
		to, err := c.chooseAssignee(review, in.To)
		if err != nil {
			return domain.NoID, err
		}
		if to == review.Assignee {
			return to, nil
		}
		c.assignTo(review, to, in.Reason)
		return to, nil
	})
}

// chooseAssignee returns the person named if eligible, or the eligible person with the fewest open reviews.
func (c *command) chooseAssignee(review domain.Review, wanted domain.ID) (domain.ID, error) {
	eligible, err := c.eligibleReviewers(review)
	if err != nil {
		return domain.NoID, err
	}
	if wanted != domain.NoID {
		if wanted, err = c.resolveSubstitute(wanted); err != nil {
			return domain.NoID, err
		}
		for _, person := range eligible {
			if person.ID == wanted {
				return wanted, nil
			}
		}
		return domain.NoID, domain.Errorf(domain.NotEligible, "This person may not decide this review.").
			WithRemedy("Choose one of the eligible people.")
	}
	ids := make([]domain.ID, 0, len(eligible))
	for _, person := range eligible {
		if person.ID != review.Assignee {
			ids = append(ids, person.ID)
		}
	}
	if len(ids) == 0 {
		return domain.NoID, domain.Errorf(domain.NotEligible, "Nobody else may decide this review.").
			WithRemedy("An administrator can give somebody the queue or a larger limit.")
	}
	loads, err := c.tx.OpenReviewCounts(c.ctx, ids)
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

// eligibleReviewers are the people who are there and may claim and decide the review now, as the policy says on the locked rows.
func (c *command) eligibleReviewers(review domain.Review) ([]domain.User, error) {
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return nil, err
	}
	facts := asUnclaimed(store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now))
	return c.withoutAbsent(c.snapshot.authorizer.Eligible(users, domain.ActClaim, facts))
}

// asUnclaimed asks about the review as if nobody held it.
func asUnclaimed(facts domain.ReviewFacts) domain.ReviewFacts {
	facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
	return facts
}

// assignTo gives the review to a person, whose time to claim restarts.
func (c *command) assignTo(review domain.Review, to domain.ID, reason string) {
	c.emit(generated.ReviewReassignedV1{From: review.Assignee, Reason: reason, ReviewID: review.ID, To: to})
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, to, time.Time{}
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	c.restartClaimDeadline(review)
}
