package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// scheduleEffect moves the process on by a decision, at once, or after the time in which it can be taken back. Where the process
// has no answer on its way on, the decision stands all the same: it is not the reviewer's to repair. The machine meets the
// same a moment later, and makes an incident of it for those who can.
func (c *command) scheduleEffect(review domain.Review, verdict domain.Verdict, window time.Duration, facts domain.ProcessFacts) error {
	if window > 0 {
		c.scheduleReviewRun(review, domain.RunKindUndoBy, c.now.Add(window/time.Duration(c.deadlineSpeed)))
		return nil
	}
	err := c.advanceWithFacts(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat, Verdict: verdict}, facts)
	if domain.HasCode(err, domain.ExpressionFailed) {
		c.scheduleReviewRun(review, domain.RunKindUndoBy, c.now)
		return nil
	}
	return err
}

// runDecisionEffect lets a decision take effect that nobody has taken back. The machine acts, for whoever decided.
func (svc *Service) runDecisionEffect(ctx context.Context, run domain.StageRun) error {
	return svc.asSystem(ctx, "effect", run, func(c *command) error {
		review, err := c.lockedReview(run.Subject)
		if err != nil {
			return err
		}
		decisions, err := c.tx.Decisions(c.ctx, run.CaseID)
		if err != nil {
			return err
		}
		for _, decision := range decisions {
			if decision.ReviewID != review.ID {
				continue
			}
			c.automatic, c.decidedBy, c.reason = false, decision.Actor, decision.Reason
			return c.advanceProcess(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat,
				Verdict: decision.Verdict},
				generated.DecisionSettledV1{Person: decision.Actor, ReviewID: review.ID, Verdict: string(decision.Verdict)})
		}
		return domain.Errorf(domain.Internal, "The decision of review %s is missing.", review.ID)
	})
}

// pendingDecisionRun is the run by which a decision is going to take effect; nil when it has, or never waited.
func (c *command) pendingDecisionRun(review domain.ID) (*domain.StageRun, error) {
	runs, err := c.tx.RunsOf(c.ctx, c.before.ID)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if runs[i].Kind == domain.RunKindUndoBy && runs[i].Subject == review && runs[i].Status == domain.RunPending {
			return &runs[i], nil
		}
	}
	return nil, nil
}

// UndoDecision takes one's own decision back as long as it has had no effect. The record of it stays; its vote falls, and
// a new seat is opened in the place of the old one, given to the same person.
func (svc *Service) UndoDecision(ctx context.Context, actor domain.Actor, in ReviewTarget) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "undo", domain.ActDecide); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "undo", in, in, func(c *command, review domain.Review) (ReviewResult, error) {
		if err := c.authorizeReview(domain.ActRead, review); err != nil {
			return ReviewResult{}, err
		}
		effect, err := c.pendingDecisionRun(review.ID)
		if err != nil {
			return ReviewResult{}, err
		}
		switch {
		case review.Status != domain.ReviewDecided:
			return ReviewResult{}, domain.Errorf(domain.StateMismatch, "This review is not decided.").WithDetail("status", string(review.Status))
		case review.Assignee != c.actor.UserID:
			return ReviewResult{}, domain.Errorf(domain.NotPermitted, "Only who decided can take the decision back.")
		case effect == nil || !effect.RunAfter.After(c.now):
			return ReviewResult{}, domain.Errorf(domain.StateMismatch, "It is too late: the decision has taken effect.").
				WithDetail("status", string(c.before.Status)).WithRemedy("A manager can reopen the case when it is closed, if the process allows it.")
		}
		c.emit(generated.DecisionUndoneV1{Person: c.actor.UserID, ReviewID: review.ID})
		if err := c.revokeAndReopenSeat(review, "taken back"); err != nil {
			return ReviewResult{}, err
		}
		again := &c.change.NewReviews[len(c.change.NewReviews)-1]
		again.Assignee = c.actor.UserID
		return c.reviewResult(*again), nil
	})
}

// revokeAndReopenSeat makes the vote of a decided seat fall and opens a seat in its place.
func (c *command) revokeAndReopenSeat(review domain.Review, why string) error {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	for _, vote := range exclusions.Votes {
		if vote.ReviewID == review.ID {
			c.change.RevokedVotes = append(c.change.RevokedVotes, vote)
			c.emit(generated.VoteFellV1{Duty: vote.Duty, Person: vote.Person, ReviewID: vote.ReviewID, Why: why})
		}
	}
	return c.reopenSeat(review)
}

// reopenSeat opens a seat in the place of a decided one. What its decision was still going to do is called off.
func (c *command) reopenSeat(review domain.Review) error {
	c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
	return c.advanceWithChangedFields(workflow.Event{Kind: workflow.SeatReopened, Node: review.Node, Visit: review.Visit, Seat: review.Seat})
}

// advanceWithChangedFields is goOn by the fields that this command leaves behind, if it changes any.
func (c *command) advanceWithChangedFields(event workflow.Event) error {
	if c.change.Fields == nil {
		return c.advanceProcess(event)
	}
	return c.advanceWithFacts(event, processFacts(c.change.Case, c.change.Fields, nil))
}
