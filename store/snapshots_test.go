package store_test

import (
	"context"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// A second run of the same name is refused while the first one runs, and admitted afterwards, also if
// the first one was cancelled.
func TestAloneAdmitsOne(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	r := w.db.Reader()
	again := func() error { return r.Alone(t.Context(), "one", func(store.Snapshots) error { return nil }) }
	ctx, cancel := context.WithCancel(t.Context())
	err := r.Alone(ctx, "one", func(store.Snapshots) error {
		if err := again(); !domain.HasCode(err, domain.Busy) {
			t.Errorf("a second one: %v", err)
		}
		if err := r.Alone(ctx, "two", func(store.Snapshots) error { return nil }); err != nil {
			t.Errorf("another name: %v", err)
		}
		cancel()
		return ctx.Err()
	})
	if err == nil {
		t.Error("the cancelled one ended well")
	}
	if err := again(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A snapshot does not write, does not see later changes, and ends statements that take too long.
func TestSnapshotReadsOneState(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	err := w.db.Reader().Alone(t.Context(), "one", func(snapshots store.Snapshots) error {
		return snapshots.Read(t.Context(), time.Minute, func(r store.Reader) error {
			before, err := r.Users(t.Context(), nil)
			if err != nil {
				return err
			}
			user := domain.User{ID: domain.NewID(), Email: "new@example.com", Name: "new"}
			if err := w.db.InTx(t.Context(), func(tx *store.Tx) error {
				return tx.PutUser(t.Context(), user, "")
			}); err != nil {
				return err
			}
			if after, err := r.Users(t.Context(), nil); err != nil || len(after) != len(before) {
				t.Errorf("%d people, before %d (%v)", len(after), len(before), err)
			}
			if err := (&store.Tx{Reader: r}).PutUser(t.Context(), user, ""); err == nil {
				t.Error("the snapshot wrote")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
