package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fileTimeout bounds one file of stories. A bench has the time that the run has.
const fileTimeout = 30 * time.Minute

const (
	// maxFailedStories is how many failed stories of a file let it be played a second time.
	maxFailedStories = 2
	// maxSecondPlays is how many files of a run are played a second time.
	maxSecondPlays = 3
)

// secondPlays counts the files that were played a second time.
var secondPlays atomic.Int32

// runStories plays one file of stories and reports each as a test. A file with one or two failed
// stories is played a second time, in a new environment, and then the second result counts. The first
// failures are printed, and the run repeats them above its last line, see ADR 0111.
func runStories(t *testing.T, checkout, file string, browsers browsers) {
	stories := playFile(t, checkout, file, browsers)
	if failed := failedOf(stories); len(failed) > 0 && len(failed) <= maxFailedStories &&
		secondPlays.Add(1) <= maxSecondPlays {
		for _, one := range failed {
			fmt.Printf("played again: %s: %s: %s\n", filepath.Base(file), one.FullName, one.reason())
		}
		stories = playFile(t, checkout, file, browsers)
	}
	for _, one := range stories {
		t.Run(one.FullName, func(t *testing.T) {
			if one.Status != passed {
				t.Errorf("%s\n%s", one.Status, strings.Join(one.FailureMessages, "\n"))
			}
		})
	}
}

// playFile plays a file of stories in an environment of its own, and fails the test if that was not
// possible.
func playFile(t *testing.T, checkout, file string, browsers browsers) []story {
	t.Helper()
	e := newTestEnv(t)
	screenshots := filepath.Join(checkout, ".data", "pages")
	if err := os.MkdirAll(screenshots, 0o755); err != nil { //nolint:gosec // pictures that are no secret
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	ends := time.Now().Add(fileTimeout)
	if deadline, known := t.Deadline(); known && strings.HasSuffix(file, ".bench.ts") {
		ends = deadline.Add(-time.Minute)
	}
	ctx, cancel := context.WithDeadline(t.Context(), ends)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node_modules/.bin/vitest", "run", "--config",
		"test/browser/vitest.config.ts", "--reporter=json",
		"--outputFile="+report, file)
	cmd.WaitDelay = 20 * time.Second // its children hold the output open after the timeout
	cmd.Dir = filepath.Join(checkout, "frontend")
	cmd.Env = append(cmd.Environ(), "BROWSER_ENVIRONMENT="+e.description(browsers, screenshots),
		"CI=true", "NO_COLOR=1")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	failed := cmd.Run()
	for line := range strings.Lines(said.String()) {
		if strings.HasPrefix(line, "figure: ") {
			fmt.Print(line)
		}
		if shown, of := strings.CutPrefix(line, "shown: "); of { // by the pages of a story that failed
			t.Log(strings.TrimSpace(shown))
		}
		if spoken, of := strings.CutPrefix(line, "spoken: "); of { // by a screen reader
			t.Log(strings.TrimRight(spoken, "\n"))
		}
	}
	stories, err := readReport(report)
	if err != nil {
		t.Fatalf("%v: %v\n%s", err, failed, said.String())
	}
	if len(stories) == 0 || failed != nil && len(failedOf(stories)) == 0 {
		t.Fatalf("%d stories; %v\n%s", len(stories), failed, said.String())
	}
	return stories
}

const passed = "passed"

// story is one test of the report.
type story struct {
	FullName, Status string
	FailureMessages  []string
}

// reason is the first line of the first failure.
func (s story) reason() string {
	line, _, _ := strings.Cut(strings.Join(s.FailureMessages, "\n"), "\n")
	return line
}

func failedOf(stories []story) []story {
	return slices.DeleteFunc(slices.Clone(stories), func(one story) bool { return one.Status == passed })
}

func readReport(path string) ([]story, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("no report: %w", err)
	}
	var report struct {
		TestResults []struct{ AssertionResults []story }
	}
	if err := json.Unmarshal(content, &report); err != nil {
		return nil, fmt.Errorf("the report: %w", err)
	}
	var stories []story
	for _, file := range report.TestResults {
		stories = append(stories, file.AssertionResults...)
	}
	return stories, nil
}
