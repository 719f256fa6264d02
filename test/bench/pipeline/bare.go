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

// The bare shape is what our figures are held against, measured beside them on the same servers, since a machine of many
// tenants does twice as much in one hour as in another: a document is received, taken through five stages that do nothing
// and decided. Each of these seven steps is one statement that counts the version up and writes a row of audit and a row
// to ring by; the bell is rung by Asynq at once. It knows no rights, no events, no chain, no files and no subscribers.
const (
	bareStages  = 5
	bareVersion = bareStages + 2
	bareQueue   = "bare"
	bareSchema  = `
		CREATE TABLE documents (id uuid PRIMARY KEY, version int NOT NULL, stage int NOT NULL, changed_at timestamptz NOT NULL DEFAULT now());
		CREATE TABLE audit (document_id uuid NOT NULL, version int NOT NULL, at timestamptz NOT NULL DEFAULT now(), what text NOT NULL,
			PRIMARY KEY (document_id, version));
		CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document_id uuid NOT NULL, stage int NOT NULL)`
	bareReceive = `WITH d AS (INSERT INTO documents (id, version, stage) VALUES ($1, 1, 0) RETURNING id, version, stage),
		a AS (INSERT INTO audit (document_id, version, what) SELECT id, version, $2 FROM d)
		INSERT INTO outbox (document_id, stage) SELECT id, stage FROM d RETURNING id`
	bareStep = `WITH d AS (UPDATE documents SET version = version + 1, stage = $2, changed_at = now() WHERE id = $1 AND version = $2
			RETURNING id, version, stage),
		a AS (INSERT INTO audit (document_id, version, what) SELECT id, version, $3 FROM d)
		INSERT INTO outbox (document_id, stage) SELECT id, stage FROM d RETURNING id`
	bareWhat = `{"step": "done", "by": "system", "because": "a result of about a hundred and twenty bytes, as a stage gives it"}`
)

// bare runs the bare shape.
type bare struct {
	pool   *pgxpool.Pool
	client *asynq.Client
	worker *asynq.Server
	ended  sync.Map // of an id: the channel that its last stage closes
	waits  waits    // from the ring for the first stage to its handler
	docs   atomic.Int64
	failed atomic.Pointer[error]

	mu   sync.Mutex
	rung []int64 // rows of the outbox that have been rung for
	done chan struct{}
	over sync.WaitGroup
}

// startBare lays its tables into a database of its own and starts its worker.
func (b *bench) startBare(ctx context.Context) (*bare, error) {
	option, err := asynq.ParseRedisURI(b.redis.URL())
	if err != nil {
		return nil, err
	}
	if err := b.postgres.CreateDatabase(ctx, bareQueue); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(b.postgres.OwnerURL(bareQueue))
	if err != nil {
		return nil, err
	}
	config.MaxConns = 12 // as ours
	s := &bare{client: asynq.NewClient(option), done: make(chan struct{})}
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if _, err = s.pool.Exec(ctx, bareSchema); err != nil {
		return nil, err
	}
	s.worker = asynq.NewServer(option, asynq.Config{Concurrency: stages, Queues: map[string]int{bareQueue: 1},
		TaskCheckInterval: 2 * time.Millisecond, LogLevel: asynq.ErrorLevel})
	s.over.Go(s.sweep)
	return s, s.worker.Start(asynq.HandlerFunc(s.stage))
}

func (s *bare) stop() {
	s.worker.Shutdown()
	close(s.done)
	s.over.Wait()
	_ = s.client.Close()
	s.pool.Close()
}

// sweep removes what has been rung for, every 20 ms.
func (s *bare) sweep() {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		rung := s.rung
		s.rung = nil
		s.mu.Unlock()
		if len(rung) == 0 {
			continue
		}
		if _, err := s.pool.Exec(context.Background(), `DELETE FROM outbox WHERE id = ANY($1)`, rung); err != nil {
			s.failed.CompareAndSwap(nil, &err)
		}
	}
}

// stage does one of the five, and rings for the next or tells that it was the last.
func (s *bare) stage(ctx context.Context, task *asynq.Task) error {
	id, n := domain.ID(task.Payload()[:16]), int(task.Payload()[16])
	if n == 1 {
		s.waits.end(id.String())
	}
	if err := s.step(ctx, id, n); err != nil {
		return err
	}
	if n < bareStages {
		return s.ring(ctx, id, n+1)
	}
	if ended, ok := s.ended.LoadAndDelete(id); ok {
		close(ended.(chan struct{}))
	}
	return nil
}

// step counts the version up from n.
func (s *bare) step(ctx context.Context, id domain.ID, n int) error {
	var row int64
	if err := s.pool.QueryRow(ctx, bareStep, id, n, bareWhat).Scan(&row); err != nil {
		return fmt.Errorf("bare step %d: %w", n, err)
	}
	s.ringed(row)
	return nil
}

func (s *bare) ringed(row int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rung = append(s.rung, row)
}

func (s *bare) ring(ctx context.Context, id domain.ID, n int) error {
	payload := append(id[:len(id):len(id)], byte(n))
	_, err := s.client.EnqueueContext(ctx, asynq.NewTask("bare", payload), asynq.Queue(bareQueue), asynq.TaskID(fmt.Sprintf("%s:%d", id, n)))
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}

// many takes documents through it, as bench.submitMany does through ours.
func (s *bare) many(ctx context.Context, docs, flight int, ticker *time.Ticker) (time.Duration, error) {
	s.docs.Add(int64(docs))
	return many(docs, flight, ticker, func() error { return s.one(ctx) })
}

// one takes a document from its receipt to its decision.
func (s *bare) one(ctx context.Context) error {
	id, ended := domain.NewID(), make(chan struct{})
	s.ended.Store(id, ended)
	var row int64
	if err := s.pool.QueryRow(ctx, bareReceive, id, bareWhat).Scan(&row); err != nil {
		return fmt.Errorf("bare receipt: %w", err)
	}
	s.ringed(row)
	s.waits.begin(id.String())
	if err := s.ring(ctx, id, 1); err != nil {
		return err
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		return errors.New("bare: a document did not end within a minute")
	}
	return s.step(ctx, id, bareStages+1)
}

// check proves that nothing was lost or doubled.
func (s *bare) check(ctx context.Context) error {
	if failed := s.failed.Load(); failed != nil {
		return *failed
	}
	var whole, rows int
	docs := int(s.docs.Load())
	err := s.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM documents WHERE version = $1), (SELECT count(*) FROM audit)`, bareVersion).Scan(&whole, &rows)
	if err == nil && (whole != docs || rows != docs*bareVersion) {
		err = fmt.Errorf("bare: %d of %d documents whole, %d rows of audit", whole, docs, rows)
	}
	return err
}
