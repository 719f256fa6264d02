package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/workflow"
)

// reminderAt returns when people are reminded of a deadline: the given time before it, in the working
// time of the queue.
func (t *transition) reminderAt(queue string, due time.Time, before time.Duration) time.Time {
	return t.queueConfig.calendar(queue).Subtract(due, before/time.Duration(t.deadlineSpeed))
}

// scheduleReminders schedules the reminders of an undecided review that are ahead. Each version of the
// review with another deadline or queue schedules its own; outdated ones do nothing.
func (t *transition) scheduleReminders(review domain.Review) {
	node, ok := t.def.Node(review.Node)
	if !ok || review.Paused() {
		return
	}
	deadlines := []time.Time{review.DecideBy, review.ClaimBy}
	for i, due := range deadlines {
		for j, before := range node.Remind {
			if !due.Before(noDeadline) || !due.After(t.now) {
				continue
			}
			number := (int(review.Version)*len(deadlines)+i)*workflow.MaxReminders + j
			if at := t.reminderAt(review.Queue, due, before); at.After(t.now) {
				t.scheduleNumberedRun(review, domain.RunKindRemind, number, at)
			}
		}
	}
}

// nextDeadline returns the next deadline of an undecided review: the end of the time to claim it or to
// decide. It returns the zero time if there is none.
func nextDeadline(review domain.Review, now time.Time) (kind domain.RunKind, due time.Time) {
	if review.DecideBy.After(now) && review.DecideBy.Before(noDeadline) {
		kind, due = domain.RunKindDecideBy, review.DecideBy
	}
	if review.Status == domain.ReviewOpen && review.ClaimBy.After(now) &&
		review.ClaimBy.Before(noDeadline) && (due.IsZero() || review.ClaimBy.Before(due)) {
		kind, due = domain.RunKindClaimBy, review.ClaimBy
	}
	return kind, due
}

// remind emits the reminder of the next deadline that is due, once. After a downtime only the last of
// several is emitted. A run from before a change of the deadline finds none.
func (c *command) remind(run domain.StageRun, review domain.Review) error {
	node, ok := c.def.Node(review.Node)
	kind, due := nextDeadline(review, c.now)
	if !ok || due.IsZero() {
		return nil
	}
	for _, before := range slices.Backward(node.Remind) {
		at := c.reminderAt(review.Queue, due, before)
		if at.After(c.now) {
			continue
		}
		if at.Before(run.RunAfter.Add(-time.Second)) {
			return nil // the run is not for this reminder, whose own has passed or never was ahead
		}
		reminder := generated.ReviewRemindedV1{Before: workflow.ShortDuration(before),
			Deadline: string(kind), Due: due, ReviewID: review.ID}
		reminded, err := c.reminded(reminder)
		if err == nil && !reminded {
			c.emit(reminder)
		}
		return err
	}
	return nil
}

// reminded reports whether the log of the case has the reminder.
func (c *command) reminded(reminder generated.ReviewRemindedV1) (bool, error) {
	bodies, err := c.tx.EventBodies(c.ctx, c.before.ID, domain.ReviewReminded)
	for _, text := range bodies {
		body, err := events.Decode[generated.ReviewRemindedV1]([]byte(text))
		if err != nil {
			return false, err
		}
		if body.ReviewID == reminder.ReviewID && body.Due.Equal(reminder.Due) &&
			body.Before == reminder.Before {
			return true, nil
		}
	}
	return false, err
}
