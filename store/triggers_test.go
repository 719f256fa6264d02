package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/domain"
	"countersign/store"
)

// The application's role may insert into the records, but not change them.
func TestRecordsAreAppendOnly(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createCase()
	app := w.database.App(t)
	tables := []string{"events", "decisions", "access_log", "policies", "process_definitions",
		"schema_compat", "line_items"}
	var partitions []string
	w.must(w.owner.QueryRow(w.ctx, `SELECT array_agg(inhrelid::regclass::text) FROM pg_inherits
		WHERE inhparent IN ('events'::regclass, 'decisions'::regclass)`).Scan(&partitions))
	for _, table := range append(tables, partitions...) {
		for _, sql := range []string{"DELETE FROM %s", "UPDATE %s SET ctid = ctid", "TRUNCATE %s",
			"DROP TABLE %s", "ALTER TABLE %s ADD x int"} {
			_, err := app.Exec(w.ctx, fmt.Sprintf(sql, table))
			var refused *pgconn.PgError
			// 42501 is "insufficient privilege"; a system column is refused before privileges are
			// checked.
			if !errors.As(err, &refused) ||
				(refused.Code != "42501" && !strings.HasPrefix(sql, "UPDATE")) {
				t.Errorf(sql+": %v", table, err)
			}
		}
		var may bool
		w.must(w.owner.QueryRow(w.ctx,
			`SELECT has_table_privilege('countersign_app', $1, 'UPDATE, DELETE, TRUNCATE')
			OR has_any_column_privilege('countersign_app', $1, 'UPDATE')`, table).Scan(&may))
		if may {
			t.Errorf("the application may alter %s", table)
		}
	}
	for _, partition := range partitions {
		var may bool
		w.must(w.owner.QueryRow(w.ctx,
			`SELECT has_table_privilege('countersign_app', $1, 'INSERT')`, partition).Scan(&may))
		if may {
			t.Errorf("the application writes past the parent into %s", partition)
		}
	}
}

// Even the owner cannot alter a published definition by mistake.
func TestPublishedDefinitionsAreImmutable(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.inTx(func(tx *store.Tx) error {
		_, err := tx.PublishDefinition(w.ctx, store.NewDefinition{Key: "p", Version: 1,
			Document: "doc", HasAmount: true, By: domain.SystemUserID})
		return err
	})
	_, err := w.owner.Exec(w.ctx, `UPDATE process_definitions SET document = 'other'`)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "CS009" {
		t.Errorf("altered: %v", err)
	}
}

// decision is a valid approval by the person who has the claim.
func decision(c domain.Case, review domain.Review, actor domain.ID, verdict domain.Verdict,
	at time.Time) *domain.Decision {
	return &domain.Decision{ID: domain.NewID(), CaseID: c.ID, ReviewID: review.ID, Actor: actor,
		Verdict: verdict, Reason: "because", At: at,
		Evidence: domain.Evidence{DocumentSHA256: "ab", Fields: map[string]string{"total": "1"},
			Findings: []string{"round"}, PolicyVersion: 3}}
}

// decisionChange closes the review with the decision and the actor's vote.
func decisionChange(c domain.Case, review domain.Review, actor domain.ID, verdict domain.Verdict,
	at time.Time) *store.Change {
	change := nextChange(c, at)
	review.Status, review.DecidedAt, review.ClaimUntil = domain.ReviewDecided, at, time.Time{}
	review.Version++
	change.ReviewUpdates = []domain.Review{review}
	change.Decision = decision(c, review, actor, verdict, at)
	change.Votes = []domain.Vote{{CaseID: c.ID, Duty: review.Duty, Person: actor,
		ReviewID: review.ID}}
	return change
}

func TestDecide(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	reviewer := w.person(domain.RoleL1)
	c, review = w.claim(c, review, reviewer.ID)
	change := decisionChange(c, review, reviewer.ID, domain.Approve, w.now())
	w.apply(change)

	decisions, err := w.read().Decisions(w.ctx, c.ID)
	w.must(err)
	if len(decisions) != 1 || fmt.Sprintf("%+v", decisions[0]) != fmt.Sprintf("%+v",
		*change.Decision) {
		t.Errorf("decisions\n%+v, wrote\n%+v", decisions, *change.Decision)
	}
	bars, err := w.read().Exclusions(w.ctx, c.ID, c.Parties())
	w.must(err)
	want := change.Votes[0]
	want.Covered = "{}" // no coverage is stored as an empty one
	if len(bars.Votes) != 1 || bars.Votes[0] != want {
		t.Errorf("votes %+v", bars.Votes)
	}
	fallen := nextChange(change.Case, w.now())
	fallen.RevokedDuties = []string{"other", review.Duty}
	w.apply(fallen)
	if n := w.rows("votes", "true"); n != 0 {
		t.Errorf("%d votes remain after the duty was revoked", n)
	}
}

