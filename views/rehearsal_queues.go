package views

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/forecast"
	"countersign/store"
	"countersign/workflow"
)

// queueChanges are the absences and calendars of the past, and what a change does to the reviews of queues.
type queueChanges struct {
	calendars map[string]*domain.Calendar // by queue
	changed   map[string]*domain.Calendar // by queue, with the change
	absences  map[domain.ID][]domain.Absence
	dropped   map[domain.ID]bool      // recorded reviews that would not exist
	due       map[domain.ID]time.Time // recorded reviews with another deadline
	added     []forecast.Review       // reviews that would exist too
}

// loadQueueChanges reads the calendars of the queues and the absences.
func (v *Views) loadQueueChanges(ctx context.Context, query RehearsalQuery) (queueChanges, error) {
	q := queueChanges{calendars: map[string]*domain.Calendar{}, absences: map[domain.ID][]domain.Absence{},
		changed: map[string]*domain.Calendar{}, dropped: map[domain.ID]bool{},
		due: map[domain.ID]time.Time{}}
	calendars, err := v.reader.Calendars(ctx)
	if err != nil {
		return q, err
	}
	queues, err := v.reader.Queues(ctx)
	if err != nil {
		return q, err
	}
	if changed := query.Change.Calendar; changed != nil && !slices.ContainsFunc(calendars,
		func(c *domain.Calendar) bool { return c.Name == changed.Name }) {
		return q, domain.Invalid("change.calendar.name", "The calendar %q does not exist.", changed.Name)
	}
	for _, rule := range queues {
		for _, calendar := range calendars {
			if calendar.Name != rule.Calendar {
				continue
			}
			q.calendars[rule.Name], q.changed[rule.Name] = calendar, calendar
			if changed := query.Change.Calendar; changed != nil && changed.Name == calendar.Name {
				q.changed[rule.Name] = changed
			}
		}
	}
	absences, err := v.reader.AbsencesSince(ctx, time.Time{})
	for _, absence := range absences {
		q.absences[absence.Person] = append(q.absences[absence.Person], absence)
	}
	return q, err
}

// window is the time in which the seat of a review had to be decided. A review that did not exist would
// have been opened when the case was submitted.
func (q *queueChanges) window(p *pastCase, seat workflow.SimulatedSeat) (opened, due time.Time) {
	if opened = p.CreatedAt; seat.Decision >= 0 {
		opened = p.record[seat.Decision].CreatedAt
	}
	return opened, q.calendars[seat.Queue].Add(opened, seat.DecideWithin)
}

// away reports whether a person was out of office the whole time.
func (q *queueChanges) away(person domain.ID, from, until time.Time) bool {
	return slices.ContainsFunc(q.absences[person], func(a domain.Absence) bool {
		return a.At(from) && !a.Until.Before(until)
	})
}

// compareQueues notes which reviews of the case would not exist, would exist too, or would have another
// deadline, and who could take each. A case of which the viewer sees no reviews changes nothing.
func (r *rehearsal) compareQueues(p *pastCase, before, after staffed) {
	if p.Redacted {
		return
	}
	q := &r.queues
	kept, unrecorded := map[int]int{}, map[string]int{}
	for i, seat := range after.route.Seats {
		if seat.Decision >= 0 {
			kept[seat.Decision] = i
		}
	}
	for i, seat := range before.route.Seats {
		if seat.Decision < 0 {
			unrecorded[seat.Node]++
			continue
		}
		review := &p.record[seat.Decision]
		at, asked := kept[seat.Decision]
		is := before.able[i]
		if asked {
			is = after.able[at]
		}
		r.noteGroups(review.ID, before.able[i], is)
		switch {
		case !asked:
			q.dropped[review.ID] = true
		case after.route.Seats[at].Queue != seat.Queue:
			q.dropped[review.ID] = true
			q.add(review.CreatedAt, after.route.Seats[at], r.assign.groupOf(is))
		case after.route.Seats[at].DecideWithin != seat.DecideWithin:
			q.due[review.ID] = q.deadline(review.CreatedAt, after.route.Seats[at])
		}
	}
	for i, seat := range after.route.Seats {
		if seat.Decision >= 0 {
			continue
		}
		if unrecorded[seat.Node]--; unrecorded[seat.Node] < 0 {
			q.add(p.CreatedAt, seat, r.assign.groupOf(after.able[i]))
		}
	}
	for _, review := range p.undecided {
		if unrecorded[review.Node] > 0 {
			unrecorded[review.Node]--
			q.dropped[review.ID] = true
		}
		if able, simulated := before.of(review.Node); simulated {
			is, asked := after.of(review.Node)
			if !asked {
				is = able
			}
			r.noteGroups(review.ID, able, is)
		}
	}
}

