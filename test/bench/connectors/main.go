// Command connectors measures how many events a second one connector delivers to a receiver on this
// machine: the events of cases, read from the feed of a Postgres of its own (fsync on), shown as the
// audience may see them, and sent as webhooks or as records of Kafka (kfake, in this process), with the
// position recorded. With -rate, events are written at that rate instead, and the time from an event
// to its receiver is measured.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/deliver"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/store"
	"countersign/test/benchservice"
	"countersign/views"
)

// goals are the numbers of events a second of one connector.
var goals = map[domain.ConnectorKind]float64{domain.ConnectorWebhook: 1000, domain.ConnectorKafka: 5000}

// lagGoals are the goals of the lag at 500 events a second, the 99th percentile.
var lagGoals = map[domain.ConnectorKind]time.Duration{domain.ConnectorWebhook: time.Second,
	domain.ConnectorKafka: 200 * time.Millisecond}

func main() {
	kind := flag.String("kind", "webhook", "webhook or kafka")
	rate := flag.Int("rate", 0, "events a second to write, to measure the lag; 0 = measure the rate")
	seconds := flag.Int("seconds", 20, "with -rate, how long")
	cases := flag.Int("cases", 500, "cases")
	each := flag.Int("events", 40, "events added to each case")
	flag.Parse()
	if err := run(context.Background(), domain.ConnectorKind(*kind), *cases, *each, *rate, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "connectors:", err)
		os.Exit(1)
	}
}

const database = "connectors"

// bench is a service on its own database.
type bench struct {
	kind     domain.ConnectorKind
	postgres *devservices.Postgres
	db       *store.DB
	service  *casework.Service
	owner    *pgx.Conn
	people   []domain.Actor // two administrators
}

func run(ctx context.Context, kind domain.ConnectorKind, cases, each, perSecond, seconds int) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{kind: kind}
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
	defer func() {
		if b.owner != nil {
			_ = b.owner.Close(ctx)
		}
	}()
	if perSecond > 0 {
		return b.measureLag(ctx, cases, perSecond, seconds)
	}
	fmt.Println("| audience | events | seconds | events/s | highest memory before, after, MB |\n|---|---|---|---|---|")
	missed := false
	for _, audience := range []domain.ConnectorAudience{domain.ForAuditors, domain.ForStaff} {
		rate, err := b.measure(ctx, audience, cases, each)
		if err != nil {
			return err
		}
		missed = missed || rate < goals[kind]
	}
	fmt.Printf("gate: >= %.0f events/s; missed: %v\n", goals[kind], missed)
	return nil
}

func (b *bench) open(ctx context.Context, dir string) (err error) {
	if err = benchservice.Create(ctx, b.postgres, database); err != nil {
		return err
	}
	if b.db, b.service, err = benchservice.Open(ctx, b.postgres.AppURL(database), 12, dir); err != nil {
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
	to, err := newReceiver(ctx, b.kind)
	if err != nil {
		return 0, err
	}
	defer to.close()
	id, err := b.put(ctx, audience, to.address)
	if err != nil {
		return 0, err
	}
	streams, err := b.submit(ctx, cases)
	if err != nil {
		return 0, err
	}
	for n := range each {
		if err := b.repeat(ctx, streams, 1000+n); err != nil {
			return 0, err
		}
	}
	expected := int64(cases * (each + 1))
	began, before := time.Now(), highestMemory()
	d := deliver.New(b.service, views.New(b.db.Reader(), b.service.Authorizer), to.sender,
		deliver.Options{Holder: "bench"})
	d.Start()
	to.await(expected)
	took := time.Since(began).Seconds()
	d.Stop()
	if err := b.end(ctx, id); err != nil {
		return 0, err
	}
	rate := float64(expected) / took
	fmt.Printf("| %s | %d | %.2f | %.0f | %d, %d |\n", audience, expected, took, rate, before, highestMemory())
	return rate, nil
}

// highestMemory is the highest resident memory of this process so far, in MB.
func highestMemory() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Maxrss >> 10
}

