package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// sandboxPrefix begins the line in which the tests of reading/ocr/sandbox say what holds documents
// back on this machine. A run under limits alone proves less than one under bubblewrap, so the line
// is repeated next to the count.
const sandboxPrefix = "sandbox: "

// againPrefix begins the line of a story that failed once and was played again, see ADR 0111.
const againPrefix = "played again: "

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

// counter follows the packages of one run.
type counter struct {
	out      io.Writer
	total    tally
	output   map[string]*strings.Builder // output of a test or package that has not ended, by package and test
	failures map[string]int              // failed tests of a package
}

// count reads the events of a run, prints a line for each package and the output of what failed,
// and adds up.
func count(events io.Reader, out io.Writer) (tally, error) {
	c := &counter{out: out, output: map[string]*strings.Builder{}, failures: map[string]int{}}
	stream := json.NewDecoder(events)
	for {
		var e event
		err := stream.Decode(&e)
		if errors.Is(err, io.EOF) {
			return c.total, nil
		}
		if err != nil {
			return c.total, fmt.Errorf("output of go test: %w", err)
		}
		c.handle(e)
	}
}

func (c *counter) handle(e event) {
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output":
		if strings.HasPrefix(e.Output, "figure: ") {
			fmt.Fprint(c.out, e.Output) // what was measured is worth seeing when all went well, too
		}
		if strings.HasPrefix(e.Output, sandboxPrefix) {
			fmt.Fprint(c.out, e.Output)
			c.total.sandbox = strings.TrimSpace(e.Output)
		}
		if strings.HasPrefix(e.Output, againPrefix) {
			fmt.Fprint(c.out, e.Output)
			c.total.again = append(c.total.again, strings.TrimSpace(e.Output))
		}
		c.note(key, e.Output)
	case "build-output":
		c.note("build\x00"+e.ImportPath, e.Output)
	case "pass", "fail", "skip":
		c.total.timings.record(e)
		if e.Test == "" {
			c.endPackage(e, key)
		} else {
			c.endTest(e, key)
		}
		delete(c.output, key)
	}
}

func (c *counter) note(key, text string) {
	if c.output[key] == nil {
		c.output[key] = &strings.Builder{}
	}
	c.output[key].WriteString(text)
}

func (c *counter) text(key string) string {
	if c.output[key] == nil {
		return ""
	}
	return c.output[key].String()
}

func (c *counter) endTest(e event, key string) {
	switch e.Action {
	case "pass":
		c.total.passed++
	case "skip":
		c.total.skipped++
		fmt.Fprintf(c.out, "SKIP %s %s\n", e.Package, e.Test)
	case "fail":
		c.total.failed++
		c.failures[e.Package]++
		fmt.Fprintf(c.out, "FAIL %s %s\n", e.Package, e.Test)
		printIndented(c.out, c.text(key))
		c.total.failures.add(e.Package, e.Test, c.text(key))
	}
}

func (c *counter) endPackage(e event, key string) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(c.out, "ok   %s %.1f s\n", e.Package, e.Elapsed)
	case "fail":
		fmt.Fprintf(c.out, "FAIL %s %.1f s\n", e.Package, e.Elapsed)
		if e.FailedBuild != "" {
			printIndented(c.out, c.text("build\x00"+e.FailedBuild))
		}
		if c.failures[e.Package] == 0 {
			c.total.failed++ // it did not build, or died outside of any test
			c.total.failures.add(e.Package, "", c.text("build\x00"+e.FailedBuild)+c.text(key))
			printIndented(c.out, c.text(key))
			c.showUnfinished(e.Package)
		}
	}
}

// showUnfinished prints what tests said that were running when their package died.
func (c *counter) showUnfinished(pkg string) {
	for key, text := range c.output {
		if name, ok := strings.CutPrefix(key, pkg+"\x00"); ok && name != "" {
			fmt.Fprintf(c.out, "  unfinished: %s\n", name)
			printIndented(c.out, text.String())
		}
	}
}
