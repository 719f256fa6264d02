package casework_test

import (
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// The other administrators learn of a proposal until one of them publishes it or it is withdrawn. Its
// proposer, people of other roles, and administrators who are notified as owners get no such notice.
func TestNoticesOfProposals(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	others := []domain.Actor{env.person("mia", domain.RoleManager), env.person("aud", domain.RoleAuditor),
		env.person("sam", domain.RoleSubmitter)}
	proposal := env.proposeProcess(ada, env.slower("3h"))
	env.wantNotices(abe, "proposal*")
	_, err := env.owner.Exec(env.ctx, `UPDATE notice_cursor SET era = 0, txid = '0', event = 0`)
	must(t, err)
	env.deriveAll()
	if got := env.noticesOf(abe); got != "proposal*" {
		t.Errorf("read again: %s", got)
	}
	for _, other := range append(others, ada) {
		if got := env.noticesOf(other); got != "" {
			t.Errorf("%s has %s", other.UserID, got)
		}
	}
	_, err = env.svc.WithdrawProcess(env.ctx, ada, casework.EndProposal{ProposalID: proposal})
	must(t, err)
	env.wantNotices(abe, "proposal")
	second := env.proposeProcess(ada, env.slower("4h"))
	env.wantNotices(abe, "proposal* proposal")
	must(t, env.publishOwned(abe, second, ""))
	env.wantNotices(abe, "proposal proposal")
}

// An owner who is an administrator has one notice of a proposal, which says that the owners are asked.
func TestAnOwnerHasOneNoticeOfAProposal(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	eve := env.person("eve", domain.RoleAdmin)
	env.nameOwners(ada, abe, 1, eve)
	env.proposeProcess(ada, env.slower("3h"))
	env.wantNotices(eve, "owner*")
	env.wantNotices(abe, "proposal*")
}

// The other administrators are notified of a change of control data until it is confirmed or withdrawn. Its
// proposer, people who cannot confirm and the person whom it concerns are not, also by another account.
func TestNoticesOfControlChanges(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	others := []domain.Actor{ada, env.person("mia", domain.RoleManager), env.person("aud", domain.RoleAuditor),
		env.person("rita", domain.RoleL1)}
	limit, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 900_000_000}})
	must(t, err)
	env.wantNotices(abe, "proposal*")
	_, err = env.owner.Exec(env.ctx, `UPDATE notice_cursor SET era = 0, txid = '0', event = 0`)
	must(t, err)
	env.deriveAll()
	if got := env.noticesOf(abe); got != "proposal*" {
		t.Errorf("read again: %s", got)
	}
	for _, other := range others {
		if got := env.noticesOf(other); got != "" {
			t.Errorf("%s has %s", other.Name, got)
		}
	}
	must(t, env.confirm(abe, limit.ProposalID))
	env.wantNotices(abe, "proposal")
	reset, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: others[3].UserID,
		Reason: "forgotten"})
	must(t, err)
	env.wantNotices(abe, "proposal* proposal")
	_, err = env.svc.WithdrawControlChange(env.ctx, ada, casework.EndProposal{ProposalID: reset.ProposalID,
		Reason: "found it"})
	must(t, err)
	env.wantNotices(abe, "proposal proposal")
	// Abe cannot confirm a change of his own account.
	eve := env.person("eve", domain.RoleAdmin)
	_, err = env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: abe.UserID, Reason: "forgotten"})
	must(t, err)
	env.wantNotices(eve, "proposal*")
	if got := env.noticesOf(abe); got != "proposal proposal" {
		t.Errorf("the person concerned has %s", got)
	}
}

// A notice of a policy ends with its publication, and what ended before notices are made has none.
func TestNoticesOfEndedProposals(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	policy, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{
		Document: policyText(t, func(*authz.Document) {})})
	must(t, err)
	env.wantNotices(abe, "proposal*")
	_, err = env.svc.PublishPolicy(env.ctx, abe, casework.EndProposal{ProposalID: policy.ProposalID})
	must(t, err)
	env.wantNotices(abe, "proposal")
	limit, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 900_000_000}})
	must(t, err)
	must(t, env.confirm(abe, limit.ProposalID))
	env.deriveAll()
	if got := env.noticesOf(abe); got != "proposal" {
		t.Errorf("after everything ended: %s", got)
	}
}
