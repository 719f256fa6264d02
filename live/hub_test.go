package live

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

// withoutPolling disables the regular poll, so that only hints are delivered.
func withoutPolling(o *Options) { o.PollInterval = time.Hour }

func TestAnEventReachesWatchersOfTwoServers(t *testing.T) {
	t.Parallel()
	redis, log := startRedis(t), newFakeLog()
	here := startServer(t, log, redis.connect(), withoutPolling)
	there := startServer(t, log, redis.connect(), withoutPolling)
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	near, far := subscribe(t, here.hub, person(), stream, 0),
		subscribe(t, there.hub, person(), stream, 0)
	wantSeqs(t, near, 1)
	wantSeqs(t, far, 1)
	hints := make(chan domain.Hint, 1)
	hints <- domain.Hint{Stream: stream, Seq: 1}
	repeat(t, func(ctx context.Context) {
		hint := <-hints
		here.publisher.Publish(ctx, []domain.Hint{hint})
		hints <- hint
	})
	for seq := int64(2); seq < 20; seq++ {
		<-hints
		hint := log.add(stream, domain.Processing, domain.StageStarted)
		here.publisher.Publish(context.Background(), []domain.Hint{hint})
		hints <- hint
		wantSeqs(t, near, seq)
		wantSeqs(t, far, seq)
	}
}

func TestACursorResumesExactly(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, nil)
	stream := domain.NewID()
	for range 9 {
		log.add(stream, domain.Processing, domain.StageStarted)
	}
	log.add(stream, domain.Archived, domain.CaseApproved, domain.CaseArchived)
	for after := int64(0); after <= 11; after++ {
		items := subscribe(t, s.hub, person(), stream, after)
		for seq := after + 1; seq <= 11; seq++ {
			wantSeqs(t, items, seq)
		}
		wantEnd(t, items) // also if there is nothing left to deliver
	}
}

func TestRefusedImmediately(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, nil)
	stream, denied := domain.NewID(), person()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	log.denied[denied.UserID] = true
	for name, tc := range map[string]struct {
		actor  domain.Actor
		stream domain.ID
		after  int64
		code   domain.Code
	}{
		"no right":          {denied, stream, 0, domain.NotFound},
		"no stream":         {person(), domain.NewID(), 0, domain.NotFound},
		"beyond the log":    {person(), stream, 2, domain.InvalidInput},
		"a negative cursor": {person(), stream, -1, domain.InvalidInput},
	} {
		if _, err := s.hub.Subscribe(context.Background(), tc.actor, tc.stream,
			tc.after); !domain.HasCode(err, tc.code) {
			t.Errorf("%s: got %v, want %s", name, err, tc.code)
		}
	}
	if streams, _ := s.hub.Watched(); streams != 0 {
		t.Errorf("%d streams are still watched", streams)
	}
}

func TestStaffEventsAreNotForSubmitters(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, nil)
	stream, reviewer := domain.NewID(), person()
	log.staff[reviewer.UserID] = true
	log.add(stream, domain.InReview, domain.CaseSubmitted, domain.ReviewOpened, domain.StageStarted,
		domain.ReviewOpened)
	submitter := subscribe(t, s.hub, person(), stream, 0)
	staff := subscribe(t, s.hub, reviewer, stream, 0)
	wantSeqs(t, submitter, 1, 3)
	wantSeqs(t, staff, 1, 2, 3, 4)
	log.add(stream, domain.Archived, domain.CaseArchived)
	wantSeqs(t, submitter, 5)
	wantSeqs(t, staff, 5)
	wantEnd(t, submitter)
	wantEnd(t, staff)
}

