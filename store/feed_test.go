package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// readFeed reads the feed after the position up to its end.
func (w *testEnv) readFeed(query store.FeedQuery) ([]store.FeedEvent, store.FeedPage) {
	w.t.Helper()
	var all []store.FeedEvent
	for {
		page, err := w.read().FeedAfter(w.ctx, query)
		w.must(err)
		all = append(all, page.Events...)
		if page.Complete {
			return all, page
		}
		query.After = page.Next
	}
}

// feedName is the identity of an event.
func feedName(e store.FeedEvent) string { return fmt.Sprintf("%s/%d", e.Stream, e.Seq) }

func feedNames(events []store.FeedEvent) []string {
	names := make([]string, 0, len(events))
	for _, e := range events {
		names = append(names, feedName(e))
	}
	return names
}

// checkFeedOrder fails unless the positions rise and each stream's events follow each other.
func checkFeedOrder(t *testing.T, events []store.FeedEvent) {
	t.Helper()
	last := map[domain.ID]int64{}
	for i, e := range events {
		if i > 0 && !events[i-1].Position.Before(e.Position) {
			t.Fatalf("position %+v follows %+v", e.Position, events[i-1].Position)
		}
		if e.Seq != last[e.Stream]+1 {
			t.Fatalf("event %d of stream %s follows %d", e.Seq, e.Stream, last[e.Stream])
		}
		last[e.Stream] = e.Seq
	}
}

