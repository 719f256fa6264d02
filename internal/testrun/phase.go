package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"countersign/internal/devservices"
)

// figureStories is the test with the stories that print figures.
const figureStories = "^TestFigures$"

// reportExit runs a test binary and prints its exit status if that is not zero. The go command
// leaves the status out once a binary has printed something, so a binary that exits in the middle of
// its tests would not say how.
const reportExit = `sh -c '"$@"; code=$?; [ $code -eq 0 ] || echo "exit status $code"; exit $code' sh`

// phase is the tests of some packages on one server.
type phase struct {
	name, binaries string
	packages       []string
}

// group is one run of the go command. The packages of a phase are up to four groups when the race
// detector is on.
type group struct {
	race      bool
	packages  []string
	run, skip string // patterns of the tests, empty for all and none
}

// stages are the groups of a phase: first those that run concurrently with the stories in a browser,
// one after the other, then those that measure and so run alone.
type stages struct {
	groups, stories, alone []group
}

// stages splits the packages of the phase. With the race detector run the tests in which it can find
// something; the others run without it. Stories wait for pages more than they compute, so they
// begin concurrently with the other tests; those that print figures come last.
func (p phase) stages(o options) (stages, error) {
	packages := slowestFirst(p.packages)
	if !o.race {
		return stages{groups: []group{{packages: packages, run: o.run}}}, nil
	}
	var with, sequential, without []string
	var split stages
	for _, name := range packages {
		switch {
		case name == browserPackage && o.run == "":
			split.stories = []group{{packages: []string{name}, skip: figureStories}}
			split.alone = []group{{packages: []string{name}, run: figureStories}}
		case o.run == "" && slices.Contains(sequentialPackages, name):
			sequential = append(sequential, name)
		case racesPossible(name):
			with = append(with, name)
		default:
			without = append(without, name)
		}
	}
	if o.run != "" {
		split.groups = nonEmpty(group{race: true, packages: with, run: o.run},
			group{packages: without, run: o.run})
		return split, nil
	}
	concurrent, starting, err := concurrentOf(sequential)
	if err != nil {
		return split, err
	}
	alone, having := sequentialOf(with)
	split.groups = nonEmpty(
		group{race: true, packages: with, skip: alone},
		group{race: true, packages: starting, run: concurrent},
		group{packages: having, run: alone},
		group{packages: append(sequential, without...), skip: concurrent})
	return split, nil
}

// nonEmpty leaves out the groups without packages.
func nonEmpty(groups ...group) []group {
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.packages) == 0 })
}

// execute starts a server and runs the tests of the phase on it. What they say goes to out.
func (p phase) execute(ctx context.Context, o options, out io.Writer) (counted tally, err error) {
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	split, err := p.stages(o)
	if err != nil {
		return counted, err
	}
	server, err := devservices.StartPostgres(ctx,
		devservices.PostgresOptions{Binaries: p.binaries, InMemory: true})
	if err != nil {
		return counted, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	fmt.Fprintln(out, "==", p.name)
	temp, err := openTemp()
	if err != nil {
		return counted, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	environment := []string{"TEST_DATABASE_URL=" + server.URL("postgres"),
		"COUNTERSIGN_TEST_PROGRAMS=" + o.programs, "TMPDIR=" + temp}
	run := func(groups []group, out io.Writer) (total tally, err error) {
		for _, g := range groups {
			one, groupErr := g.execute(ctx, o, environment, out)
			total.add(one)
			if err = errors.Join(err, groupErr); err != nil {
				break
			}
		}
		return total, err
	}
	var stories tally
	var storiesErr error
	var said bytes.Buffer
	var browser sync.WaitGroup
	browser.Go(func() { stories, storiesErr = run(split.stories, &said) })
	counted, err = run(split.groups, out)
	browser.Wait()
	_, _ = out.Write(said.Bytes())
	counted.add(stories)
	if err = errors.Join(err, storiesErr); err == nil {
		var alone tally
		alone, err = run(split.alone, out)
		counted.add(alone)
	}
	fmt.Fprintf(out, "== %s: %s in %.0f s\n", p.name, counted, time.Since(begin).Seconds())
	return counted, err
}

// execute runs the go command and counts what its tests report.
func (g group) execute(
	ctx context.Context, o options, environment []string, out io.Writer,
) (tally, error) {
	cmd := exec.CommandContext(ctx, "go", g.arguments(o)...)
	cmd.Env = append(cmd.Environ(), environment...)
	if g.race {
		// The detector is written in C. By default each process sleeps a second at its end.
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1", "GORACE=atexit_sleep_ms=50")
	}
	cmd.Stderr = os.Stderr
	// On Ctrl-C the go command is interrupted itself and lets its tests end; after a while it is
	// killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	report, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return tally{}, fmt.Errorf("go test: %w", err)
	}
	counted, err := count(report, out)
	waitErr := cmd.Wait()
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

// passwordHash is the library that hashes passwords. The race detector would follow each access to
// the 19 MiB of a hash, which no other goroutine sees, and double the time of the tests of identity.
const passwordHash = "golang.org/x/crypto/argon2"

func (g group) arguments(o options) []string {
	// go vet runs over all packages in make lint, so the smaller set that go test would run again
	// is off.
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout=" + o.timeout,
		"-exec=" + reportExit}
	if g.race {
		args = append(args, "-race", "-gcflags="+passwordHash+"=-race=false")
	}
	if o.short {
		args = append(args, "-short")
	}
	if g.run != "" {
		args = append(args, "-run="+g.run)
	}
	if g.skip != "" {
		args = append(args, "-skip="+g.skip)
	}
	return append(args, g.packages...)
}
