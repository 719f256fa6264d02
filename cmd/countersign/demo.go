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

	"countersign/cmd/countersign/sampledocs"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/reading/ocr/sandbox"
)

// demoDatabase is the name of the demo's database.
const demoDatabase = "countersign"

// demoCommand runs everything on this machine.
type demoCommand struct {
	Reset bool `help:"Delete the demo's people, cases and files. The next start creates new ones."`
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
	beside      beside
	witness     witness
	model       demoModel
	server      *program
	worker      *program
	cleanups    []func()
}

// Run starts everything, prints what to try, and stops everything when interrupted.
func (d *demoCommand) Run(ctx context.Context, c *console) error {
	checkout, err := devservices.Checkout()
	if err != nil {
		return err
	}
	run := &demo{console: c, checkout: checkout, folder: filepath.Join(checkout, ".data")}
	if d.Reset {
		return run.reset()
	}
	run.dropStaleSettings()
	defer run.stop()
	for _, step := range []func(context.Context) error{run.prepare, run.dropStaleData, run.startServices, run.populate,
		run.checkSandbox, run.startPrograms} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil {
				return nil // interrupted while starting
			}
			return plainError(err, run.folder)
		}
	}
	run.connectLedger(ctx)
	run.submitModelSample(ctx)
	run.printWelcome()
	err = run.watch(ctx)
	c.printLine("")
	c.printLine("Stopping …")
	return err
}

func (d *demo) addCleanup(undo func()) { d.cleanups = append(d.cleanups, undo) }

// stop runs the cleanups in reverse order.
func (d *demo) stop() {
	for len(d.cleanups) > 0 {
		last := d.cleanups[len(d.cleanups)-1]
		d.cleanups = d.cleanups[:len(d.cleanups)-1]
		last()
	}
}

// plainError turns an error of the file system into a sentence.
func plainError(err error, folder string) error {
	var ours *domain.Error
	switch {
	case errors.As(err, &ours):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return domain.Errorf(domain.Unavailable, "The disk that holds %s is full.",
			folder).WithRemedy("Free some space and start again.").WithCause(err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return domain.Errorf(domain.Unavailable, "The folder %s is not writable.",
			folder).WithRemedy("Make it writable for this user.").WithCause(err)
	}
	return err
}

// prepare checks the preconditions before anything is started.
func (d *demo) prepare(context.Context) error {
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return err
	}
	for _, needed := range []string{d.settings.Reading.Tesseract, "pdftotext", "pdftoppm",
		"pdfinfo"} {
		if _, err := exec.LookPath(needed); err != nil {
			return domain.Errorf(domain.Unavailable, "The program %s was not found.",
				needed).WithRemedy("Run scripts/install.sh or make demo.")
		}
	}
	listener, err := net.Listen("tcp", d.settings.HTTP.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return domain.Errorf(domain.Unavailable, "The address %s is in use by another program.",
			d.settings.HTTP.Addr).
			WithRemedy("Stop that program, or choose another address: " +
				"COUNTERSIGN_ADDR=127.0.0.1:8090 make demo.")
	}
	if err != nil {
		return domain.Errorf(domain.Unavailable, "Cannot listen on the address %s.",
			d.settings.HTTP.Addr).WithCause(err)
	}
	return listener.Close()
}

// startServices starts Postgres and Redis, or uses the ones that the settings name.
func (d *demo) startServices(ctx context.Context) error {
	d.printLine("Starting Postgres and Redis …")
	var err error
	if d.settings.Database.URL != "" {
		d.databaseURL, d.ownerURL = d.settings.Database.URL, d.settings.Database.MigrationURL()
		d.printNote("NOTE: the demo uses the database from DATABASE_URL.")
	} else {
		if d.postgres, err = devservices.StartPostgres(ctx,
			devservices.PostgresOptions{Durable: true, Checkout: d.checkout}); err != nil {
			return err
		}
		d.addCleanup(func() { d.logClose("Postgres", d.postgres.Close()) })
		if err := d.postgres.CreateDatabase(ctx, demoDatabase); err != nil {
			return err
		}
		d.databaseURL, d.ownerURL = d.postgres.AppURL(demoDatabase),
			d.postgres.OwnerURL(demoDatabase)
	}
	if d.redis, err = devservices.StartRedis(ctx,
		devservices.RedisOptions{URL: d.settings.Redis.URL, Checkout: d.checkout}); err != nil {
		return err
	}
	d.redisURL = d.redis.URL()
	d.addCleanup(func() { d.logClose("Redis", d.redis.Close()) })
	if d.redis.Kind() == devservices.RedisMiniredis {
		d.printNote("NOTE: redis-server is not installed. The demo uses an in-process replacement.")
	}
	return nil
}

