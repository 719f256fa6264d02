package casework

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// rewire makes the rows of the case those of its new marking: open reviews, pending steps and timers
// stay, with the values of the new version; what it has more is opened, what it lacks is withdrawn.
func (m *caseMigration) rewire(before, after []workflow.Effect) error {
	wanted := map[domain.ID]bool{}
	for _, effect := range after {
		switch e := effect.(type) {
		case workflow.OpenReview:
			if err := m.rewireReview(before, e, m.endInVersion(e, after), wanted); err != nil {
				return err
			}
		case workflow.StartStage:
			if at := m.runAt(e.Node, e.Visit, domain.RunKindStage); at >= 0 {
				m.runs[at].Queue, m.runs[at].Topic, m.runs[at].LeaseFor = m.queueOf(e), e.Topic, e.Lease
				continue
			}
			m.startStage(e)
		case workflow.StartTimer:
			at := m.runAt(e.Node, e.Visit, domain.RunKindTimer)
			if at >= 0 && !m.order.RestartDeadlines {
				wanted[m.runs[at].ID] = true
				continue
			}
			m.startTimer(e)
		}
	}
	m.withdrawUnwanted(wanted)
	if m.order.Undoes != domain.NoID {
		m.restoreReviews()
	}
	m.replaceRuns()
	return nil
}

// endInVersion returns when the time limit of a review's step in the new version ends it: by the timer that stays,
// or by the one that starts now. It is zero without a limit.
func (m *caseMigration) endInVersion(e workflow.OpenReview, after []workflow.Effect) time.Time {
	timer := startedTimer(after, e.Node, e.Visit)
	if timer == nil {
		return time.Time{}
	}
	at := m.runAt(e.Node, e.Visit, domain.RunKindTimer)
	switch {
	case at < 0 || m.order.RestartDeadlines:
		return m.timerDue(*timer)
	case m.runs[at].Status != domain.RunPending:
		return time.Time{} // it failed, so it ends nothing until it is repaired
	}
	return m.runs[at].RunAfter
}

// runAt returns the index of the pending or failed run of a node in the new version, -1 for none.
func (m *caseMigration) runAt(node string, visit int, kind domain.RunKind) int {
	return slices.IndexFunc(m.runs, func(run domain.StageRun) bool {
		return m.target(run.Node) == node && run.Visit == visit && run.Kind == kind
	})
}

// queueOf returns the work queue of a stage for the case.
func (m *caseMigration) queueOf(e workflow.StartStage) string {
	if node, ok := m.to.Node(e.Node); ok && e.Topic == "" {
		return node.QueueOf(m.before.DocumentType)
	}
	return e.Queue
}

// rewireReview keeps an open seat, with queue, level and duty of the new version, or opens it.
func (m *caseMigration) rewireReview(
	before []workflow.Effect, e workflow.OpenReview, ends time.Time, wanted map[domain.ID]bool,
) error {
	at := slices.IndexFunc(m.reviews, func(r domain.Review) bool {
		return isOpen(r) && r.Node == e.Node && r.Visit == e.Visit && r.Seat == e.Seat
	})
	if at < 0 {
		if slices.ContainsFunc(m.reviews, func(r domain.Review) bool {
			return r.Node == e.Node && r.Visit == e.Visit && r.Seat == e.Seat
		}) {
			return refuseMove(moveRevoked, "The seat that the version adds was withdrawn before.")
		}
		m.openReview(e, ends)
		opened := m.change.NewReviews[len(m.change.NewReviews)-1]
		m.move.Reviews = append(m.move.Reviews, MovedReview{ID: opened.ID, Node: e.Node, After: e,
			Added: true})
		return nil
	}
	review := m.reviews[at]
	wanted[review.ID] = true
	moved := MovedReview{ID: review.ID, Node: e.Node, Before: e, After: e, Assignee: review.Assignee}
	for _, effect := range before {
		if b, ok := effect.(workflow.OpenReview); ok && m.target(b.Node) == e.Node && b.Seat == e.Seat {
			moved.Before = b
		}
	}
	if m.order.Undoes != domain.NoID { // restoreReviews
		m.move.Reviews = append(m.move.Reviews, moved)
		return nil
	}
	m.was.Reviews = append(m.was.Reviews, reviewBefore{review.ID, review.Queue, review.Level,
		review.Duty, review.ClaimBy, review.DecideBy, review.AtRiskFrom})
	if err := m.reassess(review, &moved, ends); err != nil {
		return err
	}
	m.move.Reviews = append(m.move.Reviews, moved)
	return nil
}

