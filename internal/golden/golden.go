// Package golden compares what a test made with a file in testdata, and rewrites the file under
// -update.
//
// What may enter: the comparison. What never happens here: a golden file being written without
// -update, so that a new one is always looked at before it is committed.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// Equal compares got with testdata/name of the test's package.
func Equal(tb testing.TB, name string, got []byte) {
	tb.Helper()
	if err := compare(filepath.Join("testdata", filepath.FromSlash(name)), got,
		*update); err != nil {
		tb.Errorf("golden: %v", err)
	}
}

// Text is Equal for a string, a line end being added where it lacks one.
func Text(tb testing.TB, name, got string) {
	tb.Helper()
	Equal(tb, name, []byte(strings.TrimSuffix(got, "\n")+"\n"))
}

// compare returns the first differing line, or writes the file when it is to be updated.
func compare(path string, got []byte, write bool) error {
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && bytes.Equal(got, want) {
		return nil
	}
	if write {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, got, 0o644)
	}
	if err != nil {
		return fmt.Errorf("%s is not there; run the test with -update and look at what it wrote",
			path)
	}
	return fmt.Errorf("%s differs (run with -update and look at the change): %s", path,
		firstDifference(want, got))
}

func firstDifference(want, got []byte) string {
	wants, gots := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(wants), len(gots)) {
		w, g := lineOf(wants, i), lineOf(gots, i)
		if w != g {
			return fmt.Sprintf("line %d\n\twant %s\n\tgot  %s", i+1, w, g)
		}
	}
	return "only in line ends"
}

func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return "(no such line)"
	}
	return fmt.Sprintf("%q", lines[i])
}
