package deliver_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"countersign/casework"
	"countersign/connect"
	"countersign/deliver"
	"countersign/domain"
	"countersign/views"
)

// nightly returns what reconciles at midnight (UTC).
func (w *testEnv) nightly() *deliver.Nightly {
	return deliver.NewNightly(w.svc, deliver.NewReconciler(views.New(w.db.Reader(), w.svc.Authorizer),
		connect.Senders{domain.ConnectorWebhook: w.sender}), 0, slog.New(slog.DiscardHandler))
}

// night sets the clock so many days on and reconciles; the second look finds nothing due.
func (w *testEnv) night(days int) domain.NightlyReconciliation {
	w.t.Helper()
	w.setClock(time.Duration(days) * 24 * time.Hour)
	n := w.nightly()
	for _, want := range []bool{true, false} {
		if more, err := n.Next(w.ctx); err != nil || more != want {
			w.t.Fatalf("due %t, want %t: %v", more, want, err)
		}
	}
	connectors, err := w.db.Reader().Connectors(w.ctx)
	must(w.t, err)
	return connectors[0].Nightly
}

// reconciledEvents counts the events of a changed difference.
func (w *testEnv) reconciledEvents() (n int) {
	w.t.Helper()
	must(w.t, w.owner.QueryRow(w.ctx,
		`SELECT count(*) FROM events WHERE type = 'connector.reconciled'`).Scan(&n))
	return n
}

// unread counts the unread notices of a person.
func (w *testEnv) unread(person domain.Actor) int {
	w.t.Helper()
	_, err := w.svc.DeriveNotices(w.ctx)
	must(w.t, err)
	notices, err := w.db.Reader().Notices(w.ctx, domain.NoticeQuery{Recipient: person.UserID,
		OnlyUnread: true, Limit: 10})
	must(w.t, err)
	for _, notice := range notices {
		if notice.Kind != domain.NoticeConnector || notice.Connector != w.connector {
			w.t.Errorf("%+v", notice)
		}
	}
	return len(notices)
}

// Every night the receiver is compared. A new difference is an event and a notice for administrators
// once, and the notice is settled when there is none any more.
func TestNightlyReconciliation(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	if more, err := w.nightly().Next(w.ctx); err != nil || more {
		t.Fatalf("due on the day of its beginning: %t, %v", more, err)
	}
	streams := newStreams(3)
	w.events(5, streams...)
	stop := w.start("a", w.svc)
	w.received(15)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 15 })
	if got := w.night(1); got.Outcome != domain.ReconcileEqual || got.Compared != 15 || got.EndedAt.IsZero() {
		t.Errorf("the first night: %+v", got)
	}
	lost := eventID(streams[1], 3)
	w.receiver.forget(lost)
	for night := 2; night <= 3; night++ { // delivered twice
		got := w.night(night)
		if got.Outcome != domain.ReconcileDiffers || got.MissingCount != 1 || got.Missing[0] != lost {
			t.Errorf("night %d: %+v", night, got)
		}
		if n := w.reconciledEvents(); n != 1 {
			t.Errorf("night %d: %d events", night, n)
		}
	}
	w.wait("the administrators are notified",
		func() bool { return w.unread(w.ada) == 1 && w.unread(w.adam) == 1 })
	w.receiver.listing(http.NotFound)
	if got := w.night(4); got.Outcome != domain.ReconcileNotOffered || got.Error == "" || got.MissingCount != 1 {
		t.Errorf("without a list: %+v", got)
	}
	w.receiver.listing(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	if got := w.night(5); got.Outcome != domain.ReconcileFailed || got.Error == "" || got.MissingCount != 1 {
		t.Errorf("a receiver that fails: %+v", got)
	}
	if n := w.reconciledEvents(); n != 1 {
		t.Errorf("%d events after failures", n)
	}
	w.receiver.listing(nil)
	_, err := w.svc.ReplayConnector(w.ctx, w.ada, casework.ReplayConnector{Connector: w.connector})
	must(t, err)
	w.wait("it is delivered again", func() bool { return w.receiver.distinct() == 15 && w.state().Delivered >= 30 })
	if got := w.night(6); got.Outcome != domain.ReconcileEqual || got.MissingCount != 0 {
		t.Errorf("after the replay: %+v", got)
	}
	if n := w.reconciledEvents(); n != 2 {
		t.Errorf("%d events at the end", n)
	}
	w.wait("the notices are settled", func() bool { return w.unread(w.ada) == 0 && w.unread(w.adam) == 0 })
	stop()
	_, err = w.svc.PauseConnector(w.ctx, w.ada, casework.OperateConnector{Connector: w.connector})
	must(t, err)
	w.setClock(8 * 24 * time.Hour)
	if more, err := w.nightly().Next(w.ctx); err != nil || more {
		t.Errorf("a paused connector is due: %t, %v", more, err)
	}
}

