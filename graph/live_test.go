package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// eventStream is one subscription over one transport; the channel closes with the subscription.
type eventStream struct {
	frames     chan map[string]any
	disconnect func()
}

func (l eventStream) next(t *testing.T) map[string]any {
	t.Helper()
	select {
	case frame, more := <-l.frames:
		if !more {
			t.Fatal("the subscription ended")
		}
		return frame
	case <-time.After(time.Minute):
		t.Fatal("no frame arrived")
	}
	return nil
}

// transports are the ways to subscribe.
var transports = map[string]func(w *testEnv, by, query string, variables map[string]any) eventStream{
	"websocket": overSocket,
	"sse":       overStream,
}

func overSocket(w *testEnv, by, query string, variables map[string]any) eventStream {
	w.t.Helper()
	conn, _, err := websocket.Dial(w.t.Context(), "ws"+strings.TrimPrefix(w.server.URL, "http"),
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	must(w.t, err)
	conn.SetReadLimit(4 << 20)
	say := func(message any) {
		text, _ := json.Marshal(message)
		must(w.t, conn.Write(w.t.Context(), websocket.MessageText, text))
	}
	say(map[string]any{"type": "connection_init",
		"payload": map[string]any{"Authorization": "Bearer " + by}})
	say(map[string]any{"type": "subscribe", "id": "1",
		"payload": map[string]any{"query": query, "variables": variables}})
	l := eventStream{frames: make(chan map[string]any, 100),
		disconnect: func() { _ = conn.CloseNow() }}
	w.t.Cleanup(l.disconnect)
	go func() {
		defer close(l.frames)
		for {
			_, text, err := conn.Read(context.Background())
			var message struct {
				Type    string
				Payload json.RawMessage
			}
			if err != nil || json.Unmarshal(text, &message) != nil || message.Type == "complete" {
				return
			}
			switch message.Type {
			case "next":
				l.frames <- decoded(message.Payload)
			case "error":
				l.frames <- map[string]any{"errors": string(message.Payload)}
			}
		}
	}()
	return l
}

func overStream(w *testEnv, by, query string, variables map[string]any) eventStream {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables})
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL,
		bytes.NewReader(body))
	must(w.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer "+by)
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	l := eventStream{frames: make(chan map[string]any, 100),
		disconnect: func() { cancel(); _ = response.Body.Close() }}
	w.t.Cleanup(l.disconnect)
	go func() {
		defer close(l.frames)
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found && data != "" {
				l.frames <- decoded([]byte(data))
			}
		}
	}()
	return l
}

func decoded(text []byte) map[string]any {
	var answer struct {
		Data   map[string]any
		Errors json.RawMessage
	}
	_ = json.Unmarshal(text, &answer)
	if len(answer.Errors) > 0 {
		return map[string]any{"errors": string(answer.Errors)}
	}
	return answer.Data
}

const caseEvents = `subscription($id: ID!, $after: Cursor) { caseEvents(caseId: $id, after:
	$after) { seq cursor type sentence status case { status } } }`

// The connection is cut after each of the events 1 … n; after reconnecting, exactly the missing
// ones arrive.
func TestEventsOverCutConnections(t *testing.T) {
	t.Parallel()
	for name, subscribe := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			w.knowSeller()
			w.person("sam", domain.RoleSubmitter)
			w.person("aud", domain.RoleAuditor)
			id := w.submit("sam", "120.00")
			working := make(chan struct{})
			go func() { defer close(working); w.runPending() }()
			defer func() { <-working }()
			whole := subscribe(w, "aud", caseEvents, map[string]any{"id": id})
			after, seq := "", 0
			for ended := false; !ended; {
				part := subscribe(w, "aud", caseEvents, map[string]any{"id": id, "after": after})
				select {
				case frame, more := <-part.frames:
					if !more {
						ended = true
						break
					}
					event := frame["caseEvents"].(map[string]any)
					if seq++; event["seq"] != fmt.Sprint(seq) {
						t.Fatalf("after %d came %v", seq-1, frame)
					}
					after = event["cursor"].(string)
				case <-time.After(time.Minute):
					t.Fatalf("nothing after event %d", seq)
				}
				part.disconnect()
				for range part.frames {
				}
			}
			count := 0
			for frame := range whole.frames {
				if count++; frame["caseEvents"].(map[string]any)["seq"] != fmt.Sprint(count) {
					t.Fatalf("the uncut subscription got %v as number %d", frame, count)
				}
			}
			if count != seq || seq < 8 {
				t.Errorf("%d events in pieces, %d in one", seq, count)
			}
		})
	}
}

