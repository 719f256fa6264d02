package bounds_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/graph/transport"
	"countersign/internal/slowbody"
)

// quick are deadlines of a part of a second.
func quick(s *settings) {
	s.web.Pace = slowbody.Pace{Idle: 250 * time.Millisecond, Grace: 400 * time.Millisecond,
		Rate: 10_000, Write: time.Second}
	s.web.HeaderTimeout, s.web.IdleTimeout = 300*time.Millisecond, 500*time.Millisecond
	s.graph.ConfigureTransport = func(o *transport.Options) { o.InitTimeout = 300 * time.Millisecond }
}

// attack is one way of holding a connection of a route.
type attack struct {
	name    string
	header  string // of the request, beside the common ones
	trickle bool   // a byte again and again; else nothing at all comes after the header
}

var bodies = []attack{
	{"a stalled body", "Content-Length: 1000000\r\n", false},
	{"a trickling body", "Content-Length: 1000000\r\n", true},
	{"a short body that trickles", "Content-Length: 1000\r\n", true},
	{"a chunked body that trickles", "Transfer-Encoding: chunked\r\n", true},
	{"a body that is waited for", "Expect: 100-continue\r\nContent-Length: 1000\r\n", true},
}

// shapes are what a request to a route says of its body, so that each way of reading it is
// attacked.
var shapes = map[string]string{
	"json":      "Content-Type: application/json\r\n",
	"multipart": "Content-Type: multipart/form-data; boundary=b\r\nGraphQL-Preflight: 1\r\n",
	"stream":    "Content-Type: application/json\r\nAccept: text/event-stream\r\n",
	"upgrade": "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
		"Sec-WebSocket-Protocol: graphql-transport-ws\r\n",
	"tus":       "Tus-Resumable: 1.0.0\r\nUpload-Length: 1000000\r\nContent-Type: application/offset+octet-stream\r\n",
	"tus piece": "Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n",
}

// requestsOf are the requests by which a pattern is attacked: the methods it takes, and those it
// refuses.
func requestsOf(pattern string) (lines []string, kinds []string) {
	method, path, named := strings.Cut(pattern, " ")
	if !named {
		method, path = "", pattern
	}
	path = strings.NewReplacer("{id}", domain.NewID().String(), "{n}", "1").Replace(path)
	methods := []string{method}
	if !named {
		methods = []string{"GET", "POST", "PUT"}
	}
	kinds = []string{"json"}
	switch path {
	case "/graphql":
		kinds = []string{"json", "multipart", "stream", "upgrade"}
	case "/uploads/":
		kinds, methods = []string{"tus", "tus piece"}, []string{"POST", "PATCH {upload}",
			"HEAD {upload}", "DELETE " + domain.NewID().String()}
	}
	for _, m := range methods {
		verb, below, _ := strings.Cut(m, " ")
		lines = append(lines, verb+" "+path+below+" HTTP/1.1\r\n")
	}
	return lines, kinds
}

// TestEveryRouteEndsSlowRequests attacks every route of the tables in every way, over real
// connections. A route that is not held to the pace keeps its connection and fails.
func TestEveryRouteEndsSlowRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick)
	public, metrics := w.door.Patterns()
	publicAddr, metricsAddr, secret := w.addr, w.metricsAddr, w.token
	if len(public) < 14 || len(metrics) < 2 {
		t.Fatalf("tables %q %q", public, metrics)
	}
	for addr, patterns := range map[string][]string{publicAddr: public, metricsAddr: metrics} {
		for _, pattern := range patterns {
			t.Run(strings.ReplaceAll(pattern, "/", "|"), func(t *testing.T) {
				t.Parallel()
				var all sync.WaitGroup
				var mu sync.Mutex
				tried, longest := 0, time.Duration(0)
				try := func(what, text string, trickle bool) {
					took, ended := holds(addr, text, trickle)
					mu.Lock()
					defer mu.Unlock()
					tried, longest = tried+1, max(longest, took)
					if !ended {
						t.Errorf("%s: the connection is held", what)
					}
				}
				lines, kinds := requestsOf(pattern)
				for _, line := range lines {
					for _, kind := range kinds {
						for _, known := range []string{"",
							"Authorization: Bearer " + secret + "\r\n"} {
							for _, body := range bodies {
								line := line
								if before, after, named := strings.Cut(line, "{upload}"); named { // one each: requests on one upload take turns
									line = before + w.beginUpload("1000000") + after
								}
								all.Go(func() {
									try(fmt.Sprintf("%s, %s, credentials %t, %s",
										strings.TrimSpace(line), kind, known != "", body.name),
										line+"Host: x\r\n"+known+shapes[kind]+body.header+"\r\n",
										body.trickle)
								})
							}
						}
					}
				}
				all.Wait()
				t.Logf("%-32s %3d slow requests, the last ended after %s", pattern, tried,
					longest.Round(10*time.Millisecond))
			})
		}
	}
}

