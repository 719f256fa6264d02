package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// noDeadline represents "never" in columns that are not nullable.
var noDeadline = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// deadline returns the time that is within after from, counted in the working time of the queue.
func (t *transition) deadline(queue string, from time.Time, within time.Duration) time.Time {
	if within <= 0 {
		return noDeadline
	}
	return t.queueConfig.calendar(queue).Add(from, within/time.Duration(t.deadlineSpeed))
}

// scheduleClaimDeadline schedules the run that fires if the review is not claimed in time. Each
// assignment or release schedules its own run, identified by the review's version; an outdated run
// does nothing.
func (t *transition) scheduleClaimDeadline(review domain.Review) {
	if review.Status == domain.ReviewOpen {
		t.scheduleDeadline(review, domain.RunKindClaimBy, review.ClaimBy)
	}
}

// restartClaimDeadline writes the review with a time to claim that starts now, or for paused
// deadlines at the pause.
func (c *command) restartClaimDeadline(review domain.Review) domain.Review {
	if node, ok := c.def.Node(review.Node); ok {
		review.ClaimBy = c.deadline(review.Queue, c.countedFrom(review), claimWithin(review, node.ClaimWithin))
	}
	return c.writeClaimDeadline(review)
}

// countedFrom returns when a time to claim that starts now begins to count.
func (c *command) countedFrom(review domain.Review) time.Time {
	if review.Paused() {
		return review.PausedAt
	}
	return c.now
}

// continueClaimDeadline writes the released review with the time to claim that was left when it was claimed, so that
// claims and releases in turn do not move the deadline. A deadline that had passed then has had its effect, and
// restarts. since is when the review was claimed, or now.
func (c *command) continueClaimDeadline(review domain.Review, since time.Time) domain.Review {
	if review.Paused() && review.PausedAt.Before(since) {
		since = review.PausedAt
	}
	node, ok := c.def.Node(review.Node)
	if !ok || !review.ClaimBy.Before(noDeadline) || !review.ClaimBy.After(since) {
		return c.restartClaimDeadline(review)
	}
	calendar, from := c.queueConfig.calendar(review.Queue), c.countedFrom(review)
	left := calendar.Add(from, calendar.Between(since, review.ClaimBy))
	review.ClaimBy = c.deadline(review.Queue, from, claimWithin(review, node.ClaimWithin))
	if left.Before(review.ClaimBy) { // it is not if the deadline was paused while the review was claimed
		review.ClaimBy = left
	}
	return c.writeClaimDeadline(review)
}

func (c *command) writeClaimDeadline(review domain.Review) domain.Review {
	review = c.editReview(review)
	c.scheduleClaimDeadline(review)
	c.scheduleReminders(review)
	c.scheduleAssignment(review)
	return review
}

// scheduleDecisionDeadlines schedules the runs that fire when the review is at risk and when it is
// overdue.
func (t *transition) scheduleDecisionDeadlines(review domain.Review) {
	if review.DecideBy.Before(noDeadline) {
		t.scheduleDeadline(review, domain.RunKindAtRisk, review.AtRiskFrom)
		t.scheduleDeadline(review, domain.RunKindDecideBy, review.DecideBy)
	}
}

func (t *transition) scheduleDeadline(review domain.Review, kind domain.RunKind, at time.Time) {
	if at.Before(noDeadline) && !review.Paused() {
		t.scheduleReviewRun(review, kind, at)
	}
}

// scheduleReviewRun schedules a run for the review, unless the change has one of its kind for this
// version. The review's version distinguishes it from earlier runs of its kind.
func (t *transition) scheduleReviewRun(review domain.Review, kind domain.RunKind, at time.Time) {
	t.scheduleNumberedRun(review, kind, int(review.Version), at)
}

// scheduleNumberedRun schedules a run for the review, unless the change has the one with the number.
func (t *transition) scheduleNumberedRun(
	review domain.Review, kind domain.RunKind, number int, at time.Time,
) {
	if slices.ContainsFunc(t.change.Runs, func(run domain.StageRun) bool {
		return run.Subject == review.ID && run.Kind == kind && run.Attempt == number
	}) {
		return
	}
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: review.CaseID, Node: review.Node,
		Visit: review.Visit, Kind: kind, Subject: review.ID, Attempt: number,
		Queue: domain.QueueTimers, RunAfter: at, Status: domain.RunPending, CreatedAt: t.now})
}