// Each row is a decision that a faulty command might write; the database refuses it with a specific
// code and writes nothing.
func TestForbiddenDecisions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code    domain.Code
		prepare func(w *testEnv, c domain.Case, review domain.Review, actor domain.User)
		spoil   func(change *store.Change)
	}{
		"no claim": {code: domain.NotClaimedByYou, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.asOwner(`UPDATE reviews SET status = 'open'`)
		}},
		"claim lapsed": {code: domain.NotClaimedByYou, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.shiftClock(11 * time.Minute)
		}},
		"another's claim": {code: domain.NotClaimedByYou, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.asOwner(`UPDATE reviews SET assignee = $1`, w.person().ID)
		}},
		"above the limit": {code: domain.ApprovalLimit, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.asOwner(`UPDATE limits SET base_minor = 129999 WHERE role = 'reviewer_l1'`)
		}},
		"no limit at all": {code: domain.ApprovalLimit, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.asOwner(`DELETE FROM limits WHERE role = 'reviewer_l1'`)
		}},
		"limit of another document type": {code: domain.ApprovalLimit,
			prepare: func(w *testEnv, _ domain.Case, _ domain.Review, _ domain.User) {
				w.asOwner(`UPDATE limits SET document_type = 'receipt' WHERE role = 'reviewer_l1'`)
			}},
		"amount unknown": {code: domain.ApprovalLimit, prepare: func(w *testEnv, _ domain.Case,
			_ domain.Review, _ domain.User) {
			w.asOwner(`UPDATE cases SET amount_known = false`)
		}},
		"above the limit of the delegator": {code: domain.ApprovalLimit,
			prepare: delegateToSubmitters, spoil: func(change *store.Change) {
				change.Decision.OnBehalfOf = change.Case.Submitter
			}},
		"without a delegation": {code: domain.NotPermitted,
			spoil: func(change *store.Change) {
				change.Decision.OnBehalfOf = change.Case.Submitter
			}},
		"with an expired delegation": {code: domain.NotPermitted,
			prepare: func(w *testEnv, c domain.Case, review domain.Review, actor domain.User) {
				delegateToSubmitters(w, c, review, actor)
				w.asOwner(`UPDATE delegations SET valid_from = clock() - interval '1 day',
				valid_until = clock()`)
			}, spoil: func(change *store.Change) {
				change.Decision.OnBehalfOf = change.Case.Submitter
			}},
		"an interest": {code: domain.OwnDocument, prepare: func(w *testEnv, c domain.Case,
			_ domain.Review, actor domain.User) {
			w.asOwner(`INSERT INTO case_interests VALUES ($1, $2, 'set_payee')`, c.ID, actor.ID)
		}},
		"a conflict": {code: domain.ConflictOfInterest, prepare: func(w *testEnv, c domain.Case,
			_ domain.Review, actor domain.User) {
			w.conflict(actor.ID, c.PartyID)
		}},
		"a conflict with another party of the group": {code: domain.ConflictOfInterest,
			prepare: func(w *testEnv, c domain.Case, _ domain.Review, actor domain.User) {
				sister := w.party("sister")
				w.joinGroup(sister, c.PartyID)
				w.conflict(actor.ID, sister)
			}},
		"a vote given before": {code: domain.FourEyes, prepare: func(w *testEnv, c domain.Case,
			review domain.Review, actor domain.User) {
			w.asOwner(`INSERT INTO votes VALUES ($1, $2, $3, $4)`, c.ID, review.Duty, actor.ID,
				review.ID)
		}},
		"decided before": {code: domain.AlreadyDecided, prepare: func(w *testEnv, c domain.Case,
			review domain.Review, actor domain.User) {
			w.inTx(func(tx *store.Tx) error {
				change := decisionChange(c, review, actor.ID, domain.Approve, w.now())
				change.ReviewUpdates, change.Votes = nil, nil
				change.Case.Version, change.Case.LastSeq, change.Events = c.Version, c.LastSeq, nil
				_, err := tx.Apply(w.ctx, change)
				return err
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			c, review := w.underReview()
			actor := w.person(domain.RoleL1)
			c, review = w.claim(c, review, actor.ID)
			if tc.prepare != nil {
				tc.prepare(w, c, review, actor)
			}
			change := decisionChange(c, review, actor.ID, domain.Approve, w.now())
			if tc.spoil != nil {
				tc.spoil(change)
			}
			before := w.dumpCase(c.ID)
			err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
				_, err := tx.Apply(w.ctx, change)
				return err
			})
			wantCode(t, err, tc.code)
			if after := w.dumpCase(c.ID); after != before {
				t.Error("something of the refused decision was written")
			}
		})
	}
}

