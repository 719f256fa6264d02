package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"countersign/cmd/countersign/paper"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/reading/ocr/sandbox"
)

// demoDatabase is the name of the demo's database.
const demoDatabase = "countersign"

// demoCommand runs everything on this machine.
type demoCommand struct {
	Reset bool `help:"Forget the demo's people, cases and files; the next start begins anew."`
}

// demo is a running demo.
type demo struct {
	*console
	checkout string
	folder   string // .data: people, samples, files, logs
	postgres *devservices.Postgres
	redis    *devservices.Redis

	databaseURL, ownerURL, redisURL string

	weakSandbox bool
	server      *program
	worker      *program
	undo        []func()
}

// Run starts everything, says what to try, and stops everything when interrupted.
func (d *demoCommand) Run(ctx context.Context, c *console) error {
	checkout, err := devservices.Checkout()
	if err != nil {
		return err
	}
	run := &demo{console: c, checkout: checkout, folder: filepath.Join(checkout, ".data")}
	if d.Reset {
		return run.reset()
	}
	run.forgetItself()
	defer run.stop()
	for _, step := range []func(context.Context) error{run.prepare, run.services, run.fill, run.proveSandbox, run.programs} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted while starting
			}
			return inPlainWords(err, run.folder)
		}
	}
	run.welcome()
	err = run.watch(ctx)
	c.say("")
	c.say("Stopping …")
	return err
}

func (d *demo) later(undo func()) { d.undo = append(d.undo, undo) }

// stop takes everything down in the opposite order.
func (d *demo) stop() {
	for len(d.undo) > 0 {
		last := d.undo[len(d.undo)-1]
		d.undo = d.undo[:len(d.undo)-1]
		last()
	}
}

// inPlainWords makes a sentence of what the system says about files.
func inPlainWords(err error, folder string) error {
	var ours *domain.Error
	switch {
	case errors.As(err, &ours):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return domain.Fail(domain.Unavailable, "The disk that holds %s is full.", folder).WithWayOut("Free some room there and start again.").Because(err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Fail(domain.Unavailable, "The folder %s cannot be written.", folder).WithWayOut("Make it writable for this user.").Because(err)
	}
	return err
}

// prepare refuses what would fail later, before anything is started.
func (d *demo) prepare(context.Context) error {
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return err
	}
	for _, needed := range []string{d.settings.Reading.Tesseract, "pdftotext", "pdftoppm", "pdfinfo"} {
		if _, err := exec.LookPath(needed); err != nil {
			return domain.Fail(domain.Unavailable, "The program %s was not found.", needed).WithWayOut("Run scripts/install.sh, or: make demo.")
		}
	}
	listener, err := net.Listen("tcp", d.settings.HTTP.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return domain.Fail(domain.Unavailable, "The address %s is in use by another program.", d.settings.HTTP.Addr).
			WithWayOut("Stop that program, or choose another address: COUNTERSIGN_ADDR=127.0.0.1:8090 make demo.")
	}
	if err != nil {
		return domain.Fail(domain.Unavailable, "The address %s cannot be listened on.", d.settings.HTTP.Addr).Because(err)
	}
	return listener.Close()
}

// services starts, or adopts, Postgres and Redis.
func (d *demo) services(ctx context.Context) error {
	d.say("Starting Postgres and Redis …")
	var err error
	if d.settings.Database.URL != "" {
		d.databaseURL, d.ownerURL = d.settings.Database.URL, d.settings.Database.MigrationURL()
		d.note("NOTE: the demo uses the database that DATABASE_URL names.")
	} else {
		if d.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{Durable: true, Checkout: d.checkout}); err != nil {
			return err
		}
		d.later(func() { d.closed("Postgres", d.postgres.Close()) })
		if err := d.postgres.CreateDatabase(ctx, demoDatabase); err != nil {
			return err
		}
		d.databaseURL, d.ownerURL = d.postgres.AppURL(demoDatabase), d.postgres.OwnerURL(demoDatabase)
	}
	if d.redis, err = devservices.StartRedis(ctx, devservices.RedisOptions{URL: d.settings.Redis.URL, Checkout: d.checkout}); err != nil {
		return err
	}
	d.redisURL = d.redis.URL()
	d.later(func() { d.closed("Redis", d.redis.Close()) })
	if d.redis.Kind() == devservices.RedisMiniredis {
		d.note("NOTE: redis-server is not installed; a small stand-in inside this program serves the demo.")
	}
	return nil
}

