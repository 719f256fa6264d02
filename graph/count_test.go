package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/domain"
	"countersign/internal/pgtest"
)

// meter stands between the program and Postgres and counts the statements that are executed.
type meter struct {
	url      string
	executed atomic.Int64
}

func newMeter(t *testing.T, dsn string) *meter {
	t.Helper()
	behind, err := url.Parse(dsn)
	must(t, err)
	network, address := "tcp", behind.Host
	if socket := behind.Query().Get("host"); socket != "" {
		network, address = "unix", fmt.Sprintf("%s/.s.PGSQL.%s", socket, behind.Query().Get("port"))
	}
	door, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	m := &meter{}
	front := *behind
	front.Host = door.Addr().String()
	query := front.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	front.RawQuery = query.Encode()
	m.url = front.String()
	var running sync.WaitGroup
	t.Cleanup(func() { _ = door.Close(); running.Wait() })
	running.Go(func() {
		for {
			client, err := door.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				continue
			}
			running.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
			running.Go(func() { m.count(client, server); _ = server.Close() })
		}
	})
	return m
}

// count passes the frontend's messages on: E executes a prepared statement, Q is a simple query.
func (m *meter) count(client io.Reader, server io.Writer) {
	header := make([]byte, 5)
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
		if !first && (header[0] == 'E' || header[0] == 'Q') {
			m.executed.Add(1)
		}
		if _, err := server.Write(append(head[:len(head):len(head)], body...)); err != nil {
			return
		}
	}
}

const boardQuery = `query($first: Int!) { cases(first: $first) { nodes {
	id version reference status counterparty amount { amount currency } risk updatedAt
	document { fileName mediaType size }
	fields { name normalised confidence source }
	openReview { id version queue status assignee { id name } decideBy }
	lastEvents(last: 5) { seq type at sentence }
	findings { rule severity score message } } pageInfo { hasNextPage endCursor } } }`

// mostStatements is what one page of the board may cost, however long it is. Who asks is found before, from the session or
// the token, by one statement more (package identity), which is not counted here: these worlds know their people by name.
const mostStatements = 8

func TestABoardCostsTheSameHoweverLong(t *testing.T) {
	t.Parallel()
	m := newMeter(t, pgtest.New(t).AppURL)
	w := newWorldOn(t, m.url)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for i := range 50 {
		w.submit("sam", fmt.Sprintf("%d.00", 90_000+i))
	}
	w.work()
	for range 20 {
		w.ask("lea", `mutation { claimNextReview(input: {}) { review { id } userErrors { __typename } } }`)
	}
	w.ask("ma", boardQuery, "first", 3) // statements are prepared, definitions read
	for _, first := range []int{1, 10, 50} {
		before := m.executed.Load()
		board := w.ask("ma", boardQuery, "first", first)
		took := m.executed.Load() - before
		t.Logf("%d cases: %d statements", first, took)
		nodes := board.at("cases", "nodes").([]any)
		if len(nodes) != first || board.at("cases", "nodes", first-1, "openReview") == nil || len(board.at("cases", "nodes", 0, "lastEvents").([]any)) != 5 {
			t.Fatalf("the board of %d: %+v", first, board.Data)
		}
		if took > mostStatements {
			t.Errorf("%d cases took %d statements, at most %d", first, took, mostStatements)
		}
	}
}
