package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"countersign/internal/layout"
)

// Packages that are not run every time: make faults takes an hour and the whole machine, stories in
// a browser minutes.
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

// programTests are packages whose tests drive built programs, which have no race detector, or read
// source files.
var programTests = []string{
	"countersign/test/browser", "countersign/test/docs", "countersign/test/e2e",
	"countersign/internal/generate", "countersign/internal/layout",
}

// slowPackages are the packages that run longest, the longest first.
var slowPackages = []string{
	"countersign/test/browser", "countersign/test/e2e", "countersign/graph",
	"countersign/casework", "countersign/reading/ocr",
}

// slowestFirst orders the packages so that no long one starts last and runs alone: the go command
// starts tests in the order of its arguments.
func slowestFirst(packages []string) []string {
	rank := func(name string) int {
		if at := slices.Index(slowPackages, name); at >= 0 {
			return at
		}
		return len(slowPackages)
	}
	return slices.SortedStableFunc(slices.Values(packages),
		func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// racesPossible reports whether the race detector can find something in the package's tests. It
// makes pure packages five times slower; the tests of casework, tasks and graph call them
// concurrently with the detector on.
func racesPossible(name string) bool {
	return !layout.Pure(name) && !slices.Contains(programTests, name)
}

// sequentialTests are the tests, by package, that do thousands of steps one after the other or
// compare the pixels of pages. The race detector makes them several times slower and finds nothing
// in them that it does not find in the package's other tests, which run the same code with it; so
// they run without it.
var sequentialTests = map[string][]string{
	"countersign/graph": {
		"TestWrongValuesAreClientErrors", "TestForeignIDsLookMissing",
		"TestEveryLimitIsEnforced", "TestForeignIDsTakeTheSameStatements",
		"TestEveryMutationRefusesEveryViolation", "TestListsHideOthersData",
		"TestEveryOperationNeedsItsScope", "TestCaseDoesNotTellThatItIsWithAML",
	},
	"countersign/store": {"TestBatchedStepsEqualSingleSteps"},
	"countersign/reading/ocr": {
		"TestRotatedScanKeepsItsColours", "TestAScanUpsideDownIsTurnedWithItsColours",
		"TestEngineReadsLuminanceOfDisplayedPixels", "TestReadPageUpsideDown",
		"TestReadInEveryMode", "TestHashOfCopies",
	},
}

// sequentialOf returns the pattern that matches exactly the sequential tests of the packages, and
// the packages that have some.
func sequentialOf(packages []string) (pattern string, having []string) {
	var names []string
	for _, name := range packages {
		if tests := sequentialTests[name]; len(tests) > 0 {
			names, having = append(names, tests...), append(having, name)
		}
	}
	return exactly(names), having
}

// exactly is the pattern that matches exactly the names of tests; empty for none.
func exactly(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
