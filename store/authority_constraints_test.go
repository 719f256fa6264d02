package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/domain"
	"countersign/store"
)

// Each constraint on rights refuses by itself, independently of the commands.
func TestAuthorityConstraints(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person, other := w.person(domain.RoleL1), w.person(domain.RoleL1)
	for name, sql := range map[string]string{
		"nobody_stands_in_for_themselves": `INSERT INTO delegations (id, giver, taker, valid_from,
			valid_until, created_by) VALUES (gen_random_uuid(), $1, $1, clock(),
			clock() + interval '1 day', $2)`,
		"delegation_has_a_span": `INSERT INTO delegations (id, giver, taker, valid_from,
			valid_until, created_by) VALUES (gen_random_uuid(), $1, $2, 'now', 'now', $1)`,
		"nobody_is_their_own_substitute": `INSERT INTO absences (id, person, substitute,
			valid_from, valid_until, created_by) VALUES (gen_random_uuid(), $1, $1, clock(),
			clock() + interval '1 day', $2)`,
		"absence_has_a_span": `INSERT INTO absences (id, person, substitute,
			valid_from, valid_until, created_by) VALUES (gen_random_uuid(), $1, $2, 'now', 'now',
			$1)`,
		"delegations_base_minor_check": `INSERT INTO delegations (id, giver, taker, valid_from,
			valid_until, base_minor, created_by) VALUES (gen_random_uuid(), $1, $2, clock(),
			clock() + interval '1 day', -1, $1)`,
		"conflicts_source_check": `INSERT INTO conflicts (id, person, party_id,
			declared_by, source) SELECT gen_random_uuid(), $1, p.id, $2, 'guessed' FROM parties p`,
	} {
		w.party("acme")
		_, err := w.owner.Exec(w.ctx, sql, person.ID, other.ID)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.ConstraintName != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A version of the policy needs a proposal that a second person published, with exactly its rules.
func TestPolicyNeedsTwoPeople(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	one, two := w.person(domain.RoleAdmin), w.person(domain.RoleAdmin)
	w.inTx(func(tx *store.Tx) error {
		return tx.PutPolicy(w.ctx, 1, json.RawMessage(`[]`), domain.SystemUserID)
	})
	proposal := domain.Proposal{ID: domain.NewID(), Kind: domain.ProposePolicy, Key: "policy",
		Base: 1, Document: `{"version": 2, "rules": []}`,
		Report: json.RawMessage(`{}`), ProposedBy: one.ID}
	w.inTx(func(tx *store.Tx) error { return tx.PutProposal(w.ctx, proposal) })
	publish := func(version int64, rules string, by, id domain.ID) error {
		return w.db.InTx(w.ctx, func(tx *store.Tx) error {
			return tx.PublishPolicy(w.ctx, version, json.RawMessage(rules), by, id)
		})
	}
	wantCode(t, publish(2, `[]`, two.ID, proposal.ID), domain.FourEyes) // not published yet
	if err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
		return tx.EndProposal(w.ctx, proposal.ID, domain.ProposalPublished, one.ID, "")
	}); err == nil {
		t.Error("published by who proposed it")
	}
	w.inTx(func(tx *store.Tx) error {
		return tx.EndProposal(w.ctx, proposal.ID, domain.ProposalPublished, two.ID, "")
	})
	wantCode(t, publish(2, `[{"name": "more"}]`, two.ID, proposal.ID), domain.FourEyes)
	wantCode(t, publish(3, `[]`, two.ID, proposal.ID), domain.FourEyes)
	wantCode(t, publish(2, `[]`, one.ID, proposal.ID), domain.FourEyes)
	if err := publish(2, `[]`, two.ID, proposal.ID); err != nil {
		t.Error(err)
	}
}

// A payment to a person's own account excludes the person from the case, whichever of the two was
// recorded first.
func TestOwnAccounts(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	before, after := w.person(domain.RoleL1), w.person(domain.RoleL1)
	const account = "DE89370400440532013000"
	add := func(person domain.ID) (added bool) {
		w.inTx(func(tx *store.Tx) (err error) {
			added, err = tx.AddOwnAccount(w.ctx, person, account)
			return err
		})
		return added
	}
	if !add(before.ID) || add(before.ID) {
		t.Error("an account is new once")
	}
	c, _ := w.createCase()
	change := nextChange(c, w.now())
	change.Fields = []domain.Field{{Name: domain.FieldIBAN, Raw: account, Normalised: account,
		Source: domain.SourceXML}}
	w.apply(change)
	add(after.ID)
	bars, err := w.read().Exclusions(w.ctx, c.ID, c.Parties())
	w.must(err)
	found := map[domain.ID]bool{}
	for _, person := range bars.Interested {
		found[person] = true
	}
	if !found[before.ID] || !found[after.ID] {
		t.Errorf("barred are %v", bars.Interested)
	}
	for _, want := range []bool{true, false} {
		w.inTx(func(tx *store.Tx) error {
			dropped, err := tx.DeleteOwnAccount(w.ctx, before.ID, account)
			if dropped != want {
				t.Errorf("dropped %t, want %t", dropped, want)
			}
			return err
		})
	}
}

// A delegation is read with the user from its start until just before its end.
func TestDelegationsAreReadWithTheUser(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	giver, taker := w.person(domain.RoleSenior), w.person(domain.RoleL1)
	from := w.now().Add(time.Hour)
	most := int64(500)
	w.inTx(func(tx *store.Tx) error {
		return tx.PutDelegation(w.ctx, domain.Delegation{ID: domain.NewID(), Delegator: giver.ID,
			Delegate: taker.ID, From: from, Until: from.Add(time.Hour),
			Scope:     domain.Scope{Queues: []string{domain.QueueL2}, BaseMinor: &most},
			CreatedBy: giver.ID})
	})
	for _, step := range []struct {
		by         time.Duration
		delegators int
	}{{0, 0}, {61 * time.Minute, 1}, {121 * time.Minute, 0}} {
		w.shiftClock(step.by)
		user, err := w.read().User(w.ctx, taker.ID)
		w.must(err)
		delegators, err := w.read().Delegators(w.ctx, user)
		w.must(err)
		if len(delegators) != step.delegators {
			t.Fatalf("after %s: %+v", step.by, delegators)
		}
		if step.delegators == 1 && (len(delegators[0].Queues) != 1 ||
			delegators[0].Limits[0].BaseMinor != most ||
			delegators[0].Limits[0].Unlimited) {
			t.Errorf("delegators %+v", delegators[0])
		}
	}
}