// of returns who could have taken a review of a node without a decision.
func (s staffed) of(node string) (ablePeople, bool) {
	for i, seat := range s.route.Seats {
		if seat.Node == node && seat.Decision < 0 {
			return s.able[i], true
		}
	}
	return ablePeople{}, false
}

// noteGroups notes who could have taken a recorded review. If no one could today, its people are not
// known: someone has taken it, or a person may still get the right.
func (r *rehearsal) noteGroups(review domain.ID, was, is ablePeople) {
	if len(was.may) > 0 {
		r.assign.reviews[review] = [2]int{r.assign.groupOf(was), r.assign.groupOf(is)}
	}
}

func (q *queueChanges) add(opened time.Time, seat workflow.SimulatedSeat, group int) {
	q.added = append(q.added, forecast.Review{Queue: seat.Queue, Opened: opened, Group: group,
		Due: q.deadline(opened, seat)})
}

// farDeadline is that of a review without one.
var farDeadline = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func (q *queueChanges) deadline(opened time.Time, seat workflow.SimulatedSeat) time.Time {
	if seat.DecideWithin <= 0 {
		return farDeadline
	}
	return q.changed[seat.Queue].Add(opened, seat.DecideWithin)
}

// dueOf returns the deadline of a recorded review with the change.
func (q *queueChanges) dueOf(read store.ReplayedReview) time.Time {
	if due, changed := q.due[read.ID]; changed {
		return due
	}
	if old, now := q.calendars[read.Queue], q.changed[read.Queue]; old != now && read.Due.Before(farDeadline) {
		return now.Add(read.Opened, old.Between(read.Opened, read.Due))
	}
	return read.Due
}

// replayQueues simulates the queues over the weeks of the rehearsed cases, with all reviews that they had
// and with the change.
func (r *rehearsal) replayQueues(ctx context.Context) error {
	change := r.query.Change
	stats := &Statistics{views: r.views, viewer: r.viewer, Scope: statisticsScope(r.viewer)}
	if ofQueue := change.Deadline != nil || change.Reviewers != nil; ofQueue && stats.Scope == ScopeOwn {
		return errNoForecast()
	}
	if stats.Scope == ScopeOwn || r.oldest.IsZero() {
		return nil
	}
	now, err := r.views.reader.Clock(ctx)
	if err != nil {
		return err
	}
	stats.query = store.StatisticsQuery{Viewer: r.viewer.user.ID}
	if err := stats.limitToScope(ctx); err != nil {
		return err
	}
	hidden := []string{}
	if !stats.seesConfidential() {
		hidden = domain.ConfidentialRules()
	}
	const week = 7 * 24 * time.Hour
	weeks := min(max(int(now.Sub(r.oldest)/week)+1, MinReplayWeeks), MaxReplayWeeks)
	for ; weeks >= MinReplayWeeks; weeks /= 2 {
		if stats.query.Days, err = pastWeeks(now.In(r.zone), weeks); err != nil {
			return err
		}
		read, err := r.views.reader.ReplayedReviews(ctx, stats.query, hidden)
		if err != nil {
			return err
		}
		if len(read) <= store.MaxReplayed {
			return r.replay(read, stats.query.Days)
		}
	}
	return nil
}

// replay replays the reviews of all queues. A queue without reviews cannot change.
func (r *rehearsal) replay(read []store.ReplayedReview, days domain.Days) error {
	in := &replayInput{days: days, assign: r.assign, dropped: r.queues.dropped, due: r.queues.dueOf,
		period: forecast.Period{From: days.From(), To: days.To(), Zone: r.zone}}
	if more := r.query.Change.Reviewers; more != nil {
		in.change = ReplayChange{Queue: more.Queue, Reviewers: more.More}
	}
	if deadline := r.query.Change.Deadline; deadline != nil {
		in.change = ReplayChange{Queue: deadline.Queue, DeadlinePercent: deadline.Percent}
	}
	in.split(read)
	if queue := in.change.Queue; queue != "" && len(in.before[queue]) == 0 {
		return domain.Invalid("change.queue",
			"The queue %q had no reviews in this time that you may see.", queue)
	}
	for _, review := range r.queues.added {
		if review.Opened.Before(in.period.To) {
			in.after[review.Queue] = append(in.after[review.Queue], review)
		}
	}
	for queue := range in.after {
		forecast.SortReviews(in.after[queue])
	}
	made := &Replay{}
	in.run(made)
	if !r.query.Recorded {
		for queue, worked := range in.worked[0] {
			r.shareByAssignment(in.before[queue], worked, false)
		}
		for queue, worked := range in.worked[1] {
			r.shareByAssignment(in.after[queue], worked, true)
		}
	}
	r.found.Queues, r.found.UnknownQueues, r.found.QueueError = made.Queues, made.Unknown, made.Error
	return nil
}
