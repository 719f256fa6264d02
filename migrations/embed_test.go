package migrations

import (
	"io/fs"
	"slices"
	"testing"
)

func TestNewestIsTheLastFile(t *testing.T) {
	t.Parallel()
	if Newest() < 3 {
		t.Fatalf("Newest() = %d, want at least 3", Newest())
	}
}

// TestEveryFileIsAVersion checks that every file name has a unique number, because Versions would
// otherwise miss the file.
func TestEveryFileIsAVersion(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	versions := Versions()
	if len(slices.Compact(slices.Clone(versions))) != len(names) || !slices.IsSorted(versions) ||
		Newest() != versions[len(versions)-1] {
		t.Errorf("%d files, versions %v, newest %d", len(names), versions, Newest())
	}
}
