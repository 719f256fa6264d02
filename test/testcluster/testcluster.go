// Package testcluster runs the built programs on a real Postgres and a real Redis for tests that
// come through the real adapters: the command line outside, server and workers as processes that
// may be killed, stopped and frozen.
//
// What may enter: building, starting and ending the programs, running the command line, waiting for
// what they say. What never happens here: a fake of a part, a call that bypasses an adapter.
package testcluster

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/config"
	"countersign/internal/devservices"
	"countersign/internal/pgtest"
	"countersign/internal/redistest"
)

// waitTimeout bounds every wait that has no bound of its own.
const waitTimeout = 90 * time.Second

// programs is the folder of the programs: the one that testrun built for all test processes, or one
// of this process.
var programs = sync.OnceValues(func() (string, error) {
	settings, err := config.Load()
	if err != nil {
		return "", err
	}
	if settings.Test.Programs != "" {
		return settings.Test.Programs, nil
	}
	folder, err := os.MkdirTemp("", "countersign-built-")
	if err != nil {
		return "", err
	}
	ownPrograms.Store(folder)
	return folder, devservices.BuildPrograms(context.Background(), folder)
})

// ownPrograms is the folder that this process made and has to remove.
var ownPrograms atomic.Value

// Programs returns the folder of the programs.
func Programs(tb testing.TB) string {
	tb.Helper()
	folder, err := programs()
	if err != nil {
		tb.Fatal(err)
	}
	return folder
}

// Main runs the tests and removes the programs that this process built.
func Main(m *testing.M) int {
	code := m.Run()
	if folder, ok := ownPrograms.Load().(string); ok {
		_ = os.RemoveAll(folder)
	}
	return code
}

// Cluster is one installation: database, Redis, files, programs, people.
type Cluster struct {
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

// New starts a server and no worker. Settings are lines NAME=value for all programs.
func New(tb testing.TB, settings ...string) *Cluster {
	tb.Helper()
	return NewWith(tb, nil, settings...)
}

// NewWith is New with more people than those of every cluster.
func NewWith(tb testing.TB, more []Person, settings ...string) *Cluster {
	tb.Helper()
	seed := seedOf(more)
	h := &Cluster{tb: tb, bin: Programs(tb), folder: tb.TempDir(), Redis: redistest.New(tb)}
	if err := os.Chmod(h.folder, 0o755); err != nil { // sandboxed children pass through it
		tb.Fatal(err)
	}
	h.Database = seed.database(tb, h.bin)
	if err := seed.putManifests(tb.Context(), filepath.Join(h.folder, "blobs")); err != nil {
		tb.Fatal(err)
	}
	h.tokens, h.passwords = maps.Clone(seed.tokens), maps.Clone(seed.passwords)
	h.environment = append(environment(h.folder, h.Database),
		"REDIS_URL="+h.Redis.URL(),
		"COUNTERSIGN_BLOB_DIR="+filepath.Join(h.folder, "blobs"),
		"COUNTERSIGN_ADDR=127.0.0.1:0",
		"COUNTERSIGN_WORKER_ADDR=127.0.0.1:0",
		"COUNTERSIGN_METRICS_ADDR=127.0.0.1:0",
		// Where no sandbox is permitted at all, limits alone are accepted; a stronger one is taken
		// where it works.
		"COUNTERSIGN_SANDBOX_ACCEPT_LIMITS=true",
		// Both engines need four times the time; tests that need them choose them.
		"COUNTERSIGN_OCR_ENGINE=tesseract")
	h.environment = append(h.environment, settings...)
	h.Server = h.start("server")
	h.URL = "http://" + h.Server.WaitForLog("the server listens", "addr")
	return h
}

// environment is what every program needs: the machine's tools and the database.
func environment(folder string, db *pgtest.DB) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), //nolint:forbidigo // the programs' own PATH
		"HOME=" + folder,
		"TZ=UTC",
		"COUNTERSIGN_ENV=demo",
		"DATABASE_URL=" + db.AppURL,
		"MIGRATE_DATABASE_URL=" + db.OwnerURL,
	}
}

// Metrics is the address of the server's figures.
func (h *Cluster) Metrics() string {
	h.tb.Helper()
	return "http://" + h.Server.WaitForLog("the server's metrics", "addr")
}

func (h *Cluster) must(args ...string) string {
	h.tb.Helper()
	output := h.CLI("").Run(args...)
	if output.Code != 0 {
		h.tb.Fatalf("countersign %s: exit code %d\n%s", strings.Join(args, " "), output.Code,
			output.Combined)
	}
	return output.Out
}

// AddUser adds a person with a password and an API token.
func (h *Cluster) AddUser(person Person) {
	h.tb.Helper()
	password, token, err := addUser(person,
		func(args ...string) (string, error) { return h.must(args...), nil })
	if err != nil {
		h.tb.Fatal(err)
	}
	h.tokens[person.Email], h.passwords[person.Email] = token, password
}

