package casework

import (
	"context"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// PauseDeadlines asks that the deadlines of one review stand still, or those of every undecided review of a case: exactly
// one of the two is named. Reason is owed.
type PauseDeadlines struct {
	Once     Once
	CaseID   domain.ID
	ReviewID domain.ID
	Reason   string
}

// DeadlinesResult names the case and the reviews whose deadlines stand still, or go on, by the command.
type DeadlinesResult struct {
	CaseID  domain.ID
	Reviews []domain.ID
}

// PauseDeadlines lets deadlines stand still: nothing becomes overdue, and the time that is left is kept. It is for who may
// give the reviews to other people.
func (svc *Service) PauseDeadlines(ctx context.Context, actor domain.Actor, in PauseDeadlines) (DeadlinesResult, error) {
	if err := svc.inScope(ctx, actor, "pause", domain.ActReassign); err != nil {
		return DeadlinesResult{}, err
	}
	in.Reason = strings.TrimSpace(in.Reason)
	if in.Reason == "" || domain.Longer(in.Reason, 1000) {
		return DeadlinesResult{}, domain.Invalid("reason", "say in up to 1 000 characters why the deadlines stand still")
	}
	return svc.changeDeadlines(ctx, actor, "pause", in, func(c *command, review domain.Review) bool {
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

// ResumeDeadlines lets deadlines go on with the time that was left. Reason is not asked.
func (svc *Service) ResumeDeadlines(ctx context.Context, actor domain.Actor, in PauseDeadlines) (DeadlinesResult, error) {
	if err := svc.inScope(ctx, actor, "resume", domain.ActReassign); err != nil {
		return DeadlinesResult{}, err
	}
	return svc.changeDeadlines(ctx, actor, "resume", in, func(c *command, review domain.Review) bool {
		if !review.Paused() {
			return false
		}
		calendar, since := c.queueConfig.calendar(review.Queue), review.PausedAt
		for _, deadline := range []*time.Time{&review.ClaimBy, &review.AtRiskFrom, &review.DecideBy} {
			if deadline.Before(noDeadline) && deadline.After(since) {
				*deadline = calendar.Add(c.now, calendar.Between(since, *deadline))
			}
		}
		review.PausedAt, review.PauseReason = time.Time{}, ""
		review = c.editReview(review)
		c.rescheduleDeadlines(review)
		c.emit(generated.ReviewResumedV1{ClaimBy: review.ClaimBy, DecideBy: review.DecideBy, ReviewID: review.ID})
		return true
	})
}

// rescheduleDeadlines adds the to-dos of the deadlines that are still to come.
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
	c.scheduleAssignment(review)
}

// changeDeadlines runs fn on the undecided reviews that are meant; fn tells whether it changed one. A review that one may not give to
// others refuses the whole command.
func (svc *Service) changeDeadlines(ctx context.Context, actor domain.Actor, operation string, in PauseDeadlines, fn func(*command, domain.Review) bool) (DeadlinesResult, error) {
	if (in.CaseID == domain.NoID) == (in.ReviewID == domain.NoID) {
		return DeadlinesResult{}, domain.Invalid("reviewId", "name either a review or a case")
	}
	if err := checkScope(actor, domain.ActReassign); err != nil {
		svc.logRefusal(ctx, actor, operation, in.CaseID, err)
		return DeadlinesResult{}, err
	}
	run := func(c *command) (DeadlinesResult, error) {
		paced := DeadlinesResult{CaseID: c.before.ID}
		if err := c.lockReviews(); err != nil {
			return paced, err
		}
		undecided := 0
		for _, review := range c.reviews {
			if !isOpen(review) || (in.ReviewID != domain.NoID && review.ID != in.ReviewID) {
				continue
			}
			if err := c.authorizeReview(domain.ActReassign, review); err != nil {
				return paced, err
			}
			undecided++
			if fn(c, review) {
				paced.Reviews = append(paced.Reviews, review.ID)
			}
		}
		if undecided > 0 {
			return paced, nil
		}
		if err := c.authorizeCase(domain.ActRead); err != nil {
			facts, factsErr := c.caseFacts()
			if factsErr != nil {
				return paced, factsErr
			}
			return paced, c.suggestOnBehalf(facts, err)
		}
		return paced, domain.Errorf(domain.StateMismatch, "Nothing of this waits for a decision.").WithDetail("status", string(c.before.Status))
	}
	if in.CaseID != domain.NoID {
		return runCaseCommand(ctx, svc, actor, operation, in.CaseID, in.Once, in, run)
	}
	on := ReviewTarget{Once: in.Once, ReviewID: in.ReviewID}
	return runReviewCommand(ctx, svc, actor, operation, on, in, func(c *command, _ domain.Review) (DeadlinesResult, error) { return run(c) })
}
