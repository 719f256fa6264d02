package live

import (
	"testing"
	"time"

	"countersign/domain"
)

// program returns an actor with an API token.
func program() domain.Actor { return domain.Actor{UserID: domain.NewID(), TokenID: domain.NewID()} }

// A read that returns a newer version of the credentials is checked before its frame is sent, for
// all subscriptions of the server in one query. The regular poll never runs here.
func TestNothingAfterACredentialEnded(t *testing.T) {
	t.Parallel()
	for name, leaver := range map[string]domain.Actor{"session": person(), "API token": program()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := newFakeLog()
			s := startServer(t, log, nil, withoutPolling)
			stream := domain.NewID()
			log.add(stream, domain.Received, domain.CaseSubmitted)
			items := subscribe(t, s.hub, leaver, stream, 0)
			wantSeqs(t, items, 1)
			staying := make([]<-chan Item, 50)
			for i := range staying {
				staying[i] = subscribe(t, s.hub, person(), stream, 1)
			}
			log.end(leaver)
			s.hub.onHints([]domain.Hint{log.add(stream, domain.Processing, domain.StageStarted)})
			wantRefusal(t, items, domain.CodeOf(credentialEnded(leaver)))
			for _, others := range staying {
				wantSeqs(t, others, 2)
			}
			if asked := log.count(&log.verified); asked != 1 {
				t.Errorf("%d credential queries for 51 subscriptions", asked)
			}
			if _, err := s.hub.Subscribe(t.Context(), leaver, stream, 0); !domain.HasCode(err,
				domain.CodeOf(credentialEnded(leaver))) {
				t.Errorf("a new subscription with the ended credential: %v", err)
			}
			if _, err := s.hub.WatchList(t.Context(), leaver,
				domain.QueuesTopic); !domain.HasCode(err, domain.CodeOf(credentialEnded(leaver))) {
				t.Errorf("a new list with the ended credential: %v", err)
			}
		})
	}
}

// Subscriptions end at the expiry of their credential without a hint or a poll, and no event
// committed at that time or later is sent, even if the server's clock is slow.
func TestNothingAfterTheExpiry(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	stream, soon, later := domain.NewID(), person(), person()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	log.change(func() {
		log.expires[soon.SessionID] = time.Now().Add(time.Second)
		log.expires[later.SessionID] = time.Now().Add(time.Hour)
	})
	first, second := subscribe(t, s.hub, soon, stream, 0), subscribe(t, s.hub, later, stream, 0)
	wantSeqs(t, first, 1)
	wantSeqs(t, second, 1)
	wantRefusal(t, first, domain.SessionExpired)
	hint := log.add(stream, domain.Processing, domain.StageStarted, domain.StageStarted)
	log.change(func() {
		log.streams[stream][1].At = log.expires[later.SessionID].Add(-time.Microsecond)
		log.streams[stream][2].At = log.expires[later.SessionID]
	})
	s.hub.onHints([]domain.Hint{hint})
	wantSeqs(t, second, 2)
	wantRefusal(t, second, domain.SessionExpired)
}

// The right is checked again when a delegation expires, and before an event of a later time is
// sent.
func TestRightIsCheckedAgainWhenADelegationExpires(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	stream, delegate := domain.NewID(), person()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	end := time.Now().Add(time.Hour)
	log.change(func() { log.until = end })
	items := subscribe(t, s.hub, delegate, stream, 0)
	wantSeqs(t, items, 1)
	hint := log.add(stream, domain.Processing, domain.StageStarted)
	log.change(func() {
		log.streams[stream][1].At = end
		log.denied[delegate.UserID] = true // without a newer version of the rights
	})
	s.hub.onHints([]domain.Hint{hint})
	wantRefusal(t, items, domain.NotFound)

	other := person()
	log.change(func() { log.until = time.Now().Add(50 * time.Millisecond) })
	items = subscribe(t, s.hub, other, stream, 2)
	log.change(func() { log.until, log.denied[other.UserID] = time.Time{}, true })
	wantRefusal(t, items, domain.NotFound)
}

// A hint of changed rights makes every server poll immediately.
func TestARightsHintTriggersAPoll(t *testing.T) {
	t.Parallel()
	redis, log := startRedis(t), newFakeLog()
	here := startServer(t, log, redis.connect(), withoutPolling)
	there := startServer(t, log, redis.connect(), withoutPolling)
	stream, leaver := domain.NewID(), program()
	log.add(stream, domain.Received, domain.CaseSubmitted)
	items := subscribe(t, there.hub, leaver, stream, 1)
	list, err := there.hub.WatchList(t.Context(), leaver, domain.QueuesTopic)
	if err != nil {
		t.Fatal(err)
	}
	<-list.Ticks
	log.end(leaver)
	repeat(t, here.publisher.RightsChanged)
	wantRefusal(t, items, domain.Unauthenticated)
	for tick := range list.Ticks {
		if tick.Err != nil && !domain.HasCode(tick.Err, domain.Unauthenticated) {
			t.Errorf("the list ended with %v", tick.Err)
		}
	}
}

// A list is sent only if no right changed between reading and sending it.
func TestAListIsConfirmedAfterItWasRead(t *testing.T) {
	t.Parallel()
	log := newFakeLog()
	s := startServer(t, log, nil, withoutPolling)
	reader := person()
	list, err := s.hub.WatchList(t.Context(), reader, domain.QueuesTopic)
	if err != nil {
		t.Fatal(err)
	}
	confirm := func(rights int64, until time.Time, wantAgain bool, what string) {
		t.Helper()
		if again, err := list.Confirm(t.Context(), rights, until); err != nil ||
			again != wantAgain {
			t.Errorf("%s: again %t, %v", what, again, err)
		}
	}
	confirm(list.Rights(), time.Time{}, true, "the version of the rights was unknown")
	confirm(list.Rights(), time.Time{}, false, "the version of the rights is known")
	before := list.Rights()
	log.change(func() { log.authority++ })
	confirm(before, time.Time{}, true, "rights changed while it was read")
	confirm(list.Rights(), time.Now().Add(-time.Second), true,
		"a delegation ended while it was read")
	confirm(list.Rights(), time.Now().Add(time.Hour), false, "a delegation that lasts")
	log.end(person())
	confirm(list.Rights(), time.Time{}, false, "another's credential ended")
	log.end(reader)
	if _, err := list.Confirm(t.Context(), list.Rights(), time.Time{}); !domain.HasCode(err,
		domain.SessionExpired) {
		t.Errorf("its own credential ended: %v", err)
	}
}
