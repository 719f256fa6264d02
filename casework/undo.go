package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// takeEffect moves the process on by a decision, at once, or after the time in which it can be taken back. Where the process
// has no answer on its way on, the decision stands all the same: it is not the reviewer's to repair. The machine meets the
// same a moment later, and makes an incident of it for those who can.
func (c *command) takeEffect(review domain.Review, verdict domain.Verdict, window time.Duration, facts domain.ProcessFacts) error {
	if window > 0 {
		c.awaitRun(review, domain.KindUndoBy, c.now.Add(window/time.Duration(c.speed)))
		return nil
	}
	err := c.advance(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat, Verdict: verdict}, facts)
	if domain.HasCode(err, domain.ExpressionFailed) {
		c.awaitRun(review, domain.KindUndoBy, c.now)
		return nil
	}
	return err
}

// runEffect lets a decision take effect that nobody has taken back. The machine acts, for whoever decided.
func (h *Hall) runEffect(ctx context.Context, run domain.StageRun) error {
	return h.asMachine(ctx, "effect", run, func(c *command) error {
		review, err := c.review(run.Subject)
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
			c.automatic, c.by, c.why = false, decision.Actor, decision.Reason
			c.tell(generated.DecisionSettledV1{Person: decision.Actor, ReviewID: review.ID, Verdict: string(decision.Verdict)})
			return c.goOn(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node, Visit: review.Visit, Seat: review.Seat,
				Verdict: decision.Verdict})
		}
		return domain.Fail(domain.Internal, "The decision of review %s is missing.", review.ID)
	})
}

// pendingEffect is the run by which a decision is going to take effect; nil when it has, or never waited.
func (c *command) pendingEffect(review domain.ID) (*domain.StageRun, error) {
	runs, err := c.tx.RunsOf(c.ctx, c.before.ID)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if runs[i].Kind == domain.KindUndoBy && runs[i].Subject == review && runs[i].Status == domain.RunPending {
			return &runs[i], nil
		}
	}
	return nil, nil
}

// UndoDecision takes one's own decision back as long as it has had no effect. The record of it stays; its vote falls, and
// a new seat is opened in the place of the old one, given to the same person.
func (h *Hall) UndoDecision(ctx context.Context, actor domain.Actor, in OnReview) (Reviewed, error) {
	return onReview(ctx, h, actor, "undo", in, in, func(c *command, review domain.Review) (Reviewed, error) {
		if err := scope(c.actor, domain.ActDecide); err != nil {
			return Reviewed{}, err
		}
		if err := c.mayReview(domain.ActRead, review); err != nil {
			return Reviewed{}, err
		}
		effect, err := c.pendingEffect(review.ID)
		if err != nil {
			return Reviewed{}, err
		}
		switch {
		case review.Status != domain.ReviewDecided:
			return Reviewed{}, domain.Fail(domain.StateMismatch, "This review is not decided.").WithDetail("status", string(review.Status))
		case review.Assignee != c.actor.UserID:
			return Reviewed{}, domain.Fail(domain.NotPermitted, "Only who decided can take the decision back.")
		case effect == nil || !effect.RunAfter.After(c.now):
			return Reviewed{}, domain.Fail(domain.StateMismatch, "It is too late: the decision has taken effect.").
				WithDetail("status", string(c.before.Status)).WithWayOut("A manager can reopen the case when it is closed, if the process allows it.")
		}
		c.tell(generated.DecisionUndoneV1{Person: c.actor.UserID, ReviewID: review.ID})
		if err := c.askSeatAgain(review, "taken back"); err != nil {
			return Reviewed{}, err
		}
		again := &c.change.Reviews[len(c.change.Reviews)-1]
		again.Assignee = c.actor.UserID
		return c.reviewed(*again), nil
	})
}

// askSeatAgain makes the vote of a decided seat fall and opens a seat in its place.
func (c *command) askSeatAgain(review domain.Review, why string) error {
	bars, err := c.barsOf()
	if err != nil {
		return err
	}
	for _, vote := range bars.Votes {
		if vote.ReviewID == review.ID {
			c.change.FallenVotes = append(c.change.FallenVotes, vote)
			c.tell(generated.VoteFellV1{Duty: vote.Duty, Person: vote.Person, ReviewID: vote.ReviewID, Why: why})
		}
	}
	return c.seatAgain(review)
}

// seatAgain opens a seat in the place of a decided one. What its decision was still going to do is called off.
func (c *command) seatAgain(review domain.Review) error {
	c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
	return c.goOnFrom(workflow.Event{Kind: workflow.SeatAgain, Node: review.Node, Visit: review.Visit, Seat: review.Seat})
}

// goOnFrom is goOn by the fields that this command leaves behind, if it changes any.
func (c *command) goOnFrom(event workflow.Event) error {
	if c.change.Fields == nil {
		return c.goOn(event)
	}
	return c.advance(event, processFacts(c.change.Case, c.change.Fields, nil))
}
