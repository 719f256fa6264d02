// Command testrun runs the Go tests of the tree on real services and ends with the line "N passed,
// N failed".
//
// What may enter: starting what the tests share, running them, counting. What never happens here: a
// test that is left out silently, an exit code that does not say what happened.
//
// It starts one throw-away Postgres for all packages, from the pinned binaries, and hands it to
// them as TEST_DATABASE_URL. With -installed it then runs the tests that touch SQL once more on the
// server the system installed, which is what many operators will use.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"countersign/domain"
	"countersign/internal/devservices"
)

// sqlPackages are run on both servers.
var sqlPackages = []string{"./store/...", "./migrations/..."}

type options struct {
	race, short, installed, pages bool
	run, timeout                  string
	packages                      []string
	programs                      string // folder of the built programs, which every test process shares
}

func main() {
	var o options
	flag.BoolVar(&o.race, "race", false, "with the race detector")
	flag.BoolVar(&o.short, "short", false, "tell the tests to be short")
	flag.BoolVar(&o.installed, "installed", false,
		"also run the SQL tests on the Postgres that the system installed")
	flag.BoolVar(&o.pages, "pages", false, "also prove the application of the browser by itself")
	flag.StringVar(&o.run, "run", "", "only tests whose name matches")
	flag.StringVar(&o.timeout, "timeout", "70m", "longest time for one package")
	flag.Parse()
	o.packages = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	total, err := runAll(ctx, o)
	stop()
	total.timings.print(os.Stdout)
	total.failures.print(os.Stdout)
	fmt.Printf("== the whole run took %.0f s\n", time.Since(begin).Seconds())
	if err != nil {
		fmt.Println("testrun:", errorText(err))
	}
	for _, line := range total.again {
		fmt.Println(line)
	}
	if total.sandbox != "" {
		fmt.Println(total.sandbox)
	}
	fmt.Println(total)
	if err != nil || total.failed > 0 || total.passed == 0 {
		os.Exit(1)
	}
}

// errorText is an error as a sentence with its remedy.
func errorText(err error) string {
	return strings.TrimSpace(err.Error() + " " + domain.RemedyOf(err))
}

// runAll proves the application of the browser beside the Go tests, because neither alone keeps all
// processors busy, and adds up.
func runAll(ctx context.Context, o options) (tally, error) {
	var generated, pages tally
	var pagesErr error
	var checks sync.WaitGroup
	if o.pages {
		var err error
		if generated, err = runFrontendScripts(ctx, os.Stdout, "drift"); err != nil {
			return generated, fmt.Errorf("pages: %w", err)
		}
		checks.Go(func() {
			var said bytes.Buffer
			pages, pagesErr = runFrontendChecks(ctx, &said)
			_, _ = os.Stdout.Write(said.Bytes())
		})
	}
	total, err := runPhases(ctx, o)
	checks.Wait()
	total.add(generated)
	total.add(pages)
	if pagesErr != nil {
		err = errors.Join(err, fmt.Errorf("pages: %w", pagesErr))
	}
	return total, err
}

// runPhases runs the tests on both servers concurrently; a phase that could not run at all is an
// error.
func runPhases(ctx context.Context, o options) (tally, error) {
	var total tally
	if len(o.packages) == 0 {
		var err error
		if o.packages, err = everyPackage(ctx, o.short); err != nil {
			return total, err
		}
	}
	built, err := buildPrograms(ctx)
	if err != nil {
		return total, err
	}
	defer func() { _ = os.RemoveAll(built) }()
	o.programs = built
	first := phase{name: "pinned Postgres", packages: o.packages}
	if !o.installed {
		total, err = first.execute(ctx, o, os.Stdout)
		return total, named(first.name, err)
	}
	bin := devservices.InstalledPostgres()
	if bin == "" {
		return total, errors.New(
			"no installed Postgres was found; scripts/install.sh --tests installs one")
	}
	second := phase{name: "installed Postgres (" + bin + ")", binaries: bin,
		packages: sqlPackages}
	var counted tally
	var secondErr error
	var said bytes.Buffer
	var installed sync.WaitGroup
	installed.Go(func() { counted, secondErr = second.execute(ctx, o, &said) })
	total, err = first.execute(ctx, o, os.Stdout)
	installed.Wait()
	_, _ = os.Stdout.Write(said.Bytes())
	total.add(counted)
	return total, errors.Join(named(first.name, err), named(second.name, secondErr))
}

// named puts the name of a phase before its error.
func named(phase string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", phase, err)
	}
	return nil
}

// tally counts tests; a package that does not build, or dies outside its tests, is one failure.
type tally struct {
	passed, failed, skipped int
	sandbox                 string   // the line that says what held documents back; empty if that was not tested
	again                   []string // the lines of stories that were played again
	timings                 timings
	failures                failures
}

func (t *tally) add(other tally) {
	if other.sandbox != "" {
		t.sandbox = other.sandbox
	}
	t.passed, t.failed, t.skipped = t.passed+other.passed, t.failed+other.failed,
		t.skipped+other.skipped
	t.timings.add(other.timings)
	t.failures = append(t.failures, other.failures...)
	t.again = append(t.again, other.again...)
}

// String is the line a run ends with.
func (t tally) String() string {
	text := fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return text
}

// printIndented prints text with its lines set in.
func printIndented(out io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprint(out, "    ", line)
	}
}
