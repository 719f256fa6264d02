package main

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/devservices"
)

// ran runs the go command over one made-up package and counts.
func ran(t *testing.T, source string) (tally, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module made\ngo 1.26\n",
		"made_test.go": "package made\n" + source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-json", "./...")
	cmd.Dir = dir
	out, _ := cmd.Output() // a failing package is what some cases want
	var said strings.Builder
	counted, err := count(strings.NewReader(string(out)), &said)
	if err != nil {
		t.Fatal(err)
	}
	return counted, said.String()
}

func TestCount(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		source, line, says string
	}{
		"all pass": {`import "testing"
			func TestA(t *testing.T) { t.Run("one", func(t *testing.T) {}) }`, "2 passed, 0 failed", "ok   made"},
		"one fails": {`import "testing"
			func TestA(t *testing.T) {}
			func TestB(t *testing.T) { t.Error("because") }`, "1 passed, 1 failed", "because"},
		"one is skipped": {`import "testing"
			func TestA(t *testing.T) { t.Skip("no reason") }`, "0 passed, 0 failed, 1 skipped", "SKIP made TestA"},
		"does not build": {`import "testing"
			func TestA(t *testing.T) { undefined() }`, "0 passed, 1 failed", "undefined: undefined"},
		"panics": {`import "testing"
			func TestA(t *testing.T) { panic("oh") }`, "0 passed, 1 failed", "panic: oh"},
		"story played again": {`import ("fmt"; "testing")
			func TestA(t *testing.T) { fmt.Println("played again: a.story.ts: one: because") }`,
			"1 passed, 0 failed", "played again: a.story.ts: one: because\n"},
		"dies": {`import ("os"; "testing")
			func TestA(t *testing.T) { println("last words"); os.Exit(3) }`, "0 passed, 1 failed", "FAIL made"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counted, said := ran(t, tc.source)
			if counted.String() != tc.line || !strings.Contains(said, tc.says) {
				t.Errorf("counted %s, want %s; said:\n%s", counted, tc.line, said)
			}
		})
	}
}

func TestSandboxModeIsPrintedWithTheCount(t *testing.T) {
	t.Parallel()
	counted, said := ran(t, `import ("fmt"; "testing")
		func TestA(t *testing.T) { fmt.Println("sandbox: LIMITS ONLY") }`)
	total := tally{}
	total.add(counted)
	total.add(tally{passed: 1})
	if total.sandbox != "sandbox: LIMITS ONLY" || !strings.Contains(said,
		"sandbox: LIMITS ONLY\n") || total.passed != 2 {
		t.Errorf("kept %q of %+v; said:\n%s", total.sandbox, total, said)
	}
}

func TestCountOfNonsense(t *testing.T) {
	t.Parallel()
	if _, err := count(strings.NewReader("not json"), &strings.Builder{}); err == nil {
		t.Error("nonsense was counted")
	}
}

func TestPhaseThatCannotRun(t *testing.T) {
	t.Parallel()
	p := phase{name: "no server", binaries: t.TempDir()}
	if _, err := p.execute(t.Context(), options{}, &strings.Builder{}); err == nil ||
		!strings.Contains(errorText(err), "holds no Postgres") {
		t.Errorf("got %v", err)
	}
}

func TestTheSlowestAreNamed(t *testing.T) {
	t.Parallel()
	var all timings
	for i := range 12 {
		all.record(event{Package: "countersign/a", Test: "Test" + string(rune('A'+i)),
			Elapsed: float64(i)})
	}
	all.record(event{Package: "countersign/a", Test: "TestL/part", Elapsed: 99})
	all.record(event{Package: "countersign/a", Elapsed: 20})
	var said strings.Builder
	all.print(&said)
	want := "== slowest packages\n    20.0 s a\n== slowest tests\n    11.0 s a.TestL\n"
	if !strings.HasPrefix(said.String(), want) || strings.Count(said.String(), "\n") != 13 {
		t.Errorf("said:\n%s", said.String())
	}
}

// staged are the stages of the phase.
func staged(t *testing.T, p phase, o options) stages {
	t.Helper()
	split, err := p.stages(o)
	if err != nil {
		t.Fatal(err)
	}
	return split
}

