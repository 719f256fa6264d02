package domain

import (
	"slices"
	"time"
)

// DueCount is the number of reviews due at a time.
type DueCount struct {
	Due   time.Time
	Count float64
}

// ForecastInput is the load of a queue, measured over the last days. Rates are per hour of working
// time.
type ForecastInput struct {
	Waiting      []DueCount    // undecided reviews
	Unclaimed    []DueCount    // reviews that are not claimed, by the time to claim them
	Arrivals     float64       // reviews opened per hour
	Pace         float64       // reviews decided per hour
	TimeToDecide time.Duration // working time until a new review is due
	Calendar     *Calendar     // nil = all time is working time
}

// Breaches is the expected number of missed deadlines until a time.
type Breaches struct {
	Until time.Time
	Count int
	// Claims is the number of reviews that must be claimed until then and are not claimed.
	Claims int
}

// forecastStep is the time step of the simulation.
const forecastStep = 10 * time.Minute

// Forecast simulates the queue at the current pace, earliest deadline first, and counts reviews
// that miss their deadline up to each time. Reviews that are already overdue are decided first and
// not counted. The times must be sorted.
func (f ForecastInput) Forecast(now time.Time, until ...time.Time) []Breaches {
	open := slices.Clone(f.Waiting)
	slices.SortFunc(open, func(a, b DueCount) int { return a.Due.Compare(b.Due) })
	list := make([]Breaches, 0, len(until))
	missed, next := 0.0, 0
	for next < len(open) && !open[next].Due.After(now) {
		next++ // already overdue
	}
	served := 0
	for at := now; len(list) < len(until); at = at.Add(forecastStep) {
		for len(list) < len(until) && !until[len(list)].After(at) {
			list = append(list, Breaches{Until: until[len(list)], Count: int(missed + 0.5),
				Claims: f.claimsUntil(until[len(list)])})
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
		// Skip decided entries as well, because later entries can be due earlier.
		for next < len(open) && (next < served || !open[next].Due.After(end)) {
			missed += open[next].Count
			next++
		}
		if arrived := f.Arrivals * hours; arrived > 0 {
			open = append(open, DueCount{Due: f.Calendar.Add(at, f.TimeToDecide), Count: arrived})
			slices.SortFunc(
				open[max(served, next):], func(a, b DueCount) int { return a.Due.Compare(b.Due) },
			)
		}
	}
	return list
}

func (f ForecastInput) claimsUntil(until time.Time) int {
	count := 0.0
	for _, one := range f.Unclaimed {
		if !one.Due.After(until) {
			count += one.Count
		}
	}
	return int(count)
}
