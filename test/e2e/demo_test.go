package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
)

// checkoutFor makes a checkout of its own, with the real one's Postgres binaries, so that a demo
// that people run is left alone.
func checkoutFor(t *testing.T) string {
	t.Helper()
	real, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module countersign\n"), 0o644); err != nil { //nolint:gosec // no secret
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "frontend"),
		filepath.Join(folder, "frontend")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(devservices.StateDir(folder)) })
	return folder
}

// text collects what a program says while others read it.
type text struct {
	mu   sync.Mutex
	said bytes.Buffer // not embedded: its ReadFrom would pass the lock by
}

// Write appends.
func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.said.Write(p)
}

// String is what was said so far.
func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.said.String()
}

func (t *text) has(words string) bool { return strings.Contains(t.String(), words) }

// tool runs the command line in the folder.
func tool(t *testing.T, folder string, settings []string, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(testcluster.Programs(t), "countersign"), args...)
	cmd.Dir, cmd.Env = folder, append(cmd.Environ(), settings...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// started runs the demo until it says that it is running; the returned function is Ctrl-C.
func started(t *testing.T, folder, addr string) (stop func(), said *text) {
	t.Helper()
	cmd := exec.Command(filepath.Join(testcluster.Programs(t), "countersign"), "demo") //nolint:noctx // ended by Ctrl-C
	said = &text{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, said, said
	cmd.Env = append(append(cmd.Environ(), "COUNTERSIGN_ADDR="+addr, "DATABASE_URL=", "REDIS_URL="),
		environmentLines(t, folder)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	testcluster.Eventually(t, 2*time.Minute, "the demo runs", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("the demo has ended: %v\n%s", err, said)
		default:
		}
		return said.has("make demo-reset deletes it")
	})
	return func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the demo ended with %v\n%s", err, said)
			}
		case <-time.After(40 * time.Second):
			t.Fatalf("the demo did not stop\n%s", said)
		}
	}, said
}

var besideLines = regexp.MustCompile(`(?s)Ledger, .*?(http://\S+)\nMailbox, .*?(http://\S+)`)

// besideAddresses are those of the ledger and the mailbox.
func besideAddresses(t *testing.T, said *text) (ledger, mailbox string) {
	t.Helper()
	found := besideLines.FindStringSubmatch(said.String())
	if found == nil {
		t.Fatalf("no ledger and mailbox: %s", said)
	}
	return found[1], found[2]
}

// pageOf reads a page, "" if it cannot be read.
func pageOf(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// environmentLines is what a terminal holds in which the environment of an earlier start was read;
// nothing before the first one.
func environmentLines(t *testing.T, folder string) (lines []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, ".data", "demo.env"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(content), "\n") {
		if setting, found := strings.CutPrefix(line, "export "); found {
			lines = append(lines, strings.ReplaceAll(setting, "'", ""))
		}
	}
	return lines
}

// token reads a demo person's API token in the way that the demo describes.
func token(t *testing.T, folder, email string) string {
	t.Helper()
	path := filepath.Join(folder, ".data", "demo-people.txt")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of secrets may be read by others: %v %v", info.Mode(), err)
	}
	for line := range strings.SplitSeq(string(content), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == email {
			return words[len(words)-1]
		}
	}
	t.Fatalf("%s is not among the demo people:\n%s", email, content)
	return ""
}

