package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// event names one event by its case, as the GraphQL adapter names cases, and its number.
type event struct {
	Case string
	Seq  string
}

// frame is an event as a subscriber got it.
type frame struct {
	event
	At   time.Time // the event's own
	Read time.Time // when the subscriber had it
}

// subscription is what one subscriber follows; the events after the cursor include one that has
// been, as a sign that it listens.
type subscription struct{ Case, After, Token string }

// subscriberOrder is the command that the subscribers' process reads from its standard input.
type subscriberOrder struct {
	URL           string
	Subscriptions []subscription
	Events        int // to wait for, of all together
}

// subscribers is the program of the subscribers' process.
func subscribers(ctx context.Context, input io.Reader, output io.Writer) error {
	in := bufio.NewReader(input)
	var what subscriberOrder
	if err := readOrder(in, &what); err != nil {
		return err
	}
	frames := make(chan frame, 4096)
	var first sync.WaitGroup
	for _, w := range what.Subscriptions {
		first.Add(1)
		conn, err := w.subscribe(ctx, what.URL)
		if err != nil {
			return err
		}
		go w.read(ctx, conn, first.Done, frames)
	}
	first.Wait()
	if _, err := io.WriteString(output, readyLine); err != nil {
		return err
	}
	enough := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, in); close(enough) }()
	all := make([]frame, 0, what.Events)
	for open := true; open && len(all) < what.Events; {
		select {
		case f := <-frames:
			all = append(all, f)
		case <-enough:
			open = false
		}
	}
	return json.NewEncoder(output).Encode(all)
}

const document = `subscription($id: ID!, $after: Cursor) { caseEvents(caseId: $id, after: $after) { seq at type sentence status } }`

func (w subscription) subscribe(ctx context.Context, url string) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1),
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return nil, err
	}
	for _, message := range []map[string]any{
		{"type": "connection_init", "payload": map[string]any{"Authorization": "Bearer " +
			w.Token}},
		{"type": "subscribe", "id": "1", "payload": map[string]any{"query": document,
			"variables": map[string]any{"id": w.Case, "after": w.After}}},
	} {
		text, err := json.Marshal(message)
		if err != nil {
			return nil, err
		}
		if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
			return nil, err
		}
	}
	return conn, nil
}

// read forwards every frame but the first, which confirms the subscription.
func (w subscription) read(ctx context.Context, conn *websocket.Conn, began func(),
	frames chan<- frame) {
	for fresh := false; ; {
		_, text, err := conn.Read(ctx)
		read := time.Now()
		seq, at, err := w.decode(text, err)
		switch {
		case err != nil:
			fmt.Fprintln(os.Stderr, "frames: a subscriber:", err)
			return
		case seq == "":
		case !fresh:
			fresh = true
			began()
		default:
			frames <- frame{event{w.Case, seq}, at, read}
		}
	}
}

// decode returns the event in a message; no seq for a message that has none.
func (w subscription) decode(text []byte, err error) (seq string, at time.Time, _ error) {
	var message struct {
		Type    string
		Payload struct {
			Data   struct{ CaseEvents struct{ Seq, At string } }
			Errors json.RawMessage
		}
	}
	if err == nil {
		if err = json.Unmarshal(text, &message); err != nil {
			err = fmt.Errorf("%s: %w", text, err) // a refusal has another shape
		}
	}
	if err != nil {
		return "", at, err
	}
	if message.Type == "error" || message.Type == "complete" || message.Payload.Errors != nil {
		return "", at, errors.New(string(text))
	}
	got := message.Payload.Data.CaseEvents
	if got.Seq == "" {
		return "", at, nil
	}
	at, err = time.Parse(time.RFC3339Nano, got.At)
	return got.Seq, at, err
}
