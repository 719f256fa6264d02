package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A group is left by two persons, neither of whom has a conflict of interest in it.
func TestGroupsAreLeftByTwoPersons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	join := func() { env.joinGroups("Acme", "Acme Holding") }
	members := func() int {
		return env.queryInt(`SELECT count(*) FROM parties p JOIN parties o
			ON o.group_id = p.group_id WHERE p.name = 'Acme'`)
	}
	join()
	left, err := env.svc.GroupParty(env.ctx, ada, casework.GroupParty{Party: "Acme"})
	must(t, err)
	wantCode(t, env.confirm(ada, left.ProposalID), domain.FourEyes)
	if members() != 2 {
		t.Error("the party left its group by one person")
	}
	must(t, env.confirm(adam, left.ProposalID))
	if members() != 1 {
		t.Error("the party did not leave its group")
	}
	join()
	_, err = env.svc.DeclareConflict(env.ctx, ada,
		casework.DeclareConflict{Person: ada.UserID, Party: "Acme Holding", Reason: "shares"})
	must(t, err)
	_, err = env.svc.GroupParty(env.ctx, ada, casework.GroupParty{Party: "Acme"})
	wantCode(t, err, domain.FourEyes)
	left, err = env.svc.GroupParty(env.ctx, adam, casework.GroupParty{Party: "Acme"})
	must(t, err)
	wantCode(t, env.confirm(ada, left.ProposalID), domain.FourEyes)
	app := env.appPool()
	refusedBySQL(t, app, "CS011", `UPDATE parties SET group_id = id WHERE name = 'Acme'`)
	refusedBySQL(t, app, "CS011", `UPDATE parties SET group_id = id`)
	refusedBySQL(t, app, "CS011", `UPDATE parties SET group_id = id,
		leave_proposal_id = (SELECT id FROM proposals WHERE kind = 'party_leave'
		AND status = 'published')
		WHERE name = 'Acme'`) // a proposal that was used before
	_, err = env.svc.GroupParty(env.ctx, domain.SystemActor(), casework.GroupParty{Party: "Acme"})
	wantCode(t, err, domain.FourEyes)
}

// Two groups join by two persons: not by the proposer, nor a delegate of the proposer, nor a manager,
// nor the program. Until then nothing changes; afterwards the conflict applies to the open review,
// which its holder loses.
func TestGroupsJoinByTwoPersons(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita, mia := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	must(t, errOf(env.svc.DeclareConflict(env.ctx, rita,
		casework.DeclareConflict{Person: rita.UserID, Party: "Muster Holding"})))
	env.claim(rita, id)
	join := casework.GroupParty{Party: "Muster Holding", With: "Muster Werke GmbH",
		Reason: "the register names the holding"}
	onBehalf := mia
	onBehalf.OnBehalfOf = ada.UserID
	for name, by := range map[string]domain.Actor{"manager": mia, "delegate": onBehalf} {
		if _, err := env.svc.GroupParty(env.ctx, by, join); !domain.HasCode(err,
			domain.NotPermitted) {
			t.Errorf("%s proposes: %v", name, err)
		}
	}
	_, err := env.svc.GroupParty(env.ctx, domain.SystemActor(), join)
	wantCode(t, err, domain.FourEyes)

	proposed, err := env.svc.GroupParty(env.ctx, ada, join)
	must(t, err)
	if proposed.ProposalID == domain.NoID {
		t.Fatal("one person joined two groups")
	}
	_, err = env.svc.GroupParty(env.ctx, adam, join)
	wantCode(t, err, domain.StateMismatch) // it is already proposed
	delegate := adam
	delegate.OnBehalfOf = ada.UserID
	wantCode(t, env.confirm(ada, proposed.ProposalID), domain.FourEyes)
	wantCode(t, env.confirm(delegate, proposed.ProposalID), domain.NotPermitted)
	wantCode(t, env.confirm(onBehalf, proposed.ProposalID), domain.NotPermitted)
	wantCode(t, env.confirm(mia, proposed.ProposalID), domain.NotPermitted)
	wantCode(t, env.confirm(domain.SystemActor(), proposed.ProposalID), domain.FourEyes)
	if review := env.openReview(id); review.Assignee != rita.UserID {
		t.Errorf("an unconfirmed proposal took the review from its holder: %+v", review)
	}
	must(t, env.confirm(adam, proposed.ProposalID))
	if review := env.openReview(id); review.Status != domain.ReviewOpen ||
		review.Assignee != domain.NoID {
		t.Errorf("the holder kept the review: %+v", review)
	}
	_, err = env.svc.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.ConflictOfInterest)
	var proposer, confirmer domain.ID
	must(t, env.owner.QueryRow(env.ctx, `SELECT (body::jsonb ->> 'proposedBy')::uuid,
		(body::jsonb ->> 'by')::uuid FROM events WHERE type = 'party.grouped'`).
		Scan(&proposer, &confirmer))
	if proposer != ada.UserID || confirmer != adam.UserID {
		t.Errorf("the audit names %s and %s", proposer, confirmer)
	}
	if again, err := env.svc.GroupParty(env.ctx, ada, join); err != nil ||
		again.ProposalID != domain.NoID {
		t.Errorf("one group joins itself: %+v %v", again, err)
	}
}

// A join is confirmed only for the companies that were proposed.
func TestJoinIsStaleWhenAGroupChanged(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	for _, grows := range []string{"Acme", "Bolt"} {
		proposed, err := env.svc.GroupParty(env.ctx, ada,
			casework.GroupParty{Party: "Acme", With: "Bolt"})
		must(t, err)
		env.joinGroups("Daughter of "+grows, grows)
		wantCode(t, env.confirm(adam, proposed.ProposalID), domain.StaleVersion)
		must(t, errOf(env.svc.WithdrawControlChange(env.ctx, adam,
			casework.EndProposal{ProposalID: proposed.ProposalID, Reason: "other companies"})))
	}
	env.joinGroups("Acme", "Bolt")
	if n := env.queryInt(`SELECT count(DISTINCT group_id) FROM parties`); n != 1 {
		t.Errorf("%d groups, want 1", n)
	}
}

// The database refuses the application every join without a proposal of two persons for it.
func TestApplicationRoleCannotJoinGroups(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	env.joinGroups("Acme", "Bolt")
	open, err := env.svc.GroupParty(env.ctx, ada,
		casework.GroupParty{Party: "Cargo", With: "Acme"})
	must(t, err)
	app := env.appPool()
	const group = `UPDATE parties SET group_id = (SELECT group_id FROM parties WHERE name = 'Acme')`
	for _, sql := range []string{
		group + ` WHERE name = 'Cargo'`,
		group,
		group + `, join_proposal_id = (SELECT id FROM proposals WHERE kind = 'party_join'
			AND status = 'published') WHERE name = 'Cargo'`, // of other parties
		group + `, join_proposal_id = '` + open.ProposalID.String() + `' WHERE name = 'Cargo'`,
		`UPDATE parties SET group_id = (SELECT group_id FROM parties WHERE name = 'Cargo'),
			join_proposal_id = (SELECT id FROM proposals WHERE kind = 'party_join'
			AND status = 'published') WHERE name IN ('Acme', 'Bolt')`, // used before
	} {
		refusedBySQL(t, app, "CS011", sql)
	}
	refusedBySQL(t, app, "CS009", `UPDATE parties SET key_form = 0 WHERE name = 'Cargo'`)
	refusedBySQL(t, app, "CS009", `INSERT INTO parties (id, key, name, group_id)
		SELECT gen_random_uuid(), 'older', 'Older', group_id FROM parties WHERE name = 'Acme'`)
}
