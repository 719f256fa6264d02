package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

func TestConnectionsOfAPersonAreBounded(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.ConnectionsPerPerson = 3 })
	first := d.begin(t)
	d.begin(t)
	stream := d.events(t, "subscription{quiet}")
	fourth := d.dial(t, nil)
	fourth.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
	fourth.expectClose(websocket.StatusTryAgainLater)
	got := d.post(t, `{"query":"subscription{quiet}"}`, "Accept", "text/event-stream",
		"Authorization", "Bearer good")
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") != "30" ||
		got.code(t) != string(domain.RateLimited) {
		t.Errorf("a fourth stream: %d %v %s", got.status, got.header, got.body)
	}
	_ = stream.Body.Close()
	eventually(t, "the stream has ended", func() bool {
		connections, _ := d.handler.Open()
		return connections == 2
	})
	_ = first.CloseNow()
	eventually(t, "the socket has ended", func() bool {
		connections, _ := d.handler.Open()
		return connections == 1
	})
	d.begin(t)
}

// events opens a stream of server-sent events and waits for the first bytes.
func (d *testServer) events(t *testing.T, query string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL,
		strings.NewReader(fmt.Sprintf(`{"query":%q}`, query)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Content-Type": {"application/json"},
		"Accept": {"text/event-stream"}, "Authorization": {"Bearer good"}}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil ||
		response.StatusCode != 200 {
		t.Fatalf("stream: %d %q %v", response.StatusCode, line, err)
	}
	return response
}

func TestConnectionsOfAClientAreBoundedBeforeTheUpgrade(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.ConnectionsPerClient = 2
		o.Client = func(r *http.Request) string { return r.Header.Get("X-Test-Client") }
	})
	dial := func(client string) (*websocket.Conn, *http.Response, error) {
		conn, response, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(d.URL, "http"),
			&websocket.DialOptions{Subprotocols: []string{subprotocol},
				HTTPHeader: http.Header{"X-Test-Client": {client}}})
		if err == nil {
			t.Cleanup(func() { _ = conn.CloseNow() })
		}
		return conn, response, err
	}
	for range 2 { // not even initialised
		if _, _, err := dial("one"); err != nil {
			t.Fatal(err)
		}
	}
	_, response, err := dial("one")
	if err == nil || response.StatusCode != http.StatusTooManyRequests ||
		response.Header.Get("Retry-After") != "30" {
		t.Fatalf("a third: %v %v", response, err)
	}
	if _, _, err := dial("other"); err != nil {
		t.Errorf("another client: %v", err)
	}
	d.rateLimited.Store(true)
	if _, response, err = dial("third"); err == nil ||
		response.StatusCode != http.StatusTooManyRequests ||
		response.Header.Get("Retry-After") != "7" {
		t.Errorf("too many requests: %v %v", response, err)
	}
}

func TestSubscriptionsOfAPersonAreBoundedOverAllConnections(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.SubscriptionsPerPerson = 3 })
	first, second := d.begin(t), d.begin(t)
	for i, c := range []*client{first, second, second} {
		c.sendText(fmt.Sprintf(
			`{"id":"%d","type":"subscribe","payload":{"query":"subscription{quiet}"}}`, i))
	}
	eventually(t, "three run", func() bool { return d.activeSubscriptions.Load() == 3 })
	first.sendText(`{"id":"x","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	received, err := first.read()
	var m message
	if err != nil || json.Unmarshal([]byte(received), &m) != nil || m.ID != "x" ||
		m.Type != "error" || !strings.Contains(received, string(domain.RateLimited)) {
		t.Errorf("a fourth: %s %v", received, err)
	}
	first.sendText(`{"id":"q","type":"subscribe","payload":{"query":"{who}"}}`)
	first.expectMessages(`{"id":"q","type":"next","payload":{"data":{"who":"ada"}}}`,
		`{"id":"q","type":"complete"}`)
	second.sendText(`{"id":"1","type":"complete"}`)
	eventually(t, "one has ended", func() bool {
		_, running := d.handler.Open()
		return running == 2
	})
	first.sendText(`{"id":"x","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
	eventually(t, "another runs", func() bool {
		_, running := d.handler.Open()
		return running == 3
	})
}

// However a connection ends (closed, cut, refused, never initialised), its counts are released.
func TestCountsReturnToZero(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.ConnectionsPerPerson, o.ConnectionsPerClient, o.SubscriptionsPerPerson = 8, 16, 8
	})
	ways := []func(c *client){
		func(c *client) { _ = c.Close(websocket.StatusNormalClosure, "") },
		func(c *client) { _ = c.CloseNow() },
		func(c *client) {
			c.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer bad"}}`)
			_, _ = c.read()
		},
		func(c *client) {
			c.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
			c.expectMessages(`{"type":"connection_ack"}`)
			c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{quiet}"}}`)
			_ = c.CloseNow()
		},
		func(c *client) {
			c.sendText(`{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
			c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{count(to:2)}"}}`)
			c.sendText(`{"id":"1","type":"subscribe","payload":{"query":"subscription{refused}"}}`)
			_ = c.CloseNow()
		},
		func(c *client) { c.sendText("nonsense"); _, _ = c.read() },
	}
	for i := range 1000 {
		if i%10 == 9 {
			_ = d.events(t, "subscription{quiet}").Body.Close()
		}
		c := d.dial(t, nil)
		ways[i%len(ways)](c)
		_ = c.CloseNow()
		if i%8 == 7 { // stay below the limits, so that every case occurs
			eventually(t, "these have ended",
				func() bool { connections, _ := d.handler.Open(); return connections <= 2 })
		}
	}
	eventually(t, "all counts are zero", func() bool {
		connections, subscriptions := d.handler.Open()
		return connections == 0 && subscriptions == 0
	})
	for name, counts := range map[string]*openCounts{"client": &d.handler.byClient,
		"person": &d.handler.byPerson, "subscriptions": &d.handler.subscriptions} {
		if len(counts.byKey) != 0 || counts.count() != 0 {
			t.Errorf("%s: %v", name, counts.byKey)
		}
	}
}

