package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/pgtest"
	"countersign/internal/slowbody"
	"countersign/store"
)

// Every route of the worker ends a request whose body stalls or trickles in.
func TestEveryRouteOfTheWorkerEndsSlowRequests(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), pgtest.New(t).AppURL, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	p := &components{db: db, metrics: newWorkerMetrics()}
	p.settings.HTTP.Metrics = true
	mux := http.NewServeMux()
	for pattern, handler := range p.routes() {
		mux.Handle(pattern, handler)
	}
	server := healthServer(mux, slowbody.Pace{Idle: 200 * time.Millisecond,
		Grace: 300 * time.Millisecond})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	if len(p.routes()) < 3 {
		t.Fatalf("routes %v", p.routes())
	}
	var all sync.WaitGroup
	for pattern := range p.routes() {
		for _, length := range []int{1000, 1_000_000} {
			all.Go(func() {
				if !ended(listener.Addr().String(),
					fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", pattern,
						length)) {
					t.Errorf("%s holds a connection with a slow body of %d bytes", pattern, length)
				}
			})
		}
	}
	all.Wait()
}

// ended sends a request whose body trickles in, and reports whether the server ends the connection.
func ended(addr, request string) bool {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.Copy(conn, strings.NewReader(request))
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			if _, err := conn.Write([]byte("1")); err != nil {
				return
			}
		}
	}()
	_ = conn.SetReadDeadline(time.Now().Add(8 * time.Second))
	_, err = io.Copy(io.Discard, conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// While the database is away, readiness says when to ask again.
func TestReadinessSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "postgres://nobody@127.0.0.1:1/none", 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	p := &components{db: db, metrics: newWorkerMetrics()}
	response := &answer{header: http.Header{}}
	p.ready(response, (&http.Request{}).WithContext(t.Context()))
	if response.status != http.StatusServiceUnavailable ||
		response.header.Get("Retry-After") == "" {
		t.Errorf("answered %d %v", response.status, response.header)
	}
}

// answer keeps what a handler answers.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
