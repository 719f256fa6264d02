package testcluster

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/internal/pgtest"
)

// ledger is the running example.
type ledger struct {
	tb       testing.TB
	program  string
	database string // of its own
	secret   string
	// secretFile contains the secret.
	secretFile string
	topic      string // that it reads, "" = it receives webhooks
	address    string
	mu         sync.Mutex
	command    *exec.Cmd
}

// newLedger builds the example, which no program of the product contains, and starts it. It receives
// webhooks, or reads a topic.
func newLedger(tb testing.TB, kind domain.ConnectorKind) *ledger {
	tb.Helper()
	checkout, err := devservices.Checkout()
	if err != nil {
		tb.Fatal(err)
	}
	l := &ledger{tb: tb, program: filepath.Join(tb.TempDir(), "ledger"), address: "127.0.0.1:0",
		database: pgtest.Empty(tb).OwnerURL,
		secret:   "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))}
	l.secretFile = filepath.Join(filepath.Dir(l.program), "secret")
	if err := os.WriteFile(l.secretFile, []byte(l.secret), 0o600); err != nil {
		tb.Fatal(err)
	}
	build := exec.CommandContext(tb.Context(), "go", "build", "-o", l.program, "./examples/ledger")
	build.Dir = checkout
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("the ledger is not built: %v\n%s", err, out)
	}
	if kind == domain.ConnectorKafka {
		const topic = "countersign.events"
		brokers, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, topic))
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(brokers.Close)
		l.topic = "kafka://" + brokers.ListenAddrs()[0] + "/" + topic
	}
	l.start()
	tb.Cleanup(l.kill)
	return l
}

// start starts the program, after the first time at the same address, and waits until it listens.
func (l *ledger) start() {
	l.tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	arguments := []string{"-database", l.database, "-listen", l.address}
	if l.topic != "" {
		arguments = append(arguments, "-topic", l.topic)
	} else {
		arguments = append(arguments, "-secrets", l.secretFile)
	}
	l.command = exec.Command(l.program, arguments...) //nolint:noctx // killed by the test
	out, err := l.command.StdoutPipe()
	if err == nil {
		err = l.command.Start()
	}
	if err != nil {
		l.tb.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !found {
		l.tb.Fatalf("the ledger says %q: %v", line, err)
	}
	l.address = address
}

func (l *ledger) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.command.Process.Kill()
	_ = l.command.Wait()
}

// ask reads a text from a database.
func ask(tb testing.TB, url, sql string) (text string) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = connection.Close(ctx) }()
	if err := connection.QueryRow(ctx, sql).Scan(&text); err != nil {
		tb.Fatal(err)
	}
	return text
}

// newLedgerCluster returns a cluster with a connector to the ledger that two administrators agreed on.
func newLedgerCluster(tb testing.TB, l *ledger) *Cluster {
	tb.Helper()
	h := New(tb, "COUNTERSIGN_CONNECTOR_SECRETS=books="+l.secret,
		"COUNTERSIGN_CONNECTOR_NETWORKS=127.0.0.1")
	receiver := []string{"http://" + l.address + "/events", "--secret", "books"}
	if l.topic != "" {
		receiver = []string{l.topic}
	}
	h.PutConnector("books", append(receiver, "--snapshot", "--type", "case.submitted", "--type",
		"case.archived")...)
	return h
}

// PutConnector makes a connector to the address, with options of the command line; two administrators
// agree on it.
func (h *Cluster) PutConnector(name string, address ...string) {
	h.tb.Helper()
	h.AddUser(Person{Email: "admin2@test.test", Name: "admin2", Roles: "administrator"})
	h.CLI("admin").Expect(0, nil, append([]string{"connector", "put", name, "--audience", "staff",
		"--reason", "test"}, address...)...)
	change := strings.Fields(h.CLI("admin2").Expect(0, []string{"connector"}, "change", "list").Out)[8]
	h.CLI("admin2").Expect(0, []string{"confirmed"}, "change", "confirm", change)
}

const (
	// Amounts in minor units and their number, of archived cases and in the book.
	ourSum = `SELECT coalesce(sum(declared_minor), 0)::text || ' in ' || count(*) FROM cases
		WHERE status = 'archived' AND declared_currency = 'EUR'`
	ledgerSum = `SELECT coalesce((sum(amount) FILTER (WHERE account = 'expenses') * 100)::bigint, 0)::text ||
		' in ' || count(*) FILTER (WHERE account = 'expenses') FROM entries`
)

