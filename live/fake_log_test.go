package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/domain"
)

// fakeLog replaces the log and the rights in Postgres. Its lock provides the snapshots.
type fakeLog struct {
	mu           sync.Mutex
	streams      map[domain.ID][]domain.Event
	authority    int64
	version      int64                   // of credentials
	expires      map[domain.ID]time.Time // of sessions
	denied       map[domain.ID]bool      // persons
	staff        map[domain.ID]bool
	ended        []domain.ID
	unreachable  bool
	readings     int
	polls        int
	verified     int // number of credential queries
	accessChecks int
	until        time.Time // when the right has to be checked again
}

func newFakeLog() *fakeLog {
	return &fakeLog{streams: map[domain.ID][]domain.Event{}, authority: 1, version: 1,
		expires: map[domain.ID]time.Time{}, denied: map[domain.ID]bool{},
		staff: map[domain.ID]bool{}}
}

var errUnreachable = errors.New("connection refused")

func (l *fakeLog) add(stream domain.ID, status domain.Status,
	types ...domain.EventType) domain.Hint {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, eventType := range types {
		l.streams[stream] = append(l.streams[stream], domain.Event{
			Stream: stream, Seq: int64(len(l.streams[stream]) + 1), Type: eventType,
			SchemaVersion: 1, StatusBefore: status, StatusAfter: status,
		})
	}
	return domain.Hint{Stream: stream, Seq: int64(len(l.streams[stream]))}
}

func (l *fakeLog) EventsAfter(_ context.Context, stream domain.ID, after int64, limit int) (
	domain.StreamPage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unreachable {
		return domain.StreamPage{}, errUnreachable
	}
	l.readings++
	events, known := l.streams[stream]
	if !known {
		return domain.StreamPage{}, domain.Errorf(domain.NotFound, "no such case")
	}
	reading := domain.StreamPage{LastSeq: int64(len(events)), AuthorityVersion: l.authority,
		CredentialVersion: l.version}
	if len(events) > 0 {
		reading.Status = events[len(events)-1].StatusAfter
	}
	if after < reading.LastSeq {
		reading.Events = slices.Clone(events[after:min(reading.LastSeq, after+int64(limit))])
	}
	return reading, nil
}

func (l *fakeLog) WatchState(_ context.Context, streams, sessions, tokens []domain.ID) (
	domain.WatchState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unreachable {
		return domain.WatchState{}, errUnreachable
	}
	if streams == nil {
		l.verified++
	} else {
		l.polls++
	}
	state := domain.WatchState{LastSeqs: map[domain.ID]int64{}, AuthorityVersion: l.authority,
		CredentialVersion: l.version}
	for _, stream := range streams {
		state.LastSeqs[stream] = int64(len(l.streams[stream]))
	}
	for _, id := range slices.Concat(sessions, tokens) {
		if slices.Contains(l.ended, id) {
			state.Ended = append(state.Ended, id)
		}
	}
	return state, nil
}

func (l *fakeLog) Credential(_ context.Context, actor domain.Actor) (
	domain.CredentialState, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unreachable {
		return domain.CredentialState{}, errUnreachable
	}
	id, _ := credentialOf(actor)
	return domain.CredentialState{Holds: !slices.Contains(l.ended, id), EndsAt: l.expires[id],
		At: time.Now(), Version: l.version}, nil
}

func (l *fakeLog) RightsVersion(context.Context) (domain.RightsVersion, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unreachable {
		return domain.RightsVersion{}, errUnreachable
	}
	return domain.RightsVersion{Authority: l.authority, Credentials: l.version, At: time.Now()}, nil
}

func (l *fakeLog) MayWatch(_ context.Context, actor domain.Actor, stream domain.ID) (
	domain.WatchRight, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accessChecks++
	right := domain.WatchRight{Audience: domain.AudienceAll, Until: l.until}
	if !l.until.IsZero() {
		right.Left = time.Until(l.until)
	}
	switch {
	case l.unreachable:
		return right, errUnreachable
	case l.denied[actor.UserID] || l.streams[stream] == nil:
		return right, domain.Errorf(domain.NotFound, "no such case")
	case l.staff[actor.UserID]:
		right.Audience = domain.AudienceStaff
	}
	return right, nil
}

// end ends the credential of the actor, as a sign-out does.
func (l *fakeLog) end(actor domain.Actor) {
	l.change(func() {
		id, _ := credentialOf(actor)
		l.ended, l.version = append(l.ended, id), l.version+1
	})
}

// change changes the log's state under its lock.
func (l *fakeLog) change(alter func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alter()
}

func (l *fakeLog) count(which *int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *which
}

// server is one server process, as far as this package is concerned.
type server struct {
	hub       *Hub
	publisher *Publisher
}

func startServer(t *testing.T, log *fakeLog, r *Redis, alter func(*Options)) server {
	t.Helper()
	options := Options{Log: log, Authorizer: log, PollInterval: 20 * time.Millisecond,
		MinListInterval: time.Millisecond}
	if alter != nil {
		alter(&options)
	}
	hub := NewHub(options)
	s := server{hub, NewPublisher(r, hub, hub.options.Logger)}
	run(t, hub.Run)
	if r != nil {
		run(t, s.publisher.Run)
		run(t, NewListener(r, hub, hub.options.Logger).Run)
	}
	return s
}

// run runs a loop until the test ends and waits for it to return.
func run(t *testing.T, loop func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { loop(ctx) })
	t.Cleanup(func() {
		cancel()
		group.Wait()
	})
}

// repeat sends hints until the test ends, because one may be dropped: a slow Redis is not waited for.
func repeat(t *testing.T, send func(context.Context)) {
	t.Helper()
	run(t, func(ctx context.Context) {
		for {
			send(ctx)
			if !sleep(ctx, 50*time.Millisecond) {
				return
			}
		}
	})
}

func subscribe(t *testing.T, hub *Hub, actor domain.Actor, stream domain.ID,
	after int64) <-chan Item {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	items, err := hub.Subscribe(ctx, actor, stream, after)
	if err != nil {
		cancel()
		t.Fatalf("subscribe: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		for range items { // the goroutine has ended when the channel closes
		}
	})
	return items
}

func next(t *testing.T, items <-chan Item) Item {
	t.Helper()
	select {
	case item, open := <-items:
		if !open {
			t.Fatal("the subscription ended")
		}
		return item
	case <-time.After(time.Minute):
		t.Fatal("no item came")
	}
	return Item{}
}

func wantSeqs(t *testing.T, items <-chan Item, seqs ...int64) {
	t.Helper()
	for _, seq := range seqs {
		item := next(t, items)
		if item.Err != nil || item.Event.Seq != seq || item.Cursor != seq {
			t.Fatalf("want event %d, got %+v", seq, item)
		}
	}
}

func wantEnd(t *testing.T, items <-chan Item) {
	t.Helper()
	select {
	case item, open := <-items:
		if open {
			t.Fatalf("want the end, got %+v", item)
		}
	case <-time.After(time.Minute):
		t.Fatal("the subscription did not end")
	}
}

func wantRefusal(t *testing.T, items <-chan Item, code domain.Code) {
	t.Helper()
	if item := next(t, items); !domain.HasCode(item.Err, code) {
		t.Fatalf("want %s, got %+v", code, item)
	}
	wantEnd(t, items)
}

func person() domain.Actor {
	return domain.Actor{UserID: domain.NewID(), SessionID: domain.NewID()}
}
