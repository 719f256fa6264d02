package deliver_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/connect"
	"countersign/deliver"
	"countersign/domain"
	"countersign/feed"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/views"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testEnv is a service on its own database with one connector and its receiver.
type testEnv struct {
	t         *testing.T
	ctx       context.Context
	db        *store.DB
	owner     *pgxpool.Pool
	svc       *casework.Service
	ada, adam domain.Actor // administrators
	sender    *connect.Webhooks
	receiver  *receiver
	connector domain.ID
}

type quietNotifier struct{}

func (quietNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (quietNotifier) PublishHints(context.Context, []domain.Hint)  {}

func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	database := pgtest.New(t)
	db, err := store.Open(t.Context(), database.AppURL, 8)
	must(t, err)
	t.Cleanup(db.Close)
	w := &testEnv{t: t, ctx: t.Context(), db: db, owner: database.Owner(t)}
	w.sender, err = connect.NewWebhooks(connect.WebhookSettings{Networks: []string{"127.0.0.1"},
		Secrets: []string{"one=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))},
		Timeout: 2 * time.Second})
	must(t, err)
	w.svc, err = casework.New(db, casework.Ports{Notifier: quietNotifier{},
		ConnectorReconciler: deliver.NewReconciler(views.New(db.Reader(), nil),
			connect.Senders{domain.ConnectorWebhook: w.sender})}, casework.Settings{}, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { w.svc.Close(context.Background()) })
	w.ada, w.adam = w.administrator("ada"), w.administrator("adam")
	w.receiver = newReceiver(t)
	w.put(w.receiver.server.URL)
	return w
}

func (w *testEnv) administrator(name string) domain.Actor {
	w.t.Helper()
	id, err := w.svc.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAdmin}}})
	must(w.t, err)
	return domain.Actor{UserID: id, Name: name}
}

// put lets two administrators point the connector to the address. It sends the test's events only.
func (w *testEnv) put(address string) {
	w.t.Helper()
	proposed, err := w.svc.PutConnector(w.ctx, w.ada, casework.PutConnector{Reason: "books",
		Spec: domain.ConnectorSpec{Name: "books", Kind: domain.ConnectorWebhook, URL: address,
			Secrets: []string{"one"}, Audience: domain.ForAuditors,
			Types: []domain.EventType{domain.CaseRejected}}})
	must(w.t, err)
	_, err = w.svc.ConfirmControlChange(w.ctx, w.adam,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(w.t, err)
	found, err := w.db.Reader().ConnectorNamed(w.ctx, "books")
	must(w.t, err)
	w.connector = found.ID
}

// events writes n events to each of the streams, in the order of their numbers.
func (w *testEnv) events(n int, streams ...domain.ID) {
	w.t.Helper()
	for range n {
		_, err := w.owner.Exec(w.ctx, `INSERT INTO events (case_id, seq, type, schema_version, actor,
			on_behalf_of, correlation_id, at, status_before, status_after, marking_before,
			marking_after, prev_hash, body_hash, hash, salt, body, txid)
			SELECT s, coalesce((SELECT max(seq) FROM events e WHERE e.case_id = s), 0) + 1, $2, 1, $3, $3, 'c',
			clock(), '', '', '{}', '{}', decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'),
			decode(repeat('00', 32), 'hex'), '\x00', '{}', pg_current_xact_id()
			FROM unnest($1::uuid[]) AS s`, streams, string(domain.CaseRejected), domain.SystemUserID)
		must(w.t, err)
	}
}

// newStreams returns ids of streams that are not of a case, so that they need no case.
func newStreams(n int) []domain.ID {
	streams := make([]domain.ID, n)
	for i := range streams {
		streams[i] = domain.NewID()
		streams[i][0] = 0
	}
	return streams
}

// start delivers until the test ends or the returned function is called.
func (w *testEnv) start(holder string, records deliver.Records) (stop func()) {
	w.t.Helper()
	source := views.New(w.db.Reader(), w.svc.Authorizer)
	d := deliver.New(records, source, w.sender, deliver.Options{Holder: holder,
		Poll: 20 * time.Millisecond, Lease: 600 * time.Millisecond})
	d.Start()
	stop = sync.OnceFunc(d.Stop)
	w.t.Cleanup(stop)
	return stop
}

// wait waits until the condition holds.
func (w *testEnv) wait(what string, holds func() bool) {
	w.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-limit.C:
			w.t.Fatalf("waited in vain until %s; %+v, received %d", what, w.state(),
				w.receiver.distinct())
		}
	}
}

