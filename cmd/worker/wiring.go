package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"countersign/blob"
	"countersign/blob/stores"
	"countersign/casework"
	"countersign/checkpoint"
	"countersign/deliver"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/program"
	"countersign/languagemodel/stage"
	"countersign/live"
	"countersign/notify"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
	"countersign/store"
	"countersign/tasks"
)

// stopTimeout bounds the shutdown; supervisors usually kill a program ten seconds after SIGTERM.
const stopTimeout = 8 * time.Second

// components is the worker put together.
type components struct {
	settings config.Config
	log      *slog.Logger
	name     string // unique among all workers, alive or dead

	db        *store.DB
	blobs     blob.Store
	redis     *live.Redis
	enqueuer  *tasks.Enqueuer
	publisher *live.Publisher
	reader    *ocr.Reader
	service   *casework.Service
	worker    *tasks.Worker
	sweeper   *tasks.Sweeper
	indexer   *tasks.Indexer
	deliverer *deliver.Deliverer
	nightly   *deliver.Nightly
	notices   *notify.Notifier
	metrics   *workerMetrics
	// checkpoints signs checkpoints of the audit log; nil without a key.
	checkpoints *checkpoint.Signer
	spans       program.Spans
	cleanup     program.Cleanup // at the end
}

// notifier sends notifications after a commit: to workers about new runs, to pages about changes.
type notifier struct {
	*tasks.Enqueuer
	publisher *live.Publisher
}

// PublishHints publishes the hints.
func (b notifier) PublishHints(ctx context.Context, hints []domain.Hint) {
	b.publisher.Publish(ctx, hints)
}

// assemble puts the packages together. Postgres must answer; Redis may be away.
func assemble(ctx context.Context, settings config.Config, log *slog.Logger) (*components, error) {
	host, _ := os.Hostname() // only for people; the id makes the name unique
	p := &components{settings: settings, name: fmt.Sprintf("%s-%d-%s", host, os.Getpid(),
		domain.NewID().String()[24:])}
	p.log = log.With("worker", p.name)
	if err := p.spans.Open(ctx, "worker", settings.Tracing, p.log, &p.cleanup); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{p.openStorage,
		p.openNotifications, p.openReader, p.newServices, p.newDeliverer, p.newNotices,
		p.newCheckpoints} {
		if err := step(ctx); err != nil {
			p.cleanup.Run()
			return nil, err
		}
	}
	return p, nil
}

// openStorage opens what keeps rows and files.
func (p *components) openStorage(ctx context.Context) error {
	var err error
	if p.db, err = program.OpenDatabase(ctx, p.settings.Database, &p.cleanup); err != nil {
		return err
	}
	if p.blobs, err = stores.Open(ctx, p.settings); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.blobs.Close() })
	return nil
}

// openNotifications prepares the connections that send notifications.
func (p *components) openNotifications(context.Context) error {
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	if p.redis, err = live.Connect(p.settings.Redis.URL); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.redis.Close() })
	p.publisher = live.NewPublisher(p.redis, nil, p.log)
	p.db.OnRightsChange(p.publisher.RightsChanged)
	p.cleanup.Background(p.publisher.Run)
	if p.enqueuer, err = tasks.NewEnqueuer(queue, domain.SystemClock{}, p.log); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.enqueuer.Close() })
	return nil
}