func TestNothingAfterARevocation(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	stream, leaver := domain.NewID(), person()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	items, stays := subscribe(t, s.hub, leaver, stream, 0), subscribe(t, s.hub, person(), stream, 0)
	wantSeqs(t, items, 1)
	wantSeqs(t, stays, 1)
	log.change(func() { log.denied[leaver.UserID] = true; log.authority++ })
	s.hub.onHints([]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
	wantRefusal(t, items, domain.NotFound)
	wantSeqs(t, stays, 2)
}

func TestAccessIsRecheckedWhenACaseMoves(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	stream, former, stays := domain.NewID(), person(), person()
	log.staff[former.UserID], log.staff[stays.UserID] = true, true
	log.add(stream, domain.InReview, domain.CaseSubmitted, domain.ReviewOpened,
		domain.ReviewDecidedEvent, domain.ReviewOpened)
	leaving, staying := subscribe(t, s.hub, former, stream, 0),
		subscribe(t, s.hub, stays, stream, 0)
	wantSeqs(t, leaving, 1, 2, 3, 4)
	wantSeqs(t, staying, 1, 2, 3, 4)
	if asked := log.count(&log.accessChecks); asked > 6 {
		t.Errorf("two readers of the past made %d reads", asked)
	}
	// the version of the rights is unchanged: the case moved
	log.change(func() { log.denied[former.UserID] = true })
	s.hub.onHints([]domain.Hint{log.add(stream, domain.InReview, domain.ReviewDecidedEvent,
		domain.ReviewOpened)})
	wantRefusal(t, leaving, domain.NotFound)
	wantSeqs(t, staying, 5, 6)
}

func TestPollEndsSubscriptionsWithoutAccess(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, nil)
	stream, denied, signedOut := domain.NewID(), person(), person()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	first, second := subscribe(t, s.hub, denied, stream, 1),
		subscribe(t, s.hub, signedOut, stream, 1)
	list, err := s.hub.WatchList(t.Context(), signedOut, domain.QueuesTopic)
	if err != nil {
		t.Fatal(err)
	}
	log.change(func() { log.denied[denied.UserID] = true; log.authority++ })
	wantRefusal(t, first, domain.NotFound)
	log.end(signedOut)
	wantRefusal(t, second, domain.SessionExpired)
	eventually(t, "the list ends", func() bool {
		tick, open := <-list.Ticks
		return !open || domain.HasCode(tick.Err, domain.SessionExpired)
	})
	for range list.Ticks {
	}
}

func TestSlowReaderCatchesUpFromItsCursor(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, func(o *Options) {
		withoutPolling(o)
		o.RecentFrames = 4
		o.PageSize = 7
		o.ItemBuffer = 2
	})
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	slow, quick := subscribe(t, s.hub, person(), stream, 0),
		subscribe(t, s.hub, person(), stream, 0)
	wantSeqs(t, quick, 1)
	for seq := int64(2); seq <= 200; seq++ {
		s.hub.onHints([]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
		wantSeqs(t, quick, seq)
	}
	if cap(slow) != 2 {
		t.Errorf("the slow reader's buffer holds %d", cap(slow))
	}
	for seq := int64(1); seq <= 200; seq++ {
		wantSeqs(t, slow, seq)
	}
}

func TestEventsAreReadOncePerStream(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	watchers := make([]<-chan Item, 50)
	for i := range watchers {
		watchers[i] = subscribe(t, s.hub, person(), stream, 1)
	}
	before := log.count(&log.readings)
	for seq := int64(2); seq <= 11; seq++ {
		s.hub.onHints([]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
		for _, items := range watchers {
			wantSeqs(t, items, seq)
		}
	}
	if read := log.count(&log.readings) - before; read != 10 {
		t.Errorf("10 events took %d readings for 50 watchers", read)
	}
}

func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, nil)
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	items := subscribe(t, s.hub, person(), stream, 0)
	wantSeqs(t, items, 1)
	log.change(func() { log.unreachable = true })
	s.hub.onHints([]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
	log.change(func() { log.authority++ })
	log.add(stream, domain.Archived, domain.CaseArchived)
	log.change(func() { log.unreachable = false })
	wantSeqs(t, items, 2, 3)
	wantEnd(t, items)
}

