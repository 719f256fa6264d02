package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// TimersQueue is the queue of deadlines.
const TimersQueue = "timers"

// noDeadline stands for "never" in rows that need a time.
var noDeadline = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// deadline is the moment until which something has to happen that the definition gives so long for, in the working time
// of the queue.
func (t *transition) deadline(queue string, from time.Time, within time.Duration) time.Time {
	if within <= 0 {
		return noDeadline
	}
	return t.queueConfig.calendar(queue).Add(from, within/time.Duration(t.deadlineSpeed))
}

// scheduleClaimDeadline adds the to-do that comes when nobody has claimed the review in time. Each time the review is given or given
// back begins a wait of its own, told apart by the version; one that is overtaken ends without a word when it comes.
func (t *transition) scheduleClaimDeadline(review domain.Review) {
	if review.Status == domain.ReviewOpen {
		t.scheduleDeadline(review, domain.RunKindClaimBy, review.ClaimBy)
	}
}

// restartClaimDeadline writes the review with its time to be claimed beginning now, or when its deadlines go on.
func (c *command) restartClaimDeadline(review domain.Review) domain.Review {
	from := c.now
	if review.Paused() {
		from = review.PausedAt
	}
	if node, ok := c.def.Node(review.Node); ok {
		review.ClaimBy = c.deadline(review.Queue, from, node.ClaimWithin)
	}
	review = c.editReview(review)
	c.scheduleClaimDeadline(review)
	c.scheduleAssignment(review)
	return review
}

// scheduleDecisionDeadlines adds the to-dos that come when the time to decide is nearly over, and over.
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

// scheduleReviewRun adds a to-do about the review, told apart from earlier ones of its kind by the review's version.
func (t *transition) scheduleReviewRun(review domain.Review, kind domain.RunKind, at time.Time) {
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: review.CaseID, Node: review.Node, Visit: review.Visit, Kind: kind,
		Subject: review.ID, Attempt: int(review.Version), Queue: TimersQueue, RunAfter: at, Status: domain.RunPending, CreatedAt: t.now})
}

// runDeadline judges on the locked review whether the deadline still stands, tells of it and acts as the definition
// says. The run ends in the same transaction, so it acts once however often it is delivered.
func (svc *Service) runDeadline(ctx context.Context, run domain.StageRun) error {
	_, err := runReviewCommand(ctx, svc, domain.SystemActor(), "deadline", ReviewTarget{ReviewID: run.Subject}, nil,
		func(c *command, review domain.Review) (ReviewResult, error) {
			c.change.Lease = &store.Lease{RunID: run.ID, Token: run.LeaseToken}
			c.change.RunResult = store.RunResult{Status: domain.RunDone}
			if isOpen(review) && !review.Paused() {
				if err := c.handleDeadline(run.Kind, review); err != nil {
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

// handleDeadline tells that a deadline of an undecided review has come, if it is the one that holds now.
func (c *command) handleDeadline(kind domain.RunKind, review domain.Review) error {
	switch kind {
	case domain.RunKindClaimBy:
		if review.Status == domain.ReviewOpen && !review.ClaimBy.After(c.now) {
			return c.handleUnclaimed(review)
		}
	case domain.RunKindAtRisk:
		if !review.AtRiskFrom.After(c.now) && review.DecideBy.After(c.now) {
			c.emit(generated.ReviewAtRiskV1{Due: review.DecideBy, ReviewID: review.ID})
		}
	case domain.RunKindAssign:
		if review.Status == domain.ReviewOpen && review.Assignee == domain.NoID {
			return c.assignByStrategy(review)
		}
	case domain.RunKindDecideBy:
		if !review.DecideBy.After(c.now) {
			c.emit(generated.ReviewOverdueV1{Deadline: string(kind), Due: review.DecideBy, ReviewID: review.ID})
		}
	}
	return nil
}

// handleUnclaimed alerts, and where the definition says so gives the review to the eligible person with the fewest open
// reviews. Where there is nobody, the same is tried again after the same time: somebody may be given the power meanwhile.
func (c *command) handleUnclaimed(review domain.Review) error {
	c.emit(generated.ReviewOverdueV1{Deadline: string(domain.RunKindClaimBy), Due: review.ClaimBy, ReviewID: review.ID})
	review.Breaches++
	rule := c.queueConfig.rule(review.Queue)
	if rule.HandAfter > 0 && review.Breaches >= rule.HandAfter {
		c.moveToQueue(review, rule.HandTo)
		return nil
	}
	node, ok := c.def.Node(review.Node)
	if !ok || node.Overdue != workflow.OverdueReassign {
		if rule.HandAfter > 0 { // it has to be counted again
			c.restartClaimDeadline(review)
		}
		return nil
	}
	to, err := c.chooseAssignee(review, domain.NoID)
	switch {
	case err == nil:
		c.assignTo(review, to, "nobody claimed it in time")
	case domain.HasCode(err, domain.NotEligible):
		c.restartClaimDeadline(review)
	default:
		return err
	}
	return nil
}

// hasDeadlineEvents reports whether a deadline is told of, which boards and badges show.
func (t *transition) hasDeadlineEvents() bool {
	for _, body := range t.bodies {
		switch body.(type) {
		case generated.ReviewOverdueV1, generated.ReviewAtRiskV1:
			return true
		}
	}
	return false
}