// The demo starts, a person does their work, Ctrl-C stops everything, the next start keeps the
// data, reset forgets it, and an obstacle is reported in one clear sentence.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := checkoutFor(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port that is in use
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	code, said := tool(t, folder, []string{"COUNTERSIGN_ADDR=" + addr}, "demo")
	if code != 1 || !strings.Contains(said, addr+" is in use") || strings.Count(said, "\n") != 1 {
		t.Errorf("a port in use: exit code %d\n%s", code, said)
	}
	_ = listener.Close()

	stop, output := started(t, folder, addr)
	checkDemoModel(t, folder, addr, output)
	settings := []string{"COUNTERSIGN_URL=http://" + addr,
		"COUNTERSIGN_TOKEN=" + token(t, folder, "submitter1@demo.test")}
	submit := func(file string, want int, more ...string) {
		t.Helper()
		if code, said := tool(t, folder, settings, append([]string{"submit", "--watch",
			filepath.Join(".data", "samples", file)}, more...)...); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", file, code, want, said)
		}
	}
	submit("small-invoice.pdf", 4, "--amount", "231.22", "--currency", "EUR") // the first invoice of its vendor
	senior := append(settings[:1:1], "COUNTERSIGN_TOKEN="+token(t, folder, "senior1@demo.test"))
	reference := func(number string) string { return "CS-" + time.Now().UTC().Format("2006") + "-" + number }
	for _, args := range [][]string{{"review", "claim", reference("000002")},
		{"review", "decide", reference("000002"), "approve"}} {
		if code, said := tool(t, folder, senior, args...); code != 0 {
			t.Errorf("%v: exit code %d\n%s", args, code, said)
		}
	}
	ledger, mailbox := besideAddresses(t, output)
	testcluster.Eventually(t, time.Minute, "the ledger has booked it",
		func() bool { return strings.Contains(pageOf(t, ledger), "-231.22") })
	submit("small-scan.png", 0) // now the vendor and its account are known
	for _, file := range []string{"freight-invoice.pdf", "machine-scan.png", "misprint.pdf"} {
		submit(file, 4)
	}
	returned := reference("000004")
	for _, args := range [][]string{{"review", "claim", returned},
		{"review", "decide", returned, "return", "--reason", "The scan is cut off."}} {
		if code, said := tool(t, folder, senior, args...); code != 0 {
			t.Errorf("%v: exit code %d\n%s", args, code, said)
		}
	}
	testcluster.Eventually(t, time.Minute, "the submitter has an e-mail",
		func() bool { return strings.Contains(pageOf(t, mailbox), returned+" was returned to you") })
	if code, said := tool(t, folder, []string{"COUNTERSIGN_ADDR=127.0.0.1:0"}, "demo"); code != 1 ||
		!strings.Contains(said, "in use by another running program") {
		t.Errorf("a second demo: exit code %d\n%s", code, said)
	}
	if code, said := tool(t, folder, nil, "demo", "--reset"); code != 1 ||
		!strings.Contains(said, "The demo is running") {
		t.Errorf("reset of a running demo: exit code %d\n%s", code, said)
	}
	stop()

	stop, output = started(t, folder, addr) // in a terminal that still holds the addresses of the first start
	if code, said := tool(t, folder, environmentLines(t, folder), "audit", "verify"); code != 0 ||
		!strings.Contains(said, "6 of them cases") {
		t.Errorf("audit verify with the demo's environment: exit code %d\n%s", code, said)
	}
	if code, said := tool(t, folder, settings, "case", "list"); code != 0 ||
		strings.Count(said, "CS-") != 5 {
		t.Errorf("after the second start: exit code %d\n%s", code, said)
	}
	if again, _ := besideAddresses(t, output); again != ledger {
		t.Errorf("the ledger moved from %s to %s", ledger, again)
	}
	stop()

	// A new checkout in the same folder.
	if err := os.RemoveAll(filepath.Join(folder, ".data")); err != nil {
		t.Fatal(err)
	}
	stop, _ = started(t, folder, addr)
	if code, said := tool(t, folder, environmentLines(t, folder), "doctor"); code != 0 {
		t.Errorf("doctor in a new checkout: exit code %d\n%s", code, said)
	}
	stop()
	if code, said := tool(t, folder, nil, "demo", "--reset"); code != 0 {
		t.Errorf("reset: exit code %d\n%s", code, said)
	}
	if _, err := os.Stat(filepath.Join(folder, ".data", "blobs")); !os.IsNotExist(err) {
		t.Errorf("reset left the files: %v", err)
	}
}
