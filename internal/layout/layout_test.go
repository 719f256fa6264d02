package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/devservices"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// listPackages asks the go command for every package of the tree and all they depend on.
func listPackages(t *testing.T) []Package {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps",
		"-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports,Standard,DepOnly", "./...")
	cmd.Dir = root(t)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, failure.String())
	}
	var packages []Package
	for stream := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := stream.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// visit walks the files of the tree that people wrote, by extension, with slashed paths from the
// root.
func visit(t *testing.T, extensions []string, do func(path string, text []byte)) {
	t.Helper()
	top := root(t)
	skip := []string{".git", ".data", "bin", "node_modules", "dist", "testdata"}
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains(skip, entry.Name()) {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() || !slices.Contains(extensions, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // an editor's temporary file
		}
		rel, relErr := filepath.Rel(top, path)
		do(filepath.ToSlash(rel), text)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goFiles(t *testing.T) []*File {
	t.Helper()
	var files []*File
	visit(t, []string{".go"}, func(path string, text []byte) {
		f, err := parseFile(path, text)
		if err != nil {
			t.Error(err)
			return
		}
		files = append(files, f)
	})
	return files
}

func TestDirectionOfImports(t *testing.T) {
	t.Parallel()
	for _, breach := range projectRules.violations(listPackages(t)) {
		t.Error(breach)
	}
}

func TestEveryLibraryIsUsed(t *testing.T) {
	t.Parallel()
	for _, problem := range projectRules.unusedLibraries(listPackages(t)) {
		t.Error(problem)
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		for _, breach := range f.violations() {
			t.Error(breach)
		}
	}
}

func TestOpeningComments(t *testing.T) {
	t.Parallel()
	for _, breach := range commentViolations(goFiles(t)) {
		t.Error(breach)
	}
}

// The rule for Go comments applies to every other language: no comment postpones work.
func TestNoPostponedWork(t *testing.T) {
	t.Parallel()
	visit(t, []string{".sql", ".sh", ".yaml", ".yml", ".graphqls", ".ts", ".tsx", ".css", ".md"},
		func(path string, text []byte) {
			for i, line := range strings.Split(string(text), "\n") {
				if word := todoPattern.FindString(line); word != "" {
					t.Errorf("%s:%d: %s: do it now, or write an issue", path, i+1, word)
				}
			}
		})
}

// The table itself: no package is listed twice, only packages of internal/, internal/tracing,
// store/, domain/, contracts/, connect/, blob/, checkpoint/, identity/, languagemodel/ and cmd/ocrengine/ have a rule inside that of another, and every import names a listed package or a
// package below one.
func TestTable(t *testing.T) {
	t.Parallel()
	for i, rule := range packageRules {
		for j, other := range packageRules {
			nestable := slices.Contains([]string{"internal", tracing, "store", "domain",
				"contracts", "connect", "blob", "checkpoint", "identity", "languagemodel", "cmd/ocrengine"}, other.Path)
			if i != j && isWithin(rule.Path, other.Path) && (!nestable || rule.Path == other.Path) {
				t.Errorf("%s lies in %s", rule.Path, other.Path)
			}
		}
		for _, name := range rule.Imports {
			if name != anyPackage && projectRules.ruleOf(module+"/"+name) == nil {
				t.Errorf("%s imports the unknown package %s", rule.Path, name)
			}
		}
	}
	seen := map[string]bool{}
	for _, library := range slices.Concat(libraries, standard) {
		if seen[library.Path] {
			t.Errorf("%s is listed twice", library.Path)
		}
		seen[library.Path] = true
		for _, name := range library.Packages {
			if projectRules.ruleOf(module+"/"+name) == nil {
				t.Errorf("%s belongs to the unknown package %s", library.Path, name)
			}
		}
	}
}

// A tool that generates code for a library runs in the library's own version.
func TestToolsAreOfTheirLibrariesVersion(t *testing.T) {
	t.Parallel()
	required := func(file string) string {
		text, err := os.ReadFile(filepath.Join(root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) >= 2 &&
				fields[0] == "github.com/99designs/gqlgen" {
				return fields[1]
			}
		}
		return "none"
	}
	if library, tool := required("go.mod"), required("tools/go.mod"); library != tool {
		t.Errorf("gqlgen is %s in go.mod and %s in tools/go.mod", library, tool)
	}
}
