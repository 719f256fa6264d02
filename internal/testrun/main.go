// Command testrun runs the Go tests of the tree on real services and ends with the line "N passed, N failed".
//
// What may enter: starting what the tests share, running them, counting. What never happens here: a test that is
// left out silently, an exit code that does not say what happened.
//
// It starts one throw-away Postgres for all packages, from the pinned binaries, and hands it to them as
// TEST_DATABASE_URL. With -installed it then runs the tests that touch SQL once more on the server the system
// installed, which is what many operators will use.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
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
	flag.BoolVar(&o.installed, "installed", false, "also run the SQL tests on the Postgres that the system installed")
	flag.BoolVar(&o.pages, "pages", false, "first prove the application of the browser by itself")
	flag.StringVar(&o.run, "run", "", "only tests whose name matches")
	flag.StringVar(&o.timeout, "timeout", "40m", "longest time for one package")
	flag.Parse()
	o.packages = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	total, err := runAll(ctx, o)
	stop()
	total.timings.print(os.Stdout)
	fmt.Printf("== the whole run took %.0f s\n", time.Since(begin).Seconds())
	if err != nil {
		fmt.Println("testrun:", errorText(err))
	}
	if total.sandbox != "" {
		fmt.Println(total.sandbox)
	}
	fmt.Println(total)
	if err != nil || total.failed > 0 || total.passed == 0 {
		os.Exit(1)
	}
}

// errorText is what a person needs to know of an error, with the way out.
func errorText(err error) string {
	return strings.TrimSpace(err.Error() + " " + domain.RemedyOf(err))
}

// runAll runs every phase and adds up; a phase that could not run at all is an error.
func runAll(ctx context.Context, o options) (tally, error) {
	var total tally
	if len(o.packages) == 0 {
		var err error
		if o.packages, err = everyPackage(ctx, o.short); err != nil {
			return total, err
		}
	}
	if o.pages {
		counted, err := runFrontendChecks(ctx, os.Stdout)
		total.add(counted)
		if err != nil {
			return total, fmt.Errorf("pages: %w", err)
		}
	}
	built, err := buildPrograms(ctx)
	if err != nil {
		return total, err
	}
	defer func() { _ = os.RemoveAll(built) }()
	o.programs = built
	phases := []phase{{name: "pinned Postgres", packages: o.packages}}
	if o.installed {
		bin := devservices.InstalledPostgres()
		if bin == "" {
			return total, errors.New("no installed Postgres was found; scripts/install.sh --tests installs one")
		}
		phases = append(phases, phase{name: "installed Postgres (" + bin + ")", binaries: bin, packages: sqlPackages})
	}
	for _, p := range phases {
		counted, err := p.execute(ctx, o)
		total.add(counted)
		if err != nil {
			return total, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return total, nil
}

// Packages that are not run every time: make faults takes an hour and the whole machine, stories in a browser minutes.
const (
	faultPackage   = "countersign/test/faults"
	browserPackage = "countersign/test/browser"
)

// separateCommand is the command that runs the package, if this run does not.
func separateCommand(name string, short bool) string {
	switch {
	case name == faultPackage || strings.HasPrefix(name, faultPackage+"/"):
		return "make faults"
	case short && name == browserPackage:
		return "make test"
	}
	return ""
}

// everyPackage lists the packages of the tree but those that are left to another command.
func everyPackage(ctx context.Context, short bool) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("go list: %s", exit.Stderr)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []string
	for _, name := range strings.Fields(string(out)) {
		if command := separateCommand(name, short); command != "" {
			fmt.Printf("left to %s: %s\n", command, name)
			continue
		}
		packages = append(packages, name)
	}
	return packages, nil
}

// phase is one run of the go command on one server.
type phase struct {
	name, binaries string
	packages       []string
}

func (p phase) execute(ctx context.Context, o options) (counted tally, err error) {
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	server, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{Binaries: p.binaries})
	if err != nil {
		return counted, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	fmt.Println("==", p.name)
	temp, err := openTemp()
	if err != nil {
		return counted, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	cmd := exec.CommandContext(ctx, "go", p.arguments(o)...)
	cmd.Env = append(cmd.Environ(), "TEST_DATABASE_URL="+server.URL("postgres"), "COUNTERSIGN_TEST_PROGRAMS="+o.programs, "TMPDIR="+temp)
	if o.race {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1") // the detector is written in C
	}
	cmd.Stderr = os.Stderr
	// On Ctrl-C the go command is interrupted itself and lets its tests end; after a while it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return counted, fmt.Errorf("go test: %w", err)
	}
	counted, err = count(out, os.Stdout)
	waitErr := cmd.Wait()
	fmt.Printf("== %s: %s in %.0f s\n", p.name, counted, time.Since(begin).Seconds())
	var exit *exec.ExitError
	if errors.As(waitErr, &exit) && ctx.Err() == nil && counted.failed > 0 {
		waitErr = nil // it failed because tests did, and those are counted
	}
	return counted, errors.Join(err, ctx.Err(), waitErr)
}

// buildPrograms builds what the test processes start, once for all of them.
func buildPrograms(ctx context.Context) (string, error) {
	folder, err := os.MkdirTemp("", "countersign-built-")
	if err == nil {
		err = devservices.BuildPrograms(ctx, folder)
	}
	return folder, err
}

// openTemp makes the folder for what the tests write, which accounts of servers may enter.
func openTemp() (string, error) {
	dir, err := os.MkdirTemp("", "countersign-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("temp folder: %w", err)
	}
	devservices.SpreadSubdirectories(dir)
	return dir, nil
}

func (p phase) arguments(o options) []string {
	// go vet runs over all packages in make lint, so the smaller set that go test would run again is off.
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=" + o.timeout}
	if o.race {
		args = append(args, "-race")
	}
	if o.short {
		args = append(args, "-short")
	}
	if o.run != "" {
		args = append(args, "-run="+o.run)
	}
	return append(args, p.packages...)
}

// tally counts tests; a package that does not build, or dies outside its tests, is one failure.
type tally struct {
	passed, failed, skipped int
	sandbox                 string // the line that says what held documents back; empty if that was not tested
	timings                 timings
}

func (t *tally) add(other tally) {
	if other.sandbox != "" {
		t.sandbox = other.sandbox
	}
	t.passed, t.failed, t.skipped = t.passed+other.passed, t.failed+other.failed, t.skipped+other.skipped
	t.timings.add(other.timings)
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
