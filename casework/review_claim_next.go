package casework

import (
	"context"
	"fmt"
	"strconv"

	"countersign/domain"
)

// ClaimNext is the input of ClaimNextReview.
type ClaimNext struct {
	Once
	// After is a review that the actor must have decided; NoID claims without this condition.
	After domain.ID
	// Skip are reviews that the actor wants to leave to others for now.
	Skip []domain.ID
	// ClaimedFirst returns a review that the actor has already claimed, if there is one.
	ClaimedFirst bool
}

// ClaimNextReview claims the best unassigned review in the actor's queues. One statement selects
// and locks it, then the policy is checked on the locked rows.
func (svc *Service) ClaimNextReview(
	ctx context.Context, actor domain.Actor, in ClaimNext,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "claimNext", domain.ActClaim); err != nil {
		return ReviewResult{}, err
	}
	if in.ClaimedFirst {
		claimed, err := svc.firstClaimed(ctx, actor, in)
		if err != nil || claimed.ReviewID != domain.NoID {
			return claimed, err
		}
	}
	var result ReviewResult
	spec := workSpec{operation: "claimNext", once: in.Once, result: &result, lock: lockShared}
	switch {
	case len(in.Skip) > 0:
		spec.request = append([]domain.ID{in.After}, in.Skip...)
	case in.After != domain.NoID:
		spec.request = in.After
	}
	err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		cmd := w.command
		if err := cmd.requireDecided(in.After); err != nil {
			return err
		}
		filter, err := cmd.claimFilter()
		if err != nil {
			return err
		}
		next, err := w.tx.NextForClaim(ctx, filter, in.Skip...)
		if err != nil {
			return err
		}
		if err := cmd.lock(next.CaseID); err != nil {
			return err
		}
		if err := cmd.authorizeReview(domain.ActClaim, next); err != nil {
			return fmt.Errorf(
				"casework: the policy refuses a review that the queue filter allows: %w", err)
		}
		if result, err = cmd.claimWithinLimit(next); err != nil {
			return err
		}
		return w.write(cmd)
	})
	if err != nil {
		return ReviewResult{}, err
	}
	return result, nil
}

// maxClaimedFirst bounds the claimed reviews that are tried. One is only passed over if it changed
// meanwhile, or if it was claimed on behalf of another person than the one that the actor now acts for.
const maxClaimedFirst = 5

// firstClaimed returns the actor's claimed review with the earliest deadline, NoID if there is none that
// the actor may decide. It changes nothing, so it needs no idempotency key.
func (svc *Service) firstClaimed(
	ctx context.Context, actor domain.Actor, in ClaimNext,
) (ReviewResult, error) {
	claimed, err := svc.db.Reader().ClaimedBy(ctx, actor.UserID, in.Skip, maxClaimedFirst)
	if err != nil {
		return ReviewResult{}, err
	}
	for _, review := range claimed {
		var result ReviewResult
		spec := workSpec{operation: "claimNext", lock: lockShared, callerLogsRefusal: true}
		err := svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
			if err := w.command.requireDecided(in.After); err != nil {
				return err
			}
			result, err = w.command.stillClaimed(review)
			return err
		})
		if err != nil || result.ReviewID != domain.NoID {
			return result, err
		}
	}
	return ReviewResult{}, nil
}

// stillClaimed locks a review and returns it if the actor holds it and may decide it.
func (c *command) stillClaimed(unlocked domain.Review) (ReviewResult, error) {
	if err := c.lock(unlocked.CaseID); err != nil {
		return ReviewResult{}, err
	}
	review, err := c.lockedReview(unlocked.ID)
	if err != nil || !c.holds(review) || c.authorizeUndecidable(domain.ActClaim, review) != nil {
		return ReviewResult{}, err
	}
	return c.reviewResult(review), nil
}

// holds reports whether the actor has a live claim on the review.
func (c *command) holds(review domain.Review) bool {
	return review.Status == domain.ReviewClaimed && review.Assignee == c.actor.UserID &&
		review.ClaimUntil.After(c.now)
}

// claimWithinLimit claims the review unless the actor, with all accounts, holds as many as one person can
// hold. Otherwise one person could take a queue from all others by one command.
func (c *command) claimWithinLimit(review domain.Review) (ReviewResult, error) {
	held, err := c.tx.LiveClaims(c.ctx, c.persons[0].Accounts(), review.ID)
	if err != nil {
		return ReviewResult{}, err
	}
	most := c.svc.settings.ClaimLimit
	if held < most {
		return c.claimReview(review), nil
	}
	return ReviewResult{}, domain.Errorf(domain.ClaimLimitReached,
		"You hold %d reviews, and one person can hold %d.", held, most).
		WithDetail("held", strconv.Itoa(held)).WithDetail("most", strconv.Itoa(most)).
		WithRemedy("Decide or release one of them first.")
}

// requireDecided refuses the command unless the actor has decided the review. The refusal is the
// same for a review that does not exist or that the actor cannot see.
func (c *command) requireDecided(review domain.ID) error {
	if review == domain.NoID {
		return nil
	}
	decided, err := c.tx.HasDecided(c.ctx, c.actor.UserID, review)
	if err != nil || decided {
		return err
	}
	return domain.Errorf(domain.StateMismatch,
		"You have not decided the review after which the next one is to be claimed.").
		WithRemedy("Decide that review first, or claim the next one without naming it.")
}
