package views

import (
	"context"
	"maps"
	"slices"
	"time"

	"countersign/domain"
	"countersign/forecast"
	"countersign/store"
)

// The bounds of a replay.
const (
	MinReplayWeeks, MaxReplayWeeks         = 3, 26
	maxReviewerChange                      = 20
	minDeadlinePercent, maxDeadlinePercent = 10, 1000
	unchangedDeadline                      = 100
)

// ReplayChange is what a replay changes. Zero values change nothing.
type ReplayChange struct {
	Queue           string // whose reviewers and deadlines change
	Reviewers       int    // more, or fewer if it is negative
	DeadlinePercent int    // of the time until the deadline; 0 is 100
	Process         string // whose amount bound changes
	BaseMinor       *int64 // the amount from which it needs a review; nil changes nothing
}

// ReplayQuery selects the weeks of a replay, the time zone of their days, and a change.
type ReplayQuery struct {
	Weeks  int
	Zone   string
	Change ReplayChange
}

// Replay is what the same reviews of past weeks would have become.
type Replay struct {
	// Weeks are whole weeks of days of a time zone that ended at the last midnight.
	Weeks int
	Days  domain.Days
	Scope StatisticsScope
	// ExcludedProcesses do not count, because the viewer may not learn which reviews their cases need.
	ExcludedProcesses []string
	// Queues are those with enough decisions to learn from; Unknown are the others with reviews.
	Queues  []QueueReplay
	Unknown []string
	// Error is that of the replay of all queues against what was recorded; Weeks is 0 if it is unknown.
	Error forecast.Error
	// Removed and Added are how many reviews the amount bound changed.
	Removed, Added int
}

// QueueReplay is the replay of one queue.
type QueueReplay struct {
	Queue string
	// Reviewers are those of an average day, and ChangedReviewers with the change.
	Reviewers, ChangedReviewers int
	Recorded, Replayed, Changed forecast.Figures
	Error                       forecast.Error
	// People says that the replay knows who may take the reviews. Unassigned are those that the queue would
	// assign to no one, because no person has the skills or all are at the cap.
	People                        bool
	Unassigned, ChangedUnassigned int
}

