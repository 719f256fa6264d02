package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/devservices"
)

// runFrontendScripts runs scripts of the frontend, each of which is one test. Drift writes the
// generated files again, so it runs before tests that read them.
func runFrontendScripts(ctx context.Context, out io.Writer, scripts ...string) (total tally,
	err error) {
	checkout, err := devservices.Checkout()
	if err != nil {
		return tally{}, err
	}
	for _, script := range scripts {
		cmd := exec.CommandContext(ctx, "npm", "run", "--silent", script)
		cmd.Dir = filepath.Join(checkout, "frontend")
		if said, err := cmd.CombinedOutput(); err != nil {
			total.failed++
			fmt.Fprintf(out, "FAIL npm run %s: %v\n", script, err)
			printIndented(out, string(said))
			continue
		}
		total.passed++
	}
	return total, nil
}

// runFrontendChecks proves the application of the browser by itself: style and types, then its own
// tests.
func runFrontendChecks(ctx context.Context, out io.Writer) (tally, error) {
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	fmt.Fprintln(out, "== pages")
	total, err := runFrontendScripts(ctx, out, "lint", "types")
	if err != nil {
		return total, err
	}
	counted, err := unitTests(ctx, out)
	total.add(counted)
	fmt.Fprintf(out, "== pages: %s in %.0f s\n", total, time.Since(begin).Seconds())
	return total, err
}

// unitTests runs vitest and counts its report; a file that could not be run at all is one failure.
func unitTests(ctx context.Context, out io.Writer) (tally, error) {
	checkout, err := devservices.Checkout()
	if err != nil {
		return tally{}, err
	}
	folder, err := os.MkdirTemp("", "countersign-pages-")
	if err != nil {
		return tally{}, fmt.Errorf("vitest: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	report := filepath.Join(folder, "report.json")
	cmd := exec.CommandContext(ctx, "node_modules/.bin/vitest", "run", "--reporter=json",
		"--outputFile="+report)
	cmd.Dir = filepath.Join(checkout, "frontend")
	cmd.Env = append(cmd.Environ(), "CI=true", "NO_COLOR=1")
	said, failed := cmd.CombinedOutput()
	content, err := os.ReadFile(report)
	if err != nil {
		return tally{}, fmt.Errorf("vitest wrote no report: %w: %s", failed, said)
	}
	counted, err := countVitest(content, out)
	if err != nil {
		return counted, err
	}
	if failed != nil && counted.failed == 0 {
		counted.failed++
		fmt.Fprintln(out, "FAIL vitest:", failed)
		printIndented(out, string(said))
	}
	return counted, nil
}

// countVitest adds up a report of vitest and prints what failed.
func countVitest(content []byte, out io.Writer) (tally, error) {
	var report struct {
		TestResults []struct {
			Name, Status, Message string
			AssertionResults      []struct {
				FullName, Status string
				FailureMessages  []string
			}
		}
	}
	if err := json.Unmarshal(content, &report); err != nil {
		return tally{}, fmt.Errorf("the report of vitest: %w", err)
	}
	var total tally
	for _, file := range report.TestResults {
		if len(file.AssertionResults) == 0 && file.Status != "passed" {
			total.failed++
			total.failures.add(file.Name, "", file.Message)
			fmt.Fprintln(out, "FAIL", file.Name)
			printIndented(out, file.Message+"\n")
		}
		for _, test := range file.AssertionResults {
			switch test.Status {
			case "passed":
				total.passed++
			case "failed":
				total.failed++
				total.failures.add(file.Name, test.FullName, strings.Join(test.FailureMessages, "\n"))
				fmt.Fprintln(out, "FAIL", file.Name, test.FullName)
				printIndented(out, strings.Join(test.FailureMessages, "\n")+"\n")
			default:
				total.skipped++
				fmt.Fprintln(out, "SKIP", file.Name, test.FullName)
			}
		}
	}
	return total, nil
}
