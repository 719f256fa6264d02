// Command generate writes every generated file of the tree, or with -check proves that what is
// committed is what would be written.
//
// What may enter: the table of generators. What never happens here: generating by hand what a
// generator of a package does.
//
// The check is cheap: generate.lock holds for each generator a hash over its inputs, the versions
// of its tools and its outputs. Where the hash still holds nothing runs; where it does not, the
// generator runs and its outputs decide.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/devservices"
)

// generator is one program and the files it turns into others. Paths are folders or files from the
// root of the tree.
type generator struct {
	name            string
	inputs, outputs []string
	// tools are modules whose required version takes part in the result.
	tools   []string
	command []string
	dir     string // where it runs, below the root
}

// generators in the order in which they run. One whose first input is missing is not part of this
// tree yet.
var generators = []generator{
	{
		name: "events", inputs: []string{"events/schemas", "events/labels.json", "events/gen",
			"events/contract.go"},
		outputs: []string{"events/generated", "frontend/src/graphql/generated/events.ts",
			"frontend/src/i18n/en/eventTypes.json", "frontend/src/i18n/zh/eventTypes.json"},
		command: []string{"go", "run", "./events/gen", "-root", "."},
	},
	{
		name: "contracts", inputs: []string{"events/schemas", "events/gen", "events/contract.go",
			"feed/schemas.go", "feed/access.go", "domain/status.go", "contracts/gen"},
		outputs: []string{"contracts/events/bodies.go", "contracts/npm/index.d.ts",
			"contracts/npm/schemas"},
		command: []string{"go", "run", "./contracts/gen", "-root", "."},
	},
	{
		name: "fields", inputs: []string{"domain/fields.go", "domain/gen"},
		outputs: []string{"frontend/src/i18n/en/fields.json", "frontend/src/i18n/zh/fields.json"},
		command: []string{"go", "run", "./domain/gen", "-root", "."},
	},
	{
		name: "graph", inputs: []string{"graph/gqlgen.yml", "graph/schema", "graph/scalar",
			"graph/shape"},
		outputs: []string{"graph/generated", "graph/donotuse"},
		tools:   []string{"github.com/99designs/gqlgen"},
		dir:     "graph", command: []string{"go", "tool", "-modfile=../tools/go.mod", "gqlgen",
			"generate", "--config", "gqlgen.yml"},
	},
	{
		name: "cli", inputs: []string{"cmd/countersign/operations", "graph/schema"},
		outputs: []string{"cmd/countersign/operations_generated.go"},
		tools:   []string{"github.com/Khan/genqlient"},
		command: []string{"go", "tool", "-modfile=tools/go.mod", "genqlient",
			"cmd/countersign/operations/genqlient.yaml"},
	},
	{
		name: "notices", inputs: []string{"go.mod", "frontend/package-lock.json",
			"internal/notices"},
		outputs: []string{"THIRD_PARTY_NOTICES.txt"}, command: []string{"go", "run",
			"./internal/notices"},
	},
}

const lockName = "internal/generate/generate.lock"

func main() {
	check := flag.Bool("check", false,
		"change nothing that is right; fail if a generated file is not what its generator writes")
	flag.Parse()
	root, err := devservices.Checkout()
	if err == nil {
		err = run(tree{root: root}, generators, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// tree is the checkout the program works on.
type tree struct{ root string }

func (t tree) path(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// run generates everything, or in a check what may have changed, and keeps the lock.
func run(t tree, all []generator, check bool) error {
	lock, err := t.readLock()
	if err != nil {
		return err
	}
	var stale []string
	fresh := map[string]string{}
	for _, g := range all {
		if _, err := os.Stat(t.path(g.inputs[0])); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		hash, err := t.hash(g)
		if err != nil {
			return err
		}
		if !check || lock[g.name] != hash {
			changed, err := t.generate(g)
			if err != nil {
				return err
			}
			if changed {
				stale = append(stale, g.name)
			}
			if hash, err = t.hash(g); err != nil {
				return err
			}
		}
		fresh[g.name] = hash
	}
	if !maps.Equal(lock, fresh) {
		if err := t.writeLock(fresh); err != nil {
			return err
		}
		if check && len(stale) == 0 {
			stale = append(stale, lockName)
		}
	}
	if check && len(stale) > 0 {
		return fmt.Errorf("not up to date: %s; they have been written again: review and commit them (make generate)", strings.Join(stale, ", "))
	}
	return nil
}

// generate runs one generator and reports whether any of its outputs changed.
func (t tree) generate(g generator) (changed bool, err error) {
	before, err := t.hashOf(g.outputs)
	if err != nil {
		return false, err
	}
	cmd := exec.Command(g.command[0], g.command[1:]...)
	cmd.Dir = t.path(g.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return false, fmt.Errorf("%s: %s: %w\n%s", g.name, strings.Join(g.command, " "), err, out)
	}
	after, err := t.hashOf(g.outputs)
	return before != after, err
}

// hash covers everything the result depends on, and the result.
func (t tree) hash(g generator) (string, error) {
	files, err := t.hashOf(slices.Concat(g.inputs, g.outputs))
	if err != nil {
		return "", err
	}
	versions, err := t.versions(g.tools)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(slices.Concat([]string{files}, versions, g.command),
		"\n")))
	return hex.EncodeToString(sum[:16]), nil
}

// versions are the lines of go.mod that require the modules.
func (t tree) versions(modules []string) ([]string, error) {
	text, err := os.ReadFile(t.path("go.mod"))
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, module := range modules {
		found := slices.IndexFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return slices.Contains(strings.Fields(line), module)
		})
		if found < 0 {
			return nil, fmt.Errorf("go.mod does not require %s", module)
		}
		lines = append(lines, strings.TrimSpace(strings.Split(string(text), "\n")[found]))
	}
	return lines, nil
}

// hashOf covers the names and contents of files and of all files below folders; what is missing
// counts as empty.
func (t tree) hashOf(names []string) (string, error) {
	sum := sha256.New()
	for _, name := range names {
		err := filepath.WalkDir(t.path(name),
			func(path string, entry fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				rel, err := filepath.Rel(t.root, path)
				fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(rel), len(text), text)
				return err
			})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (t tree) readLock() (map[string]string, error) {
	lock := map[string]string{}
	text, err := os.ReadFile(t.path(lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return lock, nil
	}
	for line := range strings.Lines(string(text)) {
		if name, hash, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			lock[name] = hash
		}
	}
	return lock, err
}

func (t tree) writeLock(lock map[string]string) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lock)) {
		fmt.Fprintf(&text, "%s %s\n", name, lock[name])
	}
	return os.WriteFile(t.path(lockName), []byte(text.String()), 0o644)
}
