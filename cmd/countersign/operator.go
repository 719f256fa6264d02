package main

import (
	"context"
	"log/slog"
	"time"

	"countersign/blob"
	"countersign/blob/stores"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/migrations"
	"countersign/store"
	"countersign/tasks"
)

// operator is the service layer on an open database. It acts as the system.
type operator struct {
	db      *store.DB
	service *casework.Service
	files   files
	close   func()
}

// openOperator opens the database that DATABASE_URL names.
func (c *console) openOperator(ctx context.Context) (*operator, error) {
	if c.settings.Database.URL == "" {
		return nil, domain.Errorf(domain.InvalidInput, "No database is configured.").
			WithRemedy("Set DATABASE_URL. The demo's is in .data/demo.env.")
	}
	return c.openOperatorOn(ctx, c.settings.Database.URL, c.settings)
}

// openOperatorOn opens the service layer on a database. It enqueues runs if a queue is configured;
// open pages find changes by polling.
func (c *console) openOperatorOn(ctx context.Context, url string,
	settings config.Config) (*operator, error) {
	db, err := store.Open(ctx, url, 4)
	if err != nil {
		return nil, err
	}
	if err := db.Reader().RequireSchema(ctx, migrations.Versions()); err != nil {
		db.Close()
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(c.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	blobs, err := stores.Open(ctx, settings)
	if err != nil {
		db.Close()
		return nil, err
	}
	o := &operator{db: db, files: files{blobs}}
	notifier, silence := newNotifier(settings.Redis.URL, c.clock, log)
	o.service, err = casework.New(db, casework.Ports{Blobs: blobs, Notifier: notifier},
		casework.Settings{MaxUploadBytes: settings.HTTP.MaxUploadBytes}, log)
	o.close = func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if o.service != nil {
			o.service.Close(closing)
		}
		silence()
		_ = blobs.Close()
		db.Close()
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// silentNotifier notifies no worker; the sweeper enqueues the pending runs.
type silentNotifier struct{}

// Enqueue does nothing.
func (silentNotifier) Enqueue(context.Context, []domain.PendingRun) {}

// PublishHints does nothing.
func (silentNotifier) PublishHints(context.Context, []domain.Hint) {}

// enqueueNotifier enqueues runs; open pages find changes by polling.
type enqueueNotifier struct {
	silentNotifier
	enqueuer *tasks.Enqueuer
}

// Enqueue enqueues the runs.
func (b enqueueNotifier) Enqueue(ctx context.Context, runs []domain.PendingRun) {
	b.enqueuer.Enqueue(ctx, runs)
}

// newNotifier returns a notifier for the configured queue, or a silent one.
func newNotifier(url string, clock domain.Clock, log *slog.Logger) (casework.Notifier, func()) {
	if url == "" {
		return silentNotifier{}, func() {}
	}
	var enqueuer *tasks.Enqueuer
	redis, err := tasks.Redis(url)
	if err == nil {
		enqueuer, err = tasks.NewEnqueuer(redis, clock, log)
	}
	if err != nil {
		log.Warn("workers are not notified", "error", err)
		return silentNotifier{}, func() {}
	}
	return enqueueNotifier{enqueuer: enqueuer}, func() { _ = enqueuer.Close() }
}

// files gives the doctor access to the stored files.
type files struct{ blob.Store }

// Walk visits every stored file.
func (f files) Walk(ctx context.Context, visit func(key string, written time.Time) error) error {
	return f.Store.Walk(ctx, func(stored blob.BlobInfo) error { return visit(stored.Key, stored.Written) })
}

// personOf finds a person by e-mail.
func (o *operator) personOf(ctx context.Context, email string) (domain.User, error) {
	user, _, err := o.db.Reader().UserByEmail(ctx, email)
	if domain.HasCode(err, domain.NotFound) {
		return user, domain.Errorf(domain.NotFound, "No person has the e-mail address %s.", email)
	}
	return user, err
}
