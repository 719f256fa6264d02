package deliver_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/feed"
	"countersign/store"
)

// Every event arrives, in order within its stream, and a delivered one leaves no row.
func TestEveryEventArrivesInOrder(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(30)
	w.events(20, streams...)
	w.start("a", w.svc)
	w.received(600)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 600 })
	if c := w.state(); c.Waiting != 0 || c.Dead != 0 || c.LastError != "" {
		t.Errorf("%+v", c)
	}
}

// An event that fails holds back the later ones of its stream only.
func TestAFailureHoldsBackItsStreamOnly(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(10)
	bad := eventID(streams[0], 2)
	w.receiver.answering(failing(bad, http.StatusInternalServerError))
	w.events(5, streams...)
	w.start("a", w.svc)
	w.received(46)
	w.events(1, streams...)
	w.received(55)
	w.wait("the later ones wait", func() bool { return w.state().Waiting == 5 })
	w.wait("it is tried again", func() bool { return w.receiver.attemptsOf(bad) > 1 })
	w.receiver.answering(nil)
	w.setClock(time.Hour)
	w.received(60)
	w.wait("nothing waits", func() bool { return w.state().Waiting == 0 })
}

// An event that the receiver refuses waits for a person: retried, it is sent again; skipped, later
// ones follow.
func TestARefusedEventWaitsForAPerson(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(3)
	bad := eventID(streams[0], 1)
	refuse := failing(bad, http.StatusUnprocessableEntity)
	w.receiver.answering(refuse)
	w.events(3, streams...)
	w.start("a", w.svc)
	w.received(6)
	w.wait("it needs a person", func() bool { return w.state().Dead == 1 })
	found, err := w.db.Reader().Deliveries(w.ctx, store.DeliveryQuery{Connector: w.connector,
		Limit: 10})
	must(t, err)
	if len(found) != 3 || found[0].EventID != bad || found[0].HTTPStatus != 422 ||
		found[0].Answer != "garbage " || found[1].Attempts != 0 {
		t.Fatalf("%+v", found)
	}
	retry := casework.OperateDelivery{Delivery: found[0].ID}
	_, err = w.svc.RetryDelivery(w.ctx, w.ada, retry)
	must(t, err)
	w.wait("it was tried again", func() bool { return w.receiver.attemptsOf(bad) == 2 })
	w.wait("it needs a person again", func() bool { return w.state().Dead == 1 })
	if _, err := w.svc.SkipDelivery(w.ctx, w.ada, retry); !domain.HasCode(err,
		domain.InvalidInput) {
		t.Errorf("skipped without a reason: %v", err)
	}
	retry.Reason = "entered by hand"
	_, err = w.svc.SkipDelivery(w.ctx, w.ada, retry)
	must(t, err)
	w.wait("the later ones are delivered", func() bool { return w.receiver.distinct() == 8 })
	w.wait("nothing waits", func() bool { return w.state().Waiting == 0 })
	// A replay sends it again, although it was skipped.
	w.receiver.answering(nil)
	_, err = w.svc.ReplayConnector(w.ctx, w.ada, casework.ReplayConnector{Connector: w.connector})
	must(t, err)
	w.wait("the skipped event is delivered", func() bool { return w.receiver.distinct() == 9 })
}

// While the receiver is away the cursor stays and nothing is lost. After three days the connector is
// disabled, with an event, and resumed it continues where it stopped.
func TestAReceiverThatIsAway(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(50)
	w.receiver.answering(func(feed.CloudEvent) int { return http.StatusBadGateway })
	w.events(4, streams...)
	w.start("a", w.svc)
	w.wait("it fails", func() bool { return w.state().Failures > 0 })
	// The cursor may pass transactions of other tests, but no event that was not delivered.
	var first domain.FeedPosition
	must(t, w.owner.QueryRow(w.ctx, `SELECT era, txid::text::bigint, id FROM events
		WHERE type = 'case.rejected' ORDER BY era, txid, id LIMIT 1`).Scan(&first.Era, &first.TxID, &first.ID))
	if c := w.state(); c.Waiting != 0 || !c.Cursor.Before(first) || c.FailingSince.IsZero() {
		t.Errorf("%+v", c)
	}
	w.setClock(73 * time.Hour)
	w.wait("it is disabled",
		func() bool { return w.state().Status == domain.ConnectorDisabled })
	found, err := w.db.Reader().EventsAfter(w.ctx, domain.ControlStream.ID, 0, 100)
	must(t, err)
	if last := found.Events[len(found.Events)-1]; last.Type != "connector.status_changed" {
		t.Errorf("the last event is %s", last.Type)
	}
	w.receiver.answering(nil)
	_, err = w.svc.ResumeConnector(w.ctx, w.ada, casework.OperateConnector{Connector: w.connector})
	must(t, err)
	w.received(200)
}

