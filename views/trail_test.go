package views

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// Events committed after the head was read are valid; events past the end of the stream's record
// are not.
func TestVerifyDistinguishesLateFromInsertedEvents(t *testing.T) {
	t.Parallel()
	names := pgtest.New(t)
	db, err := store.Open(t.Context(), names.AppURL, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	var early store.StreamHead
	head := audit.ChainHead{}
	for n := range 3 {
		event := &domain.Event{Stream: domain.PolicyStream.ID, Type: domain.PolicyPublished,
			SchemaVersion: 1, Actor: domain.SystemUserID,
			CorrelationID: "c", At: time.Unix(1_700_000_000, 0), Body: []byte(`{}`)}
		if head, err = audit.Chain(head, rand.Reader, event); err != nil {
			t.Fatal(err)
		}
		err := db.InTx(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.LockStream(t.Context(), domain.PolicyStream); err != nil {
				return err
			}
			return tx.AppendStream(t.Context(), []domain.Event{*event})
		})
		if err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			early = store.StreamHead{Stream: domain.PolicyStream.ID, Name: "policy", Seq: head.Seq,
				Hash: head.Hash}
		}
	}
	v := New(db.Reader(), nil)
	walked := func() AuditResult {
		t.Helper()
		var verdict AuditResult
		if err := v.verifyStream(t.Context(), &verdict, early, caseRows{}); err != nil {
			t.Fatal(err)
		}
		return verdict
	}
	if got := walked(); len(got.Problems) != 0 || got.Streams != 1 || got.Cases != 0 ||
		got.Events != 2 {
		t.Errorf("with a late event: %+v", got)
	}
	_, err = names.Owner(t).Exec(t.Context(), `INSERT INTO events (case_id, seq, type, schema_version, actor, on_behalf_of, correlation_id, at,
			status_before, status_after, marking_before, marking_after, prev_hash, body_hash, hash, salt, body, txid)
		SELECT case_id, 4, type, schema_version, actor, on_behalf_of, correlation_id, at, status_before, status_after,
			marking_before, marking_after, prev_hash, body_hash, hash, salt, body, txid FROM events WHERE case_id = $1 AND seq = 3`, early.Stream)
	if err != nil {
		t.Fatal(err)
	}
	got := walked()
	if len(got.Problems) != 1 || got.Problems[0].Seq != 4 ||
		got.Problems[0].Reference != "policy" || got.Streams != 0 ||
		!strings.Contains(got.Problems[0].Message, "ends at event 3") {
		t.Errorf("with an inserted event: %+v", got)
	}
}