// A connection that sends no header, half a header slowly, or nothing after a request is ended too.
func TestSlowHeadersAreEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick)
	for _, addr := range []string{w.addr, w.metricsAddr} {
		for name, sent := range map[string]string{"nothing": "",
			"half a header": "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ",
			"idle":          "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
			if _, ended := holds(addr, sent, name == "half a header"); !ended {
				t.Errorf("%s %s: the connection is held", addr, name)
			}
		}
	}
}

// holds sends the text and then, if it trickles, a byte every 50 ms, and reports whether the server
// ends the connection.
func holds(addr, text string, trickles bool) (took time.Duration, ended bool) {
	began := time.Now()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, false
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, text)
	stop := make(chan struct{})
	defer close(stop)
	if trickles {
		piece := "1"
		if strings.Contains(text, "chunked") {
			piece = "1\r\n1\r\n"
		}
		go trickle(conn, piece, stop)
	}
	_ = conn.SetReadDeadline(began.Add(12 * time.Second))
	_, err = io.Copy(io.Discard, conn)
	return time.Since(began), !errors.Is(err, os.ErrDeadlineExceeded)
}

func trickle(conn io.Writer, piece string, stop <-chan struct{}) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		if _, err := io.WriteString(conn, piece); err != nil {
			return
		}
	}
}

// A slow upload that keeps up the least rate lives, on a connection that is slower than every pause
// and grace together.
func TestASlowUploadThatProgressesLives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *settings) {
		quick(s)
		// A pause that only a hanging client makes, so that a busy machine does not make it.
		s.web.Pace.Idle, s.web.Pace.Grace, s.web.Pace.Rate = 3*time.Second, time.Second, 1024
	})
	for attempt := 1; ; attempt++ {
		answer, pause, err := uploadSlowly(t, w)
		if err == nil && answer == "HTTP/1.1 204" {
			return
		}
		// A machine that stops this test for a second may stop the server for as long.
		if pause < time.Second || attempt == 5 {
			t.Fatalf("answered %q %v; the longest pause of the client was %s", answer, err, pause)
		}
	}
}

// uploadSlowly sends 200,000 bytes within five seconds. It returns the begin of the answer and the longest
// time between two writes.
func uploadSlowly(t *testing.T, w *world) (answer string, pause time.Duration, err error) {
	conn, err := net.Dial("tcp", w.addr)
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn,
		"PATCH /uploads/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
			"Content-Type: application/offset+octet-stream\r\nContent-Length: 200000\r\n\r\n",
		w.beginUpload("200000"), w.token)
	must(t, err)
	ticker := time.NewTicker(50 * time.Millisecond) // 2 000 bytes each: 40 kB/s, for five seconds
	defer ticker.Stop()
	last := time.Now()
	for range 100 {
		<-ticker.C
		now := time.Now()
		pause, last = max(pause, now.Sub(last)), now
		if _, err := conn.Write(make([]byte, 2000)); err != nil {
			return "", pause, err
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	begin := make([]byte, 12)
	_, err = io.ReadFull(conn, begin)
	return string(begin), pause, err
}
