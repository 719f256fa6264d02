package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// readAccesses reads the access log after the position up to the end of the feed.
func (w *testEnv) readAccesses(after domain.FeedPosition, limit int) ([]store.AccessLine,
	domain.FeedPosition) {
	w.t.Helper()
	var all []store.AccessLine
	for {
		page, err := w.read().AccessAfter(w.ctx, after, limit)
		w.must(err)
		all, after = append(all, page.Lines...), page.Next
		if page.Complete {
			return all, after
		}
	}
}

func accessObjects(lines []store.AccessLine) []string {
	names := make([]string, 0, len(lines))
	for i := range lines {
		names = append(names, lines[i].Object)
	}
	return names
}

// TestAReaderOfTheAccessLogSkipsNoLateCommit lets writers commit while a transaction that wrote an
// earlier line is open, and a reader that follows the log. It must get each line once, in the order
// that a reader from the beginning gets.
func TestAReaderOfTheAccessLogSkipsNoLateCommit(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const writers, steps = 6, 20
	written, held, slowDone := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(held) })
	t.Cleanup(release) // a test that fails before must not wait for the transaction
	line := func(name string) store.AccessEntry {
		return store.AccessEntry{Actor: domain.SystemUserID, Action: store.AccessRead, Object: name}
	}
	begun := make(chan struct{})
	go func() {
		slowDone <- w.db.InTx(w.ctx, func(tx *store.Tx) error {
			err := tx.LogAccess(w.ctx, line("slow"))
			close(begun)
			<-held
			return err
		})
	}()
	<-begun
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := range steps {
				if err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
					return tx.LogAccess(w.ctx, line(fmt.Sprintf("%d/%d", n, i)), line("second"))
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { group.Wait(); close(written) }()
	followed, after := []store.AccessLine{}, domain.FeedPosition{}
	read := func() {
		lines, next := w.readAccesses(after, 7)
		followed, after = append(followed, lines...), next
	}
	for busy := true; busy; read() {
		select {
		case <-written:
			busy = false
		default:
		}
	}
	if len(followed) != 0 {
		t.Errorf("read %d lines after one that was not committed", len(followed))
	}
	release()
	w.must(<-slowDone)
	pgtest.Settle(t, w.owner)
	read()
	all, _ := w.readAccesses(domain.FeedPosition{}, 1000)
	if n := w.rows("access_log", "true"); len(all) != n || n != 1+2*writers*steps ||
		all[0].Object != "slow" {
		t.Errorf("the feed has %d of %d lines", len(all), n)
	}
	if !slices.Equal(accessObjects(followed), accessObjects(all)) {
		t.Errorf("the follower got %d lines, a reader from the beginning %d, or in another order",
			len(followed), len(all))
	}
}

// Lines from before the columns are read first, by their ids, also if their transaction ids are
// higher than any now.
func TestEarlierLinesOfTheAccessLogAreReadFirst(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"a", "b", "c"} {
		w.inTx(func(tx *store.Tx) error {
			return tx.LogAccess(w.ctx, store.AccessEntry{Action: store.AccessRead, Object: name})
		})
	}
	if n := w.rows("access_log", "era = 2 AND txid > '0'"); n != 3 {
		t.Fatalf("%d lines are in era 2", n)
	}
	w.asOwner(`UPDATE access_log SET era = 1, txid = '0' WHERE object IN ('b', 'c')`)
	pgtest.Settle(t, w.owner)
	if all, _ := w.readAccesses(domain.FeedPosition{}, 1); !slices.Equal(accessObjects(all),
		[]string{"b", "c", "a"}) {
		t.Errorf("read %v", accessObjects(all))
	}
}

// A connection determines the era once. A rollback takes back what it knows of an era that its
// transaction began.
func TestAConnectionDeterminesTheEraOnce(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	conn, err := w.database.App(t).Acquire(w.ctx)
	w.must(err)
	defer conn.Release()
	known := func() (era string) {
		w.must(conn.QueryRow(w.ctx, "SELECT coalesce(current_setting('countersign.era', true), '')").
			Scan(&era))
		return era
	}
	insert := func() (era int) {
		w.must(conn.QueryRow(w.ctx, `INSERT INTO access_log (actor, action)
			VALUES (gen_random_uuid(), 'read') RETURNING era`).Scan(&era))
		return era
	}
	if era := insert(); era != 2 || known() != "2" {
		t.Errorf("era %d, known %q", era, known())
	}
	_, err = conn.Exec(w.ctx, "RESET ALL") // as a pooler does
	w.must(err)
	w.asOwner(`UPDATE feed_eras SET world = 'another' WHERE era = 2`)
	tx, err := conn.Begin(w.ctx)
	w.must(err)
	if era := insert(); era != 3 {
		t.Errorf("in another world era %d", era)
	}
	w.must(tx.Rollback(w.ctx))
	if known() != "" || w.rows("feed_eras", "era = 3") != 0 {
		t.Errorf("after a rollback era %q is known", known())
	}
	if era := insert(); era != 3 || known() != "3" {
		t.Errorf("era %d, known %q", era, known())
	}
}

// A read of the access log after a cursor uses its index and sorts nothing.
func TestTheAccessLogIsReadByItsIndex(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	tx, err := w.owner.Begin(w.ctx)
	w.must(err)
	defer func() { _ = tx.Rollback(w.ctx) }()
	// The settings of access_window.
	_, err = tx.Exec(w.ctx, `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
		SET LOCAL enable_sort = off`)
	w.must(err)
	rows, err := tx.Query(w.ctx, `EXPLAIN SELECT * FROM access_log l
		WHERE (l.era, l.txid, l.id) > (1, '5'::xid8, 7) AND (l.era, l.txid) < (2, '9'::xid8)
		ORDER BY l.era, l.txid, l.id LIMIT 100`)
	w.must(err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	w.must(err)
	if plan := strings.Join(lines, "\n"); !strings.Contains(plan, "Index Scan using access_log_feed") ||
		strings.Contains(plan, "Sort") {
		t.Errorf("plan:\n%s", plan)
	}
}
