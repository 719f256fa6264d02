package casework_test

import (
	"fmt"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// Party keys written by an earlier release are converted to the present form. Two spellings become
// one party with the conflicts and cases of both, and a claim that this makes a conflict of
// interest is released.
func TestOlderPartyKeysAreMerged(t *testing.T) {
	t.Parallel()
	// whose row is older and remains the party
	for _, first := range []string{"document", "conflict"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			env, sam, id := newReviewEnv(t, "120000.00")
			rita, rolf := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1)
			age := map[string]string{"document": "1 hour", "conflict": "2 hours"}[first]
			review := env.claim(rita, id)
			must(t, errOf(env.owner.Exec(env.ctx,
				`ALTER TABLE parties DISABLE TRIGGER older_key_never_again`)))
			var alias domain.ID
			must(t, env.owner.QueryRow(env.ctx, fmt.Sprintf(`WITH old AS (UPDATE parties SET key = 'muster werke gmbh', key_form = 0, created_at = clock() - interval '90 minutes'
				WHERE id = $1 RETURNING id), made AS (INSERT INTO parties (id, key, name, group_id, created_at) SELECT $2, 'muster werke g m b h', 'Muster Werke G.m.b.H.', $2,
				clock() - interval '%s' RETURNING id) INSERT INTO conflicts (id, person, party_id, declared_by) SELECT $3, $4, id, $4 FROM made RETURNING party_id`, age),
				env.caseByID(id).PartyID, domain.NewID(), domain.NewID(), rita.UserID).Scan(&alias))
			must(t, env.svc.RekeyParties(env.ctx))
			if older, err := env.db.Reader().HasOlderKeys(env.ctx); err != nil || older {
				t.Errorf("older keys left: %v %v", older, err)
			}
			if after := env.openReview(id); after.Status != domain.ReviewOpen ||
				after.Assignee != domain.NoID {
				t.Errorf("the claim was not released: %+v", after)
			}
			wantCode(t, env.decide(rita, review.ID, domain.Approve, ""), domain.ConflictOfInterest)
			_, err := env.svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
			wantCode(t, err, domain.ConflictOfInterest)
			env.claim(rolf, id)
			party, err := env.db.Reader().PartyByKey(env.ctx, domain.PartyKey("Muster Werke GmbH"))
			must(t, err)
			if c := env.caseByID(id); c.PartyID != party || env.openReview(id).PartyID != party ||
				(first == "document") != (alias != party) {
				t.Errorf("the case has party %s, its review %s; the party is %s, the other spelling %s", c.PartyID, env.openReview(id).PartyID, party, alias)
			}
			conflicts, err := env.db.Reader().Conflicts(env.ctx, rita.UserID)
			must(t, err)
			if len(conflicts) != 1 || conflicts[0].PartyID != party {
				t.Errorf("conflicts %+v", conflicts)
			}
			again := env.submit(sam, "another")
			env.drainQueue()
			if c := env.caseByID(again); c.PartyID != party {
				t.Errorf("the next case has party %s, want %s", c.PartyID, party)
			}
			must(t, env.svc.RekeyParties(env.ctx)) // nothing remains to be done
		})
	}
}

// A party whose key is the only one of the older form keeps its id, its name and its group.
func TestRekeyedPartyKeepsItsID(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	party, group := domain.NewID(), domain.NewID()
	must(t, errOf(env.owner.Exec(env.ctx,
		`ALTER TABLE parties DISABLE TRIGGER older_key_alone`)))
	_, err := env.owner.Exec(env.ctx,
		`INSERT INTO parties (id, key, name, group_id) VALUES ($1, 'müller & söhne ag', 'Müller & Söhne AG', $2), ($2, 'holding se', 'Holding SE', $2)`, party, group)
	must(t, err)
	// an earlier release inserted them, and the sweeper finds them
	if _, err := env.svc.Sweep(env.ctx); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]domain.ID{"Mueller und Soehne A.G.": party,
		"HOLDING S.E.": group} {
		if got, err := env.db.Reader().PartyByKey(env.ctx, casework.PartyKey(name)); err != nil ||
			got != want {
			t.Errorf("%s is %s %v, want %s", name, got, err, want)
		}
	}
	related, err := env.db.Reader().PartyGroup(env.ctx, party)
	must(t, err)
	if len(related) != 2 || related[1] != (store.Party{ID: party, Name: "Müller & Söhne AG"}) {
		t.Errorf("the group %+v", related)
	}
}