// Attack: a program that dies while it reconciles, or two of them, do not leave out or double a night.
func TestAbandonedReconciliation(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	// At noon, so that no other day begins within the next hour.
	now := time.Now().UTC()
	noon := now.Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(now)
	if noon <= 24*time.Hour { // the connector is more than a day old
		noon += 24 * time.Hour
	}
	w.setClock(noon)
	begun, err := w.svc.NightlyReconciliation(w.ctx, 0)
	must(t, err)
	if len(begun) != 2 {
		t.Errorf("%d days", len(begun))
	}
	for _, minutes := range []int{0, 59} {
		w.setClock(noon + time.Duration(minutes)*time.Minute)
		if again, err := w.svc.NightlyReconciliation(w.ctx, 0); !domain.HasCode(err, domain.NotFound) {
			t.Errorf("after %d minutes: %v, %v", minutes, again, err)
		}
	}
	w.setClock(noon + 61*time.Minute)
	if more, err := w.nightly().Next(w.ctx); err != nil || !more {
		t.Errorf("after an hour: %t, %v", more, err)
	}
	stopped, cancel := context.WithCancel(w.ctx)
	cancel()
	w.setClock(noon + 25*time.Hour)
	if more, err := w.nightly().Next(stopped); err == nil || more {
		t.Errorf("a program that stops: %t, %v", more, err)
	}
	if more, err := w.nightly().Next(w.ctx); err != nil || !more {
		t.Errorf("after a program that stopped: %t, %v", more, err)
	}
}

// Events that the connector does not send are no lag, even if its position before them is recorded.
func TestLagOfAConnector(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(1)
	w.events(1, streams...)
	stop := w.start("a", w.svc)
	w.received(1)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 1 })
	stop()
	lag := func() time.Duration {
		t.Helper()
		connectors, err := w.db.Reader().Connectors(w.ctx)
		must(t, err)
		return connectors[0].Lag
	}
	others := func(n int) {
		t.Helper()
		w.events(n, streams...)
		_, err := w.owner.Exec(w.ctx, `UPDATE events SET type = 'case.approved' WHERE seq > 1 AND case_id = $1
			AND seq > (SELECT max(seq) - $2 FROM events WHERE case_id = $1)`, streams[0], n)
		must(t, err)
	}
	others(5)
	w.setClock(time.Hour)
	w.wait("nothing is to be sent", func() bool { return lag() == 0 })
	w.events(1, streams...)
	w.setClock(3 * time.Hour)
	w.wait("one event is to be sent", func() bool { return lag() > 100*time.Minute && lag() < 150*time.Minute })
}

// forgetful is a receiver that has kept nothing from before the time.
type forgetful struct {
	deliver.Receiver
	since time.Time
}

func (f forgetful) Received(ctx context.Context, spec domain.ConnectorSpec, from, to time.Time,
	visit func(string) error) error {
	if from.Before(f.since) {
		return domain.Invalid("from", "gone")
	}
	return f.Receiver.Received(ctx, spec, from, to, visit)
}

// A receiver that keeps events for some days only is compared for these days, without a gap.
func TestReceiverThatKeepsSomeDays(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.setClock(20 * 24 * time.Hour)
	w.events(4, newStreams(2)...)
	w.start("a", w.svc)
	w.received(8)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 8 })
	now := time.Now().Add(20 * 24 * time.Hour)
	receiver := forgetful{connect.Senders{domain.ConnectorWebhook: w.sender}, now.Add(-80 * time.Hour)}
	reconciler := deliver.NewReconciler(views.New(w.db.Reader(), w.svc.Authorizer), receiver)
	n := deliver.NewNightly(w.svc, reconciler, 0, slog.New(slog.DiscardHandler))
	if more, err := n.Next(w.ctx); err != nil || !more {
		t.Fatalf("%t, %v", more, err)
	}
	connectors, err := w.db.Reader().Connectors(w.ctx)
	must(t, err)
	got := connectors[0].Nightly
	if days := got.To.Sub(got.From).Hours() / 24; got.Outcome != domain.ReconcileEqual || days < 2.9 || days > 3.1 {
		t.Errorf("%.1f days: %+v", days, got)
	}
}