// Replay replays the reviews of the past weeks as they were and with a change. It counts the same
// reviews as Statistics, for people who may reassign reviews, auditors and administrators.
func (v *Views) Replay(ctx context.Context, actor domain.Actor, query ReplayQuery) (*Replay,
	error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	stats := &Statistics{views: v, viewer: viewer, Scope: statisticsScope(viewer)}
	if stats.Scope == ScopeOwn {
		return nil, errNoForecast()
	}
	if err := query.check(); err != nil {
		return nil, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := domain.LoadZone(query.Zone)
	if err != nil {
		return nil, err
	}
	days, err := pastWeeks(now.In(zone), query.Weeks)
	if err != nil {
		return nil, err
	}
	stats.query = store.StatisticsQuery{Days: days, Viewer: viewer.user.ID}
	if err := stats.limitToScope(ctx); err != nil {
		return nil, err
	}
	return stats.replay(ctx, query, zone)
}

func errNoForecast() error {
	return domain.Errorf(domain.NotPermitted,
		"Only managers, auditors and administrators can see forecasts.").
		WithRemedy("Look at your own figures on the page Statistics.")
}

func (q ReplayQuery) check() error {
	c := q.Change
	if q.Weeks < MinReplayWeeks || q.Weeks > MaxReplayWeeks {
		return domain.Invalid("weeks", "Choose %d to %d weeks.", MinReplayWeeks, MaxReplayWeeks)
	}
	if max(c.Reviewers, -c.Reviewers) > maxReviewerChange {
		return domain.Invalid("change.reviewers", "Choose at most %d reviewers more or fewer.",
			maxReviewerChange)
	}
	if c.DeadlinePercent != 0 &&
		(c.DeadlinePercent < minDeadlinePercent || c.DeadlinePercent > maxDeadlinePercent) {
		return domain.Invalid("change.deadlinePercent", "Enter %d to %d percent.", minDeadlinePercent,
			maxDeadlinePercent)
	}
	if c.BaseMinor != nil && *c.BaseMinor < 0 {
		return domain.Invalid("change.reviewFrom", "The amount must not be negative.")
	}
	return nil
}

// pastWeeks returns the days of whole weeks before the day of now, in its time zone.
func pastWeeks(now time.Time, weeks int) (domain.Days, error) {
	day := func(before int) string {
		return time.Date(now.Year(), now.Month(), now.Day()-before, 12, 0, 0, 0, now.Location()).
			Format(time.DateOnly)
	}
	return domain.NewDays(day(7*weeks), day(1), now.Location().String())
}

// replay reads the reviews, and replays each queue.
func (s *Statistics) replay(ctx context.Context, query ReplayQuery, zone *time.Location) (*Replay,
	error) {
	hidden := []string{}
	if !s.seesConfidential() {
		hidden = domain.ConfidentialRules()
	}
	read, err := s.views.reader.ReplayedReviews(ctx, s.query, hidden)
	if err != nil {
		return nil, err
	}
	if len(read) > store.MaxReplayed {
		return nil, domain.Invalid("weeks", "These weeks have more than %d reviews.",
			store.MaxReplayed).WithRemedy("Choose fewer weeks.")
	}
	made := &Replay{Weeks: query.Weeks, Days: s.query.Days, Scope: s.Scope,
		ExcludedProcesses: s.ExcludedProcesses}
	replayed := &replayInput{change: query.Change, days: s.query.Days, period: forecast.Period{
		From: s.query.Days.From(), To: s.query.Days.To(), Zone: zone}}
	replayed.split(read)
	if query.Change.BaseMinor != nil && query.Change.Process != "" {
		if err := replayed.moveBound(ctx, s); err != nil {
			return nil, err
		}
	}
	replayed.run(made)
	return made, nil
}

// replayInput are reviews by queue: as they were, and with the change.
type replayInput struct {
	change         ReplayChange
	period         forecast.Period
	days           domain.Days
	read           []store.ReplayedReview
	before, after  map[string][]forecast.Review
	shares         map[string][]float64
	removed, added int
	dropped        map[domain.ID]bool                   // reviews that the change removes
	due            func(store.ReplayedReview) time.Time // the deadline with the change; nil is the old one
	// assign says who may take the reviews; nil if it is not known. worked is what a replay with people
	// made of the reviews of each queue, as they were and with the change.
	assign *assignments
	worked [2]map[string][]forecast.Worked
}

// split makes the reviews of each queue. Shares of people count all visible queues.
func (in *replayInput) split(read []store.ReplayedReview) {
	in.read = read
	in.before, in.after = map[string][]forecast.Review{}, map[string][]forecast.Review{}
	in.shares = map[string][]float64{}
	all := make([]forecast.Review, len(read))
	for i, r := range read {
		all[i] = forecast.Review{Queue: r.Queue, Opened: r.Opened, Due: r.Due}
		if r.Decided != nil {
			all[i].Decided, all[i].Claimed = *r.Decided, r.Opened
			all[i].Person = r.Person.String()
		}
		if r.Claimed != nil {
			all[i].Claimed = *r.Claimed
		}
	}
	shares := forecast.Shares(all, in.period.Zone)
	for i, one := range all {
		groups := [2]int{}
		if in.assign != nil {
			one.By, groups = in.assign.numberOf(read[i].Person), in.assign.reviews[read[i].ID]
		}
		one.Group = groups[0]
		in.before[one.Queue] = append(in.before[one.Queue], one)
		in.shares[one.Queue] = append(in.shares[one.Queue], shares[i])
		if in.removes(read[i]) {
			in.removed++
			continue
		}
		one.Group = groups[1]
		if in.due != nil {
			one.Due = in.due(read[i])
		}
		in.after[one.Queue] = append(in.after[one.Queue], one)
	}
}

// removes reports whether the changed bound makes the review unnecessary.
func (in *replayInput) removes(r store.ReplayedReview) bool {
	return in.dropped[r.ID] || in.change.BaseMinor != nil && r.Process == in.change.Process && r.ByAmount &&
		r.BaseMinor < *in.change.BaseMinor && !r.Opened.Before(in.period.From)
}

// moveBound adds reviews of cases that were archived without one, to the queue in which the process
// has most of its approvals. Their deadlines are as far away as those of the queue's median review.
func (in *replayInput) moveBound(ctx context.Context, s *Statistics) error {
	counts, until := map[string]int{}, map[string][]float64{}
	for _, r := range in.read {
		if r.Process == in.change.Process && r.ByAmount {
			counts[r.Queue]++
			until[r.Queue] = append(until[r.Queue], r.Due.Sub(r.Opened).Seconds())
		}
	}
	queue := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[queue] {
			queue = name
		}
	}
	if queue == "" {
		return nil
	}
	query := s.query
	query.Process = in.change.Process
	cases, err := s.views.reader.StraightCases(ctx, query, *in.change.BaseMinor)
	if err != nil {
		return err
	}
	slices.Sort(until[queue])
	ahead := time.Duration(forecast.Percentile(until[queue], 0.5) * float64(time.Second))
	for _, c := range cases {
		in.after[queue] = append(in.after[queue], forecast.Review{Queue: queue, Opened: c.Submitted,
			Due: c.Submitted.Add(ahead)})
	}
	in.added = len(cases)
	forecast.SortReviews(in.after[queue])
	return nil
}

