package tasks

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/hibiken/asynq"

	"countersign/casework"
	"countersign/domain"
)

// runTimeout bounds one task; the lease, not this, decides whose the work is.
const runTimeout = time.Hour

// Intervals at which an empty queue is looked at. Asynq's defaults (1 s and 5 s) would be the latency of every stage.
const (
	lightCheck   = 2 * time.Millisecond
	heavyCheck   = 100 * time.Millisecond
	delayedCheck = 200 * time.Millisecond
)

// Hall is what the door calls.
type Hall interface {
	RunStage(ctx context.Context, waking casework.Waking) error
	HandBack(ctx context.Context, worker string) (int, error)
}

// WorkerOptions say what a worker takes and how much at once.
type WorkerOptions struct {
	Name   string   // unique among all workers, alive or dead
	Queues []string // of Queues()
	Light  int      // light stages at once; 0 = 16
	Heavy  int      // stages of each other kind at once; 0 = 2
}

// Worker pulls tasks and has the hall do them.
type Worker struct {
	hall    Hall
	options WorkerOptions
	log     *slog.Logger
	servers []*asynq.Server
	working context.Context
	leave   context.CancelFunc
}

// NewWorker makes a worker; Start pulls.
func NewWorker(redis asynq.RedisConnOpt, hall Hall, options WorkerOptions, log *slog.Logger) (*Worker, error) {
	if err := CheckQueues(options.Queues); err != nil {
		return nil, err
	}
	if options.Light == 0 {
		options.Light = 16
	}
	if options.Heavy == 0 {
		options.Heavy = 2
	}
	w := &Worker{hall: hall, options: options, log: log}
	w.working, w.leave = context.WithCancel(context.Background())
	for _, queue := range options.Queues {
		concurrency, check := options.Heavy, heavyCheck
		if queue == QueueLight {
			concurrency, check = options.Light, lightCheck
		}
		w.servers = append(w.servers, asynq.NewServer(redis, w.config(queue, concurrency, check)))
	}
	return w, nil
}

func (w *Worker) config(queue string, concurrency int, check time.Duration) asynq.Config {
	return asynq.Config{
		Concurrency: concurrency, Queues: map[string]int{queue: 1},
		TaskCheckInterval: check, DelayedTaskCheckInterval: delayedCheck,
		BaseContext: func() context.Context { return w.working },
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
	for _, server := range w.servers {
		mux := asynq.NewServeMux()
		mux.HandleFunc(TypeRunStage, w.handle)
		if err := server.Start(mux); err != nil {
			return domain.Fail(domain.Unavailable, "the queue cannot be served").Because(err)
		}
	}
	return nil
}

// handle does one task: decode, one call of the hall, answer by the table in errors.go.
func (w *Worker) handle(ctx context.Context, task *asynq.Task) error {
	payload, err := decode(task)
	if err == nil {
		err = w.hall.RunStage(ctx, casework.Waking{CaseID: payload.CaseID, RunID: payload.RunID, Worker: w.options.Name})
	}
	return answer(ctx, w.log, payload, err)
}

// Stop leaves: pulls no more, hands the work under way back at once, so that it starts elsewhere, and ends the children.
// What was leased between the two is handed back at the end.
func (w *Worker) Stop(ctx context.Context) {
	for _, server := range w.servers {
		server.Stop()
	}
	w.handBack(ctx)
	w.leave()
	for _, server := range slices.Backward(w.servers) {
		server.Shutdown()
	}
	w.handBack(ctx)
}

func (w *Worker) handBack(ctx context.Context) {
	n, err := w.hall.HandBack(ctx, w.options.Name)
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
