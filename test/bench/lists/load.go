package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/internal/cputime"
)

// server is one of the measured servers, a process of its own.
type server struct {
	name    string
	command []string
	path    string
	url     string
	process *exec.Cmd
	stdin   io.Closer
}

// start starts the process, which prints its address first.
func (s *server) start(ctx context.Context, databaseURL string) error {
	s.process = exec.CommandContext(ctx, s.command[0], s.command[1:]...) //nolint:gosec // our own programs
	s.process.Env = append(os.Environ(), "LISTS_DATABASE="+databaseURL)
	s.process.Stderr = os.Stderr
	stdin, err := s.process.StdinPipe()
	if err != nil {
		return err
	}
	s.stdin = stdin
	output, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	s.url = strings.TrimSpace(line) + s.path
	return err
}

// stop closes the standard input of the process, at which it ends.
func (s *server) stop() {
	_ = s.stdin.Close()
	_ = s.process.Wait()
}

type result struct {
	took          time.Duration
	times         []time.Duration
	cpu, database time.Duration
	bytes         int
}

func (r result) perSecond() float64 { return float64(len(r.times)) / r.took.Seconds() }
func (r result) cpuMillis(used time.Duration) float64 {
	return float64(used.Microseconds()) / 1000 / float64(len(r.times))
}

func (r result) percentile(share float64) float64 {
	return float64(r.times[int(share*float64(len(r.times)-1))].Microseconds()) / 1000
}

// load sends the document over so many connections for a while.
func (s *server) load(ctx context.Context, connections int, length time.Duration) (result, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]int{"first": 50}})
	if err != nil {
		return result{}, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	defer client.CloseIdleConnections()
	var (
		r       result
		mu      sync.Mutex
		failure error
		running sync.WaitGroup
	)
	before, from := cputime.Process(s.process.Process.Pid), time.Now()
	for range connections {
		running.Go(func() {
			var times []time.Duration
			size, err := 0, error(nil)
			for time.Since(from) < length && err == nil {
				began := time.Now()
				size, err = s.request(ctx, client, body)
				times = append(times, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			r.times, r.bytes, failure = append(r.times, times...), size, errors.Join(failure, err)
		})
	}
	running.Wait()
	r.took, r.cpu = time.Since(from), cputime.Process(s.process.Process.Pid)-before
	slices.Sort(r.times)
	return r, failure
}

// request returns the size of the answer, which must have 50 cases.
func (s *server) request(ctx context.Context, client *http.Client, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || bytes.Contains(answer, []byte(`"errors"`)) || bytes.Count(answer, []byte(`"reference"`)) != 50 {
		return 0, fmt.Errorf("the answer is %.300s, %w", answer, err)
	}
	return len(answer), nil
}
