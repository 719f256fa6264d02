package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

const (
	subprotocol      = "graphql-transport-ws"
	pingInterval     = 15 * time.Second // how often the server is asked whether it is there
	readTimeout      = 45 * time.Second // how long it may say nothing at all
	minBackoff       = 200 * time.Millisecond
	maxBackoff       = 5 * time.Second
	reconnectTimeout = 10 * time.Minute // how long a lost server is waited for
)

// caseEvent is one event as a person may see it.
type caseEvent struct {
	Cursor   string
	Seq      string
	Type     string
	At       time.Time
	Status   string
	Sentence string
}

const eventFields = `cursor seq type at status sentence`

// errStopReceiving is returned by the receiver of events that has seen enough.
var errStopReceiving = errors.New("seen enough")

// caseEvents hands over every event after the cursor, once and in order, over any number of cut
// connections, until the server says that there will be no more, the receiver returns errStop, or
// the context ends.
func (a *api) caseEvents(ctx context.Context, caseID, after string, lost func(error),
	receive func(caseEvent) error) error {
	pause, waited := minBackoff, time.Duration(0)
	for {
		cursor := after
		err := a.listen(ctx, caseID, after, func(event caseEvent) error {
			after = event.Cursor
			return receive(event)
		})
		var cut *connectionCut
		switch {
		case errors.Is(err, errStopReceiving):
			return nil
		case !errors.As(err, &cut):
			return err
		}
		if after != cursor {
			pause, waited = minBackoff, 0
		}
		if waited > reconnectTimeout {
			return domain.Errorf(domain.Unavailable,
				"The connection to the server was lost.").WithRemedy(
				"Go on later by: countersign watch %s", caseID).WithCause(cut.cause)
		}
		if waited == 0 {
			lost(cut.cause)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		waited, pause = waited+pause, min(2*pause, maxBackoff)
	}
}

// connectionCut says that the connection failed, not the subscription, which resumes after the last
// event received.
type connectionCut struct{ cause error }

// Error names the cause.
func (c *connectionCut) Error() string { return fmt.Sprintf("connection cut: %v", c.cause) }

// frame is a message of graphql-transport-ws.
type frame struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// listen is one connection's life.
func (a *api) listen(ctx context.Context, caseID, after string,
	receive func(caseEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, a.address,
		&websocket.DialOptions{HTTPClient: a.client,
			HTTPHeader: a.header(""), Subprotocols: []string{subprotocol}})
	if err != nil {
		if response != nil && response.StatusCode >= 400 && response.StatusCode < 500 {
			return domain.Errorf(domain.Unauthenticated, "The server refused the connection (%s).",
				response.Status)
		}
		return a.cutError(ctx, err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(4 << 20)
	if err := a.subscribe(ctx, conn, caseID, after); err != nil {
		return err
	}
	go keepAlive(ctx, conn)
	for {
		message, err := a.read(ctx, conn)
		if err != nil {
			return err
		}
		switch message.Type {
		case "next":
			event, err := decodeEvent(message.Payload)
			if err != nil {
				return err
			}
			if err := receive(event); err != nil {
				_ = conn.Close(websocket.StatusNormalClosure, "")
				return err
			}
		case "error":
			return decodeErrors(message.Payload)
		case "complete":
			return nil
		case "ping":
			if err := write(ctx, conn, frame{Type: "pong"}); err != nil {
				return a.cutError(ctx, err)
			}
		}
	}
}

func (a *api) subscribe(ctx context.Context, conn *websocket.Conn, caseID, after string) error {
	init, err := json.Marshal(map[string]string{"authorization": "Bearer " + a.token})
	if err != nil {
		return err
	}
	if err := write(ctx, conn, frame{Type: "connection_init", Payload: init}); err != nil {
		return a.cutError(ctx, err)
	}
	acknowledged, err := a.read(ctx, conn)
	if err != nil {
		return err
	}
	if acknowledged.Type != "connection_ack" {
		return domain.Errorf(domain.Unavailable, "The server at %s does not speak %s.", a.address,
			subprotocol)
	}
	variables := map[string]any{"case": caseID}
	if after != "" {
		variables["after"] = after
	}
	payload, err := json.Marshal(
		graphQLRequest{`subscription($case: ID!, $after: Cursor) { caseEvents(caseId: $case, after: $after) { ` +
			eventFields + ` } }`, variables})
	if err != nil {
		return err
	}
	if err := write(ctx, conn, frame{ID: "events", Type: "subscribe",
		Payload: payload}); err != nil {
		return a.cutError(ctx, err)
	}
	return nil
}

// read returns the next message, or why there is none: a refusal, or a cut connection.
func (a *api) read(ctx context.Context, conn *websocket.Conn) (frame, error) {
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	var message frame
	_, content, err := conn.Read(limited)
	if err != nil {
		switch websocket.CloseStatus(err) {
		case 4401, 4403:
			return message, domain.Errorf(domain.Unauthenticated,
				"The server refused the API token.").WithRemedy(
				"Is COUNTERSIGN_TOKEN right and not revoked?")
		case 4400, 4406, 4409, 4429:
			return message, domain.Errorf(domain.NotPermitted,
				"The server closed the subscription: %v", err)
		}
		return message, a.cutError(ctx, err)
	}
	if err := json.Unmarshal(content, &message); err != nil {
		return message, fmt.Errorf("read the server's message: %w", err)
	}
	return message, nil
}

func (a *api) cutError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &connectionCut{err}
}

func write(ctx context.Context, conn *websocket.Conn, message frame) error {
	content, err := json.Marshal(message)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return conn.Write(limited, websocket.MessageText, content)
}

// keepAlive makes a server that is there say so, so that one that is gone is noticed.
func keepAlive(ctx context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if write(ctx, conn, frame{Type: "ping"}) != nil {
				return
			}
		}
	}
}

func decodeEvent(payload json.RawMessage) (caseEvent, error) {
	var reply struct {
		Data   struct{ CaseEvents *caseEvent }
		Errors []graphError
	}
	if err := json.Unmarshal(payload, &reply); err != nil {
		return caseEvent{}, fmt.Errorf("read the event: %w", err)
	}
	if len(reply.Errors) > 0 {
		return caseEvent{}, reply.Errors[0].domain()
	}
	if reply.Data.CaseEvents == nil {
		return caseEvent{}, fmt.Errorf("read the event: %w", io.ErrUnexpectedEOF)
	}
	return *reply.Data.CaseEvents, nil
}

func decodeErrors(payload json.RawMessage) error {
	var list []graphError
	if err := json.Unmarshal(payload, &list); err != nil || len(list) == 0 {
		return domain.Errorf(domain.Internal, "The server ended the subscription: %s", payload)
	}
	return list[0].domain()
}
