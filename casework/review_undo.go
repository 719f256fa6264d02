package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/workflow"
)

// undoWindow returns how long the decision can be undone. An approval in the caller's own name also has
// the time of bulk approvals if it asks for it and the review is within their limits.
func (c *command) undoWindow(review domain.Review, in DecideReview) (time.Duration, error) {
	node, _ := c.def.Node(review.Node)
	window := node.Undo
	if !in.Undoable {
		return window, nil
	}
	if in.Verdict == domain.Approve && c.actor.OnBehalfOf == domain.NoID && node.Bulk != nil &&
		checkWithinEnvelope(*node.Bulk, c.before, c.def.HasAmount) == nil {
		window = node.Bulk.Undo // never shorter than that of the node
	}
	if window == 0 {
		return 0, domain.Errorf(domain.NotPermitted, "This decision cannot be undone later.").
			WithRemedy("Confirm the decision to make it without an undo.")
	}
	return window, nil
}

// scheduleEffect advances the process by a decision, either immediately or after the undo window.
// If a condition of the process cannot be evaluated, the decision is still recorded, because the
// reviewer cannot repair the process. The run then fails in the worker and becomes an incident.
func (c *command) scheduleEffect(
	review domain.Review, verdict domain.Verdict, window time.Duration, facts domain.ProcessFacts,
) error {
	if window > 0 {
		c.scheduleReviewRun(review, domain.RunKindUndoBy,
			c.now.Add(window/time.Duration(c.deadlineSpeed)))
		return nil
	}
	if err := c.attributeVote(review, verdict); err != nil {
		return err
	}
	err := c.advanceWithFacts(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node,
		Visit: review.Visit, Seat: review.Seat, Verdict: verdict}, facts)
	if domain.HasCode(err, domain.ExpressionFailed) {
		c.scheduleReviewRun(review, domain.RunKindUndoBy, c.now)
		return nil
	}
	return err
}

// runDecisionEffect applies a decision that was not undone. The system acts on behalf of the
// decider.
func (svc *Service) runDecisionEffect(ctx context.Context, run domain.StageRun) error {
	_, err := withPresentControls(ctx, svc,
		func() (domain.ID, error) { return run.CaseID, nil },
		func(evaluated bool) (struct{}, error) {
			return struct{}{}, svc.settleDecision(ctx, run, evaluated)
		})
	return err
}

func (svc *Service) settleDecision(ctx context.Context, run domain.StageRun, evaluated bool) error {
	return svc.asSystem(ctx, "effect", run, func(c *command) error {
		c.evaluated = evaluated
		if err := c.requirePresentControls(); err != nil {
			return err
		}
		review, err := c.lockedReview(run.Subject)
		if err != nil {
			return err
		}
		decisions, err := c.tx.DecisionsAndHiddenVotes(c.ctx, run.CaseID)
		if err != nil {
			return err
		}
		for _, decision := range decisions {
			if decision.ReviewID != review.ID {
				continue
			}
			c.automatic, c.decidedBy, c.reason = false, decision.Actor, decision.Reason
			if err := c.attributeVote(review, decision.Verdict); err != nil {
				return err
			}
			return c.advanceProcess(workflow.Event{Kind: workflow.ReviewDecided, Node: review.Node,
				Visit: review.Visit, Seat: review.Seat, Verdict: decision.Verdict},
				settledEvent(decision))
		}
		return domain.Errorf(domain.Internal, "The decision of review %s is missing.", review.ID)
	})
}

// settledEvent is the event of a decision that takes effect after its undo window.
func settledEvent(decision domain.Decision) events.Body {
	if decision.Hidden {
		return generated.VoteSettledV1{Person: decision.Actor, ReviewID: decision.ReviewID}
	}
	settled := generated.DecisionSettledV1{Person: decision.Actor, ReviewID: decision.ReviewID,
		Verdict: string(decision.Verdict)}
	if decision.Verdict == domain.Abstain {
		return generated.DecisionSettledV2(settled)
	}
	return settled
}

