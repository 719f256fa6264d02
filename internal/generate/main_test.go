package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copying is a generator that copies in/a to out/a, and notes that it ran.
var copying = []generator{
	{name: "copy", inputs: []string{"in"}, outputs: []string{"out"},
		tools:   []string{"example.org/tool"},
		command: []string{"sh", "-c", "mkdir -p out && cp in/a out/a && echo ran >> ran"}},
	{name: "later", inputs: []string{"absent"}, command: []string{"false"}},
}

// made is a small tree in which everything was generated once.
func made(t *testing.T) tree {
	t.Helper()
	tr := tree{root: t.TempDir()}
	put(t, tr, "go.mod", "module x\nrequire example.org/tool v1.0.0\n")
	put(t, tr, "in/a", "one")
	put(t, tr, lockName, "")
	if err := run(tr, copying, false); err != nil {
		t.Fatal(err)
	}
	put(t, tr, "ran", "")
	return tr
}

func put(t *testing.T, tr tree, name, text string) {
	t.Helper()
	path := tr.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, text string
		ran        bool
		want       string
	}{
		"nothing changed":   {"unrelated", "x", false, ""},
		"an input changed":  {"in/a", "two", true, "not up to date: copy"},
		"an output changed": {"out/a", "by hand", true, "not up to date: copy"},
		"a tool changed": {"go.mod", "module x\nrequire example.org/tool v1.1.0\n", true,
			"not up to date: " + lockName},
		"an idle input":   {"in/b", "read by nobody", true, "not up to date: " + lockName},
		"a tool vanished": {"go.mod", "module x\n", false, "does not require"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := made(t)
			put(t, tr, tc.file, tc.text)
			err := run(tr, copying, true)
			if tc.want == "" && err != nil || tc.want != "" &&
				(err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if ran, _ := os.ReadFile(tr.path("ran")); (len(ran) > 0) != tc.ran {
				t.Errorf("the generator ran: %q", ran)
			}
			if tc.ran {
				if err := run(tr, copying, true); err != nil {
					t.Errorf("a second check: %v", err)
				}
			}
		})
	}
}

func TestGeneratorThatFails(t *testing.T) {
	t.Parallel()
	tr := made(t)
	broken := []generator{{name: "broken", inputs: []string{"in"},
		command: []string{"sh", "-c", "echo why; exit 3"}}}
	if err := run(tr, broken, false); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("got %v", err)
	}
}
