package casework_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// ownedProcess is the process that has owners in these tests.
const ownedProcess = "content_review"

// nameOwners lets the first person propose owners and the second confirm them.
func (env *testEnv) nameOwners(by, second domain.Actor, required int, owners ...domain.Actor) {
	env.t.Helper()
	must(env.t, env.confirmOwners(second, env.proposeOwners(by, required, owners...)))
}

func (env *testEnv) proposeOwners(by domain.Actor, required int, owners ...domain.Actor) domain.ID {
	env.t.Helper()
	in := casework.ProposeOwners{Process: ownedProcess, Required: required, Reason: "They know it."}
	for _, owner := range owners {
		in.Owners = append(in.Owners, owner.UserID)
	}
	done, err := env.svc.ProposeOwners(env.ctx, by, in)
	must(env.t, err)
	return done.ProposalID
}

func (env *testEnv) confirmOwners(by domain.Actor, proposal domain.ID) error {
	_, err := env.svc.ConfirmControlChange(env.ctx, by, casework.EndProposal{ProposalID: proposal})
	return err
}

// decideAsOwner approves or, with a reason, rejects the present text of a proposal.
func (env *testEnv) decideAsOwner(by domain.Actor, proposal domain.ID, rejection string) error {
	env.t.Helper()
	p, err := env.db.Reader().Proposal(env.ctx, proposal)
	must(env.t, err)
	_, err = env.svc.DecideAsOwner(env.ctx, by, casework.DecideAsOwner{ProposalID: proposal,
		SHA256: p.TextSHA256(), Approved: rejection == "", Reason: rejection})
	return err
}

func (env *testEnv) publishOwned(by domain.Actor, proposal domain.ID, without string) error {
	_, err := env.svc.PublishProcess(env.ctx, by,
		casework.EndProposal{ProposalID: proposal, Confirm: true, WithoutOwners: without})
	return err
}

// refusedFor demands that the owners have to approve first, and that the refusal names them.
func refusedFor(t *testing.T, err error, names string) {
	t.Helper()
	wantCode(t, err, domain.FourEyes)
	if got := detail(err, "owners"); got != names {
		t.Errorf("the refusal names %q, want %q: %v", got, names, err)
	}
}

func detail(err error, name string) string {
	var refusal *domain.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	return refusal.Detail[name]
}

// owned returns a test environment with two administrators and the owners ann and ben, who are none.
func owned(t *testing.T, required int) (env *testEnv, ada, abe, ann, ben domain.Actor) {
	t.Helper()
	env = newTestEnv(t)
	ada, abe = env.admins()
	ann, ben = env.person("ann", domain.RoleL1), env.person("ben", domain.RoleSubmitter)
	env.nameOwners(ada, abe, required, ann, ben)
	return env, ada, abe, ann, ben
}

func TestOwnersApproveBeforeATextIsPublished(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, ben := owned(t, 2)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	refusedFor(t, env.publishOwned(abe, proposal, ""), "ann, ben")
	must(t, env.decideAsOwner(ann, proposal, ""))
	must(t, env.decideAsOwner(ann, proposal, "")) // counts once
	refusedFor(t, env.publishOwned(abe, proposal, ""), "ben")
	must(t, env.decideAsOwner(ben, proposal, "Too slow."))
	err := env.publishOwned(abe, proposal, "")
	refusedFor(t, err, "ben")
	if !strings.Contains(err.Error(), "ben rejected it: “Too slow.”") {
		t.Errorf("the refusal does not say who rejected it: %v", err)
	}
	must(t, env.decideAsOwner(ben, proposal, "")) // another decision replaces the first
	must(t, env.publishOwned(abe, proposal, ""))
	wantCode(t, env.decideAsOwner(ann, proposal, ""), domain.StateMismatch)
}