// received waits until the receiver has accepted so many different events.
func (w *testEnv) received(n int) {
	w.t.Helper()
	w.wait(fmt.Sprintf("%d events are received", n),
		func() bool { return w.receiver.distinct() >= n })
	w.receiver.checkOrder(w.t)
}

func (w *testEnv) state() domain.Connector {
	w.t.Helper()
	c, err := w.db.Reader().Connector(w.ctx, w.connector)
	must(w.t, err)
	return c
}

// setClock sets the offset of the database's clock.
func (w *testEnv) setClock(offset time.Duration) {
	w.t.Helper()
	_, err := w.owner.Exec(w.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock()
		RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d seconds'''`, int(offset.Seconds())))
	must(w.t, err)
}

// receiver accepts events and remembers them in their order.
type receiver struct {
	server *httptest.Server
	mu     sync.Mutex
	// answer returns the status for an event; nil accepts all.
	answer   func(event feed.CloudEvent) int
	accepted []string // ids
	times    map[string]time.Time
	// list answers requests for what was received; nil lists what was accepted.
	list     http.HandlerFunc
	attempts map[string]int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{attempts: map[string]int{}, times: map[string]time.Time{}}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method == http.MethodGet {
		r.serveList(w, request)
		return
	}
	body, _ := io.ReadAll(request.Body)
	var event feed.CloudEvent
	status := http.StatusOK
	r.mu.Lock()
	defer r.mu.Unlock()
	if json.Unmarshal(body, &event) != nil {
		status = http.StatusTeapot
	} else if r.answer != nil {
		status = r.answer(event)
	}
	if r.attempts[event.ID]++; status < 300 {
		r.accepted = append(r.accepted, event.ID)
		r.times[event.ID], _ = time.Parse(time.RFC3339Nano, event.Time)
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte("garbage \x00\xff"))
}

// serveList lists the accepted events of the period, if the request is signed.
func (r *receiver) serveList(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list != nil {
		r.list(w, request)
		return
	}
	header := request.Header
	if header.Get("webhook-signature") != connect.Sign(make([]byte, 32), header.Get("webhook-id"),
		header.Get("webhook-timestamp"), []byte(request.URL.RawQuery)) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	from, _ := time.Parse(time.RFC3339Nano, request.URL.Query().Get("from"))
	to, _ := time.Parse(time.RFC3339Nano, request.URL.Query().Get("to"))
	for _, id := range r.accepted {
		if at := r.times[id]; !at.Before(from) && at.Before(to) {
			_, _ = fmt.Fprintln(w, id)
		}
	}
}

// listing lets the receiver answer requests for what it has.
func (r *receiver) listing(list http.HandlerFunc) {
	r.mu.Lock()
	r.list = list
	r.mu.Unlock()
}

// forget removes an event from what was accepted.
func (r *receiver) forget(id string) {
	r.mu.Lock()
	r.accepted = slices.DeleteFunc(r.accepted, func(kept string) bool { return kept == id })
	r.mu.Unlock()
}

// failing answers one event with the status and accepts the others.
func failing(id string, status int) func(feed.CloudEvent) int {
	return func(event feed.CloudEvent) int {
		if event.ID == id {
			return status
		}
		return http.StatusOK
	}
}

func (r *receiver) answering(answer func(feed.CloudEvent) int) {
	r.mu.Lock()
	r.answer = answer
	r.mu.Unlock()
}

func (r *receiver) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, id := range r.accepted {
		seen[id] = true
	}
	return len(seen)
}

// requests returns how many attempts reached the receiver.
func (r *receiver) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := 0
	for _, n := range r.attempts {
		sum += n
	}
	return sum
}

func (r *receiver) attemptsOf(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempts[id]
}

// checkOrder fails if the first delivery of an event followed that of a later one of its stream, or
// one is missing between.
func (r *receiver) checkOrder(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	last, seen := map[string]int{}, map[string]bool{}
	for _, id := range r.accepted {
		if seen[id] {
			continue
		}
		seen[id] = true
		stream, number, _ := strings.Cut(id, "/")
		var seq int
		_, _ = fmt.Sscan(number, &seq)
		if seq != last[stream]+1 {
			t.Errorf("%s followed number %d", id, last[stream])
		}
		last[stream] = seq
	}
}

func eventID(stream domain.ID, seq int) string { return fmt.Sprintf("%s/%d", stream, seq) }
