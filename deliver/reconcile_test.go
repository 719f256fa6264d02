package deliver_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// reconcile compares everything since the connector was made.
func (w *testEnv) reconcile() (domain.Reconciliation, error) {
	w.t.Helper()
	return w.svc.ReconcileConnector(w.ctx, w.ada, casework.ReconcileConnector{Connector: w.connector,
		To: w.state().ChangedAt.Add(24 * time.Hour)})
}

// What the receiver lost or has in addition is named. What waits, was skipped or is new is no difference.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(20)
	bad := eventID(streams[0], 5)
	w.receiver.answering(failing(bad, http.StatusUnprocessableEntity))
	w.events(30, streams...)
	stop := w.start("a", w.svc)
	w.received(20*30 - 26)
	w.wait("one needs a person", func() bool { return w.state().Dead == 1 && w.state().Waiting == 25 })
	check := func(what string, compared int, missing, unknown []string) {
		t.Helper()
		got, err := w.reconcile()
		must(t, err)
		if got.Compared != compared || got.MissingCount != len(missing) ||
			got.UnknownCount != len(unknown) || !slices.Equal(got.Missing, missing) ||
			!slices.Equal(got.Unknown, unknown) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	check("what waits", 574, nil, nil)
	lost := eventID(streams[3], 7)
	w.receiver.forget(lost)
	check("a lost event", 574, []string{lost}, nil)
	extra := domain.NewID().String() + "/1"
	w.receiver.mu.Lock()
	w.receiver.accepted = append(w.receiver.accepted, extra, "test/"+domain.NewID().String())
	for _, id := range w.receiver.accepted[len(w.receiver.accepted)-2:] {
		w.receiver.times[id] = w.state().ChangedAt
	}
	w.receiver.mu.Unlock()
	check("an event of another system", 574, []string{lost}, []string{extra})
	stop()
	w.events(1, streams...) // not delivered yet
	check("new events", 574, []string{lost}, []string{extra})
	_, err := w.svc.ReplayConnector(w.ctx, w.ada, casework.ReplayConnector{Connector: w.connector})
	must(t, err)
	check("delivered again, not yet", 0, nil, []string{extra})
	w.start("b", w.svc)
	w.wait("it is delivered again", func() bool { return w.receiver.distinct() >= 20*30-26+19+1 })
	w.wait("the round is recorded", func() bool {
		got, err := w.reconcile()
		return err == nil && got.Compared == 574+19 && got.MissingCount == 0
	})
}

// A period begins with the last change of the connector, and does not contain its end.
func TestPeriodOfAReconciliation(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	streams := newStreams(2)
	w.events(3, streams...)
	w.start("a", w.svc)
	w.received(6)
	w.wait("the round is recorded", func() bool { return w.state().Delivered == 6 })
	changed := w.state().ChangedAt
	for _, to := range []time.Time{{}, changed, changed.Add(-time.Hour)} {
		_, err := w.svc.ReconcileConnector(w.ctx, w.ada,
			casework.ReconcileConnector{Connector: w.connector, From: changed.Add(-2 * time.Hour), To: to})
		if !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("to %s: %v", to, err)
		}
	}
	got, err := w.svc.ReconcileConnector(w.ctx, w.ada, casework.ReconcileConnector{
		Connector: w.connector, From: changed.Add(time.Hour), To: changed.Add(2 * time.Hour)})
	must(t, err)
	if got.Compared != 0 || got.MissingCount+got.UnknownCount != 0 {
		t.Errorf("a later period: %+v", got)
	}
	var at time.Time
	must(t, w.owner.QueryRow(w.ctx, `SELECT at FROM events WHERE case_id = $1 AND seq = 2`,
		streams[0]).Scan(&at))
	got, err = w.svc.ReconcileConnector(w.ctx, w.ada,
		casework.ReconcileConnector{Connector: w.connector, From: at, To: at.Add(time.Microsecond)})
	must(t, err)
	if got.Compared < 1 || got.Compared > 2 || got.MissingCount+got.UnknownCount != 0 {
		t.Errorf("one event: %+v", got)
	}
	w.put(w.receiver.server.URL + "/other")
	if got, err = w.reconcile(); err != nil || got.Compared != 0 || got.UnknownCount != 0 {
		t.Errorf("before the change: %+v, %v", got, err)
	}
}

// Attack: a receiver that answers otherwise, or breaks off its list, is not taken at its word.
func TestReceiversThatListOtherwise(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.events(3, newStreams(2)...)
	w.start("a", w.svc)
	w.received(6)
	for what, list := range map[string]http.HandlerFunc{
		"an error": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) },
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/elsewhere", http.StatusFound)
		},
		"a page": func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(rw, "<html>\n") },
		"a long line": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write(make([]byte, 1<<20))
		},
		"an empty line": func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(rw) },
		"broken off": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintln(rw, domain.NewID().String()+"/1")
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		w.receiver.listing(list)
		if got, err := w.reconcile(); !domain.HasCode(err, domain.Unavailable) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	w.receiver.listing(http.NotFound)
	if got, err := w.reconcile(); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("no list: %+v, %v", got, err)
	}
	w.receiver.listing(func(rw http.ResponseWriter, _ *http.Request) {
		for range domain.MaxReconciled + 1 {
			if _, err := fmt.Fprintln(rw, domain.NewID().String()+"/1"); err != nil {
				return
			}
		}
	})
	if got, err := w.reconcile(); !domain.HasCode(err, domain.InvalidInput) {
		t.Errorf("too many: %+v, %v", got, err)
	}
}
