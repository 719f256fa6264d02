package bounds_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"countersign/domain"
	"countersign/graph/transport"
)

// TestEveryRefusalThatPassesSaysWhen answers with every code there is at every adapter of HTTP:
// each 429 and 503 says when to come back, and so does an operation's error on a socket.
func TestEveryRefusalThatPassesSaysWhen(t *testing.T) {
	t.Parallel()
	var refusal atomic.Pointer[domain.Error]
	refuse := func() error {
		if r := refusal.Load(); r != nil {
			return r
		}
		return nil
	}
	w := newWorld(t, func(s *settings) {
		s.web.Admit = func(context.Context, domain.Actor, string) error { return refuse() }
		s.web.AdmitSignIn = func(context.Context, string) error { return refuse() }
		s.web.Uploads.Admit = func(context.Context, domain.Actor) error { return refuse() }
		s.web.Uploads.AdmitPiece = s.web.Uploads.Admit
		s.web.Checks[0].Probe = func(context.Context) error { return refuse() }
		s.graph.ConfigureTransport = func(o *transport.Options) {
			o.Admit = func(context.Context, domain.Actor, *http.Request) error { return refuse() }
		}
	})
	socket := w.socket(t)
	token := []string{"Authorization", "Bearer " + w.token, "Content-Type", "application/json"}
	tus := append([]string{"Tus-Resumable", "1.0.0", "Upload-Length", "10"}, token...)
	stream := append([]string{"Accept", "text/event-stream"}, token...)
	asked := map[string][]string{
		"POST /graphql": token, "GET /graphql?query={version}": stream, "POST /auth/sign-in": token,
		"POST /auth/sign-out": token, "GET /auth/me": token,
		"GET /cases/" + domain.NewID().String() + "/document": token, "POST /uploads/": tus,
		"HEAD /uploads/" + domain.NewID().String(): tus, "GET /readyz": nil,
		"GET /graphql": {"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version",
			"13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==",
			"Sec-WebSocket-Protocol", "graphql-transport-ws"},
	}
	passing := 0
	for _, code := range domain.Codes() {
		refusal.Store(domain.Errorf(code, "Refused.").WithDetail("retryAfterSeconds", "7"))
		for what, headers := range asked {
			method, path, _ := strings.Cut(what, " ")
			got := w.send(method, w.addr+path, `{"query":"{ viewer { person { id } } }"}`,
				headers...)
			seconds, _ := strconv.Atoi(got.header.Get("Retry-After"))
			if temporary := got.status == http.StatusTooManyRequests ||
				got.status == http.StatusServiceUnavailable; temporary && seconds < 1 {
				t.Errorf("%s, %s: answered %d without Retry-After", what, code, got.status)
			} else if temporary {
				passing++
			}
		}
		extensions := socket.refused(t)
		_, passes := domain.RetryAfter(refusal.Load())
		if after, said := extensions["retryAfterSeconds"].(float64); said != passes || passes &&
			after != 7 {
			t.Errorf("a socket, %s: %v", code, extensions)
		}
	}
	if passing < 30 {
		t.Errorf("only %d answers were temporary: nothing was tried", passing)
	}
	t.Logf("%d codes at %d adapters and on a socket: %d answers 429 or 503, each with Retry-After",
		len(domain.Codes()), len(asked), passing)
}

// client is an initialised socket.
type client struct {
	conn *websocket.Conn
	ids  int
}

func (w *world) socket(t *testing.T) *client {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+w.addr+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	must(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	must(t, conn.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"connection_init","payload":{"Authorization":"Bearer `+w.token+`"}}`)))
	_, text, err := conn.Read(t.Context())
	if err != nil || !strings.Contains(string(text), "connection_ack") {
		t.Fatalf("socket: %s %v", text, err)
	}
	return &client{conn: conn}
}

// refused sends an operation and returns the extensions of the error that answers it.
func (c *client) refused(t *testing.T) map[string]any {
	t.Helper()
	c.ids++
	must(t, c.conn.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"subscribe","id":"`+strconv.Itoa(c.ids)+
			`","payload":{"query":"{ viewer { person { id } } }"}}`)))
	_, text, err := c.conn.Read(t.Context())
	must(t, err)
	var m struct {
		Type    string
		Payload []struct{ Extensions map[string]any }
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Type != "error" || len(m.Payload) != 1 {
		t.Fatalf("heard %s %v", text, err)
	}
	return m.Payload[0].Extensions
}
