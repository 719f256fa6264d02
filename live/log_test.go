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

// memoryLog stands for the log and the rights in Postgres: one lock is its snapshot.
type memoryLog struct {
	mu        sync.Mutex
	streams   map[domain.ID][]domain.Event
	authority int64
	barred    map[domain.ID]bool // persons
	staff     map[domain.ID]bool
	ended     []domain.ID
	away      bool
	readings  int
	pulses    int
	asked     int
}

func newLog() *memoryLog {
	return &memoryLog{streams: map[domain.ID][]domain.Event{}, authority: 1, barred: map[domain.ID]bool{}, staff: map[domain.ID]bool{}}
}

var errAway = errors.New("connection refused")

func (l *memoryLog) add(stream domain.ID, status domain.Status, types ...domain.EventType) domain.Hint {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, eventType := range types {
		l.streams[stream] = append(l.streams[stream], domain.Event{
			Stream: stream, Seq: int64(len(l.streams[stream]) + 1), Type: eventType, SchemaVersion: 1, StatusBefore: status, StatusAfter: status,
		})
	}
	return domain.Hint{Stream: stream, Seq: int64(len(l.streams[stream]))}
}

func (l *memoryLog) EventsAfter(_ context.Context, stream domain.ID, after int64, limit int) (domain.LogReading, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return domain.LogReading{}, errAway
	}
	l.readings++
	events, known := l.streams[stream]
	if !known {
		return domain.LogReading{}, domain.Fail(domain.NotFound, "no such case")
	}
	reading := domain.LogReading{Head: int64(len(events)), AuthorityVersion: l.authority}
	if len(events) > 0 {
		reading.Status = events[len(events)-1].StatusAfter
	}
	if after < reading.Head {
		reading.Events = slices.Clone(events[after:min(reading.Head, after+int64(limit))])
	}
	return reading, nil
}

func (l *memoryLog) Pulse(_ context.Context, streams, sessions []domain.ID) (domain.Pulse, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return domain.Pulse{}, errAway
	}
	l.pulses++
	pulse := domain.Pulse{Heads: map[domain.ID]int64{}, AuthorityVersion: l.authority}
	for _, stream := range streams {
		pulse.Heads[stream] = int64(len(l.streams[stream]))
	}
	for _, session := range sessions {
		if slices.Contains(l.ended, session) {
			pulse.EndedSessions = append(pulse.EndedSessions, session)
		}
	}
	return pulse, nil
}

func (l *memoryLog) MayWatch(_ context.Context, actor domain.Actor, stream domain.ID) (domain.Audience, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	switch {
	case l.away:
		return "", errAway
	case l.barred[actor.UserID] || l.streams[stream] == nil:
		return "", domain.Fail(domain.NotFound, "no such case")
	case l.staff[actor.UserID]:
		return domain.AudienceStaff, nil
	}
	return domain.AudienceAll, nil
}

// change alters the log's state under its lock.
func (l *memoryLog) change(alter func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alter()
}

func (l *memoryLog) count(which *int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *which
}

// server is one server process as far as this room knows it.
type server struct {
	hub       *Hub
	publisher *Publisher
}

func startServer(t *testing.T, log *memoryLog, r *Redis, alter func(*Options)) server {
	t.Helper()
	options := Options{Log: log, Rights: log, PulseEvery: 20 * time.Millisecond, ListPause: time.Millisecond}
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

// run keeps a loop going until the test ends, and waits for its end.
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

func subscribe(t *testing.T, hub *Hub, actor domain.Actor, stream domain.ID, after int64) <-chan Item {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	items, err := hub.Subscribe(ctx, actor, stream, after)
	if err != nil {
		cancel()
		t.Fatalf("subscribe: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		for range items { // its goroutine has ended when the channel closes
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
	case <-time.After(10 * time.Second):
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
	case <-time.After(10 * time.Second):
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

func person() domain.Actor { return domain.Actor{UserID: domain.NewID(), SessionID: domain.NewID()} }
