// Command worker does the automatic steps of cases: it pulls from the work queues, reads documents in sandboxed children,
// and sweeps up what nobody came for.
//
// What may enter: reading the settings, putting the rooms together, starting and stopping them.
// What never happens here: rules, SQL, a decision about a case.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/reading/ocr"
)

func main() {
	ocr.Child() // children that decode documents are this very program
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "worker does the automatic steps of cases and takes no arguments; `countersign settings` lists what it reads from the environment")
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx)
	stop()
	os.Exit(code)
}

// run works until the context ends, and returns the exit code.
func run(ctx context.Context) int {
	config.TuneMemory()
	settings, err := config.Load()
	log := newLog(settings, os.Stderr)
	if err != nil {
		log.Error("the worker cannot start", "error", err, "way_out", domain.WayOutOf(err))
		return 1
	}
	w, err := wire(ctx, settings, log)
	if err == nil {
		err = w.serve(ctx)
		w.close()
	}
	if err != nil {
		log.Error("the worker cannot go on", "error", err, "way_out", domain.WayOutOf(err))
		return 1
	}
	log.Info("the worker has left")
	return 0
}
