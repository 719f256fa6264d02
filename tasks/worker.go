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
)

// runTimeout bounds one task; the lease, not this, decides whose the work is.
const runTimeout = time.Hour

const (
	// taskCheck is Asynq's own pause after it found a queue empty; arrivals waits in its place.
	taskCheck = time.Millisecond
	// delayedCheck is how often Asynq looks for retries that are due. The runs of a case never wait for it: short delays
	// are held by the Ringer, and long ones are deadlines of hours.
	delayedCheck = time.Second
	// stopTimeout bounds how long Asynq may take to stop pulling; it waits for Redis, which may not answer.
	stopTimeout = 2 * time.Second
)

// RunService is what the adapter   # graph, web, tasks; in test/browser "the server" calls.
type RunService interface {
	RunStage(ctx context.Context, waking casework.RunRequest) error
	DueRuns(ctx context.Context, queues map[string]int) ([]domain.PendingRun, error)
	ReleaseWorkerRuns(ctx context.Context, worker string) (int, error)
}

// WorkerOptions say what a worker takes and how much at once.
type WorkerOptions struct {
	Name   string   // unique among all workers, alive or dead
	Queues []string // of Queues()
	Light  int      // light stages at once; 0 = 16
	Heavy  int      // stages of each other kind at once; 0 = 2
	Clock  domain.Clock
}

// Worker executes runs: those whose tasks Asynq delivers and, while Asynq delivers none, those that are due in Postgres.
type Worker struct {
	service    RunService
	options    WorkerOptions
	log        *slog.Logger
	redis      redis.UniversalClient
	waiter     *queueWaiter
	slots      map[string]chan struct{} // by queue: one for each run at the same time, whoever found it
	servers    []*asynq.Server
	poller     *poller
	runContext context.Context
	cancelRuns context.CancelFunc
	done       sync.WaitGroup // listening and polling
}

// NewWorker makes a worker; Start pulls.
func NewWorker(connection asynq.RedisConnOpt, service RunService, options WorkerOptions, log *slog.Logger) (*Worker, error) {
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
	w := &Worker{service: service, options: options, log: log, redis: client, waiter: newQueueWaiter(options.Queues), slots: map[string]chan struct{}{}}
	client.AddHook(w.waiter)
	w.runContext, w.cancelRuns = context.WithCancel(context.Background())
	for _, queue := range options.Queues {
		concurrency := options.Heavy
		if queue == QueueLight {
			concurrency = options.Light
		}
		w.slots[queue] = make(chan struct{}, concurrency)
		w.servers = append(w.servers, asynq.NewServerFromRedisClient(client, w.config(queue, concurrency)))
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
			return domain.Errorf(domain.Unavailable, "the queue cannot be served").WithCause(err)
		}
	}
	w.done.Go(func() { w.poller.run(w.waiter.stopped) })
	return nil
}

// handle does one task: decode, one call of the service layer, answer by the table in errors.go. The run ends with the worker or with
// the lease of its row, never with Asynq's lease of the task, which runs out while Redis does not answer.
func (w *Worker) handle(ctx context.Context, task *asynq.Task) error {
	payload, err := decode(task)
	if err != nil {
		return asynqError(ctx, w.log, payload, err)
	}
	queue, _ := asynq.GetQueueName(ctx)
	w.poller.delivered(queue)
	return w.execute(queue, payload)
}

// execute does the run when one of the queue's slots is free.
func (w *Worker) execute(queue string, payload RunStagePayload) error {
	slot := w.slots[queue]
	select {
	case slot <- struct{}{}:
	case <-w.runContext.Done():
		return w.runContext.Err()
	}
	defer func() { <-slot }()
	return w.runStage(payload)
}

func (w *Worker) runStage(payload RunStagePayload) error {
	err := w.service.RunStage(w.runContext, casework.RunRequest{CaseID: payload.CaseID, RunID: payload.RunID, Worker: w.options.Name})
	return asynqError(w.runContext, w.log, payload, err)
}

// Stop leaves: takes no more, hands the work under way back immediately, so that it starts elsewhere, and ends the children.
// What was leased between the two is handed back at the end. It returns when all is done or the context ends.
func (w *Worker) Stop(ctx context.Context) {
	w.waiter.stop()
	w.eachServer(ctx, stopTimeout, (*asynq.Server).Stop)
	w.handBack(ctx)
	w.cancelRuns()
	w.eachServer(ctx, 2*stopTimeout, (*asynq.Server).Shutdown)
	_ = w.redis.Close()
	w.done.Wait()
	w.handBack(ctx)
}

// eachServer calls fn for all servers concurrently and returns when all have returned, at the latest after the patience:
// each of them waits for Redis.
func (w *Worker) eachServer(ctx context.Context, timeout time.Duration, fn func(*asynq.Server)) {
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
}

// Health is how the worker gets its work.
type Health struct {
	Reachable bool  // the queue answered the last check
	Polled    int64 // runs that were found in Postgres since the start, because the queue delivered none
}

// Health reports how the worker gets its work at the moment.
func (w *Worker) Health() Health {
	return Health{Reachable: w.waiter.reachable(), Polled: w.poller.polled.Load()}
}

func (w *Worker) handBack(ctx context.Context) {
	n, err := w.service.ReleaseWorkerRuns(ctx, w.options.Name)
	if err != nil {
		w.log.Warn("work not handed back; its leases run out", "error", err)
	} else if n > 0 {
		w.log.Info("work handed back", "runs", n)
	}
}

// asynqLog sends Asynq's own lines to ours.
type asynqLog struct{ log *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.log.Debug("asynq", "line", args) }
func (l asynqLog) Info(args ...any)  { l.log.Info("asynq", "line", args) }
func (l asynqLog) Warn(args ...any)  { l.log.Warn("asynq", "line", args) }
func (l asynqLog) Error(args ...any) { l.log.Error("asynq", "line", args) }
func (l asynqLog) Fatal(args ...any) { l.log.Error("asynq", "line", args) }
