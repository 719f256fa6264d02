package main

import (
	"fmt"
	"io"
	"strings"
)

// failureLines is how many lines of a failed test the end of a run repeats.
const failureLines = 8

// failure is a test that failed, or a package that did not build or died: then test is empty.
type failure struct {
	pkg, test string
	text      []string // the first lines of its output, without those of go test and of logs
}

// failures are repeated at the end of a run, because a log of many thousand lines is often kept only
// in part, and its end is what people read first.
type failures []failure

func (f *failures) add(pkg, test, output string) {
	one := failure{pkg: pkg, test: test}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || addedByGo(trimmed) || strings.HasPrefix(trimmed, `{"time":`) {
			continue
		}
		if one.text = append(one.text, line); len(one.text) == failureLines {
			break
		}
	}
	*f = append(*f, one)
}

func addedByGo(line string) bool {
	return strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- FAIL")
}

// print writes the failed tests. A test of which a subtest is listed is left out, because the subtest
// says more.
func (f failures) print(out io.Writer) {
	if len(f) == 0 {
		return
	}
	fmt.Fprintln(out, "== failed")
	for _, one := range f {
		if f.containSubtest(one) {
			continue
		}
		fmt.Fprintln(out, strings.TrimSpace("FAIL "+one.pkg+" "+one.test))
		for _, line := range one.text {
			fmt.Fprintln(out, "   ", line)
		}
	}
}

func (f failures) containSubtest(parent failure) bool {
	for _, one := range f {
		if one.pkg == parent.pkg && parent.test != "" && strings.HasPrefix(one.test, parent.test+"/") {
			return true
		}
	}
	return false
}
