// Command server answers people and programs: GraphQL with its subscriptions, sign-in, files, the page, health.
//
// What may enter: reading the settings, putting the rooms together, starting and stopping them.
// What never happens here: rules, SQL, reading documents, a decision about a case.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"countersign/domain"
	"countersign/internal/config"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "server answers people and programs and takes no arguments; `countersign settings` lists what it reads from the environment")
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx)
	stop()
	os.Exit(code)
}

// run serves until the context ends, and returns the exit code.
func run(ctx context.Context) int {
	config.TuneMemory()
	settings, err := config.Load()
	log := newLog(settings, os.Stderr)
	if err != nil {
		log.Error("the server cannot start", "error", err, "way_out", domain.WayOutOf(err))
		return 1
	}
	s, err := wire(ctx, settings, log)
	if err == nil {
		err = s.serve(ctx)
		s.close()
	}
	if err != nil {
		log.Error("the server cannot go on", "error", err, "way_out", domain.WayOutOf(err))
		return 1
	}
	log.Info("the server has stopped")
	return 0
}