// Administrators who are no owners, and people without any right, decide nothing and learn nothing.
func TestOnlyOwnersDecide(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	sam := env.person("sam", domain.RoleSubmitter)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	wantCode(t, env.decideAsOwner(abe, proposal, ""), domain.NotFound)
	wantCode(t, env.decideAsOwner(sam, proposal, ""), domain.NotFound)
	other := env.proposeProcess(ada, strings.Replace(env.processDocument("document_approval", 1),
		"title:", "title:", 1))
	wantCode(t, env.decideAsOwner(ann, other, ""), domain.NotFound)
	must(t, env.publishOwned(abe, other, "")) // a process without owners is published as before
	wantCode(t, env.decideAsOwner(ann, proposal, strings.Repeat("x", 2001)), domain.InvalidInput)
	_, err := env.svc.DecideAsOwner(env.ctx, ann, casework.DecideAsOwner{ProposalID: proposal,
		SHA256: strings.Repeat("0", 64), Approved: true})
	wantCode(t, err, domain.StaleVersion)
	delegate := ann
	delegate.OnBehalfOf = abe.UserID
	wantCode(t, env.decideAsOwner(delegate, proposal, ""), domain.NotPermitted)
}

// An approval is for one text: it does not count for the text that replaces it.
func TestApprovalsEndWithTheText(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	first := env.proposeProcess(ada, env.slower("3h"))
	must(t, env.decideAsOwner(ann, first, ""))
	replaced, err := env.svc.ProposeProcess(env.ctx, ada,
		casework.Propose{Document: env.slower("9h"), Replaces: first})
	must(t, err)
	refusedFor(t, env.publishOwned(abe, replaced.ProposalID, ""), "ann, ben")
	// Nor does the approval of one of two open proposals count for the other one.
	rival := env.proposeProcess(abe, env.slower("3h"))
	refusedFor(t, env.publishOwned(ada, rival, ""), "ann, ben")
}

// The person who proposes does not approve as an owner, nor with another account, nor with one that they
// made or reset.
func TestProposersDoNotApproveTheirOwnText(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	eve, ann := env.person("eve", domain.RoleAdmin), env.person("ann", domain.RoleL1)
	env.nameOwners(ada, abe, 1, ada, ann, eve)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	wantCode(t, env.decideAsOwner(ada, proposal, ""), domain.FourEyes)
	refusedFor(t, env.publishOwned(abe, proposal, ""), "ann, eve")
	must(t, env.decideAsOwner(ann, proposal, ""))
	// Later the two accounts turn out to belong to one person, or abe has reset that of ann.
	env.change(`UPDATE users SET person = (SELECT person FROM users WHERE id = $1) WHERE id = $2`,
		ada.UserID, ann.UserID)
	wantCode(t, env.decideAsOwner(ann, proposal, ""), domain.FourEyes)
	refusedFor(t, env.publishOwned(abe, proposal, ""), "eve")
	env.change(`UPDATE users SET person = id WHERE id = $1`, ann.UserID)
	env.change(`UPDATE users SET vouched_by = ARRAY[$1::uuid], vouched_at = clock(), signed_up_at = NULL
		WHERE id = $2`, abe.UserID, ann.UserID)
	refusedFor(t, env.publishOwned(abe, proposal, ""), "eve") // abe may be ann
	must(t, env.publishOwned(eve, proposal, ""))
}

func (env *testEnv) change(statement string, args ...any) {
	env.t.Helper()
	_, err := env.owner.Exec(env.ctx, statement, args...)
	must(env.t, err)
}

// A proposal that owners did not decide about for a week can be published without them, with a reason,
// but not if one of them rejected it, also if that account was disabled since.
func TestAProposalIsPublishedWithoutOwnersAfterAWeek(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, ben := owned(t, 1)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	rejected := env.proposeProcess(ada, env.slower("4h"))
	env.wantNotices(ann, "owner* owner*")
	must(t, env.decideAsOwner(ben, rejected, "No."))
	refusedFor(t, env.publishOwned(abe, proposal, "Both are ill."), "ann, ben")
	env.setClockOffset(env.clockOffset + 7*24*time.Hour)
	refusedFor(t, env.publishOwned(abe, proposal, " "), "ann, ben")
	env.change(`UPDATE users SET disabled = true WHERE id = $1`, ben.UserID)
	refusedFor(t, env.publishOwned(abe, rejected, "Ben has left."), "ann")
	wantCode(t, env.publishOwned(ada, proposal, "Both are ill."), domain.FourEyes)
	must(t, env.publishOwned(abe, proposal, "Both are ill."))
	if n := env.queryInt(`SELECT count(*) FROM events WHERE type = 'proposal.published_without_owners'
		AND body::text LIKE '%Both are ill.%'`); n != 1 {
		t.Errorf("%d events record it", n)
	}
	env.wantNotices(ann, "owner* owner* owner*")
	env.wantNotices(ada, "owner*")
}