func TestASubscriptionIsRefusedOrEnded(t *testing.T) {
	t.Parallel()
	for name, subscribe := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			w.person("sam", domain.RoleSubmitter)
			w.person("eve", domain.RoleSubmitter)
			lea := w.person("lea", domain.RoleL1)
			id := w.submit("sam", "90000.00")
			w.runPending()
			for what, l := range map[string]eventStream{
				"another's case": subscribe(w, "eve", caseEvents, map[string]any{"id": id}),
				"a wrong id":     subscribe(w, "sam", caseEvents, map[string]any{"id": "x"}),
				"a wrong cursor": subscribe(w, "sam", caseEvents,
					map[string]any{"id": id, "after": "x"}),
			} {
				if frame := l.next(t); frame["errors"] == nil {
					t.Errorf("%s: %v", what, frame)
				}
			}
			watching := subscribe(w, "lea", caseEvents, map[string]any{"id": id})
			watching.next(t)
			user, err := w.db.Reader().User(t.Context(), lea.UserID)
			must(t, err)
			user.Roles = []domain.Role{domain.RoleSubmitter}
			must(t, w.putUser(user))
			for {
				frame := watching.next(t)
				if text, ended := frame["errors"].(string); ended {
					if !strings.Contains(text, "NotFound") {
						t.Errorf("the end: %s", text)
					}
					break
				}
			}
		})
	}
}

func TestTheQueueIsLive(t *testing.T) {
	t.Parallel()
	for name, subscribe := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			w.person("sam", domain.RoleSubmitter)
			w.person("lea", domain.RoleL1)
			w.person("max", domain.RoleL1)
			queue := subscribe(w, "lea", `subscription { reviewQueue { snapshot upserted { id
				status assignee { name } } removed order totalCount } }`, nil)
			counters := subscribe(w, "lea",
				`subscription { notifications { available mine incidents } }`, nil)
			first := queue.next(t)["reviewQueue"].(map[string]any)
			if first["snapshot"] != true || first["totalCount"] != float64(0) {
				t.Fatalf("the snapshot: %v", first)
			}
			if got := counters.next(t)["notifications"].(map[string]any); got["available"] != float64(
				0) {
				t.Errorf("at first %v wait", got)
			}
			w.submit("sam", "90000.00")
			w.runPending()
			var review string
			for review == "" {
				change := queue.next(t)["reviewQueue"].(map[string]any)
				if upserted := change["upserted"].([]any); len(upserted) == 1 &&
					change["totalCount"] == float64(1) {
					review = upserted[0].(map[string]any)["id"].(string)
				}
			}
			if got := counters.next(t)["notifications"].(map[string]any); got["available"] != float64(
				1) {
				t.Errorf("then %v wait", got)
			}
			claim(w, "max", review)
			change := queue.next(t)["reviewQueue"].(map[string]any)
			gone := len(change["removed"].([]any)) == 1
			shown := len(change["upserted"].([]any)) == 1 &&
				change["upserted"].([]any)[0].(map[string]any)["assignee"].(map[string]any)["name"] == "max"
			if !gone && !shown {
				t.Errorf("a colleague's claim: %v", change)
			}
		})
	}
}
