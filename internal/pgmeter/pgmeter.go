// Package pgmeter is a proxy between a program under test and Postgres that records the executed
// statements.
//
// What may enter: test tooling that reads the frontend messages of the Postgres protocol.
// What never happens here: a changed message, a statement of its own, use outside of tests.
package pgmeter

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Meter is one proxy. Programs connect to URL.
type Meter struct {
	URL string

	mu         sync.Mutex
	executed   int64
	recording  bool
	statements []string
}

// New starts a proxy in front of the database; it ends with the test.
func New(t testing.TB, dsn string) *Meter {
	t.Helper()
	behind, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", behind.Host
	if socket := behind.Query().Get("host"); socket != "" {
		network, address = "unix", fmt.Sprintf("%s/.s.PGSQL.%s", socket, behind.Query().Get("port"))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := *behind
	front.Host = listener.Addr().String()
	query := front.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	front.RawQuery = query.Encode()
	m := &Meter{URL: front.String()}
	var running sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); running.Wait() })
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				continue
			}
			running.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
			running.Go(func() { m.forward(client, server); _ = server.Close() })
		}
	})
	return m
}

// Executed is the number of statements so far.
func (m *Meter) Executed() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.executed
}

// During returns the texts of the statements that were executed while fn ran, sorted: concurrent
// ones have no order.
func (m *Meter) During(fn func()) []string {
	m.mu.Lock()
	m.recording, m.statements = true, nil
	m.mu.Unlock()
	fn()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.recording = false
	slices.Sort(m.statements)
	return m.statements
}

func (m *Meter) record(statement string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.executed++
	if m.recording {
		m.statements = append(m.statements, strings.Join(strings.Fields(statement), " "))
	}
}

// forward forwards the frontend's messages: P names a statement, B binds one, E executes what was
// bound, Q is a simple query.
func (m *Meter) forward(client io.Reader, server io.Writer) {
	header := make([]byte, 5)
	prepared, bound := map[string]string{}, ""
	for first := true; ; first = false {
		head := header
		if first { // the startup message has no type
			head = header[1:]
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(header[1:])-4)
		if _, err := io.ReadFull(client, body); err != nil {
			return
		}
		if !first {
			texts := strings.SplitN(string(body), "\x00", 3)
			switch header[0] {
			case 'P':
				prepared[texts[0]] = texts[1]
			case 'B':
				bound = prepared[texts[1]]
			case 'E':
				m.record(bound)
			case 'Q':
				m.record(texts[0])
			}
		}
		if _, err := server.Write(append(head[:len(head):len(head)], body...)); err != nil {
			return
		}
	}
}
