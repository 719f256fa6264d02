// Package docs checks the documentation against the code: drawings and lists match the code, links
// lead somewhere, commands and packages that are named exist.
//
// What may enter: parts of the docs that the code itself can write, and checks that they are true.
// What never happens here: prose written by a program.
//
// go test ./test/docs -update rewrites the parts between "<!-- made: NAME -->" and "<!-- end -->".
package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/export"
	"countersign/internal/config"
	"countersign/internal/devservices"
	"countersign/internal/golden"
	"countersign/workflow"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Every scope that an API token can have is explained in the operator's page and, in both
// languages, on the page of keys.
func TestEveryScopeIsExplained(t *testing.T) {
	t.Parallel()
	for path, line := range map[string]string{"docs/operations.md": "| `%s` |",
		"frontend/src/features/admin/scopes.ts": "'%s',",
		"frontend/src/i18n/en/admin.json":       `"%s": "`,
		"frontend/src/i18n/zh/admin.json":       `"%s": "`} {
		content, err := os.ReadFile(filepath.Join(root(t), path))
		if err != nil {
			t.Fatal(err)
		}
		for _, scope := range domain.Scopes() {
			if !strings.Contains(string(content), fmt.Sprintf(line, scope)) {
				t.Errorf("%s does not explain the scope %s", path, scope)
			}
		}
	}
}

// pages are the documents people read, by their path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	top := root(t)
	names := []string{filepath.Join(top, "README.md"), filepath.Join(top, "CONTRIBUTING.md")}
	err := filepath.WalkDir(filepath.Join(top, "docs"),
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				names = append(names, path)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		short, err := filepath.Rel(top, name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.ToSlash(short)] = string(text)
	}
	return found
}

var madePattern = regexp.MustCompile(`(?s)<!-- made: ([^>]+) -->\n.*?<!-- end -->`)

func TestGeneratedPartsAreCurrent(t *testing.T) {
	t.Parallel()
	makers := generatedParts(t)
	used := map[string]bool{}
	for name, text := range pages(t) {
		want := madePattern.ReplaceAllStringFunc(text, func(part string) string {
			what := madePattern.FindStringSubmatch(part)[1]
			content, known := makers[what]
			if !known {
				t.Errorf("%s: nothing generates %q", name, what)
				return part
			}
			used[what] = true
			return fmt.Sprintf("<!-- made: %s -->\n%s\n<!-- end -->", what,
				strings.TrimSpace(content))
		})
		if want != text || strings.Contains(text, "<!-- made:") {
			golden.Equal(t, "../../../"+name, []byte(want))
		}
	}
	for what := range makers {
		if !used[what] {
			t.Errorf("no page shows %q", what)
		}
	}
}

// generatedParts are the parts that the code can write: a picture of every built-in definition, the
// settings.
func generatedParts(t *testing.T) map[string]string {
	t.Helper()
	sources, err := workflow.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	makers := map[string]string{"settings": settings(), "exports": exportedNames()}
	for _, source := range sources {
		definition, err := workflow.Parse(source.YAML)
		if err != nil {
			t.Fatal(err)
		}
		makers["process "+source.Key] = "```mermaid\n" + workflow.Mermaid(definition) + "```"
	}
	return makers
}

// exportedNames lists the names of each kind of record of exports.
func exportedNames() string {
	lines := []string{"| export | names |", "|---|---|"}
	for _, kind := range export.Kinds() {
		lines = append(lines, fmt.Sprintf("| %s | `%s` |", kind,
			strings.Join(export.Columns(kind), "`, `")))
	}
	return strings.Join(lines, "\n")
}

func settings() string {
	lines := []string{"| name | default | meaning |", "|---|---|---|"}
	for _, s := range config.Settings() {
		fallback := ""
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		lines = append(lines, fmt.Sprintf("| `%s` | %s | %s |", s.Name, fallback, s.Doc))
	}
	return strings.Join(lines, "\n")
}

var linkPattern = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	top := root(t)
	for name, text := range pages(t) {
		for _, match := range linkPattern.FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			target := filepath.Join(top, filepath.Dir(filepath.FromSlash(name)),
				filepath.FromSlash(match[1]))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, match[1])
			}
		}
	}
}

var (
	makeCallPattern   = regexp.MustCompile("(?m)(?:`|^    )make ([a-z][a-z-]*)")
	makeTargetPattern = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
)

func TestMakeCommandsExist(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, match := range makeTargetPattern.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, match[1])
	}
	for name, text := range pages(t) {
		for _, match := range makeCallPattern.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(targets, match[1]) {
				t.Errorf("%s: there is no make %s", name, match[1])
			}
		}
	}
}

func TestEveryPackageIsDescribed(t *testing.T) {
	t.Parallel()
	top := root(t)
	text := pages(t)["docs/ARCHITECTURE.md"]
	entries, err := os.ReadDir(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() || strings.HasPrefix(name, ".") || name == "bin" || name == "docs" {
			continue
		}
		if !strings.Contains(text, "`"+name+"/") {
			t.Errorf("docs/ARCHITECTURE.md does not describe the folder %s", name)
		}
	}
}

func TestEveryDecisionIsListed(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, text := range all {
		short, found := strings.CutPrefix(name, "docs/adr/")
		if !found || short == "README.md" {
			continue
		}
		if !strings.Contains(all["docs/adr/README.md"], "("+short+")") {
			t.Errorf("docs/adr/README.md does not list %s", short)
		}
		for _, part := range []string{"\nDate: ", "\n## Context\n", "\n## Decision\n",
			"\n## Consequences\n"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", name, strings.TrimSpace(part))
			}
		}
	}
}
