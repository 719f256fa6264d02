// Command notices writes THIRD_PARTY_NOTICES.txt: the licence texts of everything that the programs
// and the page contain.
//
// What may enter: the modules that the programs link, the npm packages that the page bundles, and
// Go itself. What never happens here: a licence that is only named. A part whose licence text
// cannot be found fails the run.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/devservices"
)

const output = "THIRD_PARTY_NOTICES.txt"

// part is one third-party work.
type part struct {
	name, version string
	folder        string // where its licence lies
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run() error {
	checkout, err := devservices.Checkout()
	if err != nil {
		return err
	}
	parts, err := modules(checkout)
	if err != nil {
		return err
	}
	packages, err := bundled(filepath.Join(checkout, "frontend"))
	if err != nil {
		return err
	}
	text, err := notices(append(parts, packages...))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(checkout, output), text, 0o644) //nolint:gosec // a public file
}

// modules are Go and the modules whose packages the programs link, on every system that they are
// built for.
func modules(checkout string) ([]part, error) {
	found := map[string]part{}
	for _, system := range []string{"linux", "darwin"} {
		list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/...") //nolint:noctx // it ends
		list.Dir = checkout
		list.Env = append(list.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list the linked modules: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(out))
		for decoder.More() {
			var linked struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := decoder.Decode(&linked); err != nil {
				return nil, fmt.Errorf("list the linked modules: %w", err)
			}
			if m := linked.Module; m != nil && !m.Main {
				found[m.Path] = part{m.Path, m.Version, m.Dir}
			}
		}
	}
	// The standard library is linked too; its version is left out, so that the file is the same for
	// every patch release.
	root, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // it ends
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	parts := []part{{name: "Go standard library", folder: strings.TrimSpace(string(root))}}
	for _, m := range found {
		parts = append(parts, m)
	}
	return parts, nil
}

// bundled are the npm packages that may become part of the page: those that are not for development
// only, and not the Postgres binaries, which are installed beside the programs.
func bundled(frontend string) ([]part, error) {
	text, err := os.ReadFile(filepath.Join(frontend, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version                    string
			Dev, Optional, DevOptional bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var parts []part
	for path, p := range lock.Packages {
		if path == "" || p.Dev || p.Optional || p.DevOptional {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		parts = append(parts, part{name, p.Version, filepath.Join(frontend,
			filepath.FromSlash(path))})
	}
	return parts, nil
}

// notices groups the parts by their licence text, so that each text is printed once.
func notices(parts []part) ([]byte, error) {
	var missing []error
	under := map[string][]string{}
	for _, p := range parts {
		text, err := licence(p)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		under[text] = append(under[text], strings.TrimSpace(p.name+" "+p.version))
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	texts := make([]string, 0, len(under))
	for text, names := range under {
		slices.Sort(names)
		under[text] = slices.Compact(names)
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Compare(under[a][0], under[b][0]) })
	var out bytes.Buffer
	out.WriteString("Countersign contains the following third-party works, under the licences below.\nWritten by `go run ./internal/notices`.\n")
	for _, text := range texts {
		out.WriteString("\n" + strings.Repeat("=", 100) + "\n" + strings.Join(under[text],
			"\n") + "\n" + strings.Repeat("-", 100) + "\n" + text + "\n")
	}
	return out.Bytes(), nil
}

// licence reads the licence and notice files of the part. Without one it is what the package names.
func licence(p part) (string, error) {
	entries, err := os.ReadDir(p.folder)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.name, err)
	}
	var texts []string
	for _, entry := range entries {
		name := strings.ToLower(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "licen") &&
			!strings.HasPrefix(name, "copying") && !strings.HasPrefix(name, "notice") &&
			!strings.HasPrefix(name, "unlicense") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.folder, entry.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, tidy(string(text)))
	}
	if len(texts) > 0 {
		return strings.Join(texts, "\n\n"), nil
	}
	return named(p, entries)
}

// named is the licence that a package without a licence file names: in its manifest, else in the
// last section of its readme.
func named(p part, entries []os.DirEntry) (string, error) {
	var manifest struct{ License string }
	text, err := os.ReadFile(filepath.Join(p.folder, "package.json"))
	if err == nil && json.Unmarshal(text, &manifest) == nil && manifest.License != "" {
		return "Licence: " + manifest.License, nil
	}
	for _, entry := range entries {
		if !strings.HasPrefix(strings.ToLower(entry.Name()), "readme") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.folder, entry.Name()))
		if err != nil {
			return "", err
		}
		if _, section, found := strings.Cut(tidy(string(text)), "## License\n"); found {
			return "Licence: " + strings.TrimSpace(section), nil
		}
	}
	return "", fmt.Errorf("%s: no licence found in %s", p.name, filepath.Base(p.folder))
}

// tidy removes what differs between equal texts: line ends and blanks at the end of lines.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
