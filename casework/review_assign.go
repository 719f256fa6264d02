package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// ReassignReviews asks to reassign reviews to a person. If To is NoID, each goes to the eligible
// person with the fewest open reviews, but not to the caller, and to a manager only if no one else is
// eligible. For a drawn review To must be NoID: the next person is drawn.
type ReassignReviews struct {
	Once    Once
	Reviews []domain.ID
	To      domain.ID
	Reason  string
	// Expected contains the versions that the caller last read, by review; a missing entry skips
	// the check.
	Expected map[domain.ID]string
}

// ReassignResult is the result of one item; Err is nil if it succeeded.
type ReassignResult struct {
	ReviewID domain.ID
	To       domain.ID
	Err      error `json:"-"`
	// Code and Message repeat Err, so that a replayed outcome contains them.
	Code    domain.Code
	Message string
}

// maxBulkReviews bounds the number of reviews of one bulk command.
const maxBulkReviews = 200

// ReassignReviews reassigns reviews to eligible people, each in its own transaction and with its
// own result.
func (svc *Service) ReassignReviews(
	ctx context.Context, actor domain.Actor, in ReassignReviews,
) ([]ReassignResult, error) {
	if err := svc.inScope(ctx, actor, "reassign", domain.ActReassign); err != nil {
		return nil, err
	}
	if len(in.Reviews) == 0 || len(in.Reviews) > maxBulkReviews {
		return nil, domain.Invalid("reviewIds", reviewCountOutOfRange, maxBulkReviews)
	}
	if _, err := checkReason(in.Reason); err != nil {
		return nil, err
	}
	results := make([]ReassignResult, 0, len(in.Reviews))
	for _, id := range in.Reviews {
		to, err := svc.reassignReview(ctx, actor, in, id)
		if domain.CodeOf(err).Kind() == domain.KindUnavailable &&
			!domain.HasCode(err, domain.Busy) && ctx.Err() != nil {
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

func (svc *Service) reassignReview(
	ctx context.Context, actor domain.Actor, in ReassignReviews, id domain.ID,
) (domain.ID, error) {
	once := in.Once.of(id)
	on := ReviewTarget{Once: once, ReviewID: id}
	return runReviewCommand(ctx, svc, actor, "reassign", on, in,
		func(c *command, review domain.Review) (domain.ID, error) {
			if err := c.authorizeReview(domain.ActReassign, review); err != nil {
				return domain.NoID, err
			}
			if !isOpen(review) {
				return domain.NoID, domain.Errorf(domain.StateMismatch,
					"This review is no longer open.").WithDetail("status", string(review.Status))
			}
			if err := checkExpectedVersion(in.Expected[id],
				ReviewVersion(review, c.before.FactsRevision)); err != nil {
				return domain.NoID, err
			}
			if review.Drawn() {
				return c.requestDraw(review, in.To, in.Reason)
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

// chooseEligible is the remedy for an assignee who is not eligible.
const chooseEligible = "Choose one of the eligible reviewers."

// chooseAssignee returns the requested person if eligible, or the eligible person with the fewest
// open reviews.
func (c *command) chooseAssignee(review domain.Review, requested domain.ID) (domain.ID, error) {
	eligible, err := c.eligibleReviewers(review)
	if err != nil {
		return domain.NoID, err
	}
	if requested != domain.NoID {
		if requested, err = c.resolveSubstitute(requested); err != nil {
			return domain.NoID, err
		}
		for _, person := range eligible {
			if person.ID == requested {
				return requested, nil
			}
		}
		return domain.NoID, domain.Errorf(domain.NotEligible,
			"This person is not eligible for this review.").
			WithRemedy(chooseEligible)
	}
	ids := make([]domain.ID, len(eligible))
	for i := range eligible {
		ids[i] = eligible[i].ID
	}
	loads, err := c.tx.OpenReviewCounts(c.ctx, ids)
	if err != nil {
		return domain.NoID, err
	}
	excluded := append(c.accountIDs(), review.Assignee)
	best := domain.LeastLoaded(eligible, loads, excluded...)
	if best == domain.NoID {
		return best, domain.Errorf(domain.NotEligible,
			"No other reviewer is eligible for this review.").
			WithRemedy("Ask an administrator to give a reviewer access to the queue or a higher limit.")
	}
	return best, nil
}

// eligibleReviewers returns the people who are present and may claim the review, according to the
// policy on the locked rows.
func (c *command) eligibleReviewers(review domain.Review) ([]domain.User, error) {
	users, facts, err := c.usersAndUnclaimed(review)
	if err != nil {
		return nil, err
	}
	return c.withoutAbsent(c.snapshot.authorizer.Eligible(users, domain.ActClaim, facts))
}

// usersAndUnclaimed returns all users, and the facts of the review as if it were unassigned.
func (c *command) usersAndUnclaimed(
	review domain.Review,
) ([]domain.User, domain.ReviewFacts, error) {
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return nil, domain.ReviewFacts{}, err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return nil, domain.ReviewFacts{}, err
	}
	return users, asUnclaimed(store.NewReviewFacts(c.before, review, *exclusions,
		c.def.HasAmount, c.now)), nil
}

// asUnclaimed returns the facts of the review as if it were unassigned.
func asUnclaimed(facts domain.ReviewFacts) domain.ReviewFacts {
	facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
	facts.Drawn = false
	return facts
}

// assignTo assigns the review to a person and restarts the time to claim it.
func (c *command) assignTo(review domain.Review, to domain.ID, reason string) {
	c.emit(generated.ReviewReassignedV1{From: review.Assignee, Reason: reason,
		ReviewID: review.ID, To: to})
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewOpen, to, time.Time{}
	review.PreviousAssignee, review.UnassignCause = domain.NoID, ""
	c.restartClaimDeadline(review)
}
