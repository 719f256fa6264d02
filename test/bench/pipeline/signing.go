package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/checkpoint"
)

// signEvery is how often checkpoints are signed here, six times as often as by default.
const signEvery = 10 * time.Second

// signing signs checkpoints and copies them to a folder.
type signing struct {
	options checkpoint.Options
	failed  error
}

func newSigning(folder string) (*signing, error) {
	place, err := checkpoint.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	private, public, err := audit.NewSigningKey(rand.Reader, "bench.example")
	if err != nil {
		return nil, err
	}
	key, err := audit.ParseSigner(private + "\n" + public)
	s := &signing{options: checkpoint.Options{Holder: "bench", Every: signEvery, Key: key,
		Places: []checkpoint.Place{place}}}
	s.options.Observe = func(_ string, err error) {
		if err != nil {
			s.failed = err
		}
	}
	return s, err
}

// during signs while do runs, and once more at its end.
func (s *signing) during(b *bench, do func() error) error {
	signer := checkpoint.New(b.service, s.options)
	signer.Start()
	err := do()
	signer.Stop()
	if err == nil && s.failed != nil {
		err = fmt.Errorf("sign a checkpoint: %w", s.failed)
	}
	return err
}

// measureCheckpoints measures documents without, with, and again without checkpoints, which are signed
// and copied to a folder while the documents pass.
func (b *bench) measureCheckpoints(ctx context.Context, docs, flight int) error {
	folder, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := newSigning(folder)
	if err != nil {
		return err
	}
	submit := func(n int) (measurement, error) {
		return b.measure(n, func() (time.Duration, error) { return b.submitMany(ctx, n, flight, nil) })
	}
	// What was written before is not measured.
	if err := s.during(b, func() error { return nil }); err != nil {
		return err
	}
	before, err := submit(docs / 2)
	if err != nil {
		return err
	}
	var with measurement
	used := b.cpu()
	if err := s.during(b, func() (err error) {
		with, err = submit(docs)
		return err
	}); err != nil {
		return err
	}
	with.used = b.cpu().minus(used) // with the checkpoint at the end
	after, err := submit(docs / 2)
	if err != nil {
		return err
	}
	events, err := b.countEvents(ctx)
	if err != nil {
		return err
	}
	reportCheckpoints(with, before.plus(after), events)
	return b.check(ctx)
}

// reportCheckpoints prints what checkpoints cost. All documents have equally many events.
func reportCheckpoints(with, without measurement, eventsPerCase float64) {
	more := ms(with.used.total(), with.docs) - ms(without.used.total(), without.docs)
	share := more * float64(with.docs) / 1000 / (with.took.Seconds() * float64(runtime.NumCPU()))
	fmt.Printf("| figure | value |\n|---|---|\n")
	fmt.Printf("| documents/s and events/s with checkpoints | %.0f, %.0f |\n", with.rate(),
		with.rate()*eventsPerCase)
	fmt.Printf("| CPU-ms a document without, with, ratio | %s, %s, %.3f |\n", without.cpu(), with.cpu(),
		ms(with.used.total(), with.docs)/ms(without.used.total(), without.docs))
	fmt.Printf("| checkpoints, %% of the processor time of %d cores (goal < 3) | %.2f |\n", runtime.NumCPU(),
		100*share)
}

// countEvents returns how many events a case has on average.
func (b *bench) countEvents(ctx context.Context) (perCase float64, err error) {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	return perCase, conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM events)::float8 / (SELECT count(*) FROM cases)`).
		Scan(&perCase)
}
