package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder is a part's folder with the files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLicencesAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a licence":           {map[string]string{"LICENSE": "MIT\n"}, "MIT"},
		"in lower case":       {map[string]string{"license.md": "MIT"}, "MIT"},
		"as the British":      {map[string]string{"LICENCE.txt": "MIT"}, "MIT"},
		"as GNU":              {map[string]string{"COPYING": "GPL"}, "GPL"},
		"in the public":       {map[string]string{"UNLICENSE": "free"}, "free"},
		"with a notice":       {map[string]string{"LICENSE": "Apache", "NOTICE": "by A"}, "Apache\n\nby A"},
		"lines of Windows":    {map[string]string{"LICENSE": "a \r\nb\t\r\n\r\n"}, "a\nb"},
		"named in a manifest": {map[string]string{"package.json": `{"license":"ISC"}`}, "Licence: ISC"},
		"a file before a manifest": {map[string]string{"package.json": `{"license":"ISC"}`,
			"LICENSE": "text"}, "text"},
		"in a readme": {map[string]string{"README.md": "# x\n\n## License\nMIT by A\n"},
			"Licence: MIT by A"},
		"a manifest that names none": {map[string]string{"package.json": `{"name":"x"}`,
			"readme": "## License\n\nBSD"}, "Licence: BSD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := licence(part{name: "x", folder: folder(t, tc.files)}); err != nil ||
				got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

// A work without a licence text may not be distributed, so the run fails and names every one.
func TestAPartWithoutALicenceFailsTheRun(t *testing.T) {
	t.Parallel()
	good := part{"good", "v1", folder(t, map[string]string{"LICENSE": "MIT"})}
	for name, files := range map[string]map[string]string{
		"nothing":              {},
		"a folder of licences": {"LICENSES/MIT": "MIT"},
		"a readme without":     {"README.md": "# x\nLicensed by A"},
		"a broken manifest":    {"package.json": "{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := notices([]part{good, {"first", "v1", folder(t, files)},
				{"second", "v2", folder(t, files)}})
			if text != nil || err == nil || !strings.Contains(err.Error(), "first: no licence") ||
				!strings.Contains(err.Error(), "second: no licence") {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
	if _, err := licence(part{name: "gone", folder: filepath.Join(t.TempDir(), "gone")}); err == nil ||
		!strings.Contains(err.Error(), "gone") {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

func TestEachTextIsPrintedOnce(t *testing.T) {
	t.Parallel()
	mit := map[string]string{"LICENSE": "MIT text"}
	parts := []part{{"zebra", "v1", folder(t, mit)},
		{"apple", "v2", folder(t, map[string]string{"LICENSE": "MIT text \r\n"})},
		{"apple", "v2", folder(t, mit)},
		{"banana", "", folder(t, map[string]string{"LICENSE": "BSD text"})}}
	text, err := notices(parts)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "MIT text") != 1 ||
		!strings.Contains(string(text), "\napple v2\nzebra v1\n") ||
		!strings.Contains(string(text), "\nbanana\n") ||
		strings.Index(string(text), "apple v2") > strings.Index(string(text), "banana") {
		t.Errorf("got:\n%s", text)
	}
	slices.Reverse(parts)
	if again, err := notices(parts); err != nil || string(again) != string(text) {
		t.Errorf("another order of the parts gives another file: %v", err)
	}
}

func TestPackagesOfThePageAreThoseOfProduction(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"package-lock.json": `{"packages": {
		"": {"version": "0"},
		"node_modules/react": {"version": "19.0.0"},
		"node_modules/@scope/a": {"version": "1.0.0"},
		"node_modules/a/node_modules/b": {"version": "2.0.0"},
		"node_modules/vite": {"version": "8.0.0", "dev": true},
		"node_modules/pg": {"version": "18.0.0", "optional": true},
		"node_modules/c": {"version": "1.0.0", "devOptional": true}}}`})
	parts, err := bundled(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range parts {
		got = append(got, p.name+" "+p.version)
		if !strings.HasPrefix(p.folder, filepath.Join(dir, "node_modules")) {
			t.Errorf("%s is looked for in %s", p.name, p.folder)
		}
	}
	slices.Sort(got)
	if want := []string{"@scope/a 1.0.0", "b 2.0.0", "react 19.0.0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := bundled(t.TempDir()); err == nil {
		t.Error("a page without a lock file has no packages")
	}
}
