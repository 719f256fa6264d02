package casework

import (
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// setDecisionDeadline gives the review the time to decide that starts now. It ends with the step, if ends is not
// zero, because no one can decide later: what sorts, warns or counts by the deadline need not know of the limit.
func (t *transition) setDecisionDeadline(review *domain.Review, within time.Duration, ends time.Time) {
	review.DecideBy = t.deadline(review.Queue, t.now, within)
	review.AtRiskFrom = t.deadline(review.Queue, t.now, within*4/5)
	t.endWithStep(review, t.now, ends)
}

// endWithStep shortens the time to decide, which counts from since, to the end of the review's step; zero means that
// it has no end.
func (t *transition) endWithStep(review *domain.Review, since, ends time.Time) {
	if ends.IsZero() || !ends.Before(review.DecideBy) {
		return
	}
	review.DecideBy = ends
	if at := ends.Add(-ends.Sub(since) / 5); at.Before(review.AtRiskFrom) {
		review.AtRiskFrom = at
	}
}

// endOfStep returns when the time limit of its step ends a review that opens: by the timer that one of the effects
// starts, or by the one that runs. It is zero without a limit.
func (t *transition) endOfStep(e workflow.OpenReview, effects []workflow.Effect) (time.Time, error) {
	if timer := startedTimer(effects, e.Node, e.Visit); timer != nil {
		return t.timerDue(*timer), nil
	}
	return t.runningEnd(e.Node, e.Visit)
}

// runningEnd returns when the timer that runs ends the reviews of a step. It is zero without a limit.
func (t *transition) runningEnd(nodeID string, visit int) (time.Time, error) {
	node, ok := t.def.Node(nodeID)
	if !ok || node.Timeout <= 0 {
		return time.Time{}, nil
	}
	if t.loadRuns == nil {
		return time.Time{}, domain.Errorf(domain.Internal, "The timer of %s was not loaded.", nodeID)
	}
	runs, err := t.loadRuns()
	if timer := domain.StepTimer(runs, nodeID, visit); timer != nil {
		return timer.RunAfter, err
	}
	return time.Time{}, err
}

// startedTimer returns the timer that one of the effects starts for a step, nil if none does.
func startedTimer(effects []workflow.Effect, node string, visit int) *workflow.StartTimer {
	for _, effect := range effects {
		if timer, ok := effect.(workflow.StartTimer); ok && timer.Node == node && timer.Visit == visit {
			return &timer
		}
	}
	return nil
}

// handleUndecided emits that a review was not decided in time, unless its step ends at the deadline.
func (c *command) handleUndecided(review domain.Review) error {
	if review.DecideBy.After(c.now) {
		return nil
	}
	ends, err := c.runningEnd(review.Node, review.Visit)
	if err != nil || ends.Equal(review.DecideBy) {
		return err
	}
	c.emit(generated.ReviewOverdueV1{Deadline: string(domain.RunKindDecideBy), Due: review.DecideBy,
		ReviewID: review.ID})
	return nil
}
