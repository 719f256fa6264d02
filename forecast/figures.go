package forecast

import (
	"math"
	"slices"
	"time"
)

// Figures are what happened, or would have happened, in a period.
type Figures struct {
	Arrived int // opened in the period
	Decided int // decided in the period, also those that were opened before
	Open    int // open at its end
	Late    int // not decided by a deadline in the period
	// Median and P90 are the time in review of those opened in the period, in seconds, and 0 without any.
	// In a replay those that end after the period count too.
	Median, P90 float64
	// PerPerson is the work of each reviewer in a week, in seconds; 0 if it is unknown.
	PerPerson float64
	// OpenByDay is how many were open at the end of each day of the period.
	OpenByDay []int
}

// Count returns figures of reviews that end at the times; zero means never. Recorded reviews have
// their decisions as ends.
func Count(reviews []Review, ends []time.Time, period Period, days []time.Time) Figures {
	figures := Figures{OpenByDay: make([]int, max(0, len(days)-1))}
	var times []float64
	for i, r := range reviews {
		end := ends[i]
		within := !r.Opened.Before(period.From)
		if within {
			figures.Arrived++
			if !end.IsZero() {
				times = append(times, end.Sub(r.Opened).Seconds())
			}
		}
		if !end.IsZero() && end.Before(period.To) {
			figures.Decided++
		} else {
			figures.Open++
		}
		due := !r.Due.Before(period.From) && r.Due.Before(period.To)
		if due && (end.IsZero() || end.After(r.Due)) {
			figures.Late++
		}
		// It is open at the end of the days from that of its opening to the one before that of its end.
		first := max(0, dayOf(days, r.Opened))
		last := len(figures.OpenByDay)
		if !end.IsZero() {
			last = min(last, max(0, dayOf(days, end)))
		}
		for day := first; day < last; day++ {
			figures.OpenByDay[day]++
		}
	}
	slices.Sort(times)
	figures.Median, figures.P90 = Percentile(times, 0.5), Percentile(times, 0.9)
	return figures
}

// dayOf returns the day of a time; days are the first instants of the days and of the one after.
func dayOf(days []time.Time, at time.Time) int {
	i, found := slices.BinarySearchFunc(days, at, time.Time.Compare)
	if found {
		return i
	}
	return i - 1
}

// Add adds figures of another queue. Times are not added.
func (f *Figures) Add(other Figures) {
	f.Arrived += other.Arrived
	f.Decided += other.Decided
	f.Open += other.Open
	f.Late += other.Late
	if f.OpenByDay == nil {
		f.OpenByDay = make([]int, len(other.OpenByDay))
	}
	for day, count := range other.OpenByDay {
		f.OpenByDay[day] += count
	}
}

// Recorded returns the decisions of reviews as their ends.
func Recorded(reviews []Review) []time.Time {
	ends := make([]time.Time, len(reviews))
	for i, r := range reviews {
		ends[i] = r.Decided
	}
	return ends
}

// Week is what was recorded in a week, and what the replay has for it.
type Week struct {
	Decided, ReplayDecided int
	Median, ReplayMedian   float64 // time in review of those opened in the week and decided meanwhile
}

// Backtest learns from the first two thirds of the weeks and compares the rest, week by week, with a
// replay of what was opened. It needs three whole weeks.
func Backtest(reviews []Review, shares []float64, period Period) (weeks []Week) {
	const week = 7 * 24 * time.Hour
	count := int(period.To.Sub(period.From) / week)
	learned := period
	learned.To = period.From.Add(time.Duration(count*2/3) * week)
	if count < 3 {
		return nil
	}
	known := make([]Review, 0, len(reviews))
	knownShares := make([]float64, 0, len(reviews))
	for i, r := range reviews {
		if !r.Opened.Before(learned.To) {
			break
		}
		if !r.Decided.Before(learned.To) { // what happened later is not known then
			r.Decided, r.Claimed, r.Person = time.Time{}, time.Time{}, ""
		}
		known, knownShares = append(known, r), append(knownShares, shares[i])
	}
	team, ok := Learn(known, knownShares, learned)
	if !ok {
		return nil
	}
	ends := team.Replay(reviews, period)
	for from := learned.To; !from.Add(week).After(period.To); from = from.Add(week) {
		weeks = append(weeks, compareWeek(reviews, ends, from, from.Add(week)))
	}
	return weeks
}

func compareWeek(reviews []Review, ends []time.Time, from, to time.Time) (week Week) {
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(to) }
	var recorded, replayed []float64
	for i, r := range reviews {
		if within(r.Decided) {
			week.Decided++
		}
		if within(ends[i]) {
			week.ReplayDecided++
		}
		if within(r.Opened) && !r.Decided.IsZero() {
			recorded = append(recorded, r.Decided.Sub(r.Opened).Seconds())
			replayed = append(replayed, ends[i].Sub(r.Opened).Seconds())
		}
	}
	slices.Sort(recorded)
	slices.Sort(replayed)
	week.Median, week.ReplayMedian = Percentile(recorded, 0.5), Percentile(replayed, 0.5)
	return week
}

// Error is the mean absolute error of a replay in percent of what was recorded.
type Error struct {
	Weeks               int
	Decided, Median     float64
	decidedOf, medianOf int
}

// ErrorOf returns the error over the weeks. A week without decisions, or without reviews, does not
// count for that figure.
func ErrorOf(weeks []Week) (e Error) {
	e.Weeks = len(weeks)
	for _, week := range weeks {
		if week.Decided > 0 {
			e.Decided += math.Abs(float64(week.ReplayDecided-week.Decided)) / float64(week.Decided)
			e.decidedOf++
		}
		if week.Median > 0 {
			e.Median += math.Abs(week.ReplayMedian-week.Median) / week.Median
			e.medianOf++
		}
	}
	e.Decided = 100 * e.Decided / float64(max(1, e.decidedOf))
	e.Median = 100 * e.Median / float64(max(1, e.medianOf))
	return e
}
