// Package madehistory fills a database with months of cases as people of different speed would have
// worked on them: days and weekends, breaks, absences, late reviews, corrections, findings.
//
// What may enter: made-up rows for demonstrations and benches. What never happens here: a command of
// the service layer, so the rows have no hash chain and the audit log does not verify.
package madehistory

import (
	"math"
	"math/rand/v2"
	"time"

	"countersign/domain"
)

// desk is a queue with its people, who decide in the order in which reviews are opened.
type desk struct {
	people []domain.ID
	free   []time.Time
	speed  []float64
	away   []int
	work   time.Duration
	random *rand.Rand
}

// The share of their time in which people work on reviews, and their hours.
const (
	load          = 0.8
	begins, stops = 8, 17
	daysOff       = 23 // one working day in so many
)

// newDesk makes a desk whose people have so many reviews on a weekday.
func newDesk(people []domain.ID, perDay float64, random *rand.Rand) *desk {
	d := &desk{people: people, free: make([]time.Time, len(people)), random: random}
	for range people {
		d.speed = append(d.speed, 0.7+0.6*random.Float64())
		d.away = append(d.away, random.IntN(daysOff))
	}
	d.work = time.Duration(float64(len(people)) * (stops - begins) * load / max(perDay, 1) * float64(time.Hour))
	return d
}

// decide returns who decides a review, from when to when.
func (d *desk) decide(opened time.Time) (person domain.ID, claimed, decided time.Time) {
	chosen := -1
	for p := range d.people {
		at := opened.Add(time.Duration(d.random.ExpFloat64() * float64(30*time.Minute)))
		if d.free[p].After(at) {
			at = d.free[p]
		}
		if at = d.present(p, at); chosen < 0 || at.Before(claimed) {
			chosen, claimed = p, at
		}
	}
	work := math.Exp(0.5*d.random.NormFloat64()-0.125) * d.speed[chosen]
	decided = claimed.Add(time.Duration(work * float64(d.work)))
	d.free[chosen] = decided
	return d.people[chosen], claimed, decided
}

// present returns the first time from at on when the person works.
func (d *desk) present(p int, at time.Time) time.Time {
	for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday || at.Hour() >= stops ||
		(at.YearDay()+d.away[p])%daysOff == 0 {
		at = time.Date(at.Year(), at.Month(), at.Day()+1, begins, d.random.IntN(45), 0, 0, at.Location())
	}
	if at.Hour() < begins {
		at = time.Date(at.Year(), at.Month(), at.Day(), begins, d.random.IntN(45), 0, 0, at.Location())
	}
	return at
}

// arrivals returns when cases are submitted on the days before now: more on weekdays, more in each
// month, and on Mondays.
func arrivals(cases, days int, now time.Time, random *rand.Rand) []time.Time {
	first := now.Truncate(24*time.Hour).AddDate(0, 0, -days)
	weights, sum := make([]float64, days), 0.0
	for day := range days {
		weights[day] = (0.9 + 0.2*random.Float64()) * (1 + 0.15*float64(day)/float64(days))
		switch first.AddDate(0, 0, day).Weekday() {
		case time.Saturday, time.Sunday:
			weights[day] /= 12
		case time.Monday:
			weights[day] *= 1.2
		}
		sum += weights[day]
	}
	list := make([]time.Time, 0, cases)
	for day, weight := range weights {
		count := int(math.Round(weight / sum * float64(cases)))
		for n := range count {
			hour := begins - 1 + float64(n)/float64(count)*(stops-begins+2)
			list = append(list, first.AddDate(0, 0, day).Add(time.Duration(hour*float64(time.Hour))))
		}
	}
	return list
}
