// Command connectors measures how many events a second one connector delivers to a receiver on this
// machine: the events of cases, read from the feed of a Postgres of its own (fsync on), shown
// as the audience may see them, signed and sent over HTTP, with the position recorded.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/blob"
	"countersign/casework"
	"countersign/connect"
	"countersign/deliver"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/migrations"
	"countersign/store"
	"countersign/views"
)

// goal is the number of events a second of one connector.
const goal = 1000

func main() {
	cases := flag.Int("cases", 500, "cases")
	each := flag.Int("events", 40, "events added to each case")
	flag.Parse()
	if err := run(context.Background(), *cases, *each); err != nil {
		fmt.Fprintln(os.Stderr, "connectors:", err)
		os.Exit(1)
	}
}

type silentNotifier struct{}

func (silentNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (silentNotifier) PublishHints(context.Context, []domain.Hint)  {}

const database = "connectors"

// bench is a service on its own database.
type bench struct {
	postgres *devservices.Postgres
	db       *store.DB
	service  *casework.Service
	people   []domain.Actor // two administrators
}

func run(ctx context.Context, cases, each int) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{}
	if b.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{
		Settings: map[string]string{"fsync": "on", "synchronous_commit": "on",
			"full_page_writes": "on"}}); err != nil {
		return err
	}
	defer func() { _ = b.postgres.Close() }()
	if err := b.open(ctx, dir); err != nil {
		return err
	}
	defer b.db.Close()
	fmt.Println("| audience | events | seconds | events/s |\n|---|---|---|---|")
	missed := false
	for _, audience := range []domain.ConnectorAudience{domain.ForAuditors, domain.ForStaff} {
		rate, err := b.measure(ctx, audience, cases, each)
		if err != nil {
			return err
		}
		missed = missed || rate < goal
	}
	fmt.Printf("gate: >= %d events/s; missed: %v\n", goal, missed)
	return nil
}

func (b *bench) open(ctx context.Context, dir string) (err error) {
	if err = b.postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	if _, err = migrations.Up(ctx, b.postgres.OwnerURL(database), 2); err != nil {
		return err
	}
	if b.db, err = store.Open(ctx, b.postgres.AppURL(database), 12); err != nil {
		return err
	}
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		return err
	}
	b.service, err = casework.New(b.db, casework.Ports{Blobs: folder, Notifier: silentNotifier{}},
		casework.Settings{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	for _, name := range []string{"ada", "adam"} {
		id, err := b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
			Email: name + "@example.com", Name: name,
			Roles: []domain.Role{domain.RoleAdmin, domain.RoleSubmitter}}})
		if err != nil {
			return err
		}
		b.people = append(b.people, domain.Actor{UserID: id, Channel: domain.ChannelAPI})
	}
	return b.service.PublishBuiltins(ctx)
}

// measure makes a connector, writes events, and delivers them all.
func (b *bench) measure(ctx context.Context, audience domain.ConnectorAudience, cases, each int,
) (float64, error) {
	var received atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		received.Add(1)
	}))
	defer receiver.Close()
	proposed, err := b.service.PutConnector(ctx, b.people[0], casework.PutConnector{Reason: "x",
		Spec: domain.ConnectorSpec{Name: string(audience), Kind: domain.ConnectorWebhook,
			URL: receiver.URL, Secrets: []string{"one"}, Audience: audience, Snapshot: true,
			Types: []domain.EventType{domain.CaseSubmitted}}})
	if err != nil {
		return 0, err
	}
	if _, err = b.service.ConfirmControlChange(ctx, b.people[1],
		casework.EndProposal{ProposalID: proposed.ProposalID}); err != nil {
		return 0, err
	}
	expected, err := b.write(ctx, cases, each)
	if err != nil {
		return 0, err
	}
	sender, err := connect.NewWebhooks(connect.WebhookSettings{Networks: []string{"127.0.0.1"},
		Secrets: []string{"one=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))}})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	d := deliver.New(b.service, views.New(b.db.Reader(), b.service.Authorizer), sender,
		deliver.Options{Holder: "bench"})
	d.Start()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for received.Load() < expected {
		<-ticker.C
	}
	took := time.Since(began).Seconds()
	d.Stop()
	found, err := b.db.Reader().ConnectorNamed(ctx, string(audience))
	if err != nil || found.Waiting+found.Dead > 0 {
		return 0, fmt.Errorf("%d deliveries failed: %w", found.Waiting+found.Dead, err)
	}
	if _, err = b.service.PauseConnector(ctx, b.people[0],
		casework.OperateConnector{Connector: found.ID}); err != nil {
		return 0, err
	}
	rate := float64(expected) / took
	fmt.Printf("| %s | %d | %.2f | %.0f |\n", audience, expected, took, rate)
	return rate, nil
}

// write submits cases, and repeats the first event of each. It returns how many events there are.
func (b *bench) write(ctx context.Context, cases, each int) (int64, error) {
	var ids []domain.ID
	for n := range cases {
		text := fmt.Appendf(nil, "%%PDF-1.7\n%s %d", domain.NewID(), n)
		done, err := b.service.SubmitDocument(ctx, b.people[0], casework.SubmitDocument{
			File: casework.Upload{FileName: "invoice.pdf", Size: int64(len(text)),
				Open: func() (io.ReadCloser, error) {
					return io.NopCloser(bytes.NewReader(text)), nil
				}}})
		if err != nil {
			return 0, err
		}
		ids = append(ids, done.CaseID)
	}
	conn, err := pgx.Connect(ctx, b.postgres.OwnerURL(database))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	for n := range each {
		if _, err := conn.Exec(ctx, `INSERT INTO events (case_id, seq, type, schema_version, actor,
			on_behalf_of, correlation_id, at, status_before, status_after, marking_before, marking_after,
			prev_hash, body_hash, hash, salt, body, txid)
			SELECT case_id, 1000 + $2, type, schema_version, actor, on_behalf_of, correlation_id, at,
				status_before, status_after, marking_before, marking_after, prev_hash, body_hash, hash,
				salt, body, pg_current_xact_id() FROM events
			WHERE case_id = ANY($1) AND seq = 1`, ids, n); err != nil {
			return 0, err
		}
	}
	return int64(cases * (each + 1)), nil
}
