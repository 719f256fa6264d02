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

// Paced names the case and the reviews whose deadlines stand still, or go on, by the command.
type Paced struct {
	CaseID  domain.ID
	Reviews []domain.ID
}

// PauseDeadlines lets deadlines stand still: nothing becomes overdue, and the time that is left is kept. It is for who may
// give the reviews to other people.
func (h *Hall) PauseDeadlines(ctx context.Context, actor domain.Actor, in PauseDeadlines) (Paced, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	if in.Reason == "" || len(in.Reason) > 1000 {
		return Paced{}, domain.Invalid("reason", "say in up to 1 000 characters why the deadlines stand still")
	}
	return h.pace(ctx, actor, "pause", in, func(c *command, review domain.Review) bool {
		if review.Paused() {
			return false
		}
		c.tell(generated.ReviewPausedV1{Reason: in.Reason, ReviewID: review.ID})
		c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
		review.PausedAt, review.PauseReason = c.now, in.Reason
		c.editReview(review)
		return true
	})
}

// ResumeDeadlines lets deadlines go on with the time that was left. Reason is not asked.
func (h *Hall) ResumeDeadlines(ctx context.Context, actor domain.Actor, in PauseDeadlines) (Paced, error) {
	return h.pace(ctx, actor, "resume", in, func(c *command, review domain.Review) bool {
		if !review.Paused() {
			return false
		}
		calendar, since := c.book.calendar(review.Queue), review.PausedAt
		for _, deadline := range []*time.Time{&review.ClaimBy, &review.AtRiskFrom, &review.DecideBy} {
			if deadline.Before(noDeadline) && deadline.After(since) {
				*deadline = calendar.Add(c.now, calendar.Between(since, *deadline))
			}
		}
		review.PausedAt, review.PauseReason = time.Time{}, ""
		review = c.editReview(review)
		c.awaitAgain(review)
		c.tell(generated.ReviewResumedV1{ClaimBy: review.ClaimBy, DecideBy: review.DecideBy, ReviewID: review.ID})
		return true
	})
}

// awaitAgain adds the to-dos of the deadlines that are still to come.
func (c *command) awaitAgain(review domain.Review) {
	if review.AtRiskFrom.After(c.now) {
		c.await(review, domain.KindAtRisk, review.AtRiskFrom)
	}
	if review.DecideBy.After(c.now) {
		c.await(review, domain.KindDecideBy, review.DecideBy)
	}
	if review.ClaimBy.After(c.now) {
		c.awaitClaim(review)
	}
	c.awaitAssignment(review)
}

// pace runs fn on the undecided reviews that are meant; fn tells whether it changed one. A review that one may not give to
// others refuses the whole command.
func (h *Hall) pace(ctx context.Context, actor domain.Actor, operation string, in PauseDeadlines, fn func(*command, domain.Review) bool) (Paced, error) {
	if (in.CaseID == domain.NoID) == (in.ReviewID == domain.NoID) {
		return Paced{}, domain.Invalid("reviewId", "name either a review or a case")
	}
	run := func(c *command) (Paced, error) {
		paced := Paced{CaseID: c.before.ID}
		if err := c.lockReviews(); err != nil {
			return paced, err
		}
		undecided := 0
		for _, review := range c.reviews {
			if !open(review) || (in.ReviewID != domain.NoID && review.ID != in.ReviewID) {
				continue
			}
			if err := c.mayReview(domain.ActReassign, review); err != nil {
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
		if err := c.mayCase(domain.ActRead); err != nil {
			return paced, err
		}
		return paced, domain.Fail(domain.StateMismatch, "Nothing of this waits for a decision.").WithDetail("status", string(c.before.Status))
	}
	if in.CaseID != domain.NoID {
		return onCase(ctx, h, actor, operation, in.CaseID, in.Once, in, run)
	}
	on := OnReview{Once: in.Once, ReviewID: in.ReviewID}
	return onReview(ctx, h, actor, operation, on, in, func(c *command, _ domain.Review) (Paced, error) { return run(c) })
}