// measureLag writes events at a rate and prints how long after its time each was received.
func (b *bench) measureLag(ctx context.Context, cases, perSecond, seconds int) error {
	to, err := newReceiver(ctx, b.kind)
	if err != nil {
		return err
	}
	defer to.close()
	id, err := b.put(ctx, domain.ForAuditors, to.address)
	if err != nil {
		return err
	}
	streams, err := b.submit(ctx, cases)
	if err != nil {
		return err
	}
	d := deliver.New(b.service, views.New(b.db.Reader(), b.service.Authorizer), to.sender,
		deliver.Options{Holder: "bench"})
	d.Start()
	to.await(int64(cases))
	to.measure()
	const steps = 20 // a second
	share := max(1, min(perSecond/steps, len(streams)))
	ticker := time.NewTicker(time.Second / steps)
	defer ticker.Stop()
	written := int64(cases)
	for n := range seconds * steps {
		<-ticker.C
		at := n * share % len(streams)
		if err := b.repeat(ctx, streams[at:min(at+share, len(streams))], 1000+n); err != nil {
			return err
		}
		written += int64(min(at+share, len(streams)) - at)
	}
	to.await(written)
	d.Stop()
	if err := b.end(ctx, id); err != nil {
		return err
	}
	p50, p99 := to.percentiles()
	fmt.Printf("| kind | events | events/s | p50 | p99 | goal |\n|---|---|---|---|---|---|\n| %s | %d | %d | %s | %s | %s |\n",
		b.kind, written-int64(cases), share*steps, p50, p99, lagGoals[b.kind])
	return nil
}

// put lets two administrators make a connector.
func (b *bench) put(ctx context.Context, audience domain.ConnectorAudience, address string) (
	domain.ID, error) {
	spec := domain.ConnectorSpec{Name: string(audience), Kind: b.kind, URL: address, Audience: audience,
		Snapshot: true, Types: []domain.EventType{domain.CaseSubmitted}}
	if b.kind == domain.ConnectorWebhook {
		spec.Secrets = []string{"one"}
	}
	proposed, err := b.service.PutConnector(ctx, b.people[0],
		casework.PutConnector{Reason: "x", Spec: spec})
	if err != nil {
		return domain.NoID, err
	}
	if _, err = b.service.ConfirmControlChange(ctx, b.people[1],
		casework.EndProposal{ProposalID: proposed.ProposalID}); err != nil {
		return domain.NoID, err
	}
	found, err := b.db.Reader().ConnectorNamed(ctx, spec.Name)
	return found.ID, err
}

// end fails if a delivery failed, and pauses the connector.
func (b *bench) end(ctx context.Context, id domain.ID) error {
	found, err := b.db.Reader().Connector(ctx, id)
	if err != nil || found.Waiting+found.Dead > 0 {
		return fmt.Errorf("%d deliveries failed: %w", found.Waiting+found.Dead, err)
	}
	_, err = b.service.PauseConnector(ctx, b.people[0], casework.OperateConnector{Connector: id})
	return err
}

// submit submits cases and returns their ids.
func (b *bench) submit(ctx context.Context, cases int) ([]domain.ID, error) {
	var ids []domain.ID
	for n := range cases {
		text := fmt.Appendf(nil, "%%PDF-1.7\n%s %d", domain.NewID(), n)
		done, err := b.service.SubmitDocument(ctx, b.people[0], casework.SubmitDocument{
			File: casework.Upload{FileName: "invoice.pdf", Size: int64(len(text)),
				Open: func() (io.ReadCloser, error) {
					return io.NopCloser(bytes.NewReader(text)), nil
				}}})
		if err != nil {
			return nil, err
		}
		ids = append(ids, done.CaseID)
	}
	return ids, nil
}

// repeat writes the first event of each stream again, now and with another number.
func (b *bench) repeat(ctx context.Context, streams []domain.ID, seq int) error {
	if b.owner == nil {
		conn, err := pgx.Connect(ctx, b.postgres.OwnerURL(database))
		if err != nil {
			return err
		}
		b.owner = conn
	}
	_, err := b.owner.Exec(ctx, `INSERT INTO events (case_id, seq, type, schema_version, actor,
		on_behalf_of, correlation_id, at, status_before, status_after, marking_before, marking_after,
		prev_hash, body_hash, hash, salt, body, txid)
		SELECT case_id, $2, type, schema_version, actor, on_behalf_of, correlation_id, clock(),
			status_before, status_after, marking_before, marking_after, prev_hash, body_hash, hash,
			salt, body, pg_current_xact_id() FROM events
		WHERE case_id = ANY($1) AND seq = 1`, streams, seq)
	return err
}
