package main

import (
	"context"
	"log/slog"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/migrations"
	"countersign/store"
	"countersign/tasks"
)

// operator is the database opened for a command of the machine's own keeper: it acts as the system.
type operator struct {
	db    *store.DB
	hall  *casework.Hall
	files files
	close func()
}

// operate opens the database that DATABASE_URL names.
func (c *console) operate(ctx context.Context) (*operator, error) {
	if c.settings.Database.URL == "" {
		return nil, domain.Fail(domain.InvalidInput, "No database is named.").
			WithWayOut("Set DATABASE_URL; that of the demo is in .data/demo.env.")
	}
	return c.open(ctx, c.settings.Database.URL, c.settings)
}

// open makes the hall on a database. Its bell rings if there is a queue; pages notice changes by their pulse.
func (c *console) open(ctx context.Context, url string, settings config.Config) (*operator, error) {
	db, err := store.Open(ctx, url, 4)
	if err != nil {
		return nil, err
	}
	if err := db.Reader().RequireSchema(ctx, migrations.Versions()); err != nil {
		db.Close()
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(c.errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	folder, err := blob.OpenFolder(settings.Storage.BlobDir)
	if err != nil {
		db.Close()
		return nil, err
	}
	o := &operator{db: db, files: files{folder}}
	bell, silence := bellOf(settings.Redis.URL, c.clock, log)
	o.hall, err = casework.New(db, casework.Ports{Blobs: folder, Bell: bell}, casework.Settings{MaxUploadBytes: settings.HTTP.MaxUploadBytes}, log)
	o.close = func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if o.hall != nil {
			o.hall.Close(closing)
		}
		silence()
		_ = folder.Close()
		db.Close()
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// quietBell rings nobody: the sweeper comes for what a command leaves to do.
type quietBell struct{}

// Ring does nothing.
func (quietBell) Ring(context.Context, []domain.Wake) {}

// Changed does nothing.
func (quietBell) Changed(context.Context, []domain.Hint) {}

// ringingBell wakes workers; pages read up by their pulse.
type ringingBell struct {
	quietBell
	ringer *tasks.Ringer
}

// Ring enqueues the wakes.
func (b ringingBell) Ring(ctx context.Context, wakes []domain.Wake) { b.ringer.Ring(ctx, wakes) }

// bellOf rings the queue named, if one is.
func bellOf(url string, clock domain.Clock, log *slog.Logger) (casework.Bell, func()) {
	if url == "" {
		return quietBell{}, func() {}
	}
	redis, err := tasks.Redis(url)
	if err != nil {
		log.Warn("nobody is woken", "error", err)
		return quietBell{}, func() {}
	}
	ringer := tasks.NewRinger(redis, clock, log)
	return ringingBell{ringer: ringer}, func() { _ = ringer.Close() }
}

// files shows the blob folder to the doctor.
type files struct{ folder *blob.Folder }

// Walk visits every stored file.
func (f files) Walk(ctx context.Context, visit func(key string, written time.Time) error) error {
	return f.folder.Walk(ctx, func(stored blob.Stored) error { return visit(stored.Key, stored.Written) })
}

// Has reports whether the file is there.
func (f files) Has(ctx context.Context, key string) (bool, error) {
	content, _, err := f.folder.Open(ctx, key)
	if domain.HasCode(err, domain.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, content.Close()
}

// Remove deletes the file.
func (f files) Remove(ctx context.Context, key string) error { return f.folder.Remove(ctx, key) }

// personOf finds a person by e-mail.
func (o *operator) personOf(ctx context.Context, email string) (domain.User, error) {
	user, _, err := o.db.Reader().UserByEmail(ctx, email)
	if domain.HasCode(err, domain.NotFound) {
		return user, domain.Fail(domain.NotFound, "There is nobody with the e-mail %s.", email)
	}
	return user, err
}