func TestRedisOutage(t *testing.T) {
	t.Parallel()
	redis, log := startRedis(t), newFakeLog()
	here := startServer(t, log, redis.connect(), nil)
	there := startServer(t, log, redis.connect(), nil)
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	items := subscribe(t, there.hub, person(), stream, 0)
	wantSeqs(t, items, 1)
	publish := func() {
		here.publisher.Publish(context.Background(),
			[]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
	}
	publish()
	wantSeqs(t, items, 2)
	redis.stop()
	publish() // the poll finds it
	wantSeqs(t, items, 3)
	eventually(t, "a hint is dropped", func() bool { return here.publisher.Dropped() > 0 })
	redis.start()
	publish()
	wantSeqs(t, items, 4)
}

// Only the poll at reconnection can deliver what was published while Redis was down, because the
// regular one never runs here.
func TestReconnectionPolls(t *testing.T) {
	t.Parallel()
	redis, log := startRedis(t), newFakeLog()
	s := startServer(t, log, redis.connect(), withoutPolling)
	stream := domain.NewID()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	items := subscribe(t, s.hub, person(), stream, 0)
	wantSeqs(t, items, 1)
	redis.stop()
	log.add(stream, domain.Processing, domain.StageStarted)
	redis.start()
	wantSeqs(t, items, 2)
}

func TestAListTicks(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, func(o *Options) {
		withoutPolling(o)
		o.ListRefreshInterval = time.Hour
	})
	ctx, cancel := context.WithCancel(context.Background())
	list, err := s.hub.WatchList(ctx, person(), domain.QueuesTopic)
	if err != nil {
		t.Fatal(err)
	}
	ticks := list.Ticks
	<-ticks // the first tick, sent immediately
	s.hub.onHints([]domain.Hint{{Stream: domain.NewID(), Seq: 1}, {Stream: domain.QueuesTopic},
		{Stream: domain.QueuesTopic}})
	<-ticks
	s.hub.onAuthorityVersion(7)
	<-ticks
	s.hub.onReconnect()
	<-ticks
	cancel()
	for range ticks {
	}
	if _, lists := s.hub.Watched(); lists != 0 {
		t.Errorf("%d lists are still watched", lists)
	}
}

// For any order of events and hints (lost, duplicated, late) and of readers that connect, leave and
// return, every reader receives every event once and in order.
func TestNoGapsNoDuplicates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		log := newFakeLog()
		hub := NewHub(Options{Log: log, Authorizer: log, PollInterval: time.Millisecond,
			PageSize: rapid.IntRange(1, 5).Draw(rt, "page"), RecentFrames: rapid.IntRange(1, 5).
					Draw(rt, "recent"), ItemBuffer: 1})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); hub.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		stream, total := domain.NewID(), rapid.Int64Range(1, 30).Draw(rt, "events")
		log.add(stream, domain.Received, domain.CaseSubmitted)
		said := rapid.SliceOfN(rapid.IntRange(0, 2), int(total), int(total)).Draw(rt, "said")
		go func() {
			for _, times := range said {
				hint := log.add(stream, domain.Processing, domain.StageStarted)
				for range times {
					hub.onHints([]domain.Hint{hint})
				}
			}
			log.add(stream, domain.Archived, domain.CaseApproved, domain.CaseArchived)
		}()
		cursor, end := int64(0), total+3
		for cursor < end {
			stay := rapid.IntRange(1, 10).Draw(rt, "stay")
			visit, leave := context.WithCancel(ctx)
			items, err := hub.Subscribe(visit, person(), stream, cursor)
			if err != nil {
				rt.Fatal(err)
			}
			before := cursor
			for item := range items {
				if cursor++; item.Err != nil || item.Event.Seq != cursor {
					rt.Fatalf("want %d, got %+v", cursor, item)
				}
				if stay--; stay == 0 {
					break
				}
			}
			leave()
			for range items {
			}
			if cursor == before {
				rt.Fatalf("nothing after %d of %d", cursor, end)
			}
		}
	})
}
