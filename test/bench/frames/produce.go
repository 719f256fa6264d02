package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/scalar"
)

const (
	reviewers          = 20 // claim and release
	watchers           = 10 // managers, who may read every case
	concurrentCommands = 16 // commands under way at one time
)

// review waits on one case; one reviewer claims and releases it in turn.
type review struct {
	id     domain.ID
	caseID domain.ID
	seq    int64 // the case's last event before the first claim
	by     domain.Actor
}

// openReviews submits documents over an amount that needs a person, and reads them up to their
// review.
func (b *bench) openReviews(ctx context.Context, n int) error {
	if err := b.service.PublishBuiltins(ctx); err != nil {
		return err
	}
	if err := b.service.SeedRate(ctx, "EUR", 1_100_000); err != nil {
		return err
	}
	b.people = map[string]domain.Actor{}
	for i := range reviewers {
		if err := b.person(ctx, fmt.Sprintf("reviewer-%d", i), domain.RoleL1,
			domain.QueueL1); err != nil {
			return err
		}
	}
	for i := range watchers {
		if err := b.person(ctx, fmt.Sprintf("watcher-%d", i), domain.RoleManager); err != nil {
			return err
		}
	}
	if err := b.person(ctx, "submitter", domain.RoleSubmitter); err != nil {
		return err
	}
	b.reviews = make([]review, n)
	err := concurrently(n, nil, func(i int) (err error) {
		b.reviews[i], err = b.submit(ctx, i)
		return err
	})
	if err != nil {
		return err
	}
	for wakes := b.takePending(); len(wakes) > 0; wakes = b.takePending() {
		err := concurrently(len(wakes), nil, func(i int) error {
			return b.service.RunStage(ctx, casework.RunRequest{CaseID: wakes[i].CaseID,
				RunID: wakes[i].RunID, Worker: "bench"})
		})
		if err != nil {
			return err
		}
	}
	return concurrently(n, nil, func(i int) error { return b.find(ctx, &b.reviews[i]) })
}

func (b *bench) person(ctx context.Context, name string, role domain.Role, queues ...string) error {
	id, err := b.service.PutUser(ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{Email: name + "@example.com", Name: name,
			Roles: []domain.Role{role}, Queues: queues}})
	b.people[name] = domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
	return err
}

func (b *bench) submit(ctx context.Context, i int) (review, error) {
	text := fmt.Sprintf("%%PDF-1.7\n%d", i)
	sum := sha256.Sum256([]byte(text))
	submitted, err := b.service.SubmitDocument(ctx, b.people["submitter"],
		casework.SubmitDocument{File: casework.Upload{FileName: "a.pdf",
			Size: int64(len(text)), SHA256: sum[:],
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(text)),
					nil
			}}})
	return review{caseID: submitted.CaseID, by: b.people[fmt.Sprintf("reviewer-%d",
		i%reviewers)]}, err
}

// find reads the review that the case waits for.
func (b *bench) find(ctx context.Context, r *review) error {
	c, err := b.db.Reader().Case(ctx, r.caseID)
	if err != nil {
		return err
	}
	reviews, err := b.db.Reader().ReviewsOf(ctx, r.caseID)
	if err != nil {
		return err
	}
	if c.Status != domain.InReview || len(reviews) != 1 {
		return fmt.Errorf("case %s is %s with %d reviews", c.Reference, c.Status, len(reviews))
	}
	r.id, r.seq = reviews[0].ID, c.LastSeq
	return nil
}

// subscribeAll starts the subscribers, one on each case.
func (b *bench) subscribeAll(ctx context.Context, events int) (*child, error) {
	what := subscriberOrder{URL: b.url, Events: events}
	for i, r := range b.reviews {
		what.Subscriptions = append(what.Subscriptions,
			subscription{Case: scalar.GlobalID(scalar.KindCase, r.caseID),
				After: scalar.EventCursor(r.seq - 1),
				Token: "watcher-" + strconv.Itoa(i%watchers)})
	}
	return startChild(ctx, partSubscribers, what)
}

// claimAndRelease claims and releases the reviews in turn at the rate, and returns how long that
// took.
func (b *bench) claimAndRelease(ctx context.Context, events, rate int) (time.Duration, error) {
	pace := time.NewTicker(time.Second / time.Duration(rate))
	defer pace.Stop()
	began := time.Now()
	err := concurrently(events, pace, func(i int) (err error) {
		r := b.reviews[i%len(b.reviews)]
		if i/len(b.reviews)%2 == 0 {
			_, err = b.service.ClaimReview(ctx, r.by, casework.ReviewTarget{ReviewID: r.id})
		} else {
			_, err = b.service.ReleaseReview(ctx, r.by, casework.ReviewTarget{ReviewID: r.id})
		}
		return err
	})
	return time.Since(began), err
}

// concurrently does n things in order, some at one time, each at a tick of the pace if there is
// one.
func concurrently(n int, pace *time.Ticker, do func(int) error) error {
	free := make(chan struct{}, concurrentCommands)
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for i := range n {
		if pace != nil {
			<-pace.C
		}
		free <- struct{}{}
		if failed.Load() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			if err := do(i); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
