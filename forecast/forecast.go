// Package forecast replays the reviews of past weeks in queues with learned working hours, reviewers
// and working times, as they were and with a change. Only values enter; the same values give the same
// result. It reads nothing, and never decides who may see a result.
package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Review is one review of the past.
type Review struct {
	Queue  string
	Person string // who decided, in any form; empty if it is undecided
	Opened time.Time
	// Claimed and Decided are zero if it is undecided.
	Claimed, Decided time.Time
	Due              time.Time
	// Group and By are who may take it and who decided it, in a replay with people; 0 is unknown.
	Group, By int
}

// Team is how a queue works: reviews are taken in the order in which they were opened.
type Team struct {
	Hours     Hours
	Reviewers int
	// Work is the working time in which a reviewer decides one review, and Delay the working time until a
	// review is noticed, both in seconds.
	Work, Delay float64
}

// Period is the time of a replay, and the zone of its days.
type Period struct {
	From, To time.Time
	Zone     *time.Location
}

// hasDecisionOf reports whether the review was decided in the period.
func (p Period) hasDecisionOf(r Review) bool {
	return !r.Decided.IsZero() && r.Decided.Before(p.To) && !r.Decided.Before(p.From)
}

// minToLearn is the number of decisions below which a queue has no replay.
const minToLearn = 20

// Learn returns how the queue worked in the period. shares are those of the reviews as Shares returns
// them. ok is false with too few decisions.
func Learn(reviews []Review, shares []float64, period Period) (team Team, ok bool) {
	var decided []time.Time
	for _, r := range reviews {
		if period.hasDecisionOf(r) {
			decided = append(decided, r.Decided)
		}
	}
	if len(decided) < minToLearn {
		return team, false
	}
	team = Team{Hours: LearnHours(decided, period.Zone)}
	line := newTimeline(team.Hours, period.Zone, period.From, period.To)
	team.Reviewers = reviewersPerDay(reviews, shares, period)
	team.Work = workTime(reviews, line, period)
	team.fit(reviews, line, period)
	return team, true
}

// Shares returns for each review the share that its queue has in the decisions that its person made on
// that day in any queue, divided by the number of those in the queue, so that the sum over a day and
// queue is how many people worked there.
func Shares(reviews []Review, zone *time.Location) []float64 {
	type personDay struct {
		person string
		day    int
	}
	counts := map[personDay]int{}
	day := func(r Review) personDay { return personDay{r.Person, dayNumber(r.Decided, zone)} }
	for _, r := range reviews {
		if !r.Decided.IsZero() {
			counts[day(r)]++
		}
	}
	shares := make([]float64, len(reviews))
	for i, r := range reviews {
		if !r.Decided.IsZero() {
			shares[i] = 1 / float64(counts[day(r)])
		}
	}
	return shares
}

// dayNumber numbers the days of a zone, also over the end of a year.
func dayNumber(at time.Time, zone *time.Location) int {
	local := at.In(zone)
	return 1000*local.Year() + local.YearDay()
}

// reviewersPerDay returns how many people worked in the queue on an average day with decisions.
func reviewersPerDay(reviews []Review, shares []float64, period Period) int {
	days, people := map[int]bool{}, 0.0
	for i, r := range reviews {
		if period.hasDecisionOf(r) {
			days[dayNumber(r.Decided, period.Zone)] = true
			people += shares[i]
		}
	}
	return max(1, int(math.Round(people/float64(max(1, len(days))))))
}

