package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// credential is what a subscriber shows: an API token, or the cookie of a session.
type credential struct{ token, cookie string }

func (c credential) header() http.Header {
	header := http.Header{"Content-Type": {"application/json"}}
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	} else {
		header.Set("Cookie", c.cookie)
	}
	return header
}

// subscriber is one subscription over one wire, until it ends or is cut.
type subscriber struct {
	name  string
	first chan struct{} // closed with the first frame, or the end
	over  chan struct{} // closed with the end
	cut   context.CancelFunc

	mu     sync.Mutex
	frames []map[string]json.RawMessage
	came   []time.Time
	code   string // of the error that ended it; "" = it ended without one
	end    time.Time
}

// subscribe opens a subscription and collects what comes of it.
func subscribe(ctx context.Context, name, wire, server string, by credential, query string,
	variables map[string]any) *subscriber {
	ctx, cut := context.WithCancel(ctx)
	s := &subscriber{name: name, first: make(chan struct{}), over: make(chan struct{}), cut: cut}
	payload, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
	go func() {
		defer close(s.over)
		begin := sync.OnceFunc(func() { close(s.first) })
		defer begin()
		run := s.overSocket
		if wire == "SSE" {
			run = s.overStream
		}
		err := run(ctx, server, by, payload, begin)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.end = time.Now(); err != nil && s.code == "" && ctx.Err() == nil {
			s.code = err.Error()
		}
	}()
	return s
}

// take keeps one result and reports whether it was the last, which carries errors.
func (s *subscriber) take(text []byte, begin func()) bool {
	var result struct {
		Data   map[string]json.RawMessage
		Errors json.RawMessage
	}
	now := time.Now()
	_ = json.Unmarshal(text, &result)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(result.Errors) > 0 {
		s.code = codeOf(result.Errors)
		return true
	}
	s.frames, s.came = append(s.frames, result.Data), append(s.came, now)
	begin()
	return false
}

func codeOf(errors json.RawMessage) string {
	var list []struct {
		Message    string
		Extensions struct{ Code string }
	}
	if json.Unmarshal(errors, &list) != nil || len(list) == 0 {
		return string(errors)
	}
	return list[0].Extensions.Code
}

// seen are the frames so far, with the moments they came.
func (s *subscriber) seen() ([]map[string]json.RawMessage, []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]json.RawMessage(nil), s.frames...),
		append([]time.Time(nil), s.came...)
}

func (s *subscriber) overSocket(ctx context.Context, server string, by credential, payload []byte,
	begin func()) error {
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server, "http")+"/graphql", //nolint:bodyclose // the connection is its body
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"},
			HTTPHeader: by.header()})
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(4 << 20)
	link := socket{ctx, conn}
	if err := link.write(message{Type: "connection_init"}); err != nil {
		return err
	}
	if err := link.write(message{ID: "1", Type: "subscribe", Payload: payload}); err != nil {
		return err
	}
	for {
		m, err := link.read()
		if err != nil {
			return err
		}
		switch m.Type {
		case "next":
			s.take(m.Payload, begin)
		case "error":
			s.mu.Lock()
			s.code = codeOf(m.Payload)
			s.mu.Unlock()
			return nil
		case "complete":
			return nil
		}
	}
}

func (s *subscriber) overStream(ctx context.Context, server string, by credential, payload []byte,
	begin func()) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/graphql",
		bytes.NewReader(payload))
	if err != nil {
		return err
	}
	request.Header = by.header()
	request.Header.Set("Accept", "text/event-stream")
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	lines := newLines(response.Body)
	for lines.Scan() {
		data, found := strings.CutPrefix(lines.Text(), "data: ")
		if found && data != "" && s.take([]byte(data), begin) {
			return nil
		}
		if lines.Text() == "event: complete" {
			return nil
		}
	}
	return lines.Err()
}
