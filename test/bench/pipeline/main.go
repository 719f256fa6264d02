// Command pipeline measures the whole process without the reading engine: documents a second and
// CPU a document with authorization, events, chain and publication on and subscribers watching, and
// the time from commit to the next handler.
//
// It starts a durable Postgres (fsync and autovacuum on) and a Redis of its own and prints one
// table. A hundred people follow a case each, from its submission to its end, and then the next;
// who waits for the others hears it from the notifier.
//
// The saturated run is between two halves of the bare shape (bare.go), since only ratios of one run
// mean anything on a machine of many tenants. It takes the built-in process, whose first stage is
// on the queue of slow work. The wait from commit to handler is given twice: for the same process
// with that stage on the queue of quick work, and as built in.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/devservices"
	"countersign/internal/modelvendor"
	"countersign/internal/tracing"
	"countersign/live"
	"countersign/migrations"
	"countersign/store"
	"countersign/tasks"
	"countersign/views"
)

func main() {
	docs := flag.Int("docs", 3000, "documents of the saturated run")
	flight := flag.Int("flight", 256, "documents in flight")
	flag.IntVar(&stages, "stages", 64,
		"concurrent stages of slow work; the reading engine is a fake here, so they wait more than they work")
	rate := flag.Int("rate", 20, "documents a second of the light run; 0 leaves it out")
	seconds := flag.Int("seconds", 10, "length of the light run")
	watchers := flag.Int("watchers", 100,
		"subscribers, each following a case to its end and then another")
	flag.Int64Var(&sellers, "sellers", 500,
		"parties that send the invoices; with one, all documents change the sums of one vendor")
	outside := flag.Int("outward", 0, "instead: documents with and without connectors, notices and traces")
	flag.IntVar(&checkpointed, "checkpoints", 0, "instead: what checkpoints cost at 1,000 events/s, and while this many documents pass as fast as they go")
	flag.IntVar(&modelled, "model", 0, "instead: what other queues wait while so many cases ask a language model")
	profile := flag.String("profile", "", "write a CPU profile of the saturated run")
	flag.Parse()
	if flag.Arg(0) == receiversMode {
		if err := serveReceivers(); err != nil {
			fmt.Fprintln(os.Stderr, "receivers:", err)
			os.Exit(1)
		}
		return
	}
	config.TuneMemory() // as the server and the worker do
	if err := run(context.Background(), *docs, *flight, *rate, *seconds, *watchers,
		*outside, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

// stages is how many stages of slow work run concurrently, checkpointed how many documents pass while
// checkpoints are signed (0 = none), modelled how many cases ask a language model (0 = none).
var stages, checkpointed, modelled int

// bench is the product in one process, with the port of reading answered by a fixed e-invoice.
type bench struct {
	service         *casework.Service
	db              *store.DB
	hub             *live.Hub
	baseline        *baseline
	postgres        *devservices.Postgres
	redis           *devservices.Redis
	submitter       domain.Actor
	queueWaits      durations // from the row's own time, which is read before its commit, to its lease
	waits           waits     // from the notification, which follows the commit, to the handler's own work
	process         string    // that is submitted to
	completions     completions
	notifier        notifier
	subscriberSlots chan struct{} // one for each subscriber
	frames          atomic.Int64
	vendor          *modelvendor.Vendor // of -model, else nil
}

func run(ctx context.Context, docs, flight, rate, seconds, watchers, outside int, profile string) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	devservices.SpreadSubdirectories(dir) // what was deleted before must not be felt in the figures
	b := &bench{completions: completions{reached: map[domain.ID]bool{},
		waiting: map[domain.ID]chan struct{}{}}, subscriberSlots: make(chan struct{}, watchers)}
	var o *outward
	if outside > 0 {
		if o, err = startOutward(ctx); err != nil {
			return err
		}
		defer o.stop()
	}
	stop, err := b.start(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	if err := b.learnLastEvent(ctx); err != nil {
		return err
	}
	if _, err := b.submitMany(ctx, 1000, flight, nil); err != nil { // warm caches and plans
		return err
	}
	if err := b.analyse(ctx); err != nil {
		return err
	}
	switch {
	case outside > 0:
		return b.measureOutward(ctx, o, outside, flight)
	case checkpointed > 0:
		return b.measureCheckpoints(ctx, checkpointed, flight)
	case *indexed > 0:
		return b.measureIndexing(ctx, *indexed, flight)
	case modelled > 0:
		return b.measureModel(ctx, modelled, rate, flight)
	}
	if b.baseline, err = b.startBaseline(ctx); err != nil {
		return err
	}
	defer b.baseline.stop()
	if err := b.saturated(ctx, docs, flight, watchers, profile); err != nil {
		return err
	}
	if rate > 0 {
		if err := b.measureQueueWait(ctx, rate, seconds, flight); err != nil {
			return err
		}
	}
	if err := b.costs(ctx); err != nil {
		return err
	}
	if err := b.baseline.check(ctx); err != nil {
		return err
	}
	return b.check(ctx)
}

// saturated measures ours between two halves of the bare shape.
func (b *bench) saturated(ctx context.Context, docs, flight, watchers int, profile string) error {
	half := func() (measurement, error) {
		return b.measure(docs/2, func() (time.Duration, error) {
			return b.baseline.runMany(ctx,
				docs/2, flight, nil)
		})
	}
	before, err := half()
	if err != nil {
		return err
	}
	stopProfile := startProfile(profile)
	ours, err := b.measure(docs, func() (time.Duration, error) { return b.submitMany(ctx, docs, flight, nil) })
	stopProfile()
	if err != nil {
		return err
	}
	after, err := half()
	if err != nil {
		return err
	}
	b.report(watchers, ours, before.plus(after))
	return nil
}

// servers starts a durable Postgres and a Redis, and lays the schema.
func (b *bench) servers(ctx context.Context) (err error) {
	if b.postgres, err = devservices.StartPostgres(ctx,
		devservices.PostgresOptions{Settings: map[string]string{"fsync": "on",
			"synchronous_commit": "on",
			"full_page_writes":   "on", "autovacuum": "on", "max_connections": "100",
			"shared_buffers":           "256MB",
			"shared_preload_libraries": "pg_stat_statements"}}); err != nil {
		return err
	}
	if b.redis, err = devservices.StartRedis(ctx, devservices.RedisOptions{}); err != nil {
		return err
	}
	if err := b.postgres.CreateDatabase(ctx, "bench"); err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, b.postgres.OwnerURL("bench"), 24); err != nil {
		return err
	}
	b.db, err = store.Open(ctx, b.postgres.AppURL("bench"), 12)
	return err
}

// openBlobs opens a blob folder where making files is as cheap as the file system allows.
func openBlobs(dir string) (*blob.Folder, error) {
	quiet, err := devservices.QuietDir(dir)
	if err != nil {
		return nil, err
	}
	return blob.OpenFolder(quiet)
}

func (b *bench) start(ctx context.Context, dir string) (func(), error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if err := b.servers(ctx); err != nil {
		return nil, err
	}
	redis, err := live.Connect(b.redis.URL())
	if err != nil {
		return nil, err
	}
	option, err := asynq.ParseRedisURI(b.redis.URL())
	if err != nil {
		return nil, err
	}
	folder, err := openBlobs(dir)
	if err != nil {
		return nil, err
	}
	enqueuer, err := tasks.NewEnqueuer(option, domain.SystemClock{}, log)
	if err != nil {
		return nil, err
	}
	readViews := views.New(b.db.Reader(),
		func(ctx context.Context) (authority, error) { return b.service.Authorizer(ctx) })
	b.hub = live.NewHub(live.Options{Log: b.db.Reader(), Authorizer: readViews, Logger: log})
	publisher := live.NewPublisher(redis, b.hub, log)
	ctx, cancel := context.WithCancel(ctx)
	go b.hub.Run(ctx)
	go publisher.Run(ctx)
	b.notifier = notifier{enqueuer, publisher, &b.waits, &b.completions}
	queues, err := b.startService(folder, log)
	if err != nil {
		cancel()
		return nil, err
	}
	worker, err := tasks.NewWorker(option, b.service, tasks.WorkerOptions{Name: "bench",
		Queues: queues, Heavy: stages, Model: modelCalls}, log)
	if err != nil {
		cancel()
		return nil, err
	}
	if err := worker.Start(); err != nil {
		cancel()
		return nil, err
	}
	sweeper := tasks.NewSweeper(b.service, live.NewEpoch(redis), "bench", domain.SystemClock{}, log)
	sweeper.Start()
	return func() {
		sweeper.Stop()
		worker.Stop(ctx)
		cancel()
		_ = enqueuer.Close()
		b.db.Close()
		_ = b.redis.Close()
		_ = b.postgres.Close()
	}, b.people(ctx)
}

// startService returns the queues that its worker serves.
func (b *bench) startService(folder *blob.Folder, log *slog.Logger) (queues []string, err error) {
	ports := casework.Ports{Reader: &fakeReader{waits: &b.waits, dated: map[sellerDate]int64{}},
		Blobs: folder, Notifier: b.notifier, ObserveQueueWait: b.queueWaits.add}
	queues = []string{domain.QueueLight, domain.QueueOCR}
	if modelled > 0 {
		queues = append(queues, domain.QueueModel)
		if ports.Model, err = b.startVendor(); err != nil {
			return nil, err
		}
	}
	b.service, err = casework.New(b.db, ports, casework.Settings{Models: casework.ModelSettings{
		DocumentTypes: []string{"invoice"}, PerHour: casework.ModelBudget{Tokens: modelBudget}}}, log)
	return queues, err
}

// submitMany sends documents, at most flight of them unfinished, and waits until all are final.
func (b *bench) submitMany(ctx context.Context, docs, flight int,
	ticker *time.Ticker) (time.Duration, error) {
	return runConcurrently(docs, flight, ticker, func() error { return b.runOne(ctx) })
}

// runConcurrently does one for each document, at most flight concurrently, and at the ticker's pace
// if there is one.
func runConcurrently(docs, flight int, ticker *time.Ticker,
	one func() error) (time.Duration, error) {
	began := time.Now()
	slots := make(chan struct{}, flight)
	var all sync.WaitGroup
	var failed atomic.Pointer[error]
	for range docs {
		if ticker != nil {
			<-ticker.C
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := one(); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return time.Since(began), nil
}

var serial atomic.Int64

// runOne submits a document and waits until its case has ended, by subscription if a subscriber is
// free.
func (b *bench) runOne(ctx context.Context) error {
	id, err := b.submit(ctx)
	if err != nil {
		return err
	}
	select {
	case b.subscriberSlots <- struct{}{}:
		defer func() { <-b.subscriberSlots }()
		_, err := b.follow(ctx, id)
		b.completions.forget(id)
		return err
	default:
		return b.completions.wait(ctx, id)
	}
}

// learnLastEvent follows the first document, to know with which event a case ends.
func (b *bench) learnLastEvent(ctx context.Context) error {
	id, err := b.submit(ctx)
	if err != nil {
		return err
	}
	last, err := b.follow(ctx, id)
	b.completions.learn(last)
	return err
}

func (b *bench) submit(ctx context.Context) (domain.ID, error) {
	text := fmt.Sprintf("%%PDF-1.7\n%d", serial.Add(1))
	sum := sha256.Sum256([]byte(text))
	ctx, span := tracing.Request(ctx, "submit", "")
	defer span.End("")
	submitted, err := b.service.SubmitDocument(ctx, b.submitter,
		casework.SubmitDocument{Process: b.process, File: casework.Upload{FileName: "a.pdf",
			Size:   int64(len(text)),
			SHA256: sum[:], Open: func() (io.ReadCloser, error) {
				return io.NopCloser(
					strings.NewReader(text)), nil
			}}})
	return submitted.CaseID, err
}

// follow takes a case's events as they come, until it ends, and returns the number of the last.
func (b *bench) follow(ctx context.Context, id domain.ID) (last int64, err error) {
	frames, err := b.hub.Subscribe(ctx, b.submitter, id, 0)
	if err != nil {
		return 0, err
	}
	for item := range frames {
		if item.Err != nil {
			return last, item.Err
		}
		last = item.Cursor
		b.frames.Add(1)
	}
	return last, nil
}
