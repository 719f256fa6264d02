// Command server answers people and programs: GraphQL with its subscriptions, sign-in, files, the
// page, health.
//
// What may enter: putting the packages together. What never happens here: rules, SQL, reading
// documents, a decision about a case.
package main

import (
	"context"
	"log/slog"

	"countersign/internal/config"
	"countersign/internal/program"
)

func main() {
	program.Program{Name: "server", Purpose: "answers people and programs", Run: run}.Main()
}

// run serves until the context ends.
func run(ctx context.Context, settings config.Config, log *slog.Logger) error {
	p, err := assemble(ctx, settings, log)
	if err != nil {
		return err
	}
	defer p.cleanup.Run()
	return p.serve(ctx)
}
