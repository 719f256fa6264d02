package domain

import (
	"slices"
	"time"
)

// DueCount is how many reviews are due at a moment.
type DueCount struct {
	Due   time.Time
	Count float64
}

// ForecastInput is what goes through a queue, as the last days show it. Rates are by hour of working time.
type ForecastInput struct {
	Waiting      []DueCount    // undecided now
	Arrivals     float64       // reviews that open in an hour
	Pace         float64       // reviews that are decided in an hour
	TimeToDecide time.Duration // working time that a new review has
	Calendar     *Calendar     // nil is whole time
}

// Breaches is how many reviews are expected to pass their time undecided until a moment.
type Breaches struct {
	Until time.Time
	Count int
}

// forecastStep is how finely a forecast looks ahead.
const forecastStep = 10 * time.Minute

// Forecast follows the queue ahead at today's pace, the soonest due decided first, and counts what passes its time undecided
// up to each moment. What is overdue already is decided first and counts for nothing. The moments are in order.
func (f ForecastInput) Forecast(now time.Time, until ...time.Time) []Breaches {
	open := slices.Clone(f.Waiting)
	slices.SortFunc(open, func(a, b DueCount) int { return a.Due.Compare(b.Due) })
	list := make([]Breaches, 0, len(until))
	broken, next := 0.0, 0
	for next < len(open) && !open[next].Due.After(now) {
		next++ // overdue already
	}
	served := 0
	for at := now; len(list) < len(until); at = at.Add(forecastStep) {
		for len(list) < len(until) && !until[len(list)].After(at) {
			list = append(list, Breaches{Until: until[len(list)], Count: int(broken + 0.5)})
		}
		end := at.Add(forecastStep)
		hours := f.Calendar.Between(at, end).Hours()
		for work := f.Pace * hours; work > 0 && served < len(open); {
			done := min(work, open[served].Count)
			open[served].Count, work = open[served].Count-done, work-done
			if open[served].Count > 0 {
				break
			}
			served++
		}
		// What is decided already does not stand before what came after it and is due sooner.
		for next < len(open) && (next < served || !open[next].Due.After(end)) {
			broken += open[next].Count
			next++
		}
		if fresh := f.Arrivals * hours; fresh > 0 {
			open = append(open, DueCount{Due: f.Calendar.Add(at, f.TimeToDecide), Count: fresh})
			slices.SortFunc(open[max(served, next):], func(a, b DueCount) int { return a.Due.Compare(b.Due) })
		}
	}
	return list
}
