package version_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/devservices"
	"countersign/internal/version"
)

// The changelog describes the version that the programs report, at its top.
func TestTheChangelogDescribesThisVersion(t *testing.T) {
	t.Parallel()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(checkout, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			if !strings.HasPrefix(heading, version.Number+" ") {
				t.Errorf("the first section of CHANGELOG.md is %q, the programs report %s",
					strings.TrimSpace(heading), version.Number)
			}
			return
		}
	}
	t.Error("CHANGELOG.md has no section")
}

func TestLine(t *testing.T) {
	t.Parallel()
	if line := version.Line("worker"); !strings.HasPrefix(line, "worker "+version.Number+" (go") ||
		strings.Contains(line, "\n") {
		t.Errorf("line %q", line)
	}
}
