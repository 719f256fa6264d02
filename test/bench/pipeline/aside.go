package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/internal/cputime"
	"countersign/store"
)

// aside is work that a worker does beside the documents. It has a thread and a connection of its own, so
// that its processor time is known.
type aside struct {
	every    time.Duration
	db       *store.DB
	service  *casework.Service
	backends []int // processes of Postgres that serve it
	rounds   int
	own      time.Duration // processor time of its thread
	failed   error
}

// startAside runs prepare, which is not measured, and learns which processes of Postgres serve the work:
// the other connections of the bench are all open by now.
func (b *bench) startAside(ctx context.Context, every time.Duration, prepare func(*casework.Service) error) (*aside, error) {
	others, err := b.clientBackends(ctx)
	if err != nil {
		return nil, err
	}
	a := &aside{every: every}
	if a.db, err = store.Open(ctx, b.postgres.AppURL("bench"), 1); err != nil {
		return nil, err
	}
	if a.service, err = casework.New(a.db, casework.Ports{Notifier: b.notifier}, casework.Settings{},
		slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	if err := prepare(a.service); err != nil {
		return nil, err
	}
	all, err := b.clientBackends(ctx)
	a.backends = slices.DeleteFunc(all, func(pid int) bool { return slices.Contains(others, pid) })
	if err == nil && len(a.backends) != 1 {
		err = fmt.Errorf("the work aside has %d connections, want 1", len(a.backends))
	}
	return a, err
}

func (a *aside) close(ctx context.Context) {
	a.service.Close(ctx)
	a.db.Close()
}

// clientBackends returns the processes of Postgres that serve a client now.
func (b *bench) clientBackends(ctx context.Context) ([]int, error) {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// postgresTime returns the processor time of its backends so far.
func (a *aside) postgresTime() (total time.Duration) {
	for _, pid := range a.backends {
		total += cputime.Process(pid)
	}
	return total
}

// during runs the round at the interval while do runs, and once more at its end, on a thread of its own.
func (a *aside) during(round, do func() error) error {
	ended, finished := make(chan struct{}), make(chan struct{})
	a.rounds, a.own, a.failed = 0, 0, nil
	go func() {
		defer close(finished)
		runtime.LockOSThread()
		began := threadTime()
		ticker := time.NewTicker(a.every)
		defer ticker.Stop()
		for last := false; !last; a.rounds++ {
			select {
			case <-ticker.C:
			case <-ended:
				last = true
			}
			a.failed = errors.Join(a.failed, round())
		}
		a.own = threadTime() - began
	}()
	err := do()
	close(ended)
	<-finished
	return errors.Join(err, a.failed)
}

func threadTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
