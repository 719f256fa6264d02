// Command worker does the automatic steps of cases: it takes runs from the work queues, reads
// documents in sandboxed children, and finds runs that no task names any more.
//
// What may enter: putting the packages together. What never happens here: rules, SQL, a decision
// about a case.
package main

import (
	"context"
	"log/slog"

	"countersign/internal/config"
	"countersign/internal/program"
	"countersign/reading/ocr"
)

func main() {
	ocr.Child() // children that decode documents are this very program
	program.Program{Name: "worker", Purpose: "does the automatic steps of cases", Run: run}.Main()
}

// run works until the context ends.
func run(ctx context.Context, settings config.Config, log *slog.Logger) error {
	p, err := assemble(ctx, settings, log)
	if err != nil {
		return err
	}
	defer p.cleanup.Run()
	return p.serve(ctx)
}
