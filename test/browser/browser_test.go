// Package browser walks the pages in a real Chromium, and the main path in a real Firefox: the built application served by the real
// server, with a worker, a Postgres and a Redis of its own for each file of stories.
//
// What may enter: starting the environment of a file of stories, running it, reporting each story
// as a test. What never happens here: a step of a story; those are TypeScript, in frontend/test/browser.
package browser

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"countersign/frontend"
	"countersign/internal/devservices"
	"countersign/reading/ocr"
	"countersign/test/testcluster"
)

// photograph lets stories that pass take screenshots, for people who look at the pages. No story
// reads them.
var photograph = flag.Bool("photograph", false, "save screenshots of all pages in .data/pages")

// slow delays answers and live events by a random time and slows pages down, to find stories that
// depend on the speed of the machine.
var slow = flag.Bool("slow", false, "delay answers and live events, and slow pages down")

// parallelFiles is how many files of stories run concurrently: each waits for pages more than it
// computes.
const parallelFiles = 3

func TestMain(m *testing.M) {
	ocr.Child()
	os.Exit(testcluster.Main(m))
}

// TestStories plays the stories that print no figure.
func TestStories(t *testing.T) {
	t.Parallel()
	checkout, browsers := requireBrowsers(t)
	_, others := splitMeasuring(t, checkout)
	var players sync.WaitGroup
	waiting := make(chan string)
	for range parallelFiles {
		players.Go(func() {
			for file := range waiting {
				play(t, checkout, file, browsers)
			}
		})
	}
	for _, file := range others {
		waiting <- file
	}
	close(waiting)
	players.Wait()
}

// TestFigures plays the stories that print a figure, one file after the other. testrun runs it when
// everything else has ended, so that the figures are of a machine that does one thing.
func TestFigures(t *testing.T) {
	t.Parallel()
	checkout, browsers := requireBrowsers(t)
	measuring, _ := splitMeasuring(t, checkout)
	for _, file := range measuring {
		play(t, checkout, file, browsers)
	}
}

// requireBrowsers returns the folder of the checkout and the browsers, and fails the test where the
// page is not built.
func requireBrowsers(t *testing.T) (string, browsers) {
	t.Helper()
	if !frontend.Built() {
		t.Fatal("the page is not built: make build")
	}
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return checkout, findBrowsers(t)
}

// play runs one file of stories as a test.
func play(t *testing.T, checkout, file string, browsers browsers) {
	t.Helper()
	t.Run(strings.TrimSuffix(filepath.Base(file), ".story.ts"),
		func(t *testing.T) { runStories(t, checkout, file, browsers) })
}

// splitMeasuring parts the files that print a figure from the others.
func splitMeasuring(t *testing.T, checkout string) (measuring, others []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(checkout, "frontend/test/browser/*.story.ts"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("figure(")) {
			measuring = append(measuring, file)
		} else {
			others = append(others, file)
		}
	}
	return measuring, others
}