// openReader proves the sandbox and makes the reader of documents.
func (p *components) openReader(ctx context.Context) error {
	files, missing := ocr.ChoosePPOCR(p.settings.Reading.Engine, ocr.PPOCRFiles{
		Program: p.settings.Reading.EngineProgram, Library: p.settings.Reading.EngineLibrary,
		Models: p.settings.Reading.EngineModels})
	if missing != nil {
		p.log.Warn("documents are read by tesseract, because the chosen engine is not installed",
			"engine", p.settings.Reading.Engine, "missing", missing)
	}
	reader, err := ocr.New(ctx, ocr.Options{
		Sandbox: sandbox.Options{AcceptLimitsOnly: p.settings.Reading.SandboxAcceptLimits,
			TempRoot: p.settings.Storage.TempDir},
		Programs: ocr.Programs{Tesseract: p.settings.Reading.Tesseract},
		PPOCR:    files,
		Compare:  p.settings.Reading.Engine == ocr.Both,
		OnSecondReading: func(err error) {
			p.metrics.secondReadings.WithLabelValues(outcomeLabel(err)).Inc()
		},
		Limits:   ocr.Limits{Bytes: p.settings.HTTP.MaxUploadBytes},
		Parallel: p.settings.Work.Concurrency, Logger: p.log,
	})
	if err != nil {
		return err
	}
	p.reader = reader
	p.cleanup.Add(func() { _ = reader.Close() })
	if mode := reader.Sandbox().Mode(); mode != sandbox.Bubblewrap {
		p.log.Warn("documents are read under a weaker sandbox", "mode", mode, "refused",
			fmt.Sprint(reader.Sandbox().Unavailable()))
	} else {
		p.log.Info("documents are read in a sandbox", "mode", mode,
			"engine", reader.Engine().Name())
	}
	return nil
}

// newServices makes the service layer, the puller and the sweeper.
func (p *components) newServices(context.Context) error {
	p.metrics = newWorkerMetrics()
	connector, err := connector(p.settings.Connect)
	if err != nil {
		return err
	}
	ports := casework.Ports{Reader: documentReader{p.reader, p.settings.Reading, p.metrics, p.log},
		Blobs: p.blobs, Notifier: notifier{p.enqueuer, p.publisher},
		Connector: connector, ObserveQueueWait: p.metrics.observeQueueWait}
	models, err := stage.FromConfig(p.settings.Model)
	if err != nil {
		return err
	}
	if models.Client != nil {
		ports.Model, ports.Images = models.Client, imageReducer{p.reader}
	}
	if aged := stores.AgedIn(p.blobs, max(p.settings.Storage.OrphanGrace,
		2*p.settings.Reading.Timeout)); aged != nil {
		ports.Aged = aged
	} else {
		p.log.Warn("orphan files are not removed, because the bucket has no versions")
	}
	p.service, err = casework.New(p.db, ports,
		casework.Settings{ClaimLease: p.settings.Work.ClaimLease,
			ClaimLimit:     p.settings.Work.ClaimLimit,
			DeadlineSpeed:  p.settings.Work.DeadlineSpeed,
			MaxUploadBytes: p.settings.HTTP.MaxUploadBytes,
			SendsMail:      p.settings.Mail.Server != "", Models: models.Settings}, p.log)
	if err != nil {
		return err
	}
	p.cleanup.Add(func() {
		closing, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		p.service.Close(closing)
	})
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	heavy := p.settings.Work.Concurrency
	if heavy == 0 {
		heavy = runtime.NumCPU()
	}
	options := tasks.WorkerOptions{Name: p.name, Queues: p.settings.Work.Queues, Heavy: heavy,
		Model: p.settings.Model.Concurrency}
	if p.worker, err = tasks.NewWorker(queue, timedService{p.service, p.metrics}, options,
		p.log); err != nil {
		return err
	}
	p.sweeper = tasks.NewSweeper(p.service, live.NewEpoch(p.redis), p.name, domain.SystemClock{},
		p.log)
	p.indexer = tasks.NewIndexer(p.service, p.name, domain.SystemClock{}, p.log)
	return nil
}

// serve works until the context ends, then releases its runs so that another worker can lease them
// immediately.
func (p *components) serve(ctx context.Context) error {
	stopHealth, err := p.serveHealth()
	if err != nil {
		return err
	}
	defer stopHealth()
	if err := p.worker.Start(); err != nil {
		return err
	}
	p.sweeper.Start()
	p.indexer.Start()
	p.deliverer.Start()
	p.notices.Start()
	if p.checkpoints != nil {
		p.checkpoints.Start()
	}
	p.cleanup.Background(p.nightly.Run)
	p.log.Info("the worker is at work", "queues", strings.Join(p.settings.Work.Queues, ","))
	<-ctx.Done()
	p.log.Info("the worker leaves")
	leaving, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	p.worker.Stop(leaving)
	p.sweeper.Stop()
	p.indexer.Stop()
	p.deliverer.Stop()
	p.notices.Stop()
	if p.checkpoints != nil {
		p.checkpoints.Stop()
	}
	return nil
}
