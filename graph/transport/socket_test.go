package transport

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// client is the client side of a socket.
type client struct {
	*websocket.Conn
	t *testing.T
}

func (d *testServer) dial(t *testing.T, options *websocket.DialOptions) *client {
	t.Helper()
	if options == nil {
		options = &websocket.DialOptions{Subprotocols: []string{subprotocol}}
	}
	conn, _, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(d.URL, "http"),
		options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(4 << 20)
	return &client{conn, t}
}

// begin opens an acknowledged socket.
func (d *testServer) begin(t *testing.T) *client {
	t.Helper()
	c := d.dial(t, nil)
	c.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
	c.expectMessages(`{"type":"connection_ack"}`)
	return c
}

func (c *client) sendText(text string) {
	c.t.Helper()
	if err := c.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatalf("say %s: %v", text, err)
	}
}

func (c *client) read() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, frame, err := c.Read(ctx)
	return string(frame), err
}

// expectMessages expects exactly these messages.
func (c *client) expectMessages(messages ...string) {
	c.t.Helper()
	for _, want := range messages {
		if got, err := c.read(); err != nil || got != want {
			c.t.Fatalf("received %s %v, want %s", got, err, want)
		}
	}
}

// expectClose expects the connection to be closed with the code.
func (c *client) expectClose(code websocket.StatusCode) {
	c.t.Helper()
	for {
		received, err := c.read()
		if err == nil {
			c.t.Logf("received %.100s", received)
			continue
		}
		if got := websocket.CloseStatus(err); got != code {
			c.t.Errorf("closed with %d (%v), want %d", got, err, code)
		}
		return
	}
}

