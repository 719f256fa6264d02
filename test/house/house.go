// Package house runs the built programs on a real Postgres and a real Redis for tests that come through the real doors:
// the command line outside, server and workers as processes that may be killed, stopped and frozen.
//
// What may enter: building, starting and ending the programs, running the command line, waiting for what they say.
// What never happens here: a fake of a part, a call that goes around a door.
package house

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/internal/pgtest"
	"countersign/internal/redistest"
)

// patience bounds every wait that has no bound of its own.
const patience = 90 * time.Second

// built is where the programs were built by this test process, once.
var built = sync.OnceValues(func() (string, error) {
	checkout, err := devservices.Checkout()
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "countersign-built-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(folder, 0o755); err != nil { //nolint:gosec // children under another account run the programs
		return "", err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", folder+"/", "./cmd/...") //nolint:noctx // it ends
	cmd.Dir = checkout
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w: %s", err, said)
	}
	return folder, nil
})

// asked is whether any test wanted the programs.
var asked atomic.Bool

// Built returns the folder of the programs.
func Built(tb testing.TB) string {
	tb.Helper()
	asked.Store(true)
	folder, err := built()
	if err != nil {
		tb.Fatal(err)
	}
	return folder
}

// Main runs the tests and removes what was built.
func Main(m *testing.M) int {
	code := m.Run()
	if asked.Load() {
		if folder, err := built(); err == nil {
			_ = os.RemoveAll(folder)
		}
	}
	return code
}

// House is one installation: database, Redis, files, programs, people.
type House struct {
	tb          testing.TB
	folder      string
	bin         string
	Database    *pgtest.DB
	Redis       *devservices.Redis
	environment []string
	tokens      map[string]string // by e-mail
	passwords   map[string]string // by e-mail
	URL         string            // of the server
	Server      *Process
	started     int
}

// People of every house: who they are and what they may.
var people = []struct{ email, roles, queues string }{
	{"submitter@test.test", "submitter", ""}, {"junior@test.test", "reviewer_l1", "L1"}, {"senior@test.test", "reviewer_senior", "L1"},
	{"manager@test.test", "manager", "L1,L2"}, {"auditor@test.test", "auditor", ""}, {"admin@test.test", "administrator", ""},
}

// New makes a house with a server and no worker. Settings are lines NAME=value for all programs.
func New(tb testing.TB, settings ...string) *House {
	tb.Helper()
	h := &House{tb: tb, bin: Built(tb), folder: tb.TempDir(), Database: pgtest.New(tb), Redis: redistest.New(tb), tokens: map[string]string{},
		passwords: map[string]string{}}
	if err := os.Chmod(h.folder, 0o755); err != nil { // sandboxed children pass through it
		tb.Fatal(err)
	}
	h.environment = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.folder, "TZ=UTC", //nolint:forbidigo // the programs' own PATH
		"DATABASE_URL=" + h.Database.AppURL, "MIGRATE_DATABASE_URL=" + h.Database.OwnerURL, "REDIS_URL=" + h.Redis.URL(), "COUNTERSIGN_ENV=demo",
		"COUNTERSIGN_BLOB_DIR=" + filepath.Join(h.folder, "blobs"), "COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_WORKER_ADDR=127.0.0.1:0",
		// Where no sandbox is permitted at all, limits alone are accepted; a stronger one is taken where it holds.
		"COUNTERSIGN_SANDBOX_ACCEPT_LIMITS=true"}, settings...)
	h.must("migrate")
	for _, person := range people {
		h.Enrol(person.email, strings.Split(person.email, "@")[0], person.roles, person.queues)
	}
	h.must("rate", "set", "EUR", "1.08")
	h.must("rate", "set", "GBP", "1.27")
	h.Server = h.start("server")
	h.URL = "http://" + h.Server.Says("the server listens", "addr")
	return h
}

func (h *House) must(args ...string) string {
	h.tb.Helper()
	said := h.As("").Run(args...)
	if said.Code != 0 {
		h.tb.Fatalf("countersign %s: exit code %d\n%s", strings.Join(args, " "), said.Code, said.All)
	}
	return said.Out
}

// Enrol makes a person with a password and an API token; roles and queues are separated by commas.
func (h *House) Enrol(email, name, roles, queues string) {
	h.tb.Helper()
	args := []string{"user", "add", email, "--name", name, "--role", roles, "--json"}
	if queues != "" {
		args = append(args, "--queue", queues)
	}
	var made struct{ Password, Token string }
	for _, command := range [][]string{args, {"token", "create", email, "--name", "test", "--json"}} {
		if err := json.Unmarshal([]byte(h.must(command...)), &made); err != nil {
			h.tb.Fatal(err)
		}
	}
	h.tokens[email], h.passwords[email] = made.Token, made.Password
}

