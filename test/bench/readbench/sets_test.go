package main

import (
	"os"
	"path/filepath"
	"testing"
)

// newSet returns a folder of sets with one set of one document.
func newSet(t *testing.T) string {
	t.Helper()
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "one"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "one", "a.jpg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLinkedSetsAreFollowed(t *testing.T) {
	t.Parallel()
	real, data := newSet(t), t.TempDir()
	if err := os.Symlink(filepath.Join(real, "one"), filepath.Join(data, "linked")); err != nil {
		t.Fatal(err)
	}
	sets, err := findSets(data, "")
	if err != nil || len(sets) != 1 || sets[0].name != "linked" || len(sets[0].files) != 1 {
		t.Errorf("%+v, %v", sets, err)
	}
}

// A figure of nothing must not look like a success.
func TestEmptyAndMissingSetsAreErrors(t *testing.T) {
	t.Parallel()
	broken, empty := newSet(t), newSet(t)
	if err := os.Symlink(filepath.Join(broken, "gone"), filepath.Join(broken, "two")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(empty, "two"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ data, only string }{
		"no sets":       {t.TempDir(), ""},
		"a broken link": {broken, ""},
		"an empty set":  {empty, ""},
		"an empty one":  {empty, "one,two"},
		"an unknown":    {empty, "one,three"},
		"no folder":     {filepath.Join(empty, "none"), ""},
	} {
		if sets, err := findSets(c.data, c.only); err == nil {
			t.Errorf("%s: found %+v", name, sets)
		}
	}
	if sets, err := findSets(empty, "one"); err != nil || len(sets) != 1 {
		t.Errorf("the set asked for: %+v, %v", sets, err)
	}
}
