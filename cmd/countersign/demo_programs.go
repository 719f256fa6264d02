package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"countersign/domain"
	"countersign/internal/devservices"
)

const (
	readyTimeout = 60 * time.Second
	stopTimeout  = 12 * time.Second
)

// program is a child process of the demo in its own process group, so that Ctrl-C reaches only the
// demo, which then stops its children in order.
type program struct {
	name, path  string
	environment []string
	arguments   []string
	log         string
	readyURL    string

	mu      sync.Mutex
	process *os.Process
	state   *os.ProcessState
	ended   chan struct{} // closed when the process has exited; replaced at the next start
}

// startPrograms starts server and worker, and waits until both are ready.
func (d *demo) startPrograms(ctx context.Context) error {
	if err := d.prepareCheckpoints(); err != nil {
		return err
	}
	if err := d.writeEnvironment(); err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	free, err := devservices.FreeAddress()
	if err != nil {
		return err
	}
	workerAddr := free.String()
	logs := filepath.Join(d.folder, "log")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	if err := d.startModel(); err != nil {
		return err
	}
	more, err := d.besideSettings()
	if err != nil {
		return err
	}
	environment := append(d.environment(workerAddr), more...)
	d.printLine("Starting server and worker …")
	child := func(name, ready string) *program {
		return &program{name: name, path: filepath.Join(filepath.Dir(own), name),
			environment: environment,
			log:         filepath.Join(logs, name+".log"), readyURL: "http://" + ready + "/readyz"}
	}
	if err := d.startBeside(ctx, child); err != nil {
		return err
	}
	d.server, d.worker = child("server", reachableAddress(d.settings.HTTP.Addr)),
		child("worker", workerAddr)
	d.worker.environment = slices.Concat(environment, d.modelSettings(),
		[]string{"COUNTERSIGN_CHECKPOINT_SIGNER=" + d.witness.log})
	for _, p := range []*program{d.server, d.worker} {
		if err := p.start(ctx); err != nil {
			return err
		}
		d.addCleanup(p.stop)
	}
	for _, p := range []*program{d.server, d.worker} {
		if err := p.waitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// environment returns the settings of the server and the worker.
func (d *demo) environment(workerAddr string) []string {
	environment := []string{"COUNTERSIGN_ENV=demo", "DATABASE_URL=" + d.databaseURL,
		"MIGRATE_DATABASE_URL=", "REDIS_URL=" + d.redisURL,
		"COUNTERSIGN_BLOB_DIR=" + d.settings.Storage.BlobDir,
		"COUNTERSIGN_ADDR=" + d.settings.HTTP.Addr, "COUNTERSIGN_WORKER_ADDR=" + workerAddr,
		"COUNTERSIGN_METRICS_ADDR=127.0.0.1:0", // the log shows the port; a fixed one may be in use
		"COUNTERSIGN_DEMO_PEOPLE=" + filepath.Join(d.folder, peopleFile),
		"COUNTERSIGN_UPLOAD_DIR=" + filepath.Join(d.folder, "uploads")}
	if d.weakSandbox {
		environment = append(environment, "COUNTERSIGN_SANDBOX_ACCEPT_LIMITS=true")
	}
	for _, setting := range d.checkpointSettings() {
		environment = append(environment, setting[0]+"="+setting[1])
	}
	return environment
}

// reachableAddress is the local address of a listener on all interfaces.
func reachableAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || (host != "" && host != "0.0.0.0" && host != "::") {
		return addr
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// start runs the program with its output in its log file.
func (p *program) start(ctx context.Context) error {
	if _, err := os.Stat(p.path); err != nil {
		return domain.Errorf(domain.Unavailable, "The program %s is not built.",
			p.path).WithRemedy("Run make build.")
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(p.path, p.arguments...) //nolint:noctx // stopped by stop
	cmd.Env = append(cmd.Environ(), p.environment...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The kernel kills the child when the thread that started it exits, so the thread is kept.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.mu.Lock()
		p.process, p.state, p.ended = cmd.Process, nil, ended
		p.mu.Unlock()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the exit status is in its state
			p.mu.Lock()
			p.state = cmd.ProcessState
			p.mu.Unlock()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start the %s: %w", p.name, err)
	}
	return ctx.Err()
}

func (p *program) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0
	}
	return p.process.Pid
}

// exitReason describes how the program exited.
func (p *program) exitReason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == nil {
		return "unknown"
	}
	return p.state.String()
}

// waitReady waits until the program is ready. If it exits instead, the error quotes its last line.
func (p *program) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client := &http.Client{Timeout: time.Second}
	ticker := time.NewTicker(30 * time.Millisecond)
	defer ticker.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.readyURL, nil)
		if err != nil {
			return err
		}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return domain.Errorf(domain.Unavailable, "The %s was not ready within %s.", p.name,
				readyTimeout).WithRemedy("Check its log %s.", p.log)
		case <-p.ended:
			return domain.Errorf(domain.Unavailable, "The %s exited while starting: %s", p.name,
				p.lastLine()).WithRemedy("Check its log %s.", p.log)
		case <-ticker.C:
		}
	}
}

func (p *program) lastLine() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return strconv.QuoteToASCII(string(lines[len(lines)-1]))
}

// stop asks the program to exit, and kills it after stopTimeout.
func (p *program) stop() {
	p.mu.Lock()
	process, ended := p.process, p.ended
	p.mu.Unlock()
	if process == nil {
		return
	}
	_ = process.Signal(syscall.SIGTERM) // it may have exited already
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		_ = process.Kill()
		<-ended
	}
}
