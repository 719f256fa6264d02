package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/tracing"
)

// runTimeout limits one task. It is long because the lease of the row decides who executes the run.
const runTimeout = time.Hour

const (
	// taskCheck is Asynq's own pause after it found a queue empty; queueWaiter does the waiting
	// instead.
	taskCheck = time.Millisecond
	// delayedCheck is the interval at which Asynq looks for due retries. Runs of a case do not
	// depend on it: the Enqueuer waits for short delays itself, and longer ones are deadlines of
	// hours.
	delayedCheck = time.Second
	// stopTimeout limits Asynq's Stop, which waits for Redis and would otherwise hang without it.
	stopTimeout = 2 * time.Second
)

// RunService is the part of the service layer that the worker calls.
type RunService interface {
	RunStage(ctx context.Context, request casework.RunRequest) error
	DueRuns(ctx context.Context, queues map[string]int) ([]domain.PendingRun, error)
	ReleaseWorkerRuns(ctx context.Context, worker string) (int, error)
}

// WorkerOptions configure a worker.
type WorkerOptions struct {
	Name   string   // unique among all workers, including former ones
	Queues []string // a subset of domain.WorkQueues()
	Light  int      // concurrent light stages; 0 means 16
	Heavy  int      // concurrent stages of each other queue; 0 means 2
	Model  int      // concurrent stages of the queue model, which wait and do not compute; 0 means Heavy
	Clock  domain.Clock
}

// Worker executes the runs of the tasks that Asynq delivers and, while Asynq delivers none, runs
// that are due in Postgres.
type Worker struct {
	service RunService
	options WorkerOptions
	log     *slog.Logger
	redis   redis.UniversalClient
	waiter  *queueWaiter
	// by queue: one for each concurrent run, delivered or polled
	slots      map[string]chan struct{}
	servers    []*asynq.Server
	poller     *poller
	runContext context.Context
	cancelRuns context.CancelFunc
	done       sync.WaitGroup // the announcement listener and the poller
	ended      chan struct{}
}

// NewWorker returns a worker; Start makes it pull tasks.
func NewWorker(connection asynq.RedisConnOpt, service RunService, options WorkerOptions,
	log *slog.Logger) (*Worker, error) {
	if err := CheckQueues(options.Queues); err != nil {
		return nil, err
	}
	if options.Light == 0 {
		options.Light = 16
	}
	if options.Heavy == 0 {
		options.Heavy = 2
	}
	client, err := clientOf(connection)
	if err != nil {
		return nil, err
	}
	w := &Worker{service: service, options: options, log: log, redis: client,
		waiter: newQueueWaiter(options.Queues), slots: map[string]chan struct{}{},
		ended: make(chan struct{})}
	client.AddHook(w.waiter)
	w.runContext, w.cancelRuns = context.WithCancel(context.Background())
	for _, queue := range options.Queues {
		concurrency := options.Heavy
		switch {
		case queue == domain.QueueLight:
			concurrency = options.Light
		case queue == domain.QueueModel && options.Model > 0:
			concurrency = options.Model
		}
		w.slots[queue] = make(chan struct{}, concurrency)
		w.servers = append(w.servers, asynq.NewServerFromRedisClient(client,
			w.config(queue, concurrency)))
	}
	w.poller = newPoller(w)
	return w, nil
}

func (w *Worker) config(queue string, concurrency int) asynq.Config {
	return asynq.Config{
		Concurrency: concurrency, Queues: map[string]int{queue: 1},
		TaskCheckInterval: taskCheck, DelayedTaskCheckInterval: delayedCheck,
		BaseContext: func() context.Context { return w.runContext },
		RetryDelayFunc: func(n int, _ error, _ *asynq.Task) time.Duration {
			return min(time.Duration(n+1)*time.Second, 10*time.Second)
		},
		IsFailure:       func(err error) bool { return err != nil },
		ShutdownTimeout: 2 * time.Second,
		Logger:          asynqLog{w.log}, LogLevel: asynq.WarnLevel,
	}
}

// Start pulls tasks until Stop.
func (w *Worker) Start() error {
	w.done.Go(func() { w.waiter.listen(w.runContext, w.redis) })
	for _, server := range w.servers {
		mux := asynq.NewServeMux()
		mux.HandleFunc(TypeRunStage, w.handle)
		if err := server.Start(mux); err != nil {
			return domain.Errorf(domain.Unavailable, "The worker cannot serve the queue.").
				WithCause(err)
		}
	}
	w.done.Go(func() { w.poller.run(w.waiter.stopped) })
	return nil
}