// decisionRun returns the last run that applies a decision, or nil if it was applied immediately.
func (c *command) decisionRun(review domain.ID) (*domain.StageRun, error) {
	runs, err := c.tx.RunsOf(c.ctx, c.before.ID)
	if err != nil {
		return nil, err
	}
	var last *domain.StageRun
	for i := range runs {
		if runs[i].Kind == domain.RunKindUndoBy && runs[i].Subject == review {
			last = &runs[i]
		}
	}
	return last, nil
}

// UndoDecision undoes one's own decision before it takes effect. The decision stays on record, its
// vote is revoked, and a new seat is opened in its place, assigned to the same person.
func (svc *Service) UndoDecision(
	ctx context.Context, actor domain.Actor, in ReviewTarget,
) (ReviewResult, error) {
	if err := svc.inScope(ctx, actor, "undo", domain.ActDecide); err != nil {
		return ReviewResult{}, err
	}
	return runReviewCommand(ctx, svc, actor, "undo", in, in,
		func(c *command, review domain.Review) (ReviewResult, error) {
			if err := c.authorizeReview(domain.ActRead, review); err != nil {
				return ReviewResult{}, err
			}
			effect, err := c.decisionRun(review.ID)
			if err != nil {
				return ReviewResult{}, err
			}
			switch {
			case review.Status != domain.ReviewDecided:
				return ReviewResult{}, domain.Errorf(domain.StateMismatch,
					"This review is not decided.").WithDetail("status", string(review.Status))
			case review.Assignee != c.actor.UserID:
				return ReviewResult{}, domain.Errorf(domain.NotPermitted,
					"Only the reviewer who decided can undo the decision.")
			case effect != nil && effect.Status == domain.RunCancelled:
				return ReviewResult{}, domain.Errorf(domain.StateMismatch,
					"The decision no longer counts: it was undone, or the case has changed since.").
					WithDetail("status", string(c.before.Status))
			case effect == nil || effect.Status != domain.RunPending ||
				!effect.RunAfter.After(c.now):
				return ReviewResult{}, domain.Errorf(domain.StateMismatch,
					"The decision has already taken effect.").
					WithDetail("status", string(c.before.Status)).
					WithRemedy("If the process allows it, a manager can reopen the case after it is closed.")
			}
			c.emit(generated.DecisionUndoneV1{Person: c.actor.UserID, ReviewID: review.ID})
			if err := c.revokeAndReopenSeat(review, "taken back"); err != nil {
				return ReviewResult{}, err
			}
			reopened := &c.change.NewReviews[len(c.change.NewReviews)-1]
			if !reopened.Drawn() {
				reopened.Assignee = c.actor.UserID
			} else if review.Drawn() {
				if err := c.keepSeat(reopened); err != nil {
					return ReviewResult{}, err
				}
			}
			return c.reviewResult(*reopened), nil
		})
}

// revokeAndReopenSeat revokes the vote of a decided seat and opens a seat in its place.
func (c *command) revokeAndReopenSeat(review domain.Review, why string) error {
	if _, err := c.loadExclusions(); err != nil {
		return err
	}
	c.revokeVotesOf(review, why)
	return c.reopenSeat(review)
}

// reopenSeat opens a seat in the place of a decided one and cancels the pending effect of that
// decision.
func (c *command) reopenSeat(review domain.Review) error {
	c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
	return c.advanceWithChangedFields(workflow.Event{Kind: workflow.SeatReopened, Node: review.Node,
		Visit: review.Visit, Seat: review.Seat})
}

// advanceWithChangedFields advances the process with the fields that this command changed, if any.
func (c *command) advanceWithChangedFields(event workflow.Event) error {
	if c.change.Fields == nil {
		return c.advanceProcess(event)
	}
	facts, err := c.processFacts(c.change.Case, c.change.Fields, nil)
	if err != nil {
		return err
	}
	return c.advanceWithFacts(event, facts)
}
