package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/graph/transport"
	"countersign/identity"
	"countersign/internal/config"
	"countersign/live"
	"countersign/migrations"
	"countersign/store"
	"countersign/tasks"
	"countersign/views"
	"countersign/web"
)

// stopPatience bounds the end of requests under way; subscriptions are told to come again at once.
const stopPatience = 8 * time.Second

// sweepUploadsEvery is how often unfinished uploads that nobody came back to are looked for.
const sweepUploadsEvery = 10 * time.Minute

// newLog writes lines for machines, or text for people where that is set.
func newLog(settings config.Config, to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.Log.Level)) // one of a checked set; info when the settings could not be read
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(to, options)
	if settings.Log.Format == "text" {
		handler = slog.NewTextHandler(to, options)
	}
	return slog.New(handler).With("program", "server", "pid", os.Getpid())
}

// parts is the server put together.
type parts struct {
	settings config.Config
	log      *slog.Logger
	clock    domain.Clock

	db        *store.DB
	blobs     *blob.Folder
	uploads   *web.UploadFolder
	redis     *live.Redis
	hub       *live.Hub
	publisher *live.Publisher
	ringer    *tasks.Ringer
	hall      *casework.Hall
	views     *views.Views
	gate      *identity.Gate
	graph     *transport.Handler
	door      *web.Door
	undo      []func()
}

// bell tells after the commit: workers of what is to do, pages of what has changed.
type bell struct {
	ringer    *tasks.Ringer
	publisher *live.Publisher
	log       *slog.Logger
}

// Ring wakes workers, and leaves a line by which a document's way is followed from here to theirs.
func (b bell) Ring(ctx context.Context, wakes []domain.Wake) {
	b.ringer.Ring(ctx, wakes)
	for _, wake := range wakes {
		b.log.LogAttrs(ctx, slog.LevelInfo, "work rung", slog.String("correlation_id", wake.CorrelationID), slog.Any("case", wake.CaseID),
			slog.Any("run", wake.RunID), slog.String("queue", wake.Queue), slog.String("request_id", identity.RequestOf(ctx).ID))
	}
}

// Changed publishes the hints.
func (b bell) Changed(ctx context.Context, hints []domain.Hint) { b.publisher.Publish(ctx, hints) }

// wire puts the rooms together. Postgres must answer; Redis may be away.
func wire(ctx context.Context, settings config.Config, log *slog.Logger) (*parts, error) {
	p := &parts{settings: settings, log: log, clock: domain.SystemClock{}}
	for _, step := range []func(context.Context) error{p.keep, p.listen, p.work, p.doors} {
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
	p.uploads, err = web.OpenUploadFolder(p.settings.Storage.UploadFolder())
	return err
}

// listen prepares what may be forgotten: hints to and from other processes, and the queue's bell.
func (p *parts) listen(context.Context) error {
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	if p.redis, err = live.Connect(p.settings.Redis.URL); err != nil {
		return err
	}
	p.later(func() { _ = p.redis.Close() })
	p.views = views.New(p.db.Reader(), p.judge)
	p.hub = live.NewHub(live.Options{Log: p.db.Reader(), Rights: p.views, Logger: p.log})
	p.publisher = live.NewPublisher(p.redis, p.hub, p.log)
	p.background(p.hub.Run)
	p.background(p.publisher.Run)
	p.background(live.NewListener(p.redis, p.hub, p.log).Run)
	p.ringer = tasks.NewRinger(queue, p.clock, p.log)
	p.later(func() { _ = p.ringer.Close() })
	return nil
}

// background runs fn until the server is taken down.
func (p *parts) background(fn func(context.Context)) {
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); fn(running) }()
	p.later(func() { stop(); <-ended })
}

// work makes the hall and the gate.
func (p *parts) work(context.Context) error {
	var err error
	p.hall, err = casework.New(p.db, casework.Ports{Blobs: p.blobs, Uploads: p.uploads, Bell: bell{p.ringer, p.publisher, p.log}},
		casework.Settings{ClaimLease: p.settings.Work.ClaimLease, DeadlineSpeed: p.settings.Work.DeadlineSpeed,
			MaxUploadBytes: p.settings.HTTP.MaxUploadBytes}, p.log)
	if err != nil {
		return err
	}
	p.gate = identity.New(p.db, identity.Settings{}, p.log)
	p.later(func() {
		closing, cancel := context.WithTimeout(context.Background(), stopPatience)
		defer cancel()
		p.gate.Close(closing)
		p.hall.Close(closing)
	})
	p.background(func(running context.Context) {
		p.uploads.Run(running, p.hall, p.settings.Storage.UploadKeep, sweepUploadsEvery, p.log)
	})
	return nil
}

// serve answers until the context ends; requests under way are finished, subscriptions told to come again.
func (p *parts) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", p.settings.HTTP.Addr)
	if err != nil {
		return domain.Fail(domain.Unavailable, "The address %s cannot be listened on.", p.settings.HTTP.Addr).
			WithWayOut("Set COUNTERSIGN_ADDR to a free one.").Because(err)
	}
	server := p.door.Server(p.settings.HTTP.Addr)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	p.log.Info("the server listens", "addr", listener.Addr().String(), "public", p.settings.HTTP.PublicAddress(), "environment", p.settings.Environment)
	select {
	case err := <-failed:
		return domain.Fail(domain.Unavailable, "The server's listener failed.").Because(err)
	case <-ctx.Done():
	}
	p.log.Info("the server stops")
	stopping, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(stopping) }()
	p.graph.Close()
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = server.Close()
	}
	return nil
}