// A text that waited before the process had owners does not count as one that they ignored.
func TestOwnersHaveAWeekFromTheirNaming(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	ann := env.person("ann", domain.RoleL1)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	env.setClockOffset(env.clockOffset + 8*24*time.Hour)
	env.nameOwners(ada, abe, 1, ann)
	refusedFor(t, env.publishOwned(abe, proposal, "It waited."), "ann")
}

// The present owners approve other owners, and those that a proposal names decide nothing about it.
func TestOwnersApproveOtherOwners(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, ben := owned(t, 2)
	eve := env.person("eve", domain.RoleL1)
	takeover := env.proposeOwners(ada, 1, eve)
	refusedFor(t, env.confirmOwners(abe, takeover), "ann, ben")
	wantCode(t, env.decideAsOwner(eve, takeover, ""), domain.NotFound)
	must(t, env.decideAsOwner(ann, takeover, ""))
	refusedFor(t, env.confirmOwners(abe, takeover), "ben")
	must(t, env.decideAsOwner(ben, takeover, ""))
	wantCode(t, env.confirmOwners(ada, takeover), domain.FourEyes) // and two administrators
	// Approvals of those who are no owners any more do not count.
	text := env.proposeProcess(ada, env.slower("3h"))
	must(t, env.decideAsOwner(ann, text, ""))
	must(t, env.decideAsOwner(ben, text, ""))
	must(t, env.confirmOwners(abe, takeover))
	refusedFor(t, env.publishOwned(abe, text, ""), "eve")
	none := env.proposeOwners(ada, 0)
	refusedFor(t, env.confirmOwners(abe, none), "eve")
	must(t, env.decideAsOwner(eve, none, ""))
	must(t, env.confirmOwners(abe, none))
	must(t, env.publishOwned(abe, text, ""))
}

func TestOwnersAreChecked(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, _ := env.admins()
	ann := env.person("ann", domain.RoleL1)
	propose := func(by domain.Actor, process string, required int, owners ...domain.ID) error {
		_, err := env.svc.ProposeOwners(env.ctx, by, casework.ProposeOwners{Process: process,
			Required: required, Owners: owners, Reason: "Because."})
		return err
	}
	wantCode(t, propose(ann, ownedProcess, 1, ann.UserID), domain.NotPermitted)
	wantCode(t, propose(ada, "no_such_process", 1, ann.UserID), domain.InvalidInput)
	wantCode(t, propose(ada, ownedProcess, 2, ann.UserID), domain.InvalidInput)
	wantCode(t, propose(ada, ownedProcess, 0, ann.UserID), domain.InvalidInput)
	wantCode(t, propose(ada, ownedProcess, 1, ann.UserID, ann.UserID), domain.InvalidInput)
	wantCode(t, propose(ada, ownedProcess, 1, domain.NewID()), domain.InvalidInput)
	wantCode(t, propose(ada, ownedProcess, 1, domain.SystemUserID), domain.InvalidInput)
	env.change(`UPDATE users SET disabled = true WHERE id = $1`, ann.UserID)
	wantCode(t, propose(ada, ownedProcess, 1, ann.UserID), domain.InvalidInput)
}

