package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// eventOf is an event of the case with the status after it.
func eventOf(seq, status, sentence string) object {
	return object{"cursor": "cursor-" + seq, "seq": seq, "type": "test",
		"at": "2026-11-21T13:54:25.250000Z", "status": status, "sentence": sentence}
}

// watched is an endpoint with one case, whose subscriptions follow the scripts.
func watched(t *testing.T, newest object, scripts ...func(*fakeSocket)) *fakeAPI {
	t.Helper()
	answers := jsonAnswers()
	answers["case"] = with(caseFixture, object{"lastEvents": []any{newest}})
	server := newFakeAPI(t, answers)
	server.connections = scripts
	return server
}

func TestWatchEndsWithTheOutcome(t *testing.T) {
	t.Parallel()
	for status, tc := range map[string]struct {
		code int
		want []string
	}{
		"ARCHIVED":  {exitDone, []string{"CS-2026-000001  archived\n"}},
		"REJECTED":  {exitRejected, []string{"CS-2026-000001  rejected\n"}},
		"ABANDONED": {exitAbandoned, []string{"CS-2026-000001  abandoned\n"}},
		"IN_REVIEW": {exitWaiting, []string{"in review: waiting for a reviewer\n"}},
		"RETURNED": {exitWaiting,
			[]string{"returned: waiting for the submitter (countersign resubmit)\n"}},
		"INCIDENT": {exitIncident, []string{"incident: a step failed permanently\n",
			"  cause: The file is damaged.\n",
			"  actions: countersign incident retry|replace|enter|abandon CS-2026-000001\n"}},
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			last := eventOf("2", status, "It ended.")
			server := watched(t, last, func(s *fakeSocket) {
				s.event(eventOf("1", "PROCESSING", "It started."))
				s.event(last)
				s.send("complete", nil)
				_, _, _ = s.conn.Read(s.ctx) // until the client closes
			})
			code, out, messages := server.run("watch", "case-1")
			if code != tc.code || messages != "" {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, messages)
			}
			for _, part := range append(tc.want, "  It started.\n", "  It ended.\n") {
				if !strings.Contains(out, part) {
					t.Errorf("%q is not in:\n%s", part, out)
				}
			}
		})
	}
}

// A cut connection is resumed after the last event, which is printed once.
func TestWatchReconnectsAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	last := eventOf("3", "ARCHIVED", "It was archived.")
	server := watched(t, last,
		func(s *fakeSocket) {
			s.event(eventOf("1", "PROCESSING", "It started."))
			s.event(eventOf("2", "PROCESSING", "It was read."))
			_ = s.conn.CloseNow()
		},
		func(s *fakeSocket) { _ = s.conn.Close(websocket.StatusGoingAway, "restart") },
		func(s *fakeSocket) {
			s.event(last)
			s.send("complete", nil)
			_, _, _ = s.conn.Read(s.ctx)
		})
	code, out, messages := server.run("watch", "case-1")
	if code != exitDone || messages != "CS-2026-000001: connection lost; reconnecting\n" {
		t.Errorf("exit code %d: %s", code, messages)
	}
	for _, sentence := range []string{"It started.", "It was read.", "It was archived."} {
		if strings.Count(out, sentence) != 1 {
			t.Errorf("%q is not printed once:\n%s", sentence, out)
		}
	}
	if want := []any{nil, "cursor-2", "cursor-2"}; !slices.Equal(server.cursors, want) {
		t.Errorf("subscribed after %v, want %v", server.cursors, want)
	}
}

func TestWatchAfterACursor(t *testing.T) {
	t.Parallel()
	last := eventOf("9", "IN_REVIEW", "A review was opened.")
	server := watched(t, last, func(s *fakeSocket) {
		s.event(last)
		_, _, _ = s.conn.Read(s.ctx)
	})
	code, out, messages := server.run("--json", "watch", "case-1", "--after", "cursor-8")
	want := `{"at":"2026-11-21T13:54:25.25Z","case":"case-1","cursor":"cursor-9",` +
		`"reference":"CS-2026-000001","sentence":"A review was opened.","seq":"9",` +
		`"status":"in_review","type":"test"}` + "\n" +
		`{"case":"case-1","outcome":"in_review","reference":"CS-2026-000001"}` + "\n"
	if code != exitWaiting || out != want {
		t.Errorf("exit code %d\ngot  %swant %s%s", code, out, want, messages)
	}
	if !slices.Equal(server.cursors, []any{"cursor-8"}) {
		t.Errorf("subscribed after %v", server.cursors)
	}
}

