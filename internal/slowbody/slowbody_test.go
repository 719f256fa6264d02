package slowbody

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

var quick = Pace{Idle: 150 * time.Millisecond, Grace: 300 * time.Millisecond, Rate: 10_000,
	Write: 200 * time.Millisecond}

// serve runs the handler and returns a connection to it.
func serve(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	server := httptest.NewServer(Handler(handler, quick, domain.SystemClock{}))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	return conn
}

// Once the body is read, or where there is none, an operation may take its time and a stream its
// whole life: nothing ends its context but the client's leaving.
func TestALongAnswerOutlivesTheDeadlines(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"with a body":         "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		"with a chunked body": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"without a body":      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := make(chan error, 1)
			conn := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				for range 4 { // a sign of life every 300 ms, each within the time for one write
					select {
					case <-time.After(300 * time.Millisecond):
					case <-r.Context().Done():
						_, _ = fmt.Fprint(w, "ended: ", context.Cause(r.Context()))
						return
					}
					_, _ = fmt.Fprint(w, "alive ")
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
				left <- context.Cause(r.Context())
			})
			_, _ = io.WriteString(conn, request)
			reader, heard := bufio.NewReader(conn), ""
			for strings.Count(heard, "alive") < 4 {
				piece, err := reader.ReadString(' ')
				if heard += piece; err != nil {
					t.Fatalf("heard %q: %v", heard, err)
				}
			}
			_ = conn.Close()
			select {
			case cause := <-left:
				if !errors.Is(cause, context.Canceled) {
					t.Errorf("ended by %v", cause)
				}
			case <-time.After(10 * time.Second):
				t.Error("the client's leaving was not noticed")
			}
		})
	}
}

// A response that no client reads ends, whether the handler writes it or the server does after it.
func TestAnUnreadResponseEnds(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	conn := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				failed <- err
				return
			}
		}
	})
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case err := <-failed:
		if !Late(err) {
			t.Errorf("ended by %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the handler writes for ever")
	}
}

// A handler's own deadline for writing holds, as streams set one for each frame.
func TestAHandlersOwnWriteDeadlineHolds(t *testing.T) {
	t.Parallel()
	failed := make(chan time.Duration, 1)
	conn := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		began := time.Now()
		_ = http.NewResponseController(w).SetWriteDeadline(began.Add(time.Second))
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				failed <- time.Since(began)
				return
			}
		}
	})
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if took := <-failed; took < 900*time.Millisecond {
		t.Errorf("ended after %s", took)
	}
}

// A library may interrupt a read, but not move its deadline on.
func TestReadDeadlinesOfHandlers(t *testing.T) {
	t.Parallel()
	type outcome struct {
		took time.Duration
		err  error
	}
	read := func(set func(*http.ResponseController)) outcome {
		ended := make(chan outcome, 1)
		conn := serve(t, func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			set(http.NewResponseController(w))
			_, err := io.ReadAll(r.Body)
			ended <- outcome{time.Since(began), err}
		})
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
		return <-ended
	}
	later := read(func(c *http.ResponseController) {
		_ = c.SetReadDeadline(
			time.Now().Add(time.Hour))
	})
	if !Late(later.err) || later.took > 5*time.Second {
		t.Errorf("moved on: %+v", later)
	}
	never := read(func(c *http.ResponseController) { _ = c.SetReadDeadline(time.Time{}) })
	if !Late(never.err) || never.took > 5*time.Second {
		t.Errorf("cleared: %+v", never)
	}
	at := read(func(c *http.ResponseController) { _ = c.SetReadDeadline(time.Now()) })
	if !Late(at.err) || at.took > 100*time.Millisecond {
		t.Errorf("interrupted: %+v", at)
	}
}

// A handler inside another's pace is held to the outer one.
func TestTheOuterPaceHolds(t *testing.T) {
	t.Parallel()
	inner := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		if !Late(err) {
			t.Errorf("read: %v", err)
		}
		w.WriteHeader(http.StatusTeapot)
	}), Pace{Idle: time.Hour, Grace: time.Hour}, domain.SystemClock{})
	conn := serve(t, inner.ServeHTTP)
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nh")
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil ||
		!strings.Contains(line, "418") {
		t.Errorf("answered %q %v", line, err)
	}
}
