package e2e

import (
	"context"
	"errors"
	"sync"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
)

// eventWatcher receives a case's events at one server over one transport, until it is disconnected.
type eventWatcher struct {
	name  string
	first chan struct{} // closed with the first event
	ended chan struct{} // closed with the end
	list  []receivedEvent
	end   time.Time
	err   error // what the end said
}

func (w *concurrentServers) watch(ctx context.Context, name, server, role string,
	open eventTransport, caseID, after string) *eventWatcher {
	f := &eventWatcher{name: name, first: make(chan struct{}), ended: make(chan struct{})}
	_, token := w.cluster.Credentials(role + "@test.test")
	go func() {
		defer close(f.ended)
		begin := sync.OnceFunc(func() { close(f.first) })
		defer begin()
		connection, err := open(ctx, server, token, caseID, after)
		for err == nil {
			var event receivedEvent
			if event, err = connection.next(); err != nil || event.complete() {
				f.end = time.Now()
				connection.cut()
				break
			}
			f.list = append(f.list, event)
			begin()
		}
		f.err = err
	}()
	return f
}

// keepBusy claims and releases the case's review until stopped, so that there is always an event to
// send.
func (w *concurrentServers) keepBusy(role string, review domain.ID, stop <-chan struct{}) {
	for {
		for _, what := range []string{"claimReview", "releaseReview"} {
			select {
			case <-stop:
				if what == "claimReview" {
					return
				}
			default:
			}
			w.try(w.a, role, what, onReview(review))
		}
	}
}

// A right is revoked at one server while a person follows a case at both, over both transports: no
// later event is sent, and the subscriptions end within a second.
func (w *concurrentServers) testSubscriptionsEnd() {
	t := w.t
	w.addReviews(1)
	review := w.review()
	var caseID domain.ID
	if err := w.rows.QueryRow(t.Context(), `SELECT case_id FROM reviews WHERE id = $1`,
		review).Scan(&caseID); err != nil {
		t.Fatal(err)
	}
	powers := w.permissionChanges("watcher", string(domain.RoleManager), domain.QueueL1, domain.QueueL2)[1:] // a limit is no reason to look away
	times, deliveries, later, late := min(rounds(len(powers)), 60), 0, 0, 0
	slowest := time.Duration(0)
	for n := range times {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		id, after := scalar.GlobalID(scalar.KindCase, caseID),
			scalar.EventCursor(int64(w.number(`SELECT last_seq FROM cases WHERE id = $1`, caseID)))
		var all []*eventWatcher
		for name, open := range eventTransports {
			all = append(all, w.watch(ctx, name+", the same server", w.a, "watcher", open, id,
				after),
				w.watch(ctx, name+", the other server", w.b, "watcher", open, id, after))
		}
		stop := make(chan struct{})
		var stirring sync.WaitGroup
		stirring.Go(func() { w.keepBusy([]string{"senior", "junior"}[n%2], review, stop) })
		for _, f := range all {
			<-f.first
		}
		p := powers[n%len(powers)]
		w.retryBusy(p.revoke)
		for _, f := range all {
			<-f.ended
		}
		close(stop)
		stirring.Wait()
		cancel()
		var gone time.Time
		if err := w.rows.QueryRow(t.Context(),
			`SELECT max(at) FROM events WHERE case_id = $1 AND type = $2`, p.stream.ID,
			p.kind).Scan(&gone); err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) || len(f.list) == 0 {
				t.Fatalf("%s, %s: received %d events, then %v", p.name, f.name, len(f.list), f.err)
			}
			slowest = max(slowest, f.end.Sub(gone))
			for _, event := range f.list {
				deliveries++
				if event.At.After(gone) {
					late++
					t.Errorf("%s, %s: event %d, committed %s after the right was lost, was delivered",
						p.name, f.name, event.Seq, event.At.Sub(gone))
				}
			}
			later += w.number(`SELECT count(*) FROM events WHERE case_id = $1 AND at > $2 AND at < $3`, caseID, gone, f.end)
		}
		w.retryBusy(p.restore)
	}
	t.Logf("%d times 4 followers lost the right: %d events delivered, %d were committed before the followers were disconnected, %d of them delivered; the last was disconnected after %s",
		times, deliveries, later, late, slowest.Round(time.Millisecond))
	if later == 0 {
		t.Error("nothing was committed after a right was gone: nothing is proved")
	}
	atMost := 30 * time.Second // the promise of a second is measured with more rounds, on a machine of its own
	if *concurrencyRounds > 0 {
		atMost = time.Second
	}
	if slowest > atMost {
		t.Errorf("a follower was off %s after the right was gone, at most %s", slowest, atMost)
	}
}