// CheckLedger archives cases while the example ledger and the worker that delivers to it are killed at
// random. At the end the ledger has each event once and the sums of Countersign.
func CheckLedger(tb testing.TB, kind domain.ConnectorKind, cases int) {
	tb.Helper()
	l := newLedger(tb, kind)
	h := newLedgerCluster(tb, l)
	kills := h.killWhile(l, cases)
	Eventually(tb, 2*time.Minute, "the ledger has our sums", func() bool {
		return ask(tb, l.database, ledgerSum) == ask(tb, h.Database.OwnerURL, ourSum)
	})
	ours := ask(tb, h.Database.OwnerURL, ourSum)
	sent := ask(tb, h.Database.OwnerURL, `SELECT count(*)::text FROM events e JOIN cases c ON c.id = e.case_id
		WHERE e.type IN ('case.submitted', 'case.archived') AND c.declared_currency <> ''`)
	Eventually(tb, time.Minute, "the ledger has every event once", func() bool {
		return ask(tb, l.database, `SELECT count(*)::text FROM received
			WHERE subject IN (SELECT case_id FROM declared)`) == sent
	})
	if balance := ask(tb, l.database, `SELECT coalesce(sum(amount), 0)::text FROM entries`); strings.Trim(
		balance, "0.") != "" {
		tb.Errorf("the entries have the sum %s", balance)
	}
	if want := fmt.Sprintf(" in %d", cases); !strings.HasSuffix(ours, want) {
		tb.Errorf("the archived cases have the sum %s, want %s", ours, want)
	}
	h.checkReconciliation(l)
	tb.Logf("%d cases, %d kills: our sum %s cases, the ledger's %s", cases, kills, ours,
		ask(tb, l.database, ledgerSum))
}

// checkReconciliation compares the events of the ledger with ours, and again after one was lost.
func (h *Cluster) checkReconciliation(l *ledger) {
	h.tb.Helper()
	Eventually(h.tb, time.Minute, "the ledger and we have the same events", func() bool {
		return h.CLI("admin").Run("connector", "reconcile", "books").Code == 0
	})
	if l.topic != "" {
		return // the topic is compared, and it has lost nothing
	}
	lost := ask(h.tb, l.database, `WITH lost AS (DELETE FROM received WHERE id = (SELECT id FROM received
		WHERE id NOT IN (SELECT event_id FROM entries) LIMIT 1) RETURNING id) SELECT id FROM lost`)
	if got := h.CLI("admin").Run("connector", "reconcile", "books"); got.Code == 0 ||
		!strings.Contains(got.Out, "1 missing at the receiver, 0 unknown") ||
		!strings.Contains(got.Out, "missing  "+lost) {
		h.tb.Errorf("the ledger lost %s: %+v", lost, got)
	}
}

// killWhile submits cases and kills the ledger and the worker until all are archived. It returns the
// number of kills.
func (h *Cluster) killWhile(l *ledger, cases int) (kills int) {
	h.tb.Helper()
	worker := h.Worker()
	ctx, cancel := context.WithCancel(h.tb.Context())
	var deciding sync.WaitGroup
	deciding.Go(func() { h.approveAll(ctx) })
	defer func() { cancel(); deciding.Wait() }()
	submitted := make(chan struct{})
	go func() {
		defer close(submitted)
		for n := range cases {
			euros := int64(10 + n)
			args := []string{"submit", h.XML(2000+n, euros), "--amount",
				fmt.Sprintf("%d.%02d", euros*120/100, euros*120%100), "--currency", "EUR"}
			for h.CLI("submitter").Run(args...).Code != 0 && ctx.Err() == nil {
				<-time.After(time.Second) // the number of uploads in a minute is used up
			}
		}
	}()
	next := time.NewTimer(0)
	defer next.Stop()
	deadline := time.NewTimer(5*time.Minute + time.Duration(cases)*2*time.Second)
	defer deadline.Stop()
	for {
		select {
		case <-deadline.C:
			h.tb.Errorf("not all cases are archived")
			return kills
		case <-next.C:
		}
		next.Reset(time.Duration(300+rand.IntN(700)) * time.Millisecond) //nolint:gosec // no secret
		if kills++; kills%4 == 0 {
			worker.Kill()
			worker = h.Worker()
		} else {
			l.kill()
			l.start()
		}
		select {
		case <-submitted:
			if strings.HasSuffix(ask(h.tb, h.Database.OwnerURL, ourSum), fmt.Sprintf(" in %d", cases)) {
				return kills
			}
		default:
		}
	}
}

// approveAll lets a person approve what is in review, because the sums of the vendor grow, until the context
// ends.
func (h *Cluster) approveAll(ctx context.Context) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for claimed := ""; ; {
		if claimed == "" {
			if next := h.CLI("senior").Run("review", "next"); next.Code == 0 {
				claimed = next.Reference()
			}
		}
		if claimed != "" && h.CLI("senior").Run("review", "decide", claimed, "approve").Code == 0 {
			claimed = ""
			if ctx.Err() == nil {
				continue
			}
		}
		select { // nothing to claim, or the number of requests in a minute is used up
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