func TestSlowPackagesStartFirst(t *testing.T) {
	t.Parallel()
	p := phase{packages: []string{"countersign/authz", "countersign/casework", "countersign/graph",
		"countersign/test/docs", "countersign/test/e2e", "countersign/test/browser"}}
	want := "countersign/test/browser countersign/test/e2e countersign/graph countersign/casework " +
		"countersign/authz countersign/test/docs"
	if started := strings.Join(staged(t, p, options{}).groups[0].packages, " "); started != want {
		t.Errorf("started %s", started)
	}
}

func TestPackagesWithoutRacesComeLast(t *testing.T) {
	t.Parallel()
	p := phase{packages: []string{"countersign/expr", "countersign/tasks",
		"countersign/test/e2e", "countersign/live"}}
	groups := staged(t, p, options{race: true}).groups
	if len(groups) != 2 || !groups[0].race || strings.Join(groups[0].packages,
		" ") != "countersign/tasks countersign/live" ||
		groups[1].race || strings.Join(groups[1].packages,
		" ") != "countersign/test/e2e countersign/expr" {
		t.Errorf("groups: %+v", groups)
	}
	if groups := staged(t, p, options{}).groups; len(groups) != 1 || groups[0].race ||
		len(groups[0].packages) != 4 {
		t.Errorf("groups without the detector: %+v", groups)
	}
}

// Every story is in exactly one of the two runs of its package.
func TestStoriesRunBesideTheOtherTests(t *testing.T) {
	t.Parallel()
	p := phase{packages: []string{"countersign/expr", browserPackage}}
	split := staged(t, p, options{race: true})
	if len(split.groups) != 1 || len(split.stories) != 1 || len(split.alone) != 1 ||
		split.stories[0].skip != split.alone[0].run || split.alone[0].run == "" ||
		split.stories[0].race || split.stories[0].run+split.alone[0].skip != "" ||
		split.stories[0].packages[0] != browserPackage ||
		split.alone[0].packages[0] != browserPackage {
		t.Errorf("stages: %+v", split)
	}
	// Chosen tests run once.
	if split := staged(t, p, options{race: true, run: "TestX"}); len(split.stories)+
		len(split.alone) != 0 || len(split.groups) != 1 || len(split.groups[0].packages) != 2 {
		t.Errorf("stages of chosen tests: %+v", split)
	}
}

func TestSequentialTestsRunWithoutTheDetector(t *testing.T) {
	t.Parallel()
	p := phase{packages: []string{"countersign/live", "countersign/graph", "countersign/expr"}}
	groups := staged(t, p, options{race: true}).groups
	if len(groups) != 3 || groups[0].skip == "" || groups[0].skip != groups[1].run ||
		groups[0].run != "" || groups[1].skip != "" || groups[2].run+groups[2].skip != "" ||
		!groups[0].race || groups[1].race || groups[2].race ||
		strings.Join(groups[0].packages, " ") != "countersign/graph countersign/live" ||
		strings.Join(groups[1].packages, " ") != "countersign/graph" {
		t.Errorf("groups: %+v", groups)
	}
	// Chosen tests all run with the detector.
	if groups := staged(t, p, options{race: true, run: "TestX"}).groups; len(groups) != 2 ||
		groups[0].run != "TestX" || groups[0].skip != "" || groups[1].run != "TestX" {
		t.Errorf("groups of chosen tests: %+v", groups)
	}
}

// A pattern holds for every package of a run, so that a second test of the name would be left out.
func TestNamesInPatternsAreUnique(t *testing.T) {
	t.Parallel()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string][]string{}
	function := regexp.MustCompile(`(?m)^func (Test\w+|Example\w*|Fuzz\w+)\(`)
	err = filepath.WalkDir(checkout, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".data") {
			return cmp.Or(err, filepath.SkipDir)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		in := strings.TrimPrefix(filepath.Dir(path), checkout)
		for _, found := range function.FindAllStringSubmatch(string(text), -1) {
			declared[found[1]] = append(declared[found[1]], "countersign"+in)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	once := maps.Clone(sequentialTests)
	for _, name := range sequentialPackages {
		once[name], err = concurrentTests(filepath.Join(checkout, strings.TrimPrefix(name, "countersign/")))
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, tests := range once {
		for _, test := range tests {
			if got := strings.Join(declared[test], " "); got != name {
				t.Errorf("%s of %s is declared in %q", test, name, got)
			}
		}
	}
}