// Credentials are the password and the API token of a person.
func (h *Cluster) Credentials(email string) (password, token string) {
	return h.passwords[email], h.tokens[email]
}

// Folder holds the files of the cluster.
func (h *Cluster) Folder() string { return h.folder }

// AddSetting adds a setting for programs started from now on.
func (h *Cluster) AddSetting(line string) { h.environment = append(h.environment, line) }

// Worker starts a worker and waits until it is at work.
func (h *Cluster) Worker(settings ...string) *Process {
	h.tb.Helper()
	w := h.start("worker", settings...)
	w.WaitForLog("the worker is at work", "queues")
	return w
}

// RestartServer starts the server again at its address, after it was killed or stopped.
func (h *Cluster) RestartServer() {
	h.tb.Helper()
	h.Server = h.start("server", "COUNTERSIGN_ADDR="+strings.TrimPrefix(h.URL, "http://"))
	h.Server.WaitForLog("the server listens", "addr")
}

// CLI is a person at a terminal.
type CLI struct {
	cluster *Cluster
	token   string
	tb      testing.TB
}

// CLI returns the person of the role at their terminal; "" has no token.
func (h *Cluster) CLI(role string) CLI {
	return CLI{h, h.tokens[role+"@test.test"], h.tb}
}

// Output is what a command answered.
type Output struct {
	Code          int
	Out, Combined string
	Took          time.Duration
}

// Run runs the command line to its end.
func (p CLI) Run(args ...string) Output {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(p.cluster.bin, "countersign"), args...)
	cmd.Env = append([]string{"COUNTERSIGN_TOKEN=" + p.token, "COUNTERSIGN_URL=" + p.cluster.URL},
		p.cluster.environment...)
	cmd.Dir = p.cluster.folder
	var out, errs, all bytes.Buffer
	var guard sync.Mutex
	cmd.Stdout, cmd.Stderr = teeBuffer{&guard, &out, &all}, teeBuffer{&guard, &errs, &all}
	began := time.Now()
	err := cmd.Run()
	output := Output{Out: out.String(), Combined: all.String(), Took: time.Since(began)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		p.tb.Errorf("countersign %s did not end within %s\n%s", strings.Join(args, " "),
			waitTimeout, output.Combined)
		output.Code = -1
	case errors.As(err, &exit):
		output.Code = exit.ExitCode()
	case err != nil:
		p.tb.Errorf("countersign %s: %v", strings.Join(args, " "), err)
		output.Code = -1
	}
	return output
}

// teeBuffer collects both streams of a program in the order in which they come; own is the copy of
// one of them.
type teeBuffer struct {
	guard    *sync.Mutex
	own, all *bytes.Buffer
}

// Write appends to both.
func (s teeBuffer) Write(p []byte) (int, error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.own.Write(p)
	return s.all.Write(p)
}

// Start runs the command line beside the test and hands over what it answered.
func (p CLI) Start(args ...string) <-chan Output {
	answer := make(chan Output, 1)
	go func() { answer <- p.Run(args...) }()
	return answer
}

// WithTB reports failures of this terminal to another test than the one that made the cluster.
func (p CLI) WithTB(tb testing.TB) CLI { p.tb = tb; return p }

// Expect runs the command line, demands the exit code and each text in the answer, and returns the
// answer.
func (p CLI) Expect(code int, texts []string, args ...string) Output {
	p.tb.Helper()
	output := p.Run(args...)
	if output.Code != code {
		p.tb.Fatalf("countersign %s: exit code %d, want %d\n%s", strings.Join(args, " "),
			output.Code, code, output.Combined)
	}
	for _, text := range texts {
		if !strings.Contains(output.Combined, text) {
			p.tb.Fatalf("countersign %s: the answer lacks %q\n%s", strings.Join(args, " "), text,
				output.Combined)
		}
	}
	return output
}

// Reference is the first word of the answer that names a case.
func (s Output) Reference() string {
	for word := range strings.FieldsSeq(s.Combined) {
		if strings.HasPrefix(word, "CS-") {
			return strings.TrimRight(word, ":.,")
		}
	}
	return ""
}

// File writes a file of the cluster and returns its path.
func (h *Cluster) File(name string, content []byte) string {
	h.tb.Helper()
	path := filepath.Join(h.folder, name)
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // a document that is no secret
		h.tb.Fatal(err)
	}
	return path
}

// Eventually asks again until the answer is yes, and fails the test when that takes too long. It
// returns how long it took.
func Eventually(tb testing.TB, atMost time.Duration, what string, ask func() bool) time.Duration {
	tb.Helper()
	atMost = max(atMost, 2*time.Minute) // it catches hangs; promises are held to the figure that is returned
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
