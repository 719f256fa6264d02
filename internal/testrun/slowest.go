package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// slowestShown is how many tests and packages a run names at its end.
const slowestShown = 10

// timing is how long a test or a package ran, as go test reports it: for a parallel test without
// the time it waited.
type timing struct {
	name    string
	seconds float64
}

// timings collects durations. They are printed for people who make the suite faster; no run fails
// because of them, since machines differ.
type timings struct {
	packages, tests []timing
}

func (t *timings) add(other timings) {
	t.packages = append(t.packages, other.packages...)
	t.tests = append(t.tests, other.tests...)
}

// record keeps the duration of a package or of a test that is no subtest, because a subtest is part
// of its parent.
func (t *timings) record(e event) {
	switch {
	case e.Test == "":
		t.packages = append(t.packages, timing{e.Package, e.Elapsed})
	case !strings.Contains(e.Test, "/"):
		t.tests = append(t.tests, timing{e.Package + "." + e.Test, e.Elapsed})
	}
}

// print writes the slowest packages and tests, the slowest first.
func (t timings) print(out io.Writer) {
	for _, list := range []struct {
		title string
		all   []timing
	}{{"packages", t.packages}, {"tests", t.tests}} {
		slowest := slices.SortedStableFunc(slices.Values(list.all),
			func(a, b timing) int { return cmp.Compare(b.seconds, a.seconds) })
		if len(slowest) == 0 {
			continue
		}
		fmt.Fprintf(out, "== slowest %s\n", list.title)
		for _, one := range slowest[:min(slowestShown, len(slowest))] {
			fmt.Fprintf(out, "%8.1f s %s\n", one.seconds,
				strings.TrimPrefix(one.name, "countersign/"))
		}
	}
}
