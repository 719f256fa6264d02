package main

import (
	"context"
	"sync"
	"time"

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
	_, err := d.service.ClaimNextReview(ctx, d.staff[i*7%len(d.staff)], casework.Once{})
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
	ready := make(chan held, n)
	if err := concurrently(8, n, func(_, i int) error {
		by := d.staff[i*7%len(d.staff)]
		claimed, err := d.claimWithoutOrder(ctx, by)
		ready <- held{claimed, by}
		return err
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

// claimWithoutOrder claims the next review of a case that a reviewer can decide: those of remittances
// have no payment order here.
func (d *dataset) claimWithoutOrder(
	ctx context.Context, by domain.Actor,
) (casework.ReviewResult, error) {
	for {
		claimed, err := d.service.ClaimNextReview(ctx, by, casework.Once{})
		if err != nil {
			return claimed, err
		}
		record, err := d.db.Reader().Case(ctx, claimed.CaseID)
		if err != nil || record.ProcessKey == "document_approval" {
			return claimed, err
		}
	}
}