func (d *demo) closed(what string, err error) {
	if err != nil {
		d.note("%s did not stop cleanly: %v", what, err)
	}
}

// fill migrates, makes the people and rates once, and draws the samples.
func (d *demo) fill(ctx context.Context) error {
	d.settings.Storage.BlobDir = filepath.Join(d.folder, "blobs")
	d.settings.Redis.URL = d.redisURL
	if _, err := d.migrate(ctx, d.ownerURL); err != nil {
		return err
	}
	o, err := d.open(ctx, d.databaseURL, d.settings)
	if err != nil {
		return err
	}
	defer o.close()
	if err := d.people(ctx, o); err != nil {
		return err
	}
	if err := d.rates(ctx, o); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(d.folder, "samples")); err == nil {
		return nil
	}
	_, err = paper.Write(ctx, filepath.Join(d.folder, "samples"), paper.Samples(d.clock.Now(), 0))
	return err
}

// proveSandbox finds out whether documents can be read in a real sandbox here; where not, the demo accepts limits alone
// and says so loudly.
func (d *demo) proveSandbox(ctx context.Context) error {
	box, err := sandbox.Open(ctx, sandbox.Options{Concurrent: 1})
	if domain.HasCode(err, domain.SandboxUnavailable) {
		d.weakSandbox = true
		d.note("")
		d.note("WARNING: neither bubblewrap nor Landlock holds on this machine. The demo reads documents under limits of")
		d.note("memory and time ALONE: a hostile file could reach your files and your network. Do not feed it unknown files.")
		d.note("")
		return nil
	}
	if err != nil {
		return err
	}
	if box.Mode() != sandbox.Bubblewrap {
		d.note("NOTE: bubblewrap is not permitted here; documents are read under %s.", box.Mode())
	}
	return box.Close()
}

// reset forgets everything.
func (d *demo) reset() error {
	state := filepath.Join(devservices.StateDir(d.checkout), "postgres")
	if lock, err := os.OpenFile(filepath.Join(state, "lock"), os.O_RDWR, 0); err == nil {
		defer func() { _ = lock.Close() }()
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return domain.Fail(domain.StateMismatch, "The demo is running.").WithWayOut("Stop it by Ctrl-C, then reset.")
		}
	}
	for _, path := range []string{state, filepath.Join(d.folder, "blobs"), filepath.Join(d.folder, "samples"), filepath.Join(d.folder, "uploads"), filepath.Join(d.folder, "log"),
		filepath.Join(d.folder, peopleFile), filepath.Join(d.folder, environmentFile)} {
		if err := os.RemoveAll(path); err != nil {
			return inPlainWords(err, path)
		}
	}
	d.say("The demo's data is gone; the next start begins anew.")
	return nil
}

// watch waits for the interruption, and starts a program anew that ended by itself: a worker may be killed to see that
// nothing is lost.
func (d *demo) watch(ctx context.Context) error {
	for {
		var ended *program
		select {
		case <-ctx.Done():
			return nil
		case <-d.server.ended:
			ended = d.server
		case <-d.worker.ended:
			ended = d.worker
		case <-d.gone():
			return domain.Fail(domain.Unavailable, "The demo's Postgres has ended by itself.").WithWayOut("Its log is %s; start the demo again.", d.postgres.LogFile())
		}
		if ctx.Err() != nil {
			return nil
		}
		d.note("the %s has ended (%s); it is started anew", ended.name, ended.how())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(500 * time.Millisecond):
		}
		if err := ended.start(ctx); err != nil {
			return fmt.Errorf("start the %s anew: %w", ended.name, err)
		}
	}
}

// gone is closed when the private Postgres ends by itself.
func (d *demo) gone() <-chan struct{} {
	if d.postgres == nil {
		return nil
	}
	return d.postgres.Exited()
}
