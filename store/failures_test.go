package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/migrations"
	"countersign/store"
)

func TestSchemaVersions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	known := migrations.Versions()
	newest := known[len(known)-1]
	older := known[:len(known)-1]
	w.must(w.read().RequireSchema(w.ctx, known))
	wantCode(t, w.read().RequireSchema(w.ctx, append(slices.Clone(known), newest+1)),
		domain.SchemaTooOld)

	w.must(w.read().RequireSchema(w.ctx, older)) // an older program on a newer schema
	w.asOwner(`INSERT INTO schema_compat VALUES ($1, true)`, newest)
	wantCode(t, w.read().RequireSchema(w.ctx, older), domain.SchemaTooOld)
	w.must(w.read().RequireSchema(w.ctx, known)) // the program that brought the breaking one

	empty := newTestEnvOn(t, pgtest.Empty(t))
	wantCode(t, empty.read().RequireSchema(w.ctx, known), domain.SchemaTooOld)
	schema, err := empty.read().Schema(w.ctx, known)
	if schema.Newest != 0 || schema.Breaking || !slices.Equal(schema.Missing, known) || err != nil {
		t.Errorf("an empty database: %+v %v", schema, err)
	}
}

// Migrations may be applied out of order: a database at the newest version may lack an earlier one.
func TestSchemaLacksAMigrationInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	known := migrations.Versions()
	middle, newest := known[len(known)/2], known[len(known)-1]
	w.asOwner(`DELETE FROM goose_db_version WHERE version_id = $1`, middle)
	err := w.read().RequireSchema(w.ctx, known)
	wantCode(t, err, domain.SchemaTooOld)
	var refusal *domain.Error
	if errors.As(err, &refusal); refusal == nil || !strings.Contains(refusal.Remedy,
		"countersign migrate") ||
		refusal.Message != fmt.Sprintf(
			"The database schema has version %d and lacks migrations that this program needs: %d.",
			newest, middle) {
		t.Errorf("the refusal is %+v", refusal)
	}
	w.must(w.read().RequireSchema(w.ctx, slices.DeleteFunc(slices.Clone(known),
		func(v int64) bool { return v == middle })))
	w.asOwner(`INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)`, middle)
	w.must(w.read().RequireSchema(w.ctx, known))
}

func TestLockTimeoutIsBusy(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	w.inTx(func(tx *store.Tx) error {
		_, _, err := tx.LockCase(w.ctx, c.ID)
		w.must(err)
		began := w.now()
		err = w.db.InTx(w.ctx,
			func(other *store.Tx) error { _, _, err := other.LockCase(w.ctx, c.ID); return err })
		wantCode(t, err, domain.Busy)
		if waited := w.now().Sub(began); waited < 1900*time.Millisecond || waited > time.Minute {
			t.Errorf("answered after %v, want 2 s", waited)
		}
		return nil
	})
}

func TestDeadlockIsBusy(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	a, _ := w.createCase()
	b, _ := w.createCase()
	var met sync.WaitGroup
	met.Add(2)
	var group sync.WaitGroup
	codes := make(chan domain.Code, 2)
	for _, order := range [][2]domain.ID{{a.ID, b.ID}, {b.ID, a.ID}} {
		group.Go(func() {
			err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
				_, _, err := tx.LockCase(w.ctx, order[0])
				met.Done()
				met.Wait()
				if err != nil {
					return err
				}
				_, _, err = tx.LockCase(w.ctx, order[1])
				return err
			})
			codes <- domain.CodeOf(err)
		})
	}
	group.Wait()
	one, other := <-codes, <-codes
	if (one == domain.Busy) == (other == domain.Busy) || (one != "" && other != "") {
		t.Errorf("codes %q and %q, want one Busy and one done", one, other)
	}
}

// InTx returns the error of fn and rolls back, also if fn panics.
func TestInTxRollsBack(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	mine := errors.New("mine")
	err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.IncrementAuthority(w.ctx)
		return errors.Join(err, mine)
	})
	if !errors.Is(err, mine) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = w.db.InTx(w.ctx, func(tx *store.Tx) error {
			_, _ = tx.IncrementAuthority(w.ctx)
			panic("no")
		})
	}()
	authority, err := w.read().AuthorityVersion(w.ctx)
	w.must(err)
	if authority.Version != 1 {
		t.Errorf("version %d, want 1", authority.Version)
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	if _, err := w.read().Case(ctx, domain.NewID()); !errors.Is(err, context.Canceled) {
		t.Errorf("read with a cancelled context: %v", err)
	}
	late, stop := context.WithDeadline(w.ctx, time.Unix(0, 0))
	defer stop()
	_, err := w.read().Case(late, domain.NewID())
	wantCode(t, err, domain.Unavailable)
}

// While Postgres is stopped or killed, every call returns Unavailable, also in a running
// transaction; afterwards the same pool works again.
func TestUnavailableServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pg := pgtest.Server(t)
	w := &testEnv{t: t, ctx: ctx}
	w.must(pg.CreateDatabase(ctx, "away"))
	_, err := migrations.Up(ctx, pg.OwnerURL("away"), 1)
	w.must(err)
	w.db = w.open(pg.AppURL("away"))
	for name, end := range map[string]func() error{"stopped": pg.Stop, "killed": pg.Kill} {
		w.must(w.db.Ping(ctx))
		err := w.db.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.IncrementAuthority(ctx)
			w.must(err)
			w.must(end())
			// A backend outlives a killed postmaster for a moment and may execute one more
			// statement.
			for deadline := time.NewTimer(time.Minute); err == nil; {
				select {
				case <-deadline.C:
					t.Fatal("the server still answers")
				default:
					_, err = tx.IncrementAuthority(ctx)
				}
			}
			return err
		})
		wantCode(t, err, domain.Unavailable)
		for range 30 { // more than the pool holds: broken connections and refused new ones
			_, err := w.read().Clock(ctx)
			wantCode(t, err, domain.Unavailable)
		}
		wantCode(t, w.db.Ping(ctx), domain.Unavailable)
		wantCode(t, w.db.InTx(ctx, func(*store.Tx) error { return nil }), domain.Unavailable)
		w.must(pg.Start(ctx))
		authority, err := w.read().AuthorityVersion(ctx)
		if err != nil || authority.Version != 1 {
			t.Errorf("after it was %s: version %d: %v", name, authority.Version, err)
		}
	}
}

func TestOpenRefusesInvalidURLs(t *testing.T) {
	t.Parallel()
	if _, err := store.Open(t.Context(), "postgres://%%", 1); err == nil {
		t.Error("a URL that is none was opened")
	}
	db, err := store.Open(t.Context(), "postgres://nobody:x@127.0.0.1:1/none?connect_timeout=2", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wantCode(t, db.Ping(t.Context()), domain.Unavailable)
}
