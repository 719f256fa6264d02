package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/Khan/genqlient/graphql"
	"github.com/coder/websocket"

	"countersign/domain"
)

const (
	subprotocol      = "graphql-transport-ws"
	pingInterval     = 15 * time.Second // how often the server is pinged
	readTimeout      = 45 * time.Second // how long the server may be silent
	minBackoff       = 200 * time.Millisecond
	maxBackoff       = 5 * time.Second
	reconnectTimeout = 10 * time.Minute // how long reconnecting is tried
)

// errStopReceiving is returned by a receiver of events to end the subscription.
var errStopReceiving = errors.New("stop receiving")

// caseEvents passes every event after the cursor to receive, once and in order. It reconnects when
// a connection is cut, and ends when the server completes the subscription, the receiver returns
// errStopReceiving, or the context ends.
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
				"Continue later with: countersign watch %s", caseID).WithCause(cut.cause)
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

// connectionCut reports that the connection failed. The subscription can be resumed after the last
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

// listen opens one connection and passes its events to receive until the connection ends.
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
		return domain.Errorf(domain.Unavailable,
			"The server at %s does not support the protocol %s.", a.address,
			subprotocol)
	}
	payload, err := json.Marshal(graphql.Request{OpName: "watchCase", Query: watchCase_Operation,
		Variables: &__watchCaseInput{CaseId: caseID, After: after}})
	if err != nil {
		return err
	}
	if err := write(ctx, conn, frame{ID: "events", Type: "subscribe",
		Payload: payload}); err != nil {
		return a.cutError(ctx, err)
	}
	return nil
}

// read returns the next message, or an error: a refusal, or a connectionCut.
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
				"Check that COUNTERSIGN_TOKEN is correct and not revoked.")
		case 4400, 4406, 4409, 4429:
			return message, domain.Errorf(domain.NotPermitted,
				"The server closed the subscription: %v", err)
		}
		return message, a.cutError(ctx, err)
	}
	if err := json.Unmarshal(content, &message); err != nil {
		return message, fmt.Errorf("decode the message: %w", err)
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

// keepAlive pings the server, so that the read timeout detects a server that is gone.
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
		Data   watchCaseResponse
		Errors []graphError
	}
	if err := json.Unmarshal(payload, &reply); err != nil {
		return caseEvent{}, fmt.Errorf("decode the event: %w", err)
	}
	if len(reply.Errors) > 0 {
		return caseEvent{}, reply.Errors[0].domain()
	}
	if reply.Data.CaseEvents == nil {
		return caseEvent{}, fmt.Errorf("decode the event: %w", io.ErrUnexpectedEOF)
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
