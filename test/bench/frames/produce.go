package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/graph/scalar"
	"countersign/store"
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
func (b *bench) subscribeAll(ctx context.Context, events int) (*subscriberProcess, error) {
	what := subscriberOrder{URL: b.url, Events: events}
	for i, r := range b.reviews {
		what.Subscriptions = append(what.Subscriptions,
			subscription{Case: scalar.GlobalID(scalar.KindCase, r.caseID),
				After: scalar.EventCursor(r.seq - 1),
				Token: "watcher-" + strconv.Itoa(i%watchers)})
	}
	return startSubscribers(ctx, what)
}

// tick is how often a group of events is committed.
const tick = 10 * time.Millisecond

// commit makes the events of the rate by itself, a tick's worth in one statement: facts of the
// cases, numbered and chained as the service layer's, without the commands that lead to them, which
// would be most of the machine's work. It returns how long that took.
func (b *bench) commit(ctx context.Context, facts, rate int) (time.Duration, error) {
	cases := make([]domain.Case, len(b.reviews))
	err := concurrently(len(cases), nil, func(i int) (err error) {
		cases[i], err = b.db.Reader().Case(ctx, b.reviews[i].caseID)
		return err
	})
	if err != nil {
		return 0, err
	}
	pace := time.NewTicker(tick)
	defer pace.Stop()
	began := time.Now()
	for made := 0; made < facts; {
		<-pace.C
		due := min(int(time.Since(began).Seconds()*float64(rate)), facts, made+len(cases))
		group := make([]int, 0, due-made)
		for ; made < due; made++ {
			group = append(group, made%len(cases))
		}
		if err := b.commitGroup(ctx, cases, group); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// commitGroup adds an event to each of the cases and publishes them.
func (b *bench) commitGroup(ctx context.Context, cases []domain.Case, group []int) error {
	if len(group) == 0 {
		return nil
	}
	now, err := b.db.Reader().Clock(ctx)
	if err != nil {
		return err
	}
	changes, hints := make([]*store.Change, len(group)), make([]domain.Hint, len(group))
	for i, at := range group {
		if changes[i], err = nextEvent(cases[at], b.reviews[at], now); err != nil {
			return err
		}
		cases[at] = changes[i].Case
		hints[i] = domain.Hint{Stream: cases[at].ID, Seq: cases[at].LastSeq}
	}
	if err := b.db.Autocommit().ApplyAll(ctx, changes); err != nil {
		return err
	}
	b.PublishHints(ctx, hints)
	return nil
}

// nextEvent is the case with one more event.
func nextEvent(c domain.Case, r review, now time.Time) (*store.Change, error) {
	change := &store.Change{Case: c, ExpectedVersion: c.Version}
	marking, err := c.Marking.Canonical()
	if err != nil {
		return nil, err
	}
	fact := domain.Event{Stream: c.ID, Actor: r.by.UserID, CorrelationID: c.CorrelationID, At: now,
		StatusBefore: c.Status,
		StatusAfter:  c.Status, MarkingBefore: string(marking), MarkingAfter: string(marking)}
	err = events.SetBody(&fact, generated.ReviewClaimedV1{Assignee: r.by.UserID,
		ClaimUntil: now.Add(time.Minute), ReviewID: r.id})
	if err != nil {
		return nil, err
	}
	head, err := audit.Chain(audit.ChainHead{Seq: c.LastSeq, Hash: c.HeadHash}, rand.Reader, &fact)
	if err != nil {
		return nil, err
	}
	change.Case.Version++
	change.Case.UpdatedAt, change.Case.LastSeq, change.Case.HeadHash = now, head.Seq, head.Hash
	change.Events = []domain.Event{fact}
	return change, nil
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
