// Command frames measures how long after a commit its event reaches those who watch: subscribers
// over WebSocket, one on each case, through the real GraphQL adapter over a durable Postgres (fsync
// on) and a Redis of its own.
//
// The events are committed by a process of their own as a worker does, those of 10 ms in one
// statement, so that making them is not what is measured; with -commands they are reviewers' claims
// and releases through the service layer in the process of the GraphQL adapter, each a transaction of
// its own, whose work is then most of what the machine does. Their hints go through Redis, as those
// of another server or a worker do. The subscribers are a process of their own, on the same clock.
//
// With -memory no event is made: the table then has what idle sockets with one subscription each
// cost the server's process.
//
// What may enter: subscribers, a pace of events, one table.
// What never happens here: changes to what is measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"countersign/internal/config"
	"countersign/internal/devservices"
)

// load is the load of one run.
type load struct {
	subscribers, rate int
	commands          bool
	length            time.Duration
	memory            bool
	profile           string
}

func main() {
	var l load
	flag.IntVar(&l.subscribers, "subscribers", 1000, "subscribers, each on a case of its own")
	flag.IntVar(&l.rate, "rate", 500, "events a second")
	flag.DurationVar(&l.length, "length", 10*time.Second, "how long events are made")
	flag.BoolVar(&l.commands, "commands", false, "make the events by commands of reviewers")
	flag.BoolVar(&l.memory, "memory", false, "print the memory of idle sockets instead")
	flag.StringVar(&l.profile, "profile", "",
		"write a profile of the processor to this file; with -memory of the heap, and of the goroutines to this file with .goroutines")
	part := flag.String("part", "", "be a part of the load; the program starts itself so")
	flag.Parse()
	ctx := context.Background()
	var err error
	switch *part {
	case partSubscribers:
		err = subscribers(ctx, os.Stdin, os.Stdout)
	case partProducer:
		err = produceEvents(ctx, os.Stdin, os.Stdout)
	default:
		config.TuneMemory() // as the server does
		err = run(ctx, l)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "frames:", err)
		os.Exit(1)
	}
}

// waitTimeout is how long the last frames may take.
const waitTimeout = 10 * time.Second

func run(ctx context.Context, l load) error {
	dir, err := os.MkdirTemp("", "countersign-frames-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	devservices.SpreadSubdirectories(dir) // what was deleted before must not be felt in the figures
	b := &bench{}
	stop, err := b.start(ctx, dir)
	defer stop()
	if err != nil {
		return err
	}
	if err := b.openReviews(ctx, l.subscribers); err != nil {
		return err
	}
	if l.memory {
		return b.memory(ctx, l.subscribers, l.profile)
	}
	events := l.rate * int(l.length/time.Second)
	process, err := b.subscribeAll(ctx, events)
	if err != nil {
		return err
	}
	stopProfile, err := profileProcessor(l.profile)
	defer stopProfile()
	if err != nil {
		process.kill()
		return err
	}
	before := processorTime(syscall.RUSAGE_SELF)
	produce := b.produce
	if l.commands {
		produce = b.claimAndRelease
	}
	took, err := produce(ctx, events, l.rate)
	if err != nil {
		process.kill()
		return err
	}
	var frames []frame
	if err := process.wait(waitTimeout, &frames); err != nil {
		return err
	}
	own := processorTime(syscall.RUSAGE_SELF) - before
	if err := b.report(l, events, took, frames); err != nil {
		return err
	}
	fmt.Printf("| CPU-ms an event, of the server (with -commands also of the commands; without subscribers and Postgres) | %.2f |\n", own.Seconds()*1000/float64(events))
	fmt.Printf("| load of the machine, last minute / processors | %s / %d |\n", loadAverage(),
		runtime.NumCPU())
	return nil
}

// profileProcessor writes a profile of the processor to the file until stop is called; "" is none.
func profileProcessor(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return func() {}, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return func() { _ = file.Close() }, err
	}
	return func() { pprof.StopCPUProfile(); _ = file.Close() }, nil
}

func processorTime(whose int) time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(whose, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// loadAverage shows whether other processes were busy, which lengthens the longest waits first; "?"
// where it is unknown.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// report prints the row of the table, and fails when a frame is missing or came twice.
func (b *bench) report(l load, events int, took time.Duration, frames []frame) error {
	var sinceCommit, sinceAt []time.Duration
	seen := map[event]bool{}
	for _, f := range frames {
		committed, known := b.commits.times[f.event]
		if !known || seen[f.event] {
			return fmt.Errorf("the frame %v of case %s was not produced, or arrived twice", f.Seq, f.Case)
		}
		seen[f.event] = true
		sinceCommit = append(sinceCommit, f.Read.Sub(committed))
		sinceAt = append(sinceAt, f.Read.Sub(f.At))
	}
	fmt.Printf("| figure | p50 / p99 / longest |\n|---|---|\n")
	what := fmt.Sprintf("frame at a subscriber, %d subscribers on %d cases, %.0f of %d events/s",
		l.subscribers, l.subscribers,
		float64(events)/took.Seconds(), l.rate)
	fmt.Printf("| commit -> %s | %s |\n", what, quantiles(sinceCommit))
	fmt.Printf("| the event's own time (before its commit) -> the same | %s |\n",
		quantiles(sinceAt))
	fmt.Printf("| frames | %d of %d |\n", len(frames), events)
	if len(frames) != events {
		return fmt.Errorf("%d frames did not arrive", events-len(frames))
	}
	return nil
}

func quantiles(waits []time.Duration) string {
	if len(waits) == 0 {
		return "none"
	}
	slices.Sort(waits)
	at := func(share float64) time.Duration {
		return waits[int(float64(len(waits)-1)*share)].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("%v / %v / %v", at(0.5), at(0.99), at(1))
}