// Keys are the password and the API token of a person.
func (h *House) Keys(email string) (password, token string) {
	return h.passwords[email], h.tokens[email]
}

// Folder is where the house keeps its files.
func (h *House) Folder() string { return h.folder }

// Set adds a setting for programs started from now on.
func (h *House) Set(line string) { h.environment = append(h.environment, line) }

// Worker starts a worker and waits until it is at work.
func (h *House) Worker(settings ...string) *Process {
	h.tb.Helper()
	w := h.start("worker", settings...)
	w.Says("the worker is at work", "queues")
	return w
}

// Again starts the server anew at its address, after it was killed or stopped.
func (h *House) Again() {
	h.tb.Helper()
	h.Server = h.start("server", "COUNTERSIGN_ADDR="+strings.TrimPrefix(h.URL, "http://"))
	h.Server.Says("the server listens", "addr")
}

// Person is somebody at a terminal.
type Person struct {
	house *House
	token string
	fails testing.TB
}

// As returns the person of the role at their terminal; "" has no token.
func (h *House) As(role string) Person {
	return Person{h, h.tokens[role+"@test.test"], h.tb}
}

// Said is what a command answered.
type Said struct {
	Code     int
	Out, All string
	Took     time.Duration
}

// Run runs the command line to its end.
func (p Person) Run(args ...string) Said {
	p.fails.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.house.bin, "countersign"), args...)
	cmd.Env = append([]string{"COUNTERSIGN_TOKEN=" + p.token, "COUNTERSIGN_URL=" + p.house.URL}, p.house.environment...)
	cmd.Dir = p.house.folder
	var out, errs, all bytes.Buffer
	var guard sync.Mutex
	cmd.Stdout, cmd.Stderr = shared{&guard, &out, &all}, shared{&guard, &errs, &all}
	began := time.Now()
	err := cmd.Run()
	said := Said{Out: out.String(), All: all.String(), Took: time.Since(began)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		p.fails.Errorf("countersign %s did not end within %s\n%s", strings.Join(args, " "), patience, said.All)
		said.Code = -1
	case errors.As(err, &exit):
		said.Code = exit.ExitCode()
	case err != nil:
		p.fails.Errorf("countersign %s: %v", strings.Join(args, " "), err)
		said.Code = -1
	}
	return said
}

// shared collects both streams of a program in the order in which they come; own is the copy of one of them.
type shared struct {
	guard    *sync.Mutex
	own, all *bytes.Buffer
}

// Write appends to both.
func (s shared) Write(p []byte) (int, error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.own.Write(p)
	return s.all.Write(p)
}

// Begin runs the command line beside the test and hands over what it answered.
func (p Person) Begin(args ...string) <-chan Said {
	answer := make(chan Said, 1)
	go func() { answer <- p.Run(args...) }()
	return answer
}

// For reports failures of this terminal to another test than the one that made the house.
func (p Person) For(tb testing.TB) Person { p.fails = tb; return p }

// Expect runs the command line, demands the exit code and each text in the answer, and returns the answer.
func (p Person) Expect(code int, texts []string, args ...string) Said {
	p.fails.Helper()
	said := p.Run(args...)
	if said.Code != code {
		p.fails.Fatalf("countersign %s: exit code %d, want %d\n%s", strings.Join(args, " "), said.Code, code, said.All)
	}
	for _, text := range texts {
		if !strings.Contains(said.All, text) {
			p.fails.Fatalf("countersign %s: the answer lacks %q\n%s", strings.Join(args, " "), text, said.All)
		}
	}
	return said
}

// Reference is the first word of the answer that names a case.
func (s Said) Reference() string {
	for word := range strings.FieldsSeq(s.All) {
		if strings.HasPrefix(word, "CS-") {
			return strings.TrimRight(word, ":.,")
		}
	}
	return ""
}

// File writes a file of the house and returns its path.
func (h *House) File(name string, content []byte) string {
	h.tb.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // a document that is no secret
		h.tb.Fatal(err)
	}
	return path
}

// Until asks again until the answer is yes, and fails the test when that takes too long. It returns how long it took.
func Until(tb testing.TB, atMost time.Duration, what string, ask func() bool) time.Duration {
	tb.Helper()
	began := time.Now()
	deadline := time.NewTimer(atMost)
	defer deadline.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if ask() {
			return time.Since(began)
		}
		select {
		case <-ticker.C:
		case <-deadline.C:
			tb.Fatalf("%s: not within %s", what, atMost)
		}
	}
}
