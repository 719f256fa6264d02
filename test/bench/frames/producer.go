package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/graph/scalar"
	"countersign/live"
	"countersign/store"
)

// commitTimes are the times right after the commits of events.
type commitTimes struct {
	mu    sync.Mutex
	times map[event]time.Time
}

func (c *commitTimes) add(hints []domain.Hint) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[event]time.Time{}
	}
	for _, hint := range hints {
		c.times[event{scalar.GlobalID(scalar.KindCase, hint.Stream),
			strconv.FormatInt(hint.Seq, 10)}] = now
	}
}

// producerOrder is the command that the producer's process reads from its standard input.
type producerOrder struct {
	Database, Redis string // URLs
	Reviews         []producedReview
	Events, Rate    int
}

// producedReview is a review whose case gets events.
type producedReview struct{ ID, CaseID, By domain.ID }

// production is what the producer did.
type production struct {
	Took    time.Duration
	Commits []committed
}

type committed struct {
	Event event
	At    time.Time
}

// producer commits events as a worker does: to the database, with hints through Redis.
type producer struct {
	order     producerOrder
	db        *store.DB
	publisher *live.Publisher
	commits   commitTimes
}

// produce starts the producer's process, and returns how long it took.
func (b *bench) produce(ctx context.Context, events, rate int) (time.Duration, error) {
	order := producerOrder{Database: b.database, Redis: b.redisURL, Events: events, Rate: rate}
	for _, r := range b.reviews {
		order.Reviews = append(order.Reviews, producedReview{r.id, r.caseID, r.by.UserID})
	}
	process, err := startChild(ctx, partProducer, order)
	if err != nil {
		return 0, err
	}
	var made production
	if err := process.wait(time.Hour, &made); err != nil {
		return 0, err
	}
	b.commits.times = make(map[event]time.Time, len(made.Commits))
	for _, c := range made.Commits {
		b.commits.times[c.Event] = c.At
	}
	return made.Took, nil
}

// produceEvents is the program of the producer's process.
func produceEvents(ctx context.Context, input io.Reader, output io.Writer) error {
	var p producer
	if err := readOrder(bufio.NewReader(input), &p.order); err != nil {
		return err
	}
	var err error
	if p.db, err = store.Open(ctx, p.order.Database, 4); err != nil {
		return err
	}
	defer p.db.Close()
	redis, err := live.Connect(p.order.Redis)
	if err != nil {
		return err
	}
	defer func() { _ = redis.Close() }()
	p.publisher = live.NewPublisher(redis, nil, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	loop, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.publisher.Run(loop) })
	defer func() { cancel(); running.Wait() }()
	cases := make([]domain.Case, len(p.order.Reviews))
	for i, r := range p.order.Reviews {
		if cases[i], err = p.db.Reader().Case(ctx, r.CaseID); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(output, readyLine); err != nil {
		return err
	}
	var made production
	if made.Took, err = p.commit(ctx, cases); err != nil {
		return err
	}
	for named, at := range p.commits.times {
		made.Commits = append(made.Commits, committed{named, at})
	}
	return json.NewEncoder(output).Encode(made)
}

// tick is how often a group of events is committed.
const tick = 10 * time.Millisecond

// commit makes the events of the rate, a tick's worth in one statement: facts of the cases, numbered
// and chained as the service layer's, without the commands that lead to them, which would be most of
// the machine's work. It returns how long that took.
func (p *producer) commit(ctx context.Context, cases []domain.Case) (time.Duration, error) {
	pace := time.NewTicker(tick)
	defer pace.Stop()
	began := time.Now()
	for made := 0; made < p.order.Events; {
		<-pace.C
		due := min(int(time.Since(began).Seconds()*float64(p.order.Rate)), p.order.Events, made+len(cases))
		group := make([]int, 0, due-made)
		for ; made < due; made++ {
			group = append(group, made%len(cases))
		}
		if err := p.commitGroup(ctx, cases, group); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// commitGroup adds an event to each of the cases and publishes them.
func (p *producer) commitGroup(ctx context.Context, cases []domain.Case, group []int) error {
	if len(group) == 0 {
		return nil
	}
	now, err := p.db.Reader().Clock(ctx)
	if err != nil {
		return err
	}
	changes, hints := make([]*store.Change, len(group)), make([]domain.Hint, len(group))
	for i, at := range group {
		if changes[i], err = nextEvent(cases[at], p.order.Reviews[at], now); err != nil {
			return err
		}
		cases[at] = changes[i].Case
		hints[i] = domain.Hint{Stream: cases[at].ID, Seq: cases[at].LastSeq}
	}
	if err := p.db.Autocommit().ApplyAll(ctx, changes); err != nil {
		return err
	}
	p.commits.add(hints)
	p.publisher.Publish(ctx, hints)
	return nil
}

// nextEvent is the case with one more event.
func nextEvent(c domain.Case, r producedReview, now time.Time) (*store.Change, error) {
	change := &store.Change{Case: c, ExpectedVersion: c.Version}
	marking, err := c.Marking.Canonical()
	if err != nil {
		return nil, err
	}
	fact := domain.Event{Stream: c.ID, Actor: r.By, CorrelationID: c.CorrelationID, At: now,
		StatusBefore: c.Status,
		StatusAfter:  c.Status, MarkingBefore: string(marking), MarkingAfter: string(marking)}
	err = events.SetBody(&fact, generated.ReviewClaimedV1{Assignee: r.By,
		ClaimUntil: now.Add(time.Minute), ReviewID: r.ID})
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
