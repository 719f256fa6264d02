package casework_test

import (
	"testing"

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
