package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
)

// The bare shape is what our figures are held against, measured beside them on the same servers,
// since a machine of many tenants does twice as much in one hour as in another: a document is
// received, taken through five stages that do nothing and decided. Each of these seven steps is one
// statement that counts the version up and writes a row of audit and a row to notify by; Asynq
// enqueues the notification immediately. It has no rights, events, chain, files or subscribers.
const (
	baselineStages  = 5
	baselineVersion = baselineStages + 2
	baselineQueue   = "bare"
	baselineSchema  = `
		CREATE TABLE documents (id uuid PRIMARY KEY, version int NOT NULL, stage int NOT NULL, changed_at timestamptz NOT NULL DEFAULT now());
		CREATE TABLE audit (document_id uuid NOT NULL, version int NOT NULL, at timestamptz NOT NULL DEFAULT now(), what text NOT NULL,
			PRIMARY KEY (document_id, version));
		CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document_id uuid NOT NULL, stage int NOT NULL)`
	baselineReceive = `WITH d AS (INSERT INTO documents (id, version, stage) VALUES ($1, 1, 0) RETURNING id, version, stage),
		a AS (INSERT INTO audit (document_id, version, what) SELECT id, version, $2 FROM d)
		INSERT INTO outbox (document_id, stage) SELECT id, stage FROM d RETURNING id`
	baselineStep = `WITH d AS (UPDATE documents SET version = version + 1, stage = $2, changed_at = now() WHERE id = $1 AND version = $2
			RETURNING id, version, stage),
		a AS (INSERT INTO audit (document_id, version, what) SELECT id, version, $3 FROM d)
		INSERT INTO outbox (document_id, stage) SELECT id, stage FROM d RETURNING id`
	baselineDetail = `{"step": "done", "by": "system", "because": "a result of about a hundred and twenty bytes, as a stage gives it"}`
)

// baseline runs the bare shape.
type baseline struct {
	pool   *pgxpool.Pool
	client *asynq.Client
	worker *asynq.Server
	ended  sync.Map // of an id: the channel that its last stage closes
	waits  waits    // from the notification for the first stage to its handler
	docs   atomic.Int64
	failed atomic.Pointer[error]

	mu           sync.Mutex
	enqueuedRows []int64 // rows of the outbox that have been enqueued
	done         chan struct{}
	sweeping     sync.WaitGroup
}

// startBaseline lays its tables into a database of its own and starts its worker.
func (b *bench) startBaseline(ctx context.Context) (*baseline, error) {
	option, err := asynq.ParseRedisURI(b.redis.URL())
	if err != nil {
		return nil, err
	}
	if err := b.postgres.CreateDatabase(ctx, baselineQueue); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(b.postgres.OwnerURL(baselineQueue))
	if err != nil {
		return nil, err
	}
	config.MaxConns = 12 // as ours
	s := &baseline{client: asynq.NewClient(option), done: make(chan struct{})}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if _, err = s.pool.Exec(ctx, baselineSchema); err != nil {
		return nil, err
	}
	s.worker = asynq.NewServer(option, asynq.Config{Concurrency: stages,
		Queues:            map[string]int{baselineQueue: 1},
		TaskCheckInterval: 2 * time.Millisecond, LogLevel: asynq.ErrorLevel})
	s.sweeping.Go(s.sweep)
	return s, s.worker.Start(asynq.HandlerFunc(s.stage))
}

func (s *baseline) stop() {
	s.worker.Shutdown()
	close(s.done)
	s.sweeping.Wait()
	_ = s.client.Close()
	s.pool.Close()
}

// sweep removes what has been enqueued, every 20 ms.
func (s *baseline) sweep() {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		enqueued := s.enqueuedRows
		s.enqueuedRows = nil
		s.mu.Unlock()
		if len(enqueued) == 0 {
			continue
		}
		if _, err := s.pool.Exec(context.Background(), `DELETE FROM outbox WHERE id = ANY($1)`,
			enqueued); err != nil {
			s.failed.CompareAndSwap(nil, &err)
		}
	}
}

// stage does one of the five, and notifies for the next or reports that it was the last.
func (s *baseline) stage(ctx context.Context, task *asynq.Task) error {
	id, n := domain.ID(task.Payload()[:16]), int(task.Payload()[16])
	if n == 1 {
		s.waits.end(id.String())
	}
	if err := s.step(ctx, id, n); err != nil {
		return err
	}
	if n < baselineStages {
		return s.enqueue(ctx, id, n+1)
	}
	if ended, ok := s.ended.LoadAndDelete(id); ok {
		close(ended.(chan struct{}))
	}
	return nil
}

// step counts the version up from n.
func (s *baseline) step(ctx context.Context, id domain.ID, n int) error {
	var row int64
	if err := s.pool.QueryRow(ctx, baselineStep, id, n, baselineDetail).Scan(&row); err != nil {
		return fmt.Errorf("bare step %d: %w", n, err)
	}
	s.markEnqueued(row)
	return nil
}

func (s *baseline) markEnqueued(row int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueuedRows = append(s.enqueuedRows, row)
}

func (s *baseline) enqueue(ctx context.Context, id domain.ID, n int) error {
	payload := append(id[:len(id):len(id)], byte(n))
	_, err := s.client.EnqueueContext(ctx, asynq.NewTask("bare", payload),
		asynq.Queue(baselineQueue), asynq.TaskID(fmt.Sprintf("%s:%d", id, n)))
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}

// runMany takes documents through it, as bench.submitMany does through ours.
func (s *baseline) runMany(ctx context.Context, docs, flight int,
	ticker *time.Ticker) (time.Duration, error) {
	s.docs.Add(int64(docs))
	return runConcurrently(docs, flight, ticker, func() error { return s.runOne(ctx) })
}

// runOne takes a document from its receipt to its decision.
func (s *baseline) runOne(ctx context.Context) error {
	id, ended := domain.NewID(), make(chan struct{})
	s.ended.Store(id, ended)
	var row int64
	if err := s.pool.QueryRow(ctx, baselineReceive, id, baselineDetail).Scan(&row); err != nil {
		return fmt.Errorf("bare receipt: %w", err)
	}
	s.markEnqueued(row)
	s.waits.begin(id.String())
	if err := s.enqueue(ctx, id, 1); err != nil {
		return err
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		return errors.New("bare: a document did not end within a minute")
	}
	return s.step(ctx, id, baselineStages+1)
}

// check proves that nothing was lost or doubled.
func (s *baseline) check(ctx context.Context) error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	var whole, rows int
	docs := int(s.docs.Load())
	err := s.pool.QueryRow(ctx,
		`SELECT (SELECT count(*) FROM documents WHERE version = $1), (SELECT count(*) FROM audit)`,
		baselineVersion).Scan(&whole, &rows)
	if err == nil && (whole != docs || rows != docs*baselineVersion) {
		err = fmt.Errorf("bare: %d of %d documents whole, %d rows of audit", whole, docs, rows)
	}
	return err
}