// TestAReaderOfTheFeedSkipsNoLateCommit lets writers commit in another order than their transactions
// began, while a slow transaction is open, and a reader that follows the feed. It must get each
// event once, and in the order that a reader from the beginning gets.
func TestAReaderOfTheFeedSkipsNoLateCommit(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const writers, steps, streams = 8, 15, 5
	var cases []domain.ID
	for range streams {
		c, _ := w.createCase()
		cases = append(cases, c.ID)
	}
	slow, held, slowDone := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(held) })
	t.Cleanup(release) // a test that fails before must not wait for the transaction
	go func() {
		slowDone <- w.db.InTx(w.ctx, func(tx *store.Tx) error {
			if err := writeAhead(w.ctx, tx); err != nil {
				return err
			}
			close(slow)
			<-held
			return advanceCase(w.ctx, tx, cases[0])
		})
	}()
	<-slow
	var group sync.WaitGroup
	for n := range writers {
		group.Add(1)
		go func() {
			defer group.Done()
			random := rand.New(rand.NewPCG(uint64(n), 1)) //nolint:gosec // a test's order
			for range steps {
				if err := writeRandomly(w.ctx, w.db, cases, random); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	written := make(chan struct{})
	go func() { group.Wait(); close(written) }()
	followed := w.followFeed(written, release, slowDone)
	all, _ := w.readFeed(store.FeedQuery{Limit: 1000})
	checkFeedOrder(t, all)
	if !slices.Equal(feedNames(followed), feedNames(all)) {
		t.Errorf("the follower got %d events, a reader from the beginning %d, or in another order",
			len(followed), len(all))
	}
	if n := w.rows("events", "true"); len(all) != n {
		t.Errorf("the feed has %d of %d events", len(all), n)
	}
}

// followFeed reads the feed in small pages while others write. Then the slow transaction commits,
// and it reads the rest.
func (w *testEnv) followFeed(written <-chan struct{}, release func(),
	slowDone <-chan error) []store.FeedEvent {
	w.t.Helper()
	var followed []store.FeedEvent
	query := store.FeedQuery{Limit: 7}
	read := func() {
		events, page := w.readFeed(query)
		followed, query.After = append(followed, events...), page.Next
	}
	for busy := true; busy; {
		select {
		case <-written:
			busy = false
		default:
		}
		read()
	}
	held := w.rows("events", "true") - len(followed)
	if held == 0 {
		w.t.Error("the open transaction held back no event")
	}
	lag, err := w.read().FeedLag(w.ctx)
	w.must(err)
	// A transaction of another database may have held back more at the time of the read.
	if lag.HeldEvents == 0 || lag.HeldEvents > int64(held) || lag.Transaction <= 0 || lag.OldestEvent <= 0 {
		w.t.Errorf("lag %+v with %d events held back", lag, held)
	}
	release()
	w.must(<-slowDone)
	pgtest.Settle(w.t, w.owner)
	read()
	return followed
}

// writeAhead makes the transaction's id older than what it writes later.
func writeAhead(ctx context.Context, tx *store.Tx) error {
	return tx.LogAccess(ctx, store.AccessEntry{Actor: domain.SystemUserID, Action: store.AccessRead})
}

// advanceCase appends one event to the case.
func advanceCase(ctx context.Context, tx *store.Tx, id domain.ID) error {
	c, now, err := tx.LockCase(ctx, id)
	if err != nil {
		return err
	}
	_, err = tx.Apply(ctx, nextChange(c, now))
	return err
}

// writeRandomly runs a transaction that gets its id before or after it locks its stream.
func writeRandomly(ctx context.Context, db *store.DB, cases []domain.ID, random *rand.Rand) error {
	early, choice := random.IntN(2) == 0, random.IntN(len(cases)+1)
	for {
		err := db.InTx(ctx, func(tx *store.Tx) error {
			if early {
				if err := writeAhead(ctx, tx); err != nil {
					return err
				}
			}
			if choice < len(cases) {
				return advanceCase(ctx, tx, cases[choice])
			}
			head, err := tx.LockStream(ctx, domain.PeopleStream)
			if err != nil {
				return err
			}
			return tx.AppendStream(ctx, []domain.Event{event(head.Stream, head.Seq+1,
				domain.StageCompleted, time.Now())})
		})
		if !domain.HasCode(err, domain.Busy) {
			return err
		}
	}
}

// A restore or failover is another world. The era before it is read to its end, also beyond the
// transactions in progress, and the first write begins the next era.
func TestTheFeedBeginsAnEraInAnotherWorld(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	eras, err := w.read().FeedEras(w.ctx)
	w.must(err)
	if len(eras) != 2 || w.rows("events", "era <> 2") != 0 {
		t.Fatalf("eras %v", eras)
	}
	w.leaveWorld(2)
	w.asOwner(`UPDATE cases SET last_txid = '9000000000000000000'`)
	w.inTx(func(tx *store.Tx) error { return advanceCase(w.ctx, tx, c.ID) })
	if n := w.rows("events", "era = 3"); n != 1 {
		t.Fatalf("%d events are in era 3", n)
	}
	w.asOwner(`UPDATE events SET txid = '9000000000000000000' WHERE era = 2`)
	all, page := w.readFeed(store.FeedQuery{Limit: 10})
	if page.Era.Number != 3 || !page.Complete || len(all) != w.rows("events", "era = 2") {
		t.Errorf("read %d events of the ended era, newest era %d", len(all), page.Era.Number)
	}
	// The case carries the transaction id of the other world until it is reset (docs/operations.md).
	w.asOwner(`UPDATE events SET txid = pg_current_xact_id() WHERE era = 3`)
	pgtest.Settle(t, w.owner)
	all, _ = w.readFeed(store.FeedQuery{Limit: 10})
	checkFeedOrder(t, all)
	if len(all) != w.rows("events", "true") {
		t.Errorf("read %d events of both eras", len(all))
	}
	if era := w.concurrentEras(); era != 4 {
		t.Errorf("concurrent writers began era %d", era)
	}
}

// leaveWorld makes the era one of another world. Connections end with the world that they began in.
func (w *testEnv) leaveWorld(era int) {
	w.t.Helper()
	w.asOwner(`UPDATE feed_eras SET world = 'another' WHERE era = $1`, era)
	w.db = w.open(w.database.AppURL)
}

// concurrentEras lets several writers find another world at the same time.
func (w *testEnv) concurrentEras() int32 {
	w.t.Helper()
	var cases []domain.ID
	for range 4 {
		c, _ := w.createCase()
		cases = append(cases, c.ID)
	}
	w.leaveWorld(3)
	errs := make(chan error, len(cases))
	for _, id := range cases {
		go func() {
			errs <- w.db.InTx(w.ctx, func(tx *store.Tx) error { return advanceCase(w.ctx, tx, id) })
		}()
	}
	for range cases {
		w.must(<-errs)
	}
	page, err := w.read().FeedAfter(w.ctx, store.FeedQuery{Limit: 1})
	w.must(err)
	return page.Era.Number
}

// Filters examine every event, and a read that finds none moves the position on.
func TestFiltersOfTheFeed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	first, _ := w.createCase()
	second, _ := w.createCase()
	w.inTx(func(tx *store.Tx) error {
		head, err := tx.LockStream(w.ctx, domain.PeopleStream)
		if err != nil {
			return err
		}
		return tx.AppendStream(w.ctx, []domain.Event{event(head.Stream, 1, domain.UserCreated, w.now())})
	})
	ofFirst := w.rows("events", "case_id = $1", first.ID)
	pgtest.Settle(t, w.owner)
	for name, tc := range map[string]struct {
		query store.FeedQuery
		want  int
	}{
		"a case":           {store.FeedQuery{Case: first.ID}, ofFirst},
		"a process":        {store.FeedQuery{Process: second.ProcessKey}, w.rows("events", "case_id <> $1", domain.PeopleStream.ID)},
		"an absent one":    {store.FeedQuery{Process: "other"}, 0},
		"a type":           {store.FeedQuery{Types: []domain.EventType{domain.UserCreated}}, 1},
		"changes":          {store.FeedQuery{StatusChanges: true}, w.rows("events", "status_before <> status_after")},
		"a type of a case": {store.FeedQuery{Case: first.ID, Types: []domain.EventType{domain.UserCreated}}, 0},
	} {
		tc.query.Limit = 100
		got, page := w.readFeed(tc.query)
		if len(got) != tc.want || page.Next == (domain.FeedPosition{}) {
			t.Errorf("%s: %d events up to %+v, want %d", name, len(got), page.Next, tc.want)
		}
	}
}

// A read after a cursor uses the index of the feed in every partition and sorts nothing.
func TestTheFeedIsReadByItsIndex(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createCase()
	tx, err := w.owner.Begin(w.ctx)
	w.must(err)
	defer func() { _ = tx.Rollback(w.ctx) }()
	// The settings of feed_window.
	_, err = tx.Exec(w.ctx, `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
		SET LOCAL enable_sort = off`)
	w.must(err)
	rows, err := tx.Query(w.ctx, `EXPLAIN SELECT * FROM events e
		WHERE (e.era, e.txid, e.id) > (1, '5'::xid8, 7) AND (e.era, e.txid) <
		((SELECT end_era FROM feed_end()), (SELECT end_txid FROM feed_end()))
		ORDER BY e.era, e.txid, e.id LIMIT 100`)
	w.must(err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	w.must(err)
	plan := strings.Join(lines, "\n")
	if !strings.Contains(plan, "Merge Append") || strings.Contains(plan, "Seq Scan") ||
		strings.Count(plan, "Index Scan") < 3 || strings.Contains(plan, "Sort  (") {
		t.Errorf("plan:\n%s", plan)
	}
}