func (d *demo) logClose(what string, err error) {
	if err != nil {
		d.printNote("%s did not stop cleanly: %v", what, err)
	}
}

// populate migrates the database, creates the people and rates once, and generates the samples.
func (d *demo) populate(ctx context.Context) error {
	d.settings.Storage.BlobDir = filepath.Join(d.folder, "blobs")
	d.settings.Redis.URL = d.redisURL
	if _, err := d.migrate(ctx, d.ownerURL); err != nil {
		return err
	}
	o, err := d.openOperatorOn(ctx, d.databaseURL, d.settings)
	if err != nil {
		return err
	}
	defer o.close()
	if err := d.ensurePeople(ctx, o); err != nil {
		return err
	}
	if err := d.ensureRates(ctx, o); err != nil {
		return err
	}
	if err := d.prepareLedger(ctx, o); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(d.folder, "samples")); err != nil {
		if _, err := sampledocs.Write(ctx, filepath.Join(d.folder, "samples"),
			sampledocs.Samples(d.clock.Now(), 0)); err != nil {
			return err
		}
	}
	return d.drawModelSample(ctx)
}

// checkSandbox checks whether this machine has a real sandbox for reading documents. If not, the
// demo reads them under resource limits alone and prints a warning.
func (d *demo) checkSandbox(ctx context.Context) error {
	box, err := sandbox.Open(ctx, sandbox.Options{Concurrent: 1})
	if domain.HasCode(err, domain.SandboxUnavailable) {
		d.weakSandbox = true
		d.printNote("")
		d.printNote("WARNING: neither bubblewrap nor Landlock is available on this machine. The demo reads " +
			"documents\nwith limits on memory and time ONLY: a malicious file could access your " +
			"files and your network.\nDo not submit unknown files.")
		d.printNote("")
		return nil
	}
	if err != nil {
		return err
	}
	if box.Mode() != sandbox.Bubblewrap {
		d.printNote("NOTE: bubblewrap is not permitted here. Documents are read with %s.",
			box.Mode())
	}
	return box.Close()
}

// dropStaleData deletes the database that a demo in an earlier checkout of the same folder left. Its files are
// gone with that checkout.
func (d *demo) dropStaleData(context.Context) error {
	if _, err := os.Stat(d.databaseFolder()); err != nil {
		return nil //nolint:nilerr // there is no database, or the start says why it cannot be used
	}
	if _, err := os.Stat(filepath.Join(d.folder, "blobs")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.printNote("The files of an earlier demo in this folder are gone, so its database is deleted.")
	return d.reset()
}

func (d *demo) databaseFolder() string {
	return filepath.Join(devservices.StateDir(d.checkout), "postgres")
}

// reset deletes the demo's data.
func (d *demo) reset() error {
	state := d.databaseFolder()
	if lock, err := os.OpenFile(filepath.Join(state, "lock"), os.O_RDWR, 0); err == nil {
		defer func() { _ = lock.Close() }()
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return domain.Errorf(domain.StateMismatch,
				"The demo is running.").WithRemedy("Stop it with Ctrl-C, then reset it.")
		}
	}
	for _, path := range []string{state, filepath.Join(d.folder, "blobs"),
		filepath.Join(d.folder, "samples"), filepath.Join(d.folder, "uploads"),
		filepath.Join(d.folder, "log"),
		filepath.Join(d.folder, checkpointsFolder),
		filepath.Join(d.folder, ledgerSecret), filepath.Join(d.folder, peopleFile), filepath.Join(d.folder, environmentFile)} {
		if err := os.RemoveAll(path); err != nil {
			return plainError(err, path)
		}
	}
	d.printLine("The demo's data was deleted. The next start creates new data.")
	return nil
}

// watch waits for the interruption and restarts a program that exits, because users may kill the
// worker to see that nothing is lost.
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
		case <-d.postgresExited():
			return domain.Errorf(domain.Unavailable,
				"The demo's Postgres has stopped unexpectedly.").WithRemedy(
				"Check its log %s, then start the demo again.", d.postgres.LogFile())
		}
		if ctx.Err() != nil {
			return nil
		}
		d.printNote("the %s exited (%s); restarting it", ended.name, ended.exitReason())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(500 * time.Millisecond):
		}
		if err := ended.start(ctx); err != nil {
			return fmt.Errorf("restart the %s: %w", ended.name, err)
		}
	}
}

// postgresExited is closed when the private Postgres exits.
func (d *demo) postgresExited() <-chan struct{} {
	if d.postgres == nil {
		return nil
	}
	return d.postgres.Exited()
}
