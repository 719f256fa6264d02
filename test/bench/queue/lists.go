package main

import (
	"context"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/views"
)

// pagesPerSecond is how many pages a second are read: a thousand people who look every 20 seconds.
const pagesPerSecond = 50

// countsPerSecond is how often the counts are asked for: they follow what changes, at most once in
// a while for each who looks.
const countsPerSecond = 10

// forecastsPerSecond is how often managers ask for a forecast, which only their page shows.
const forecastsPerSecond = 1

// listFigures are the pages of all people and of managers, at a steady rate.
func listFigures() (figures []figure) {
	for _, list := range []struct {
		name     string
		managers bool
		query    views.QueueQuery
	}{
		{"queue page of 50", false, views.QueueQuery{}},
		{"unassigned", false, views.QueueQuery{Available: true}},
		{"of one's own", false, views.QueueQuery{Mine: true}},
		{"a manager's board: all", true, views.QueueQuery{All: true}},
		{"overdue", true, views.QueueQuery{All: true, Due: views.DueOverdue}},
		{"at risk", true, views.QueueQuery{All: true, Due: views.DueAtRisk}},
		{"at risk in a small queue", true, views.QueueQuery{All: true, Due: views.DueAtRisk,
			Queue: "small"}},
	} {
		query := list.query
		query.First = 50
		figures = append(figures, readFigure(list.name, list.managers, pagesPerSecond, 1,
			func(ctx context.Context, d *dataset, who domain.Actor) error {
				page, err := d.views.Queue(ctx, who, query)
				if err == nil && query.All && query.Queue == "" &&
					len(page.Reviews) != query.First {
					err = fmt.Errorf("a page has %d reviews", len(page.Reviews))
				}
				return err
			}))
	}
	return figures
}

// countFigures are the counters of reviewers and managers.
func countFigures() (figures []figure) {
	for _, count := range []struct {
		name     string
		managers bool
		rate     int
		read     func(context.Context, *dataset, domain.Actor) error
	}{
		{"counts of one's queues", false, countsPerSecond,
			func(ctx context.Context, d *dataset, who domain.Actor) error {
				_, err := d.views.Queues(ctx, who, false)
				return err
			}},
		{"counts of all queues", true, countsPerSecond,
			func(ctx context.Context, d *dataset, who domain.Actor) error {
				_, err := d.views.Queues(ctx, who, true)
				return err
			}},
		{"forecast of a queue", true, forecastsPerSecond,
			func(ctx context.Context, d *dataset, who domain.Actor) error {
				_, err := d.views.Forecast(ctx, who, domain.QueueL1, 4*time.Hour, 24*time.Hour,
					72*time.Hour)
				return err
			}},
		{"what waits for a person", false, countsPerSecond, readCounters},
		{"what waits for a manager", true, countsPerSecond, readCounters},
	} {
		figures = append(figures, readFigure(count.name, count.managers, count.rate,
			4*countsPerSecond/count.rate, count.read))
	}
	return figures
}

func readCounters(ctx context.Context, d *dataset, who domain.Actor) error {
	_, err := d.views.Counters(ctx, who)
	return err
}

// readFigure reads by one person after the other, at the rate, as often as there are pages to read
// by part.
func readFigure(name string, managers bool, rate, part int,
	read func(context.Context, *dataset, domain.Actor) error) figure {
	return figure{name, func(d *dataset, ctx context.Context) (*times, error) {
		by := d.staff
		if managers {
			by = d.managers
		}
		one := func(i int) error { return read(ctx, d, by[i*7%len(by)]) }
		if err := concurrently(8, 4*rate, func(_, i int) error { return one(i) }); err != nil { // connections and plans
			return nil, err
		}
		took := &times{}
		return took, paced(rate, d.pages/part,
			func(i int) error { return took.measure(func() error { return one(i) }) })
	}}
}