// A process that newly accepts a document type of an owned process needs its owners, because submitters
// could choose it in place of the owned one.
func TestOwnersApproveProcessesForTheirDocumentTypes(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, ben := owned(t, 1)
	second := strings.Replace(env.slower("3h"), "key: "+ownedProcess, "key: quick_review", 1)
	proposal := env.proposeProcess(ada, second)
	refusedFor(t, env.publishOwned(abe, proposal, ""), "ann, ben")
	must(t, env.decideAsOwner(ann, proposal, ""))
	must(t, env.publishOwned(abe, proposal, ""))
	// What it accepts already needs them no more; what another existing process accepts newly does.
	must(t, env.publishOwned(abe, env.proposeProcess(ada,
		strings.Replace(second, "claim_within: 3h", "claim_within: 4h", 1)), ""))
	other := strings.NewReplacer("key: "+ownedProcess, "key: invoice_review",
		"document_types: [content]", "document_types: [invoice]").Replace(env.slower("3h"))
	must(t, env.publishOwned(abe, env.proposeProcess(ada, other), ""))
	proposal = env.proposeProcess(ada, strings.Replace(other, "[invoice]", "[invoice, content]", 1))
	refusedFor(t, env.publishOwned(abe, proposal, ""), "ann, ben")
	must(t, env.decideAsOwner(ben, proposal, ""))
	must(t, env.publishOwned(abe, proposal, ""))
}

// Moving running cases to another version needs the owners too.
func TestOwnersApproveMigrations(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	text := env.proposeProcess(ada, env.slower("3h"))
	must(t, env.decideAsOwner(ann, text, ""))
	must(t, env.publishOwned(abe, text, ""))
	done, err := env.svc.ProposeMigration(env.ctx, ada, casework.ProposeMigration{Reason: "New deadline.",
		PlanMigration: casework.PlanMigration{Process: ownedProcess, From: 1, To: 2}})
	must(t, err)
	refusedFor(t, env.confirmOwners(abe, done.ProposalID), "ann, ben")
	must(t, env.decideAsOwner(ann, done.ProposalID, ""))
	must(t, env.confirmOwners(abe, done.ProposalID))
}

// The database refuses the same, also from the role that owns the tables.
func TestTheDatabaseKeepsTheOwners(t *testing.T) {
	t.Parallel()
	env, ada, abe, _, _ := owned(t, 1)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	env.change(`UPDATE proposals SET status = 'published', decided_by = $1, decided_at = clock()
		WHERE id = $2`, abe.UserID, proposal)
	for name, statement := range map[string]string{
		"a text": `INSERT INTO process_definitions (key, version, document, status, published_by, proposal_id)
			SELECT key, base_version + 1, document, 'published', decided_by, id FROM proposals
			WHERE id = '` + proposal.String() + `'`,
		"other owners": `UPDATE process_owners SET required = 2`,
		"no owners":    `DELETE FROM process_owners`,
		"a version of owners": `INSERT INTO process_owners (process, version, owners, required, reason,
			set_by, proposal_id) SELECT process, version + 1, '{}', 0, '', set_by, proposal_id
			FROM process_owners`,
		"a late decision": `INSERT INTO owner_decisions (id, proposal_id, owner, approved, reason, sha256)
			SELECT gen_random_uuid(), p.id, o.owners[1], true, '',
				encode(sha256(convert_to(p.document, 'UTF8')), 'hex')
			FROM proposals p, process_owners o WHERE p.kind = 'process'`,
	} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// An earlier version needs the owners too, and the release of another program replaces no text of theirs.
func TestOwnersApproveRestoredAndBuiltinTexts(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	env.alterPublished(`UPDATE process_definitions SET document = replace(document, 'claim_within: 2h',
		'claim_within: 1h') WHERE key = '` + ownedProcess + `'`)
	must(t, env.svc.PublishBuiltins(env.ctx))
	if newest, err := env.db.Reader().NewestDefinition(env.ctx, ownedProcess); err != nil || newest != 1 {
		t.Errorf("the program published version %d, %v", newest, err)
	}
	text := env.proposeProcess(ada, env.slower("3h"))
	must(t, env.decideAsOwner(ann, text, ""))
	must(t, env.publishOwned(abe, text, ""))
	restored, err := env.svc.RestoreProcess(env.ctx, ada, casework.Restore{Key: ownedProcess, Version: 1})
	must(t, err)
	refusedFor(t, env.publishOwned(abe, restored.ProposalID, ""), "ann, ben")
}
