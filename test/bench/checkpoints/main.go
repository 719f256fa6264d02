// Command checkpoints measures what checkpoints of the audit log cost on this machine: the processor
// time for those of one minute at several rates of events, on a Postgres of its own (fsync on), and how
// many events a second an export verifies offline, and how long a search in the audit log takes.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/cputime"
	"countersign/internal/devservices"
	"countersign/store"
	"countersign/test/benchservice"
)

const (
	database = "checkpoints"
	// eventsPerCase is how many events a case has within the minute.
	eventsPerCase = 10
	shareGoal     = 3.0 // percent
	offlineGoal   = 100_000
)

func main() {
	events := flag.Int("events", 200_000, "events of the export that is verified offline")
	flag.Parse()
	if err := run(context.Background(), *events); err != nil {
		fmt.Fprintln(os.Stderr, "checkpoints:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, events int) error {
	postgres, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{
		Settings: map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Close() }()
	if err := measureSigning(ctx, postgres); err != nil {
		return err
	}
	return measureOffline(events)
}

// measureSigning writes the events of one minute at each rate, and signs them.
func measureSigning(ctx context.Context, postgres *devservices.Postgres) error {
	if err := benchservice.Create(ctx, postgres, database); err != nil {
		return err
	}
	db, service, err := benchservice.Open(ctx, postgres.AppURL(database), 4, "")
	if err != nil {
		return err
	}
	defer db.Close()
	defer service.Close(ctx)
	owner, err := pgx.Connect(ctx, postgres.OwnerURL(database))
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close(ctx) }()
	private, public, err := audit.NewSigningKey(rand.Reader, "bench.example")
	if err != nil {
		return err
	}
	signer, err := audit.ParseSigner(private + "\n" + public)
	if err != nil {
		return err
	}
	if err := sign(ctx, service, signer); err != nil {
		return err
	}
	fmt.Println("| events/s | events of a minute | leaves | seconds | CPU s | % of two cores |\n|---|---|---|---|---|---|")
	missed := false
	for _, rate := range []int{1000, 5000} {
		share, err := measureMinute(ctx, owner, service, signer, db, rate)
		if err != nil {
			return err
		}
		missed = missed || share >= shareGoal
	}
	fmt.Printf("gate: < %.0f %% of the processor time; missed: %v\n", shareGoal, missed)
	return measureSearch(ctx, owner, db)
}

func measureMinute(ctx context.Context, owner *pgx.Conn, service *casework.Service, signer audit.Signer,
	db *store.DB, rate int) (share float64, err error) {
	events := rate * 60
	if _, err := owner.Exec(ctx, `INSERT INTO events (case_id, seq, type, schema_version, actor,
		on_behalf_of, correlation_id, at, status_before, status_after, marking_before, marking_after, prev_hash,
		body_hash, hash, salt, body, txid)
		SELECT c.id, s, 'stage.completed', 1, c.id,
			'00000000-0000-0000-0000-000000000000', '', clock(), 'processing', 'processing', '{}', '{}',
			sha256('a'), sha256('b'), sha256(c.id::text::bytea), sha256('c'), repeat('x', 400), pg_current_xact_id()
		FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) c,
			generate_series(1, $2::int) s`, events/eventsPerCase, eventsPerCase); err != nil {
		return 0, err
	}
	if _, err := owner.Exec(ctx, `ANALYZE events`); err != nil {
		return 0, err
	}
	before, leaves := processorTime(), count(ctx, owner)
	began := time.Now()
	if err := sign(ctx, service, signer); err != nil {
		return 0, err
	}
	took := time.Since(began)
	used := processorTime() - before
	share = used.Seconds() / 120 * 100
	fmt.Printf("| %d | %d | %d | %.2f | %.2f | %.2f |\n", rate, events, count(ctx, owner)-leaves,
		took.Seconds(), used.Seconds(), share)
	return share, nil
}

// processorTime is that of this program and of Postgres.
func processorTime() time.Duration {
	return cputime.Process(os.Getpid()) + cputime.Family(cputime.Child("postgres"))
}

func count(ctx context.Context, owner *pgx.Conn) (n int) {
	_ = owner.QueryRow(ctx, `SELECT count(*) FROM checkpoint_leaves`).Scan(&n)
	return n
}

func sign(ctx context.Context, service *casework.Service, signer audit.Signer) error {
	for more := true; more; {
		var err error
		if more, err = service.SignCheckpoint(ctx, signer); err != nil {
			return err
		}
	}
	return nil
}

// measureOffline verifies an export in memory.
func measureOffline(events int) error {
	var export bytes.Buffer
	exporter, err := audit.NewExporter(&export, "bench.example", time.Now(), true)
	if err != nil {
		return err
	}
	body := []byte(`{"node":"read","visit":1,"behaviour":"read","outcome":"done","attempt":1,"durationMs":12,"summary":{"pages":1,"fields":7}}`)
	for range events / eventsPerCase {
		var stream []*domain.Event
		id := domain.NewID()
		for range eventsPerCase {
			stream = append(stream, &domain.Event{Stream: id, Type: domain.StageCompleted, SchemaVersion: 1,
				Actor: domain.SystemUserID, CorrelationID: id.String(), At: time.Now().UTC(),
				StatusBefore: domain.Processing, StatusAfter: domain.Processing,
				MarkingBefore: `{"tokens":[{"node":"read","visit":1}],"visits":{"read":1}}`,
				MarkingAfter:  `{"tokens":[{"node":"extract","visit":1}],"visits":{"read":1,"extract":1}}`,
				Body:          body})
		}
		head, err := audit.Chain(audit.ChainHead{}, rand.Reader, stream...)
		if err != nil {
			return err
		}
		if err := exporter.Stream(id, head, func(yield func(*domain.Event, error) bool) {
			for _, event := range stream {
				if !yield(event, nil) {
					return
				}
			}
		}, nil); err != nil {
			return err
		}
	}
	if err := exporter.Close(); err != nil {
		return err
	}
	size := export.Len()
	began := time.Now()
	report, err := audit.VerifyExport(&export, audit.ExportCheck{})
	if err != nil || report.Break != nil {
		return fmt.Errorf("the export does not verify: %v %w", report.Break, err)
	}
	took := time.Since(began)
	rate := float64(report.Events) / took.Seconds()
	fmt.Printf("offline: %d events (%d MB) in %.2f s: %.0f events/s; gate: >= %d; missed: %v\n",
		report.Events, size>>20, took.Seconds(), rate, offlineGoal, rate < offlineGoal)
	return nil
}
