package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/views"
)

// pagesPerSecond is how many pages a second are read: a thousand people who look every 20 seconds.
const pagesPerSecond = 50

// countsPerSecond is how often the counts are asked for: they follow what changes, at most once in
// a while for each who looks.
const countsPerSecond = 10

// lists measures the pages and the counts, of all people and of managers, at a steady rate.
func (b *bench) lists(ctx context.Context, pages int) error {
	for _, list := range []struct {
		name  string
		by    []domain.Actor
		query views.QueueQuery
	}{
		{"queue page of 50", b.staff, views.QueueQuery{}},
		{"unassigned", b.staff, views.QueueQuery{Available: true}},
		{"of one's own", b.staff, views.QueueQuery{Mine: true}},
		{"a manager's board: all", b.managers, views.QueueQuery{All: true}},
		{"overdue", b.managers, views.QueueQuery{All: true, Due: views.DueOverdue}},
		{"at risk", b.managers, views.QueueQuery{All: true, Due: views.DueAtRisk}},
		{"at risk in a small queue", b.managers, views.QueueQuery{All: true, Due: views.DueAtRisk,
			Queue: "small"}},
	} {
		query := list.query
		query.First = 50
		if err := b.measure(ctx, list.name, list.by, pagesPerSecond, pages,
			func(ctx context.Context, who domain.Actor) error {
				page, err := b.views.Queue(ctx, who, query)
				if err == nil && query.All && query.Queue == "" &&
					len(page.Reviews) != query.First {
					err = fmt.Errorf("a page of %s has %d reviews", list.name, len(page.Reviews))
				}
				return err
			}); err != nil {
			return err
		}
	}
	return b.counts(ctx, pages/4)
}

// counts measures the counters of reviewers and managers.
func (b *bench) counts(ctx context.Context, times int) error {
	for _, count := range []struct {
		name string
		by   []domain.Actor
		fn   func(context.Context, domain.Actor) error
	}{
		{"counts of one's queues", b.staff, func(ctx context.Context, who domain.Actor) error {
			_, err := b.views.Queues(ctx, who, false)
			return err
		}},
		{"counts of all queues", b.managers, func(ctx context.Context, who domain.Actor) error {
			_, err := b.views.Queues(ctx, who, true)
			return err
		}},
		{"forecast of a queue", b.managers, func(ctx context.Context, who domain.Actor) error {
			_, err := b.views.Forecast(ctx, who, domain.QueueL1, 4*time.Hour, 24*time.Hour,
				72*time.Hour)
			return err
		}},
		{"what waits for a person", b.staff,
			func(ctx context.Context, who domain.Actor) error {
				_, err := b.views.Counters(ctx,
					who)
				return err
			}},
		{"what waits for a manager", b.managers,
			func(ctx context.Context, who domain.Actor) error {
				_, err := b.views.Counters(ctx,
					who)
				return err
			}},
	} {
		if err := b.measure(ctx, count.name, count.by, countsPerSecond, times,
			count.fn); err != nil {
			return err
		}
	}
	return nil
}

// measure reads by one person after the other, at the rate.
func (b *bench) measure(ctx context.Context, name string, by []domain.Actor, rate, n int,
	fn func(context.Context, domain.Actor) error) error {
	if !strings.Contains(name, b.only) {
		return nil
	}
	var took times
	one := func(i int) error {
		return took.measure(func() error {
			return fn(ctx,
				by[i*7%len(by)])
		})
	}
	if err := concurrently(8, 200, func(_, i int) error { return one(i) }); err != nil { // connections and plans
		return fmt.Errorf("%s: %w", name, err)
	}
	took.all = nil
	if err := paced(rate, n, one); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	took.print(name + ", ms")
	return nil
}
