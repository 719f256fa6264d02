package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// receivedEvent is one event as it came over a subscription; the zero Seq says that the
// subscription is complete.
type receivedEvent struct {
	Seq        int
	Cursor     string
	At         time.Time // when it was committed, by the server
	ReceivedAt time.Time // when the follower had it
}

func (e receivedEvent) complete() bool { return e.Seq == 0 }

// subscription is one connection that receives a case's events, one at a time.
type subscription interface {
	next() (receivedEvent, error)
	cut() // as a lost network does it: without a word of farewell
}

// eventTransport is a way to subscribe: the events of the case after the cursor, from the server of
// this address.
type eventTransport func(ctx context.Context, address, token, caseID, after string) (subscription, error)

var eventTransports = map[string]eventTransport{"WebSocket": overSocket, "SSE": overStream}

// subscriptionRequest asks for events only: a client that resumes with a cursor does not read the
// case again.
func subscriptionRequest(caseID, after string) map[string]any {
	return map[string]any{"query": `subscription($id: ID!, $after: Cursor) { caseEvents(caseId: $id, after: $after) { seq cursor at } }`,
		"variables": map[string]any{"id": caseID, "after": after}}
}

// decodeEvent reads the result of one event.
func decodeEvent(payload []byte) (receivedEvent, error) {
	var answer struct {
		Data struct {
			CaseEvents *struct {
				Seq, Cursor string
				At          time.Time
			}
		}
	}
	if err := json.Unmarshal(payload, &answer); err != nil || answer.Data.CaseEvents == nil {
		return receivedEvent{}, fmt.Errorf("no event: %s (%w)", payload, err)
	}
	seq, err := strconv.Atoi(answer.Data.CaseEvents.Seq)
	return receivedEvent{Seq: seq, Cursor: answer.Data.CaseEvents.Cursor,
		At: answer.Data.CaseEvents.At, ReceivedAt: time.Now()}, err
}

// socket is a subscription over graphql-transport-ws.
type socket struct {
	ctx  context.Context
	conn *websocket.Conn
}

// message is a frame of that protocol.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

func overSocket(ctx context.Context, address, token, caseID, after string) (subscription, error) {
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(address, "http")+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	s := &socket{ctx, conn}
	hello, err := json.Marshal(map[string]string{"authorization": "Bearer " + token})
	if err != nil {
		return nil, err
	}
	wanted, err := json.Marshal(subscriptionRequest(caseID, after))
	if err != nil {
		return nil, err
	}
	if err := s.write(message{Type: "connection_init", Payload: hello}); err != nil {
		return nil, err
	}
	if welcome, err := s.read(); err != nil || welcome.Type != "connection_ack" {
		return nil, fmt.Errorf("no welcome: %+v (%w)", welcome, err)
	}
	return s, s.write(message{ID: "1", Type: "subscribe", Payload: wanted})
}

func (s *socket) write(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.conn.Write(s.ctx, websocket.MessageText, text)
}

func (s *socket) read() (m message, err error) {
	_, text, err := s.conn.Read(s.ctx)
	if err != nil {
		return m, fmt.Errorf("read: %w", err)
	}
	return m, json.Unmarshal(text, &m)
}

func (s *socket) next() (receivedEvent, error) {
	for {
		m, err := s.read()
		if err != nil {
			return receivedEvent{}, err
		}
		switch m.Type {
		case "next":
			return decodeEvent(m.Payload)
		case "complete":
			return receivedEvent{}, nil
		case "ping":
			if err := s.write(message{Type: "pong"}); err != nil {
				return receivedEvent{}, err
			}
		default:
			return receivedEvent{}, fmt.Errorf("received %s: %s", m.Type, m.Payload)
		}
	}
}

func (s *socket) cut() { _ = s.conn.CloseNow() }

// stream is a subscription over server-sent events, a connection of its own.
type stream struct {
	lines *bufio.Scanner
	close func()
}

func overStream(ctx context.Context, address, token, caseID, after string) (subscription, error) {
	body, err := json.Marshal(subscriptionRequest(caseID, after))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/graphql",
		bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, err
	}
	request.Header = http.Header{"Content-Type": {"application/json"},
		"Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token}}
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &stream{bufio.NewScanner(response.Body), func() { cancel(); _ = response.Body.Close() }}
	if response.StatusCode != http.StatusOK {
		s.close()
		return nil, fmt.Errorf("the server answered %s", response.Status)
	}
	return s, nil
}

func (s *stream) next() (receivedEvent, error) {
	name := ""
	for s.lines.Scan() {
		line := s.lines.Text()
		if event, found := strings.CutPrefix(line, "event: "); found {
			name = event
		}
		data, found := strings.CutPrefix(line, "data: ")
		switch {
		case !found: // a sign of life, or the end of an event
		case name == "next":
			return decodeEvent([]byte(data))
		case name == "complete":
			return receivedEvent{}, nil
		default:
			return receivedEvent{}, fmt.Errorf("received %q: %s", name, data)
		}
	}
	return receivedEvent{}, fmt.Errorf("the stream ended without a word: %w", s.lines.Err())
}

func (s *stream) cut() { s.close() }
