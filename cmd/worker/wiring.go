package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/live"
	"countersign/migrations"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
	"countersign/store"
	"countersign/tasks"
)

// leavePatience bounds the leaving; whoever kills a leaving program usually waits ten seconds.
const leavePatience = 8 * time.Second

// newLog writes lines for machines, or text for people where that is set.
func newLog(settings config.Config, to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.Log.Level)) // one of a checked set; info when the settings could not be read
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(to, options)
	if settings.Log.Format == "text" {
		handler = slog.NewTextHandler(to, options)
	}
	return slog.New(handler).With("program", "worker", "pid", os.Getpid())
}

// parts is the worker put together.
type parts struct {
	settings config.Config
	log      *slog.Logger
	name     string // unique among all workers, alive or dead

	db        *store.DB
	blobs     *blob.Folder
	redis     *live.Redis
	ringer    *tasks.Ringer
	publisher *live.Publisher
	reader    *ocr.Reader
	hall      *casework.Hall
	worker    *tasks.Worker
	sweeper   *tasks.Sweeper
	sight     *sight
	undo      []func()
}

// bell tells after the commit: workers of what is to do, pages of what has changed.
type bell struct {
	*tasks.Ringer
	publisher *live.Publisher
}

// Changed publishes the hints.
func (b bell) Changed(ctx context.Context, hints []domain.Hint) { b.publisher.Publish(ctx, hints) }

// wire puts the rooms together. Postgres must answer; Redis may be away.
func wire(ctx context.Context, settings config.Config, log *slog.Logger) (*parts, error) {
	host, _ := os.Hostname() // only for people; the id makes the name unique
	p := &parts{settings: settings, name: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), domain.NewID().String()[24:])}
	p.log = log.With("worker", p.name)
	for _, step := range []func(context.Context) error{p.keep, p.ring, p.read, p.work} {
		if err := step(ctx); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func (p *parts) later(undo func()) { p.undo = append(p.undo, undo) }

// close undoes in the opposite order.
func (p *parts) close() {
	for len(p.undo) > 0 {
		last := p.undo[len(p.undo)-1]
		p.undo = p.undo[:len(p.undo)-1]
		last()
	}
}

// keep opens what keeps rows and files.
func (p *parts) keep(ctx context.Context) error {
	var err error
	if p.settings.Database.URL == "" {
		return domain.Invalid("DATABASE_URL", "no database is named").WithWayOut("Set DATABASE_URL.")
	}
	if p.db, err = store.Open(ctx, p.settings.Database.URL, p.settings.Database.Connections); err != nil {
		return err
	}
	p.later(p.db.Close)
	if err = p.db.Reader().RequireSchema(ctx, migrations.Versions()); err != nil {
		return err
	}
	if p.blobs, err = blob.OpenFolder(p.settings.Storage.BlobDir); err != nil {
		return err
	}
	p.later(func() { _ = p.blobs.Close() })
	return nil
}

// ring prepares what wakes others.
func (p *parts) ring(context.Context) error {
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	if p.redis, err = live.Connect(p.settings.Redis.URL); err != nil {
		return err
	}
	p.later(func() { _ = p.redis.Close() })
	p.publisher = live.NewPublisher(p.redis, nil, p.log)
	publishing, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); p.publisher.Run(publishing) }()
	p.later(func() { stop(); <-ended })
	p.ringer = tasks.NewRinger(queue, domain.SystemClock{}, p.log)
	p.later(func() { _ = p.ringer.Close() })
	return nil
}

// read proves the sandbox and makes the reader of documents.
func (p *parts) read(ctx context.Context) error {
	reader, err := ocr.New(ctx, ocr.Options{
		Sandbox:  sandbox.Options{AcceptLimitsOnly: p.settings.Reading.SandboxAcceptLimits, TempRoot: p.settings.Storage.TempDir},
		Programs: ocr.Programs{Tesseract: p.settings.Reading.Tesseract}, Limits: ocr.Limits{Bytes: p.settings.HTTP.MaxUploadBytes},
		Parallel: p.settings.Work.Concurrency, Logger: p.log,
	})
	if err != nil {
		return err
	}
	p.reader = reader
	p.later(func() { _ = reader.Close() })
	if mode := reader.Sandbox().Mode(); mode != sandbox.Bubblewrap {
		p.log.Warn("documents are read under a weaker sandbox", "mode", mode, "refused", fmt.Sprint(reader.Sandbox().Refused()))
	} else {
		p.log.Info("documents are read in a sandbox", "mode", mode)
	}
	return nil
}

// work makes the hall, the puller and the sweeper.
func (p *parts) work(context.Context) error {
	p.sight = newSight()
	connector, err := connector(p.settings.Connect)
	if err != nil {
		return err
	}
	ports := casework.Ports{Reader: documents{p.reader, p.settings.Reading, p.sight, p.log}, Blobs: p.blobs, Bell: bell{p.ringer, p.publisher},
		Connector: connector, Hop: p.sight.hopped}
	p.hall, err = casework.New(p.db, ports, casework.Settings{ClaimLease: p.settings.Work.ClaimLease, DeadlineSpeed: p.settings.Work.DeadlineSpeed,
		MaxUploadBytes: p.settings.HTTP.MaxUploadBytes}, p.log)
	if err != nil {
		return err
	}
	p.later(func() {
		closing, cancel := context.WithTimeout(context.Background(), leavePatience)
		defer cancel()
		p.hall.Close(closing)
	})
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	heavy := p.settings.Work.Concurrency
	if heavy == 0 {
		heavy = runtime.NumCPU()
	}
	options := tasks.WorkerOptions{Name: p.name, Queues: p.settings.Work.Queues, Heavy: heavy}
	if p.worker, err = tasks.NewWorker(queue, timedHall{p.hall, p.sight}, options, p.log); err != nil {
		return err
	}
	p.sweeper = tasks.NewSweeper(p.hall, live.NewEpoch(p.redis), p.name, domain.SystemClock{}, p.log)
	return nil
}

// serve works until the context ends, then leaves: what is under way starts elsewhere at once.
func (p *parts) serve(ctx context.Context) error {
	stopHealth, err := p.serveHealth()
	if err != nil {
		return err
	}
	defer stopHealth()
	if err := p.worker.Start(); err != nil {
		return err
	}
	p.sweeper.Start()
	p.log.Info("the worker is at work", "queues", strings.Join(p.settings.Work.Queues, ","))
	<-ctx.Done()
	p.log.Info("the worker leaves")
	leaving, cancel := context.WithTimeout(context.Background(), leavePatience)
	defer cancel()
	p.worker.Stop(leaving)
	p.sweeper.Stop()
	return nil
}