// A receiver that flaps gets every event in order.
func TestAReceiverThatFlaps(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	var n int
	w.receiver.answering(func(feed.CloudEvent) int {
		if n++; n/7%3 == 1 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	w.events(8, newStreams(20)...)
	w.start("a", w.svc)
	w.wait("it has failed", func() bool { return w.state().Waiting > 0 })
	var offset time.Duration
	var tried int
	w.wait("all are received", func() bool {
		due, err := w.svc.DueDeliveries(w.ctx, w.connector, 1)
		must(t, err)
		// The clock does not move during a round, because the lease depends on it.
		if now := w.receiver.requests(); len(due) > 0 || now != tried {
			tried = now
		} else {
			offset += time.Minute
			w.setClock(offset)
		}
		return w.receiver.distinct() == 160
	})
	w.receiver.checkOrder(t)
}

// 410 disables the connector. Paused, it delivers nothing.
func TestGoneAndPaused(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.receiver.answering(func(feed.CloudEvent) int { return http.StatusGone })
	w.events(1, newStreams(3)...)
	stop := w.start("a", w.svc)
	w.wait("it is disabled", func() bool { return w.state().Status == domain.ConnectorDisabled })
	stop()
	operate := casework.OperateConnector{Connector: w.connector}
	if _, err := w.svc.PauseConnector(w.ctx, w.ada, operate); !domain.HasCode(err,
		domain.StateMismatch) {
		t.Errorf("paused: %v", err)
	}
	_, err := w.svc.ResumeConnector(w.ctx, w.ada, operate)
	must(t, err)
	_, err = w.svc.PauseConnector(w.ctx, w.ada, operate)
	must(t, err)
	due, err := w.svc.DueConnectors(w.ctx)
	if err != nil || len(due) != 0 {
		t.Errorf("due: %v %v", due, err)
	}
}

// crashing loses the record of the first rounds with deliveries, as a crash between delivery and record does.
type crashing struct {
	*casework.Service
	left atomic.Int32
}

func (c *crashing) RecordRound(ctx context.Context, round domain.DeliveryRound) error {
	if round.Delivered > 0 && c.left.Add(-1) >= 0 {
		return errors.New("the program crashed")
	}
	return c.Service.RecordRound(ctx, round)
}

// A crash between the delivery and its record delivers again, and loses nothing.
func TestACrashDeliversAgain(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(5)
	w.events(3, streams...)
	records := &crashing{Service: w.svc}
	records.left.Store(2)
	w.start("a", records)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 15 })
	w.received(15)
	if n := w.receiver.attemptsOf(eventID(streams[0], 1)); n != 3 {
		t.Errorf("delivered %d times", n)
	}
}

// Of two programs one delivers; the other continues when it is gone.
func TestOneOfTwoProgramsDelivers(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(20)
	w.events(5, streams...)
	stopFirst := w.start("a", w.svc)
	stopSecond := w.start("b", w.svc)
	w.received(100)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 100 })
	for _, stream := range streams {
		if n := w.receiver.attemptsOf(eventID(stream, 1)); n != 1 {
			t.Errorf("delivered %d times", n)
		}
	}
	stopFirst()
	w.events(1, streams...)
	w.received(120)
	w.start("c", w.svc)
	stopSecond()
	w.events(1, streams...)
	w.received(140)
}

// A round that began before a person changed the connector, or whose program lost the lease, is not
// recorded.
func TestARoundOfAnotherLeaderIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c := w.state()
	round := domain.DeliveryRound{Connector: c.ID, Generation: c.Generation, Holder: "a",
		Cursor: c.Cursor, Delivered: 1}
	if err := w.svc.RecordRound(w.ctx, round); !domain.HasCode(err, domain.LeaseLost) {
		t.Errorf("without a lease: %v", err)
	}
	leads, err := w.svc.LeadConnector(w.ctx, c.ID, "a", time.Minute)
	if err != nil || !leads {
		t.Fatal(leads, err)
	}
	must(t, w.svc.RecordRound(w.ctx, round))
	w.put(w.receiver.server.URL + "/other")
	if err := w.svc.RecordRound(w.ctx, round); !domain.HasCode(err, domain.LeaseLost) {
		t.Errorf("after a change: %v", err)
	}
}

// The address of a connector changes by two persons, also in the database.
func TestAnAddressNeedsTwoPersons(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	proposed, err := w.svc.PutConnector(w.ctx, w.ada, casework.PutConnector{Reason: "x",
		Spec: domain.ConnectorSpec{Name: "books", Kind: domain.ConnectorWebhook,
			URL: "https://evil.example", Secrets: []string{"one"}, Audience: domain.ForStaff}})
	must(t, err)
	end := casework.EndProposal{ProposalID: proposed.ProposalID}
	if _, err := w.svc.ConfirmControlChange(w.ctx, w.ada, end); !domain.HasCode(err,
		domain.FourEyes) {
		t.Errorf("confirmed alone: %v", err)
	}
	for _, sql := range []string{
		`UPDATE connectors SET definition = replace(definition, '127.0.0.1', 'evil.example')`,
		`UPDATE connectors SET version = version + 1`,
		`UPDATE connectors SET proposal_id = '` + proposed.ProposalID.String() + `'`} {
		if _, err := w.owner.Exec(w.ctx, sql); err == nil {
			t.Errorf("%s: done", sql)
		}
	}
	if got := w.state(); got.Spec.URL != w.receiver.server.URL || got.Version != 1 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []domain.ConnectorSpec{{}, {Name: "x", Kind: "kafka"},
		{Name: "x", Kind: domain.ConnectorWebhook, URL: "ftp://x", Secrets: []string{"one"},
			Audience: domain.ForStaff},
		{Name: "x", Kind: domain.ConnectorWebhook, URL: "https://u:p@x", Secrets: []string{"one"},
			Audience: domain.ForStaff},
		{Name: "x", Kind: domain.ConnectorWebhook, URL: "https://x", Audience: domain.ForStaff},
		{Name: "x", Kind: domain.ConnectorWebhook, URL: "https://x", Secrets: []string{"one"}}} {
		if _, err := w.svc.PutConnector(w.ctx, w.ada, casework.PutConnector{Reason: "x",
			Spec: bad}); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