func TestSocketOperations(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	c := d.begin(t)
	c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription($n:Int!){count(to:$n)}","variables":{"n":2}}}`)
	c.expectMessages(`{"id":"1","type":"next","payload":{"data":{"count":1}}}`,
		`{"id":"1","type":"next","payload":{"data":{"count":2}}}`, `{"id":"1","type":"complete"}`)
	c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"{who}"}}`) // the id is free again
	c.expectMessages(`{"id":"1","type":"next","payload":{"data":{"who":"ada"}}}`,
		`{"id":"1","type":"complete"}`)
	c.sendText(`{"id":"2","type":"subscribe","payload":{"query":"subscription{refused}"}}`)
	// and no complete after it
	c.expectMessages(`{"id":"2","type":"error","payload":[{"message":"No access."}]}`)
	c.sendText(`{"id":"3","type":"subscribe","payload":{"query":"subscription{revoked}"}}`)
	c.expectMessages(`{"id":"3","type":"next","payload":{"data":{"revoked":1}}}`,
		`{"id":"3","type":"error","payload":[{"message":"Your session has ended.","extensions":{"code":"SessionExpired"}}]}`)
	c.sendText(`{"id":"4","type":"subscribe","payload":{"query":"{"}}`)
	if got, _ := c.read(); !strings.HasPrefix(got,
		`{"id":"4","type":"error","payload":[{"message":`) {
		t.Errorf("an invalid document: %s", got)
	}
	c.sendText(`{"type":"ping","payload":{"a":1}}`)
	c.expectMessages(`{"type":"pong","payload":{"a":1}}`)
	c.sendText(`{"type":"pong"}`)
	c.sendText(`{"id":"unknown","type":"complete"}`)
	d.rateLimited.Store(true)
	c.sendText(`{"id":"5","type":"subscribe","payload":{"query":"{who}"}}`)
	if got, _ := c.read(); !strings.Contains(got, `"type":"error"`) ||
		!strings.Contains(got, `"RateLimited"`) {
		t.Errorf("too often: %s", got)
	}
}

func TestSocketEndsASubscriptionOnComplete(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	c := d.begin(t)
	c.sendText(`{"id":"q","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	eventually(t, "the subscription runs", func() bool { return d.activeSubscriptions.Load() == 1 })
	c.sendText(`{"id":"q","type":"complete"}`)
	eventually(t, "the subscription ends", func() bool { return d.activeSubscriptions.Load() == 0 })
	c.sendText(`{"id":"r","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	eventually(t, "the second runs", func() bool { return d.activeSubscriptions.Load() == 1 })
	_ = c.CloseNow()
	eventually(t, "it ends with the socket", func() bool {
		return d.activeSubscriptions.Load() == 0
	})
}

func TestSocketCloseCodes(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.InitTimeout = 10 * time.Minute
		o.MaxBodyBytes = 2000
	})
	hurried := newTestServer(t, func(o *Options) { o.InitTimeout = 300 * time.Millisecond })
	init := `{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`
	quiet := `{"id":"1","type":"subscribe","payload":{"query":"subscription{quiet}"}}`
	for name, tc := range map[string]struct {
		code websocket.StatusCode
		say  []string
	}{
		"no init": {closeInitTimeout, nil},
		"no JSON": {closeBadMessage, []string{"hello"}},
		"no type": {closeBadMessage, []string{`{}`}},
		"unknown type": {closeBadMessage,
			[]string{init, `{"type":"start","id":"1"}`}},
		"a list": {closeBadMessage, []string{`[]`}},
		"init of text": {closeBadMessage,
			[]string{`{"type":"connection_init","payload":"x"}`}},
		"complete without id": {closeBadMessage, []string{init, `{"type":"complete"}`}},
		"subscribe without id": {closeBadMessage,
			[]string{init, `{"type":"subscribe","payload":{"query":"{hello}"}}`}},
		"subscribe of a number": {closeBadMessage,
			[]string{init, `{"id":1,"type":"subscribe","payload":{"query":"{hello}"}}`}},
		"subscribe without query": {closeBadMessage,
			[]string{init, `{"id":"1","type":"subscribe","payload":{}}`}},
		"subscribe without payload": {closeBadMessage,
			[]string{init, `{"id":"1","type":"subscribe"}`}},
		"variables of text": {closeBadMessage,
			[]string{init, `{"id":"1","type":"subscribe","payload":{"query":"{hello}","variables":"x"}}`}},
		"subscribe before init": {closeUnauthorized, []string{quiet}},
		"wrong credentials": {closeForbidden,
			[]string{`{"type":"connection_init","payload":{"Authorization":"Bearer bad"}}`}},
		"anonymous":         {closeForbidden, []string{`{"type":"connection_init"}`}},
		"the same id twice": {closeDuplicate, []string{init, quiet, quiet}},
		"init twice":        {closeTooManyInits, []string{init, init}},
		"a message beyond the limit": {websocket.StatusMessageTooBig,
			[]string{init, strings.Repeat(" ", 3000) + quiet}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := d
			if len(tc.say) == 0 { // only a silent client exceeds the init timeout
				server = hurried
			}
			c := server.dial(t, nil)
			for _, text := range tc.say {
				c.sendText(text)
			}
			c.expectClose(tc.code)
		})
	}
	t.Run("another subprotocol", func(t *testing.T) {
		t.Parallel()
		d.dial(t, &websocket.DialOptions{Subprotocols: []string{"graphql-ws"}}).
			expectClose(closeSubprotocol)
	})
	t.Run("a binary message", func(t *testing.T) {
		t.Parallel()
		c := d.dial(t, nil)
		_ = c.Write(context.Background(), websocket.MessageBinary, []byte(init))
		c.expectClose(closeBadMessage)
	})
	// A client reads the close frame before the server has ended the subscriptions of its socket.
	t.Cleanup(func() {
		eventually(t, "the subscriptions end", func() bool { return d.activeSubscriptions.Load() == 0 })
	})
}

func TestSocketOfAnotherOrigin(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	_, response, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(d.URL, "http"),
		&websocket.DialOptions{
			Subprotocols: []string{subprotocol},
			HTTPHeader:   http.Header{"Origin": {"https://evil.example"}}})
	if err == nil || response == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("%v %v", response, err)
	}
}

func TestSocketIdentifiesEveryOperation(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	lost, later := d.begin(t), d.begin(t)
	d.rejectCredentials.Store(true)
	lost.sendText(`{"id":"1","type":"subscribe","payload":{"query":"{who}"}}`)
	lost.expectClose(closeForbidden)
	d.identityUnavailable.Store(true)
	later.sendText(`{"id":"1","type":"subscribe","payload":{"query":"{who}"}}`)
	later.expectClose(websocket.StatusTryAgainLater)
}

func TestSocketCapsItsSubscriptions(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.MaxSubscriptions = 2 })
	c := d.begin(t)
	for _, id := range []string{"1", "2", "3"} {
		c.sendText(`{"id":"` + id +
			`","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	}
	got, _ := c.read()
	var m message
	if err := json.Unmarshal([]byte(got), &m); err != nil || m.ID != "3" || m.Type != "error" ||
		!strings.Contains(got, string(domain.QueryTooComplex)) {
		t.Errorf("the third: %s", got)
	}
	eventually(t, "two run", func() bool { return d.activeSubscriptions.Load() == 2 })
}

// A client that stops reading while TCP stays open loses the socket within the write timeout, and
// its operations end.
func TestSocketOfASlowReader(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.WriteTimeout = 2 * time.Second
		o.PingEvery = time.Hour
	})
	small := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4096)
		}
		return conn, err
	}}}
	c := d.dial(t, &websocket.DialOptions{Subprotocols: []string{subprotocol}, HTTPClient: small})
	c.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
	c.expectMessages(`{"type":"connection_ack"}`)
	c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	c.sendText(`{"id":"2","type":"subscribe","payload":{"query":"subscription{feed}"}}`)
	// and does not read any more
	eventually(t, "frames are produced", func() bool { return d.framesProduced.Load() > 0 })
	eventually(t, "both subscriptions end", func() bool {
		return d.activeSubscriptions.Load() == 0
	})
}

// A dead client does not answer pings.
func TestSocketOfASilentClient(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.WriteTimeout = time.Second
		o.PingEvery = time.Second
	})
	c := d.begin(t) // without reads, the library does not answer pings
	c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	eventually(t, "the subscription runs", func() bool { return d.begun.Load() == 1 })
	eventually(t, "it ends", func() bool { return d.activeSubscriptions.Load() == 0 })
}

func TestSocketOnShutdown(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	c := d.begin(t)
	c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	eventually(t, "the subscription runs", func() bool { return d.activeSubscriptions.Load() == 1 })
	ended := make(chan struct{})
	go func() { defer close(ended); d.handler.Close() }()
	c.expectClose(websocket.StatusGoingAway)
	<-ended
	eventually(t, "the subscription ends", func() bool { return d.activeSubscriptions.Load() == 0 })
}