// run replays every queue, and sums the error up.
func (in *replayInput) run(made *Replay) {
	made.Removed, made.Added = in.removed, in.added
	teams, changed := in.learn(made)
	in.replayPeople(teams, changed)
	var weeks []forecast.Week
	for _, queue := range slices.Sorted(maps.Keys(teams)) {
		before, after := in.before[queue], in.after[queue]
		tested := forecast.Backtest(before, in.shares[queue], in.period)
		one := QueueReplay{Queue: queue, Reviewers: teams[queue].Reviewers, People: in.assign != nil,
			ChangedReviewers: changed[queue].Reviewers, Error: forecast.ErrorOf(tested),
			Recorded: in.count(before, forecast.Recorded(before)),
			Replayed: in.count(before, in.ends(0, queue, before, teams[queue])),
			Changed:  in.count(after, in.ends(1, queue, after, changed[queue]))}
		if in.assign != nil && in.assign.rules[queue].Assigns() {
			one.Unassigned = in.unassigned(0, queue, before)
			one.ChangedUnassigned = in.unassigned(1, queue, after)
		}
		one.Replayed.PerPerson = teams[queue].WorkPerWeek(one.Replayed.Decided, in.period)
		one.Changed.PerPerson = changed[queue].WorkPerWeek(one.Changed.Decided, in.period)
		made.Queues = append(made.Queues, one)
		weeks = append(weeks, tested...)
	}
	made.Error = forecast.ErrorOf(weeks)
}

// learn returns the teams of the queues with enough decisions, as they were and with the change.
func (in *replayInput) learn(made *Replay) (teams, changed map[string]forecast.Team) {
	teams, changed = map[string]forecast.Team{}, map[string]forecast.Team{}
	for _, queue := range in.queues() {
		team, ok := forecast.Learn(in.before[queue], in.shares[queue], in.period)
		if !ok {
			made.Unknown = append(made.Unknown, queue)
			continue
		}
		teams[queue], changed[queue] = team, team
		if queue == in.change.Queue {
			team.Reviewers = max(0, team.Reviewers+in.change.Reviewers)
			changed[queue] = team
			in.after[queue] = withDeadlines(in.after[queue], in.change.DeadlinePercent)
		}
	}
	return teams, changed
}

// queues returns all queues that have reviews, or would have some.
func (in *replayInput) queues() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(in.before)), maps.Keys(in.after))
	slices.Sort(names)
	return slices.Compact(names)
}

// replayPeople replays all queues together with the people who may take the reviews, if they are known.
func (in *replayInput) replayPeople(teams, changed map[string]forecast.Team) {
	if in.assign == nil {
		return
	}
	names := in.queues()
	for s, reviews := range []map[string][]forecast.Review{in.before, in.after} {
		staff, of := in.assign.staffOf("", 0), teams
		if s == 1 {
			staff, of = in.assign.staffOf(in.change.Queue, in.change.Reviewers), changed
		}
		desks := make([]forecast.Desk, len(names))
		for d, queue := range names {
			team, known := of[queue]
			desks[d] = forecast.Desk{Reviews: reviews[queue], Team: team, Known: known,
				Assigns: in.assign.rules[queue].Assigns()}
		}
		in.worked[s] = map[string][]forecast.Worked{}
		for d, worked := range forecast.ReplayPeople(desks, staff, in.period) {
			in.worked[s][names[d]] = worked
		}
	}
}

// ends returns when the reviews of a queue end on a side.
func (in *replayInput) ends(s int, queue string, reviews []forecast.Review, team forecast.Team) []time.Time {
	if in.assign != nil {
		return forecast.EndsOf(in.worked[s][queue])
	}
	return team.Replay(reviews, in.period)
}

// unassigned counts the reviews that the queue would assign, without drawn ones, and has no person for.
func (in *replayInput) unassigned(s int, queue string, reviews []forecast.Review) int {
	count := 0
	for i, review := range reviews {
		if in.assign.groups[review.Group].assigns && in.worked[s][queue][i].Assigned == forecast.Unknown &&
			!review.Opened.Before(in.period.From) {
			count++
		}
	}
	return count
}

func (in *replayInput) count(reviews []forecast.Review, ends []time.Time) forecast.Figures {
	return forecast.Count(reviews, ends, in.period, in.days.Starts)
}

// withDeadlines moves the deadlines to a share of their time from opening.
func withDeadlines(reviews []forecast.Review, percent int) []forecast.Review {
	if percent == 0 || percent == unchangedDeadline {
		return reviews
	}
	moved := slices.Clone(reviews)
	for i, r := range moved {
		moved[i].Due = r.Opened.Add(r.Due.Sub(r.Opened) / 100 * time.Duration(percent))
	}
	return moved
}
