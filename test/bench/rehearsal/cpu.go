package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// cpuTimes are how long processors worked for this program and for the connections of Postgres.
type cpuTimes struct{ program, postgres time.Duration }

func (c cpuTimes) minus(other cpuTimes) cpuTimes {
	return cpuTimes{c.program - other.program, c.postgres - other.postgres}
}

// cpuTime reads the times so far. Other load on the machine does not count.
func (b *bench) cpuTime(ctx context.Context) (times cpuTimes, err error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return times, err
	}
	times.program = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	conn, err := pgx.Connect(ctx, b.superuser)
	if err != nil {
		return times, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
		AND pid <> pg_backend_pid()`)
	if err != nil {
		return times, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	for _, pid := range pids {
		times.postgres += processTime(pid)
	}
	return times, err
}

// processTime returns how long processors worked for a process, in ticks of 10 ms; 0 if it has ended.
func processTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond
	var worked time.Duration
	for _, at := range []int{user, system} {
		ticks, _ := strconv.Atoi(fields[at])
		worked += time.Duration(ticks) * tick
	}
	return worked
}

// startProfile writes a profile of the program until the returned function is called.
func (b *bench) startProfile(name string) (end func(), err error) {
	if b.profile == "" {
		return func() {}, nil
	}
	file, err := os.Create(filepath.Join(b.profile, strings.ReplaceAll(name, " ", "-")+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

// watchLocks returns how often it looked, and how many connections waited for a lock then.
func (b *bench) watchLocks(ctx context.Context) <-chan [2]int {
	found := make(chan [2]int, 1)
	go func() {
		var seen [2]int
		defer func() { found <- seen }()
		conn, err := pgx.Connect(ctx, b.superuser)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		for ctx.Err() == nil {
			var waiting int
			if err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`).
				Scan(&waiting); err != nil {
				return
			}
			seen[0], seen[1] = seen[0]+1, seen[1]+waiting
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	return found
}
