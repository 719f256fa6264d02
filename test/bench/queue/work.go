package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
)

// claimSteadily takes the next review with one claim per reviewer and second.
func (d *dataset) claimSteadily(ctx context.Context) (*times, error) {
	took := &times{}
	if err := concurrently(d.claimants, d.claimants*4,
		func(_, i int) error { return d.claimOne(ctx, i) }); err != nil { // connections and plans
		return nil, err
	}
	return took, paced(d.claimants, d.claims,
		func(i int) error { return took.measure(func() error { return d.claimOne(ctx, i) }) })
}

// claimInARush takes the next review without a pause between the claims of a reviewer.
func (d *dataset) claimInARush(ctx context.Context) (*times, error) {
	took, began := &times{}, time.Now()
	err := concurrently(d.claimants, d.claims,
		func(_, i int) error { return took.measure(func() error { return d.claimOne(ctx, i) }) })
	took.perSecond = float64(d.claims) / time.Since(began).Seconds()
	return took, err
}

func (d *dataset) claimOne(ctx context.Context, i int) error {
	_, err := d.service.ClaimNextReview(ctx, d.staff[i*7%len(d.staff)], casework.ClaimNext{})
	return err
}

// paced does fn n times at a steady rate a second, however long each takes.
func paced(rate, n int, fn func(i int) error) error {
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	errs := make(chan error, n)
	var all sync.WaitGroup
	for i := range n {
		<-ticker.C
		all.Go(func() {
			if err := fn(i); err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// decide claims and approves at a steady rate; only the decision is measured.
func (d *dataset) decide(ctx context.Context) (*times, error) {
	type held struct {
		review casework.ReviewResult
		by     domain.Actor
	}
	n := d.rate*d.seconds + d.rate // the first second is for plans
	candidates, err := d.withoutOrders(ctx, 4*n)
	if err != nil {
		return nil, err
	}
	ready := make(chan held, n)
	if err := concurrently(8, n, func(_, i int) error {
		for at := i; at < len(candidates); at += n {
			for try := range claimTries {
				by := d.staff[(i*7+try)%len(d.staff)]
				claimed, err := d.service.ClaimReview(ctx, by, casework.ReviewTarget{ReviewID: candidates[at]})
				if err == nil {
					ready <- held{claimed, by}
					return nil
				}
			}
		}
		return errors.New("too few reviews that a person can claim")
	}); err != nil {
		return nil, err
	}
	took := &times{}
	return took, paced(d.rate, n, func(i int) error {
		mine := <-ready
		began := time.Now()
		_, err := d.service.DecideReview(ctx, mine.by, casework.DecideReview{
			ReviewTarget: casework.ReviewTarget{ReviewID: mine.review.ReviewID},
			Verdict:      domain.Approve})
		if i >= d.rate {
			took.add(began)
		}
		return err
	})
}

// claimTries is how many people try to claim a review, because not everyone may decide each.
const claimTries = 10

// withoutOrders returns open reviews of cases that a reviewer can decide: those of remittances have no
// payment order here.
func (d *dataset) withoutOrders(ctx context.Context, n int) ([]domain.ID, error) {
	conn, err := pgx.Connect(ctx, d.postgres.URL(d.database()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT r.id FROM reviews r JOIN cases c ON c.id = r.case_id
		WHERE c.process_key = 'document_approval' AND r.status = 'open' AND r.queue = 'L1'
		ORDER BY r.id LIMIT $1`, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[domain.ID])
}
