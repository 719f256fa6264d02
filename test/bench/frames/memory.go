package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

// usage is what this process holds at one moment, in bytes, after garbage was collected.
type usage struct {
	heap, stacks, resident, goroutines int64
}

func usageNow() usage {
	resident := residentMemory() // before the collection, as an operator sees it
	runtime.GC()
	runtime.GC() // finalizers of the first collection free more
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return usage{heap: int64(stats.HeapAlloc), stacks: int64(stats.StackInuse), resident: resident, goroutines: int64(runtime.NumGoroutine())} //nolint:gosec // far below 2^63
}

// residentMemory reads VmRSS; 0 where the kernel does not report it.
func residentMemory() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// memory opens idle sockets, each with one subscription, and prints what they cost. A profile of
// the heap and of the goroutines is written beside it if a file is named.
func (b *bench) memory(ctx context.Context, sockets int, profile string) error {
	before := usageNow()
	process, err := b.subscribeAll(ctx, 1) // an event that is never made keeps the subscribers waiting
	if err != nil {
		return err
	}
	defer process.kill()
	open := usageNow()
	fmt.Printf("| %d idle sockets, a subscription each | before | open | one socket |\n|---|---|---|---|\n", sockets)
	row := func(what string, before, open int64) {
		fmt.Printf("| %s | %.1f MB | %.1f MB | %.1f kB |\n", what, float64(before)/(1<<20),
			float64(open)/(1<<20), float64(open-before)/float64(sockets)/1024)
	}
	row("heap in use after a collection", before.heap, open.heap)
	row("stacks of goroutines", before.stacks, open.stacks)
	row("heap and stacks", before.heap+before.stacks, open.heap+open.stacks)
	row("resident memory of the process", before.resident, open.resident)
	fmt.Printf("| goroutines | %d | %d | %.1f |\n", before.goroutines, open.goroutines,
		float64(open.goroutines-before.goroutines)/float64(sockets))
	if profile == "" {
		return nil
	}
	for name, suffix := range map[string]string{"heap": "", "goroutine": ".goroutines"} {
		file, err := os.Create(profile + suffix)
		if err != nil {
			return err
		}
		if err := pprof.Lookup(name).WriteTo(file, 0); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
