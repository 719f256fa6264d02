// Package program starts and stops the long-running programs: arguments, settings, the log,
// signals, exit codes, and what is undone at the end.
//
// What may enter: what server and worker do in the same way. What never happens here: knowledge of
// what a program does.
package program

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/version"
)

// Exit codes, as in sysexits.h.
const (
	exitFailed = 1
	exitUsage  = 64
)

// Program is one program.
type Program struct {
	Name    string // in the log and in messages
	Purpose string // completes "server …"
	// Run works until the context ends. Its error is reported with the recovery action.
	Run func(ctx context.Context, settings config.Config, log *slog.Logger) error
}

// Main runs the program and exits. SIGINT and SIGTERM end the context of Run.
func (p Program) Main() {
	if len(os.Args) > 1 {
		os.Exit(p.arguments(os.Args[1:], os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	config.TuneMemory()
	settings, err := config.Load()
	code := p.run(ctx, settings, err, os.Stderr)
	stop()
	os.Exit(code)
}

// arguments answers the one argument that there is, and returns the exit code.
func (p Program) arguments(args []string, out, errs io.Writer) int {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "version") {
		_, _ = fmt.Fprintln(out, version.Line(p.Name))
		return 0
	}
	_, _ = fmt.Fprintf(errs,
		"%s %s. It takes no arguments but --version; `countersign settings` lists what it reads from the environment.\n", p.Name, p.Purpose)
	return exitUsage
}

// run starts and ends the program, and returns the exit code.
func (p Program) run(ctx context.Context, settings config.Config, settingsErr error,
	to io.Writer) int {
	log := newLog(p.Name, settings.Log, to)
	if settingsErr != nil {
		log.Error("the "+p.Name+" cannot start", "error", settingsErr, "remedy",
			domain.RemedyOf(settingsErr))
		return exitFailed
	}
	if err := p.Run(ctx, settings, log); err != nil {
		log.Error("the "+p.Name+" has failed", "error", err, "remedy", domain.RemedyOf(err))
		return exitFailed
	}
	log.Info("the " + p.Name + " has stopped")
	return 0
}

// newLog writes JSON for machines, or text for people where that is set.
func newLog(name string, settings config.Log, to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.Level)) // one of a checked set; info when the settings could not be read
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(to, options)
	if settings.Format == "text" {
		handler = slog.NewTextHandler(to, options)
	}
	return slog.New(handler).With("program", name, "version", version.Number, "pid", os.Getpid())
}
