package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestConcurrentTestsAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := `package made
		func TestMain(m *testing.M) { go watch() }
		func TestGoStatement(t *testing.T) { t.Run("part", func(t *testing.T) { go func() {}() }) }
		func TestGroup(t *testing.T) { var all sync.WaitGroup; all.Go(func() {}) }
		func TestThroughHelpers(t *testing.T) { first(t) }
		func TestMethodOfAnEnvironment(t *testing.T) { newEnv(t).race() }
		func TestPassesTheFunctionOn(t *testing.T) { with(t, second) }
		func TestSequential(t *testing.T) { newEnv(t).Got() }
		func first(t *testing.T) { second() }
		func second() { go func() {}() }
		func (e *env) race() { second() }
		func (e *env) Got() {}
		func newEnv(t *testing.T) *env { return nil }`
	for name, text := range map[string]string{"made_test.go": source,
		"made.go": "package made\nfunc newEnv() { go func() {}() }"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := concurrentTests(dir)
	want := []string{"TestGoStatement", "TestGroup", "TestMethodOfAnEnvironment",
		"TestPassesTheFunctionOn", "TestThroughHelpers"}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("found %v, %v; want %v", found, err, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken_test.go"), []byte("packag"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := concurrentTests(dir); err == nil {
		t.Error("a file that is no Go was accepted")
	}
}

// A test of casework is in exactly one of the two runs: with the detector if it starts goroutines.
func TestConcurrentTestsRunWithTheDetector(t *testing.T) {
	t.Parallel()
	p := phase{packages: []string{"countersign/casework", "countersign/views", "countersign/expr",
		"countersign/live"}}
	groups := staged(t, p, options{race: true}).groups
	if len(groups) != 3 || !groups[0].race || groups[0].run+groups[0].skip != "" ||
		strings.Join(groups[0].packages, " ") != "countersign/live" ||
		!groups[1].race || strings.Join(groups[1].packages, " ") != "countersign/casework" ||
		!strings.Contains(groups[1].run, "TestConcurrentClaims|") || groups[1].skip != "" ||
		groups[2].race || groups[2].run != "" || groups[2].skip != groups[1].run ||
		strings.Join(groups[2].packages, " ") !=
			"countersign/casework countersign/views countersign/expr" {
		t.Errorf("groups: %+v", groups)
	}
	// Chosen tests all run with the detector.
	if groups := staged(t, p, options{race: true, run: "TestX"}).groups; len(groups) != 2 ||
		len(groups[0].packages) != 3 || groups[0].run != "TestX" || groups[0].skip != "" {
		t.Errorf("groups of chosen tests: %+v", groups)
	}
}
