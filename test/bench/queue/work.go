package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// claim takes the next review, first with one claim per reviewer and second, then without a pause.
func (b *bench) claim(ctx context.Context, claimants, claims, reviews int) error {
	one := func(i int) error {
		_, err := b.service.ClaimNextReview(ctx, b.staff[i*7%len(b.staff)], casework.Once{})
		return err
	}
	if err := concurrently(claimants, claimants*4, func(_, i int) error { return one(i) }); err != nil { // connections and plans
		return err
	}
	var steady, rush times
	if err := paced(claimants, claims,
		func(i int) error { return steady.measure(func() error { return one(i) }) }); err != nil {
		return err
	}
	steady.print(fmt.Sprintf("claimNext, %d reviewers, each one a second, over %d open reviews, ms",
		claimants, reviews))
	began := time.Now()
	if err := concurrently(claimants, claims,
		func(_, i int) error { return rush.measure(func() error { return one(i) }) }); err != nil {
		return err
	}
	rush.print(fmt.Sprintf("claimNext, %d reviewers without a pause: %.0f a second, ms", claimants,
		float64(claims)/time.Since(began).Seconds()))
	return nil
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
func (b *bench) decide(ctx context.Context, rate, seconds int) error {
	type held struct {
		review casework.ReviewResult
		by     domain.Actor
	}
	n := rate*seconds + rate // the first second is for plans
	ready := make(chan held, n)
	if err := concurrently(8, n, func(_, i int) error {
		by := b.staff[i*7%len(b.staff)]
		claimed, err := b.service.ClaimNextReview(ctx, by, casework.Once{})
		ready <- held{claimed, by}
		return err
	}); err != nil {
		return err
	}
	var took times
	err := paced(rate, n, func(i int) error {
		mine := <-ready
		began := time.Now()
		_, err := b.service.DecideReview(ctx, mine.by,
			casework.DecideReview{ReviewTarget: casework.ReviewTarget{ReviewID: mine.review.ReviewID}, Verdict: domain.Approve})
		if i >= rate {
			took.add(began)
		}
		return err
	})
	if err != nil {
		return err
	}
	took.print(fmt.Sprintf("decide at %d/s, ms", rate))
	return nil
}
