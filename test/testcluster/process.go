package testcluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Process is a running program of a cluster.
type Process struct {
	cluster *Cluster
	name    string
	log     string
	cmd     *exec.Cmd
	ended   chan struct{}
}

func (h *Cluster) start(name string, settings ...string) *Process {
	h.tb.Helper()
	h.started++
	p := &Process{cluster: h, name: name, ended: make(chan struct{}),
		log: filepath.Join(h.folder, fmt.Sprintf("%s-%d.log", name, h.started))}
	file, err := os.Create(p.log)
	if err != nil {
		h.tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p.cmd = exec.Command(filepath.Join(h.bin, name)) //nolint:noctx // ended by Stop or by the test's end
	p.cmd.Env = append(append([]string{}, h.environment...), settings...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = h.folder, file, file
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		h.tb.Fatal(err)
	}
	go func() { defer close(p.ended); _ = p.cmd.Wait() }()
	h.tb.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		p.Stop()
		if h.tb.Failed() {
			h.tb.Logf("the last lines of %s:\n%s", filepath.Base(p.log), p.tail(8))
		}
	})
	return p
}

// StartServer starts one more server on the same database, Redis and files, and returns its
// address.
func (h *Cluster) StartServer() (address string) {
	h.tb.Helper()
	return "http://" + h.start("server").WaitForLog("the server listens", "addr")
}

// Signal sends a signal to the program alone.
func (p *Process) Signal(signal syscall.Signal) {
	p.cluster.tb.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.cluster.tb.Fatalf("signal %s to the %s: %v", signal, p.name, err)
	}
}

// Stop asks the program to end, and waits for it.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that ended is what we want
	select {
	case <-p.ended:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
		p.cluster.tb.Errorf("the %s did not end within 15 s of SIGTERM", p.name)
	}
}

// Kill ends the program as a crash does, and waits until it is gone.
func (p *Process) Kill() { _ = p.cmd.Process.Kill(); <-p.ended }

// Log is everything the program has said.
func (p *Process) Log() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		p.cluster.tb.Errorf("read the log: %v", err)
	}
	return string(content)
}

func (p *Process) tail(n int) string {
	lines := strings.Split(strings.TrimSpace(p.Log()), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// LogLines are the log's lines with this message, decoded.
func (p *Process) LogLines(message string) []map[string]any {
	var found []map[string]any
	lines := bufio.NewScanner(bytes.NewReader([]byte(p.Log())))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := map[string]any{}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

// WaitForLog waits for a line with this message and returns one of its values.
func (p *Process) WaitForLog(message, value string) string {
	p.cluster.tb.Helper()
	var output string
	Eventually(p.cluster.tb, 30*time.Second, fmt.Sprintf("the %s says %q", p.name, message),
		func() bool {
			select {
			case <-p.ended:
				p.cluster.tb.Fatalf("the %s has ended:\n%s", p.name, p.tail(10))
			default:
			}
			lines := p.LogLines(message)
			if len(lines) > 0 {
				output = fmt.Sprint(lines[len(lines)-1][value])
			}
			return len(lines) > 0
		})
	return output
}

// Page reads an address of a program and returns the status and the text of the answer.
func Page(tb testing.TB, address string) (status int, text string) {
	tb.Helper()
	response, err := http.Get(address) //nolint:noctx // a local program
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// Metric reads one value, with its labels in the name, from the metrics of the program at the
// address; false where it is missing. An error where the program does not answer, or with something
// else.
func Metric(program, name string) (value float64, found bool, err error) {
	response, err := http.Get(program + "/metrics") //nolint:noctx // a local program
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return 0, false, fmt.Errorf("%s/metrics answers %d", program, response.StatusCode)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			value, err = strconv.ParseFloat(text, 64)
			return value, err == nil, err
		}
	}
	return 0, false, lines.Err()
}