// reassess gives an open review what has changed in the new version. If its assignee may not take it
// any more, it is released.
func (m *caseMigration) reassess(review domain.Review, moved *MovedReview, ends time.Time) error {
	// A time limit that the new version adds or that comes earlier shortens the time to decide.
	rescheduled := m.order.RestartDeadlines || !ends.IsZero() && ends.Before(review.DecideBy)
	if sameAssignment(moved.Before, moved.After) && !rescheduled {
		m.moveReminders(review)
		return nil
	}
	if moved.Before.Queue != moved.After.Queue { // else a rule of its queue may have moved it
		review.Queue = moved.After.Queue
	}
	review.Level, review.Duty = max(review.Level, moved.After.Level), moved.After.Duty
	m.rows.Reviews = append(m.rows.Reviews, review)
	if m.order.RestartDeadlines {
		review.ClaimBy = m.deadline(review.Queue, m.now, claimWithin(review, moved.After.ClaimWithin))
		m.setDecisionDeadline(&review, moved.After.DecideWithin, ends)
	} else {
		m.endWithStep(&review, review.CreatedAt, ends)
	}
	if rescheduled {
		m.change.CancelSubjects = append(m.change.CancelSubjects, review.ID)
	}
	may, err := m.mayKeep(review)
	if err != nil {
		return err
	}
	if !may {
		moved.Released, m.was.Inexact = true, true
		review = m.releaseReview(review, "migrated")
	} else {
		review = m.editReview(review)
		m.scheduleReminders(review)
		m.scheduleAssignment(review)
	}
	if rescheduled {
		m.scheduleClaimDeadline(review)
		m.scheduleDecisionDeadlines(review)
	}
	return nil
}

// moveReminders schedules the reminders of the new version before the deadlines of a review that nothing
// else changes. Its row gets another version only if the reminders differ, so that its reviewer is not
// disturbed otherwise. Reminders of the old version that are scheduled do nothing.
func (m *caseMigration) moveReminders(review domain.Review) {
	after, ok := m.to.Node(review.Node)
	before := slices.IndexFunc(m.from.Nodes,
		func(node *workflow.Node) bool { return m.target(node.ID) == review.Node })
	if ok && (before < 0 || !slices.Equal(m.from.Nodes[before].Remind, after.Remind)) {
		m.scheduleReminders(m.editReview(review))
	}
}

// mayKeep reports whether the assignee of a review may take it in the new version.
func (m *caseMigration) mayKeep(review domain.Review) (bool, error) {
	if review.Assignee == domain.NoID {
		return true, nil
	}
	users, err := m.tx.Users(m.ctx, []domain.ID{review.Assignee})
	if err != nil || len(users) != 1 {
		return false, err
	}
	facts := store.NewReviewFacts(m.change.Case, review, *m.exclusions, m.to.HasAmount, m.now)
	refusal, err := m.stillMayClaim(users[0], facts)
	return refusal == nil, err
}

// withdrawUnwanted withdraws open reviews and boundary timers that the new marking does not have.
func (m *caseMigration) withdrawUnwanted(wanted map[domain.ID]bool) {
	for _, review := range m.reviews {
		if isOpen(review) && !wanted[review.ID] {
			m.cancelReview(review)
		}
	}
	for _, run := range m.runs {
		if run.Kind == domain.RunKindTimer && !wanted[run.ID] {
			m.cancelNode(m.target(run.Node), domain.RunKindTimer)
		}
	}
}

// restoreReviews gives the open reviews the values from before the migration that is undone.
func (m *caseMigration) restoreReviews() {
	for _, was := range m.was.Reviews {
		at := slices.IndexFunc(m.reviews, func(r domain.Review) bool { return r.ID == was.ID })
		if at < 0 || !isOpen(m.reviews[at]) {
			continue
		}
		review := m.reviews[at]
		same := func(a, b time.Time) bool { return a.Equal(b) }
		if review.Queue == was.Queue && review.Level == was.Level && review.Duty == was.Duty &&
			same(review.ClaimBy, was.ClaimBy) && same(review.DecideBy, was.DecideBy) {
			continue
		}
		review.Queue, review.Level, review.Duty = was.Queue, was.Level, was.Duty
		review.ClaimBy, review.DecideBy, review.AtRiskFrom = was.ClaimBy, was.DecideBy, was.AtRiskFrom
		m.rows.Reviews = append(m.rows.Reviews, review)
		m.change.CancelSubjects = append(m.change.CancelSubjects, review.ID)
		review = m.editReview(review)
		m.scheduleClaimDeadline(review)
		m.scheduleDecisionDeadlines(review)
		m.scheduleReminders(review)
		m.scheduleAssignment(review)
	}
}

// replaceRuns gives every pending run another id, so that no worker can lease it with the case of the
// old version.
func (m *caseMigration) replaceRuns() {
	for _, run := range m.runs {
		if run.Status != domain.RunPending {
			continue
		}
		moved := store.MovedRun{ID: run.ID, After: run}
		moved.After.ID, moved.After.Node = domain.NewID(), m.target(run.Node)
		m.rows.Runs = append(m.rows.Runs, moved)
	}
}