// Sockets that are never initialised, or whose messages arrive too slowly, in one frame or in many,
// are closed.
func TestSlowSocketsAreEnded(t *testing.T) {
	t.Parallel()
	short := func(o *Options) {
		o.InitTimeout, o.MessageTimeout = 150*time.Millisecond, 150*time.Millisecond
		o.PingEvery, o.WriteTimeout = 200*time.Millisecond, 100*time.Millisecond
		o.Pace.Idle, o.Pace.Grace = 150*time.Millisecond, 150*time.Millisecond
	}
	const upgrade = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n"
	begin := frame(true, 1, `{"type":"connection_init","payload":{"Authorization":"Bearer good"}}`)
	for name, sent := range map[string]struct{ at, trickle string }{
		"never begins":  {upgrade + "\r\n", ""},
		"begins slowly": {upgrade + "\r\n", begin},
		"begins in many pieces": {upgrade + "\r\n",
			frame(false, 1, "{") + strings.Repeat(frame(false, 0, " "), 100)},
		"a slow frame": {upgrade + "\r\n" + begin,
			frame(true, 1, strings.Repeat(" ", 100))},
		"a message in many pieces": {upgrade + "\r\n" + begin,
			frame(false, 1, "{") + strings.Repeat(frame(false, 0, " "), 100)},
		"half a frame's header": {upgrade + "\r\n" + begin + "\x81", ""},
		"an upgrade with a slow body": {upgrade + "Content-Length: 100\r\n\r\n",
			strings.Repeat("x", 100)},
		"another subprotocol": {strings.Replace(upgrade, "graphql-transport-ws", "soap",
			1) + "\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTestServer(t, func(o *Options) {
				short(o)
				if strings.HasSuffix(name, "pieces") {
					o.PingEvery = time.Hour // an attacker would answer pings between the pieces
				}
			})
			conn, err := net.Dial("tcp", d.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			_, _ = conn.Write([]byte(sent.at))
			stop := make(chan struct{})
			go trickle(conn, sent.trickle, stop)
			defer close(stop)
			_ = conn.SetReadDeadline(time.Now().Add(9 * time.Second))
			for buffer := make([]byte, 512); err == nil; {
				_, err = conn.Read(buffer)
			}
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Error("the connection was not ended")
			}
			eventually(t, "its counts are released",
				func() bool { connections, _ := d.handler.Open(); return connections == 0 })
		})
	}
}

// trickle sends one byte every 20 ms.
func trickle(conn net.Conn, text string, stop <-chan struct{}) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for i := range len(text) {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		if _, err := conn.Write([]byte(text[i : i+1])); err != nil {
			return
		}
	}
}

// frame returns a WebSocket frame of a client, masked with zeros.
func frame(final bool, code byte, text string) string {
	if final {
		code |= 0x80
	}
	return string([]byte{code, 0x80 | byte(len(text)), 0, 0, 0, 0}) + text
}
