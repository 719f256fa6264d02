// Package faults kills, freezes, empties and cuts off the real parts while documents are under way,
// and demands that nothing is lost, nothing is done twice, and work continues within its time. It
// is run by make faults.
//
// What may enter: faults of machines and networks, measured. What never happens here: a fault that
// is only acted.
package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/reading/ocr"
	"countersign/test/testcluster"
)

// timings collects the figures of all tests, to be printed as one table.
var timings struct {
	sync.Mutex
	lines []string
}

// recordTiming keeps a measured time beside what it may be at most, and fails the test when it is
// more.
func recordTiming(t *testing.T, what string, took, atMost time.Duration) {
	t.Helper()
	line := fmt.Sprintf("%-78s %8.2f s   at most %6.1f s", what, took.Seconds(), atMost.Seconds())
	t.Log(line)
	timings.Lock()
	timings.lines = append(timings.lines, line)
	timings.Unlock()
	if took > atMost {
		t.Errorf("%s took %s, at most %s", what, took, atMost)
	}
}

// machineMutex lets one test run at a time, so that no figure includes another test's load.
var machineMutex sync.Mutex

func exclusive(t *testing.T) {
	t.Helper()
	machineMutex.Lock()
	t.Cleanup(machineMutex.Unlock)
}

func TestMain(m *testing.M) {
	ocr.Child()
	code := testcluster.Main(m)
	printTimings()
	os.Exit(code)
}

// printTimings prints the table, and leaves it in .data/faults.txt for those who run the tests by
// another program.
func printTimings() {
	if len(timings.lines) == 0 {
		return
	}
	var table string
	for _, line := range timings.lines {
		table += line + "\n"
	}
	fmt.Print(table)
	checkout, err := devservices.Checkout()
	if err != nil {
		return
	}
	folder := filepath.Join(checkout, ".data")
	if err := os.MkdirAll(folder, 0o755); err == nil { //nolint:gosec // no secret lies in figures
		_ = os.WriteFile(filepath.Join(folder, "faults.txt"), []byte(table), 0o644) //nolint:gosec // no secret lies in figures
	}
}