// The status of --until ends the watch even if the case has passed it.
func TestWatchUntilAStatus(t *testing.T) {
	t.Parallel()
	reading := eventOf("1", "PROCESSING", "It started.")
	server := watched(t, reading, func(s *fakeSocket) {
		s.event(reading)
		_, _, _ = s.conn.Read(s.ctx)
	})
	code, out, messages := server.run("watch", "case-1", "--until", "processing")
	if code != exitDone || !strings.HasSuffix(out, "CS-2026-000001  processing\n") {
		t.Errorf("exit code %d: %s%s", code, out, messages)
	}
}

func TestWatchIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script func(*fakeSocket)
		want   string
	}{
		"the token": {func(s *fakeSocket) { _ = s.conn.Close(4403, "Forbidden") },
			"countersign: The server refused the API token. Check that COUNTERSIGN_TOKEN is " +
				"correct and not revoked.\n"},
		"too many subscriptions": {
			func(s *fakeSocket) { _ = s.conn.Close(4429, "Too many subscriptions") },
			"countersign: The server closed the subscription: "},
		"the case": {func(s *fakeSocket) {
			s.send("error", []any{object{"message": "Not found, or you do not have access.",
				"extensions": object{"code": "NotFound"}}})
			_, _, _ = s.conn.Read(s.ctx)
		}, "countersign: Not found, or you do not have access.\n"},
		"an event": {func(s *fakeSocket) {
			s.send("next", object{"data": nil, "errors": []any{object{
				"message": "Your access was revoked."}}})
			_, _, _ = s.conn.Read(s.ctx)
		}, "countersign: Your access was revoked.\n"},
		"without an event": {func(s *fakeSocket) {
			s.send("next", object{"data": object{"caseEvents": nil}})
			_, _, _ = s.conn.Read(s.ctx)
		}, "countersign: decode the event: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := watched(t, eventFixture, tc.script)
			code, out, messages := server.run("watch", "case-1")
			if code != exitFailed || out != "" || !strings.HasPrefix(messages, tc.want) {
				t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
			}
			if len(server.cursors) != 1 {
				t.Errorf("subscribed %d times", len(server.cursors))
			}
		})
	}
}

// The client answers the pings of the server.
func TestWatchAnswersPings(t *testing.T) {
	t.Parallel()
	last := eventOf("1", "ARCHIVED", "It was archived.")
	pong := make(chan string, 1)
	server := watched(t, last, func(s *fakeSocket) {
		s.send("ping", nil)
		_, answer, err := s.conn.Read(s.ctx)
		if err != nil {
			t.Errorf("read the pong: %v", err)
		}
		pong <- string(answer)
		s.event(last)
		s.send("complete", nil)
		_, _, _ = s.conn.Read(s.ctx)
	})
	if code, _, messages := server.run("watch", "case-1"); code != exitDone {
		t.Errorf("exit code %d: %s", code, messages)
	}
	if got := <-pong; got != `{"type":"pong"}` {
		t.Errorf("the client answers %s", got)
	}
}

// A command with --watch follows the case from the state before the command.
func TestCommandsFollowTheCase(t *testing.T) {
	t.Parallel()
	last := eventOf("10", "ARCHIVED", "It was archived.")
	for command, after := range map[string]any{
		"incident retry case-1 --watch": "cursor-9", "resubmit case-1 -w": "cursor-9",
		"submit main.go --watch": nil,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			server := watched(t, last, func(s *fakeSocket) {
				s.event(last)
				s.send("complete", nil)
				_, _, _ = s.conn.Read(s.ctx)
			})
			code, out, messages := server.run(strings.Fields(command)...)
			if code != exitDone || !strings.HasSuffix(out, "CS-2026-000001  archived\n") {
				t.Errorf("exit code %d: %s%s", code, out, messages)
			}
			if !slices.Equal(server.cursors, []any{after}) {
				t.Errorf("subscribed after %v, want %v", server.cursors, after)
			}
		})
	}
}

// sameJSON reports whether two values are the same JSON.
func sameJSON(t *testing.T, one, other any) bool {
	t.Helper()
	var decoded [2]any
	for i, value := range []any{one, other} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&decoded[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(decoded[0], decoded[1])
}
