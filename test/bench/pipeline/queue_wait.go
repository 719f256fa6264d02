package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// quickProcess is the built-in process with every stage on the queue of quick work.
const quickProcess = "bench_quick"

// publishQuick publishes it.
func (b *bench) publishQuick(ctx context.Context) error {
	sources, err := workflow.Builtin()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(sources,
		func(s workflow.Source) bool { return s.Key == casework.DefaultProcess })
	text := strings.Replace(string(sources[at].YAML), "key: "+casework.DefaultProcess,
		"key: "+quickProcess, 1)
	text = strings.Replace(text, "    queue: ocr\n", "", 1)
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		return err
	}
	_, err = b.db.Autocommit().PublishDefinition(ctx, store.NewDefinition{Key: quickProcess,
		Version: sources[at].Version, Document: text,
		HasAmount: def.HasAmount, By: domain.SystemUserID})
	return err
}

// measureQueueWait measures the wait from commit to handler at a low rate, on the queue of quick
// work and on that of slow work.
func (b *bench) measureQueueWait(ctx context.Context, rate, seconds, flight int) error {
	if err := b.publishQuick(ctx); err != nil {
		return err
	}
	for _, run := range []struct{ process, queue string }{{quickProcess, "quick work"},
		{casework.DefaultProcess, "slow work"}} {
		b.queueWaits.reset()
		b.waits.took.reset()
		b.process = run.process
		ticker := time.NewTicker(time.Second / time.Duration(rate))
		_, err := b.submitMany(ctx, rate*seconds, flight, ticker)
		ticker.Stop()
		if err != nil {
			return err
		}
		fmt.Printf("| commit -> next handler's work at %d documents/s, queue of %s, p50 / p99 of %d | %v / %v |\n", rate, run.queue,
			b.waits.took.count(), b.waits.took.at(0.5), b.waits.took.at(0.99))
		fmt.Printf("| the row's own time (before its commit) -> its lease, the same | %v / %v |\n",
			b.queueWaits.at(0.5), b.queueWaits.at(0.99))
	}
	b.baseline.waits.took.reset()
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	if _, err := b.baseline.runMany(ctx, rate*seconds, flight, ticker); err != nil {
		return err
	}
	took := &b.baseline.waits.took
	fmt.Printf("| the bare shape: commit -> next handler at %d documents/s, p50 / p99 of %d | %v / %v |\n", rate, took.count(), took.at(0.5), took.at(0.99))
	return nil
}

// analyse does what autovacuum does within a minute of a growing table, so that the run does not
// depend on when it does.
func (b *bench) analyse(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// waits are those from the notification of a case's first stage to the handler's work.
type waits struct {
	since sync.Map // time of the notification by correlation id
	took  durations
}

func (w *waits) begin(correlation string) { w.since.LoadOrStore(correlation, time.Now()) }

func (w *waits) end(correlation string) {
	if began, ok := w.since.LoadAndDelete(correlation); ok {
		w.took.add(time.Since(began.(time.Time)))
	}
}

// durations collects waits.
type durations struct {
	mu  sync.Mutex
	all []time.Duration
}

func (d *durations) add(wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, wait)
}

func (d *durations) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = nil
}

func (d *durations) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.all)
}

func (d *durations) at(quantile float64) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == 0 {
		return 0
	}
	slices.Sort(d.all)
	return d.all[int(float64(len(d.all)-1)*quantile)].Round(10 * time.Microsecond)
}
