package casework

import (
	"context"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// PauseDeadlines asks to pause or resume the deadlines of one review or of every undecided review
// of a case; exactly one of ReviewID and CaseID is set. A pause requires a reason.
type PauseDeadlines struct {
	Once     Once
	CaseID   domain.ID
	ReviewID domain.ID
	Reason   string
}

// DeadlinesResult contains the case and the reviews whose deadlines were paused or resumed.
type DeadlinesResult struct {
	CaseID  domain.ID
	Reviews []domain.ID
}

// PauseDeadlines pauses deadlines: no review becomes overdue, and the remaining time is kept. It
// requires the right to reassign the reviews.
func (svc *Service) PauseDeadlines(
	ctx context.Context, actor domain.Actor, in PauseDeadlines,
) (DeadlinesResult, error) {
	if err := svc.inScope(ctx, actor, "pause", domain.ActReassign); err != nil {
		return DeadlinesResult{}, err
	}
	in.Reason = strings.TrimSpace(in.Reason)
	if in.Reason == "" || domain.Longer(in.Reason, 1000) {
		return DeadlinesResult{},
			domain.Invalid("reason", "Enter a reason for the pause (up to 1,000 characters).")
	}
	return svc.changeDeadlines(ctx, actor, "pause", in,
		func(c *command, review domain.Review, _ time.Time) bool {
			if review.Paused() {
				return false
			}
			c.emit(generated.ReviewPausedV1{Reason: in.Reason, ReviewID: review.ID})
			c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
			review.PausedAt, review.PauseReason = c.now, in.Reason
			c.editReview(review)
			return true
		})
}

// ResumeDeadlines resumes deadlines with the remaining time. It ignores Reason.
func (svc *Service) ResumeDeadlines(
	ctx context.Context, actor domain.Actor, in PauseDeadlines,
) (DeadlinesResult, error) {
	if err := svc.inScope(ctx, actor, "resume", domain.ActReassign); err != nil {
		return DeadlinesResult{}, err
	}
	return svc.changeDeadlines(ctx, actor, "resume", in,
		func(c *command, review domain.Review, ends time.Time) bool {
			if !review.Paused() {
				return false
			}
			calendar, since := c.queueConfig.calendar(review.Queue), review.PausedAt
			for _, deadline := range []*time.Time{&review.ClaimBy, &review.AtRiskFrom,
				&review.DecideBy} {
				if deadline.Before(noDeadline) && deadline.After(since) {
					*deadline = calendar.Add(c.now, calendar.Between(since, *deadline))
				}
			}
			c.endWithStep(&review, since, ends)
			review.PausedAt, review.PauseReason = time.Time{}, ""
			review = c.editReview(review)
			c.rescheduleDeadlines(review)
			c.emit(generated.ReviewResumedV1{ClaimBy: review.ClaimBy, DecideBy: review.DecideBy,
				ReviewID: review.ID})
			return true
		})
}

// rescheduleDeadlines schedules the runs of the deadlines that are still ahead.
func (c *command) rescheduleDeadlines(review domain.Review) {
	if review.AtRiskFrom.After(c.now) {
		c.scheduleDeadline(review, domain.RunKindAtRisk, review.AtRiskFrom)
	}
	if review.DecideBy.After(c.now) {
		c.scheduleDeadline(review, domain.RunKindDecideBy, review.DecideBy)
	}
	if review.ClaimBy.After(c.now) {
		c.scheduleClaimDeadline(review)
	}
	c.scheduleReminders(review)
	c.scheduleAssignment(review)
}

// changeDeadlines runs fn on the targeted undecided reviews, with the end of their step if it has a time limit; fn
// reports whether it changed the review. A review that the actor may not reassign refuses the whole command.
func (svc *Service) changeDeadlines(
	ctx context.Context, actor domain.Actor, operation string, in PauseDeadlines,
	fn func(c *command, review domain.Review, ends time.Time) bool,
) (DeadlinesResult, error) {
	if (in.CaseID == domain.NoID) == (in.ReviewID == domain.NoID) {
		return DeadlinesResult{}, domain.Invalid("reviewId", "Choose either a review or a case.")
	}
	if err := checkScope(actor, domain.ActReassign); err != nil {
		svc.logRefusal(ctx, actor, operation, in.CaseID, err)
		return DeadlinesResult{}, err
	}
	run := func(c *command) (DeadlinesResult, error) {
		result := DeadlinesResult{CaseID: c.before.ID}
		if err := c.lockReviews(); err != nil {
			return result, err
		}
		undecided := 0
		for _, review := range c.reviews {
			if !isOpen(review) || (in.ReviewID != domain.NoID && review.ID != in.ReviewID) {
				continue
			}
			if err := c.authorizeReview(domain.ActReassign, review); err != nil {
				return result, err
			}
			undecided++
			ends, err := c.runningEnd(review.Node, review.Visit)
			if err != nil {
				return result, err
			}
			if fn(c, review, ends) {
				result.Reviews = append(result.Reviews, review.ID)
			}
		}
		if undecided > 0 {
			return result, nil
		}
		if err := c.authorizeCase(domain.ActRead); err != nil {
			facts, factsErr := c.caseFacts()
			if factsErr != nil {
				return result, factsErr
			}
			return result, c.suggestOnBehalf(facts, err)
		}
		return result, domain.Errorf(domain.StateMismatch, "No review is waiting for a decision.").
			WithDetail("status", string(c.before.Status))
	}
	if in.CaseID != domain.NoID {
		return runCaseCommand(ctx, svc, actor, operation, in.CaseID, in.Once, in, run)
	}
	on := ReviewTarget{Once: in.Once, ReviewID: in.ReviewID}
	return runReviewCommand(ctx, svc, actor, operation, on, in,
		func(c *command, _ domain.Review) (DeadlinesResult, error) { return run(c) })
}