// workTime returns the mean working time of a review: from its claim, or from the person's decision
// before if that was later, to its decision. The longest tenth counts as its shortest.
func workTime(reviews []Review, line *timeline, period Period) float64 {
	byPerson := map[string][]Review{}
	for _, r := range reviews {
		if period.hasDecisionOf(r) {
			byPerson[r.Person] = append(byPerson[r.Person], r)
		}
	}
	var times []float64
	for _, own := range byPerson {
		slices.SortFunc(own, func(a, b Review) int { return a.Decided.Compare(b.Decided) })
		before := time.Time{}
		for _, r := range own {
			begun := r.Claimed
			if begun.IsZero() {
				begun = r.Opened
			}
			if before.After(begun) {
				begun = before
			}
			times = append(times, max(0, line.work(r.Decided)-line.work(begun)))
			before = r.Decided
		}
	}
	slices.Sort(times)
	longest, sum := Percentile(times, 0.9), 0.0
	for _, one := range times {
		sum += min(one, longest)
	}
	return max(1, sum/float64(len(times)))
}

// fit chooses the delay so that the replay has the median time in review that was recorded. If the
// replay is slower even without a delay, the working time is reduced.
func (team *Team) fit(reviews []Review, line *timeline, period Period) {
	opened := line.workOf(reviews)
	var chosen []int
	var times []float64
	for i, r := range reviews {
		if !r.Opened.Before(period.From) && !r.Decided.IsZero() && r.Decided.Before(period.To) {
			chosen, times = append(chosen, i), append(times, r.Decided.Sub(r.Opened).Seconds())
		}
	}
	slices.Sort(times)
	recorded := Percentile(times, 0.5)
	done := make([]float64, len(reviews))
	slower := func(try Team) bool {
		try.work(opened, done)
		for n, i := range chosen {
			times[n] = line.seconds(done[i]) - reviews[i].Opened.Sub(line.start).Seconds()
		}
		slices.Sort(times)
		return Percentile(times, 0.5) > recorded
	}
	try, value := *team, &team.Delay
	low, high := 0.0, max(3600, line.total)
	set := func(x float64) { try.Delay = x }
	if slower(try) {
		value, low, high = &team.Work, 1, team.Work
		set = func(x float64) { try.Work = x }
	}
	for high-low > max(1, high/1000) {
		middle := (low + high) / 2
		if set(middle); slower(try) {
			high = middle
		} else {
			low = middle
		}
	}
	*value = low
}

// work sets the working time at which each review is done. All take equally long, so the first
// reviewer who is free is the one of Reviewers reviews before.
func (team Team) work(opened, done []float64) {
	for i, at := range opened {
		begun := at + team.Delay
		if before := i - team.Reviewers; before >= 0 {
			begun = max(begun, done[before])
		}
		done[i] = begun + team.Work
	}
}

// Replay returns when the team decides each of the reviews of one queue, in their order; zero means
// never. The reviews must be sorted by Opened.
func (team Team) Replay(reviews []Review, period Period) []time.Time {
	ends := make([]time.Time, len(reviews))
	if team.Reviewers < 1 {
		return ends
	}
	line := newTimeline(team.Hours, period.Zone, period.From, period.To)
	done := make([]float64, len(reviews))
	team.work(line.workOf(reviews), done)
	for i, r := range reviews {
		if ends[i] = line.at(done[i]); ends[i].Before(r.Opened) {
			ends[i] = r.Opened
		}
	}
	return ends
}

// WorkPerWeek returns the seconds in a week in which each reviewer of the team works on that many
// reviews of the period.
func (team Team) WorkPerWeek(reviews int, period Period) float64 {
	weeks := period.To.Sub(period.From).Hours() / (7 * 24)
	if team.Reviewers < 1 || weeks <= 0 {
		return 0
	}
	return float64(reviews) * team.Work / float64(team.Reviewers) / weeks
}

// Percentile returns a percentile of sorted values as Postgres does, 0 without values.
func Percentile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := share * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (sorted[above]-sorted[below])*(at-float64(below))
}

// SortReviews sorts reviews as a replay takes them.
func SortReviews(reviews []Review) {
	slices.SortStableFunc(reviews, func(a, b Review) int {
		return cmp.Or(a.Opened.Compare(b.Opened), a.Due.Compare(b.Due), cmp.Compare(a.Person, b.Person),
			a.Decided.Compare(b.Decided))
	})
}