// delegateToSubmitters lets the decider act on behalf of the document's submitter.
func delegateToSubmitters(w *testEnv, c domain.Case, _ domain.Review, actor domain.User) {
	w.inTx(func(tx *store.Tx) error {
		return tx.PutDelegation(w.ctx, domain.Delegation{ID: domain.NewID(), Delegator: c.Submitter,
			Delegate: actor.ID, From: w.now(),
			Until: w.now().Add(time.Hour), CreatedBy: actor.ID})
	})
}

func (w *testEnv) conflict(person, party domain.ID) domain.ID {
	w.t.Helper()
	id := domain.NewID()
	w.inTx(func(tx *store.Tx) error {
		_, err := tx.DeclareConflict(w.ctx, domain.Conflict{ID: id, Person: person, PartyID: party,
			Reason: "cousin", DeclaredBy: person})
		return err
	})
	return id
}

// A case without an amount, or an exclusion that has ended, does not refuse a decision.
func TestAllowedDecisions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		verdict domain.Verdict
		prepare func(w *testEnv, c domain.Case, actor domain.User)
	}{
		"rejecting needs no limit": {verdict: domain.Reject,
			prepare: func(w *testEnv, _ domain.Case, _ domain.User) {
				w.asOwner(`DELETE FROM limits`)
			}},
		"unlimited covers an unknown amount": {verdict: domain.Approve,
			prepare: func(w *testEnv, _ domain.Case, actor domain.User) {
				w.asOwner(`UPDATE cases SET amount_known = false`)
				w.asOwner(`INSERT INTO user_roles VALUES ($1, 'manager')`, actor.ID)
			}},
		"exactly at the limit": {verdict: domain.Approve, prepare: func(w *testEnv, _ domain.Case,
			_ domain.User) {
			w.asOwner(`UPDATE limits SET base_minor = 130000 WHERE role = 'reviewer_l1'`)
		}},
		"a conflict that ended": {verdict: domain.Approve, prepare: func(w *testEnv, c domain.Case,
			actor domain.User) {
			id := w.conflict(actor.ID, c.PartyID)
			adam := w.person(domain.RoleAdmin).ID
			proposal := w.endingOf(id, adam)
			w.inTx(func(tx *store.Tx) error {
				_, err := tx.EndConflict(w.ctx, id, adam, "over", proposal)
				return err
			})
		}},
		"a vote in another duty": {verdict: domain.Approve, prepare: func(w *testEnv, c domain.Case,
			actor domain.User) {
			w.asOwner(`INSERT INTO votes SELECT $1, 'credit', $2, id FROM reviews`, c.ID, actor.ID)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			c, review := w.underReview()
			actor := w.person(domain.RoleL1)
			c, review = w.claim(c, review, actor.ID)
			tc.prepare(w, c, actor)
			w.apply(decisionChange(c, review, actor.ID, tc.verdict, w.now()))
		})
	}
}

// No command can bypass these constraints.
func TestConstraints(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	for name, sql := range map[string]string{
		"final_case_has_manifest":   `UPDATE cases SET status = 'archived'`,
		"known_amount_has_currency": `UPDATE cases SET currency = ''`,
		"claimed_has_assignee": `UPDATE reviews SET status = 'claimed',
			assignee = '00000000-0000-0000-0000-000000000000'`,
		"leased_has_token": `UPDATE stage_runs SET status = 'leased'`,
		"cases_risk_check": `UPDATE cases SET risk = 101`,
	} {
		_, err := w.owner.Exec(w.ctx, sql)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.ConstraintName != name {
			t.Errorf("%s: %v", sql, err)
		}
	}
	actor := w.person(domain.RoleL1)
	c, review = w.claim(c, review, actor.ID)
	change := decisionChange(c, review, actor.ID, domain.Reject, w.now())
	change.Decision.Reason = ""
	err := w.db.InTx(w.ctx,
		func(tx *store.Tx) error { _, err := tx.Apply(w.ctx, change); return err })
	if err == nil {
		t.Error("a rejection without a reason was written")
	}
}