// runDeadline checks on the locked review whether the deadline still applies, emits its event and
// acts as the definition says. The run ends in the same transaction, so repeated deliveries act
// only once.
func (svc *Service) runDeadline(ctx context.Context, run domain.StageRun) error {
	_, err := runReviewCommand(ctx, svc, domain.SystemActor(), "deadline",
		ReviewTarget{ReviewID: run.Subject}, nil,
		func(c *command, review domain.Review) (ReviewResult, error) {
			c.change.Lease = &store.Lease{RunID: run.ID, Token: run.LeaseToken}
			c.change.RunResult = store.RunResult{Status: domain.RunDone}
			if isOpen(review) && !review.Paused() {
				if err := c.handleDeadline(run, review); err != nil {
					return ReviewResult{}, err
				}
			}
			if !c.hasChanges() {
				return ReviewResult{}, c.tx.EndRun(c.ctx, run)
			}
			return c.reviewResult(review), nil
		})
	if domain.HasCode(err, domain.LeaseLost) {
		return nil
	}
	return err
}

// handleDeadline handles a deadline of an undecided review, unless a later deadline has replaced
// it.
func (c *command) handleDeadline(run domain.StageRun, review domain.Review) error {
	switch run.Kind {
	case domain.RunKindClaimBy:
		if review.Status == domain.ReviewOpen && !review.ClaimBy.After(c.now) {
			return c.handleUnclaimed(review)
		}
	case domain.RunKindAtRisk:
		if !review.AtRiskFrom.After(c.now) && review.DecideBy.After(c.now) {
			c.emit(generated.ReviewAtRiskV1{Due: review.DecideBy, ReviewID: review.ID})
		}
	case domain.RunKindRemind:
		return c.remind(run, review)
	case domain.RunKindAssign:
		switch {
		case review.AwaitsDraw():
			return c.drawReviewer(review)
		case review.Status == domain.ReviewOpen && review.Assignee == domain.NoID:
			return c.assignByStrategy(review)
		}
	case domain.RunKindDecideBy:
		return c.handleUndecided(review)
	}
	return nil
}

// handleUnclaimed emits the overdue event and, if the definition says so, assigns the review to the
// eligible person with the fewest open reviews. If no one is eligible it restarts the deadline,
// because people may become eligible later. A drawn review stays in its queue, because a manager could
// choose its people with another one.
func (c *command) handleUnclaimed(review domain.Review) error {
	c.emit(generated.ReviewOverdueV1{Deadline: string(domain.RunKindClaimBy), Due: review.ClaimBy,
		ReviewID: review.ID})
	review.Breaches++
	if review.Drawn() {
		return c.drawAfterMissedClaim(review)
	}
	rule := c.queueConfig.rule(review.Queue)
	if rule.MoveAfterMissedClaims > 0 && review.Breaches >= rule.MoveAfterMissedClaims {
		c.moveToQueue(review, rule.MoveToQueue)
		return nil
	}
	node, ok := c.def.Node(review.Node)
	if !ok || node.Overdue != workflow.OverdueReassign {
		if rule.MoveAfterMissedClaims > 0 { // the next breach must be counted too
			c.restartClaimDeadline(review)
		}
		return nil
	}
	to, err := c.chooseAssignee(review, domain.NoID)
	switch {
	case err == nil:
		c.assignTo(review, to, "not claimed in time")
	case domain.HasCode(err, domain.NotEligible):
		c.restartClaimDeadline(review)
	default:
		return err
	}
	return nil
}

// drawAfterMissedClaim draws the next person of a review that the drawn one did not claim in time.
func (c *command) drawAfterMissedClaim(review domain.Review) error {
	if !review.AwaitsDraw() {
		review.Draws++
	}
	person, err := c.drawNext(review, domain.NoID, "")
	if err == nil && person == domain.NoID {
		vacate(&review)
		c.restartClaimDeadline(review)
	}
	return err
}

// hasDeadlineEvents reports whether the transition emits a deadline event, which boards and badges
// show.
func (t *transition) hasDeadlineEvents() bool {
	for _, body := range t.bodies {
		switch body.(type) {
		case generated.ReviewOverdueV1, generated.ReviewAtRiskV1:
			return true
		}
	}
	return false
}