// handle executes one task. The run ends with the worker or with the lease of its row, not with
// Asynq's lease of the task, which expires while Redis does not answer.
func (w *Worker) handle(ctx context.Context, task *asynq.Task) error {
	payload, err := decode(task)
	if err != nil {
		return asynqError(ctx, w.log, payload, err)
	}
	queue, _ := asynq.GetQueueName(ctx)
	w.poller.delivered(queue)
	return w.execute(queue, payload)
}

// execute executes the run when the queue has a free slot.
func (w *Worker) execute(queue string, payload RunStagePayload) error {
	slot := w.slots[queue]
	select {
	case slot <- struct{}{}:
	case <-w.runContext.Done():
		return w.runContext.Err()
	}
	defer func() { <-slot }()
	return w.runStage(queue, payload)
}

// runStage executes the run in the trace that asked for it. Timers come after a wait of hours or
// days, so they begin a trace that is linked to it.
func (w *Worker) runStage(queue string, payload RunStagePayload) (err error) {
	ctx, span := w.runContext, tracing.Span(nil)
	if queue == domain.QueueTimers {
		ctx, span = tracing.AfterWait(ctx, "task "+queue, payload.Traceparent,
			slog.Any("run", payload.RunID))
	} else {
		ctx, span = tracing.Continue(ctx, tracing.Consumer, "task "+queue, payload.Traceparent,
			slog.Any("run", payload.RunID))
	}
	defer func() { span.End(spanCode(err)) }()
	err = w.service.RunStage(ctx, casework.RunRequest{CaseID: payload.CaseID,
		RunID: payload.RunID, Worker: w.options.Name})
	return asynqError(w.runContext, w.log, payload, err)
}

// spanCode returns the code with which a span ends.
func spanCode(err error) string {
	if err == nil {
		return ""
	}
	return string(domain.CodeOf(err))
}

// Stop stops pulling tasks, releases the runs in progress so that other workers can start them, and
// cancels them. At the end it releases runs leased in between. It returns when everything has ended
// or the context ends; Asynq, which ends only when Redis answers, may end after it (Ended). The
// connection is closed then: Asynq panics if that happens before.
func (w *Worker) Stop(ctx context.Context) {
	w.waiter.stop()
	w.eachServer(ctx, stopTimeout, (*asynq.Server).Stop)
	w.releaseRuns(ctx)
	w.cancelRuns()
	shutDown := w.eachServer(ctx, 2*stopTimeout, (*asynq.Server).Shutdown)
	go func() {
		defer close(w.ended)
		<-shutDown
		_ = w.redis.Close()
	}()
	w.done.Wait()
	w.releaseRuns(ctx)
}

// Ended is closed when Asynq has ended after Stop.
func (w *Worker) Ended() <-chan struct{} { return w.ended }

// eachServer calls fn for all servers concurrently, because each call waits for Redis. It returns
// when all calls have returned, or after the timeout. The channel is closed when all have returned.
func (w *Worker) eachServer(ctx context.Context, timeout time.Duration,
	fn func(*asynq.Server)) <-chan struct{} {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var all sync.WaitGroup
	for _, server := range w.servers {
		all.Go(func() { fn(server) })
	}
	ended := make(chan struct{})
	go func() { defer close(ended); all.Wait() }()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	return ended
}

// Health describes how the worker receives its runs.
type Health struct {
	Reachable bool  // the last check of every queue succeeded
	Polled    int64 // runs found in Postgres since the start, because the queue delivered none
}

// Health returns the present state of the worker's queues.
func (w *Worker) Health() Health {
	return Health{Reachable: w.waiter.reachable(), Polled: w.poller.polled.Load()}
}

func (w *Worker) releaseRuns(ctx context.Context) {
	n, err := w.service.ReleaseWorkerRuns(ctx, w.options.Name)
	if err != nil {
		w.log.Warn("releasing runs failed; their leases will expire", "error", err)
	} else if n > 0 {
		w.log.Info("runs released", "runs", n)
	}
}

// asynqLog writes Asynq's log lines to the program's log.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug("asynq", "line", args) }
func (l asynqLog) Info(args ...any)  { l.log.Info("asynq", "line", args) }
func (l asynqLog) Warn(args ...any)  { l.log.Warn("asynq", "line", args) }
func (l asynqLog) Error(args ...any) { l.log.Error("asynq", "line", args) }
func (l asynqLog) Fatal(args ...any) { l.log.Error("asynq", "line", args) }
