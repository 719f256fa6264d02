package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// tasksOf returns the proposals that wait for the person as an owner.
func (env *testEnv) tasksOf(actor domain.Actor) (ids []domain.ID) {
	env.t.Helper()
	found, err := env.svc.OwnerTasks(env.ctx, actor)
	must(env.t, err)
	for _, task := range found.Tasks {
		ids = append(ids, task.Proposal.ID)
	}
	return ids
}

func TestProposalsWaitForTheirOwners(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, ben := owned(t, 1)
	sam := env.person("sam", domain.RoleSubmitter)
	if len(env.tasksOf(ann)) != 0 {
		t.Error("something waits before a proposal is made")
	}
	text := env.proposeProcess(ada, env.slower("3h"))
	owners := env.proposeOwners(abe, 1, ben)
	for name, tc := range map[string]struct {
		actor domain.Actor
		want  int
	}{"ann": {ann, 2}, "ben": {ben, 2}, "an administrator": {ada, 0}, "another person": {sam, 0}} {
		if got := env.tasksOf(tc.actor); len(got) != tc.want {
			t.Errorf("%v wait for %s, want %d", got, name, tc.want)
		}
	}
	if found, err := env.svc.OwnerTasks(env.ctx, sam); err != nil || found.Owner {
		t.Errorf("sam is an owner: %v", err)
	}
	// What enough owners approved waits for no other owner; what one rejected waits for the others.
	must(t, env.decideAsOwner(ann, text, ""))
	must(t, env.decideAsOwner(ann, owners, "Not alone."))
	if got := env.tasksOf(ann); len(got) != 0 {
		t.Errorf("%v still wait for ann", got)
	}
	if got := env.tasksOf(ben); len(got) != 1 || got[0] != owners {
		t.Errorf("%v wait for ben", got)
	}
	delegate := sam
	delegate.OnBehalfOf = ben.UserID
	if got := env.tasksOf(delegate); len(got) != 0 {
		t.Errorf("%v wait for a delegate of an owner", got)
	}
}

// An owner comments on the proposals that need the owner's approval, and on no others. An administrator
// publishes with an unresolved comment of an owner only after confirming it by name.
func TestOwnersComment(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	sam := env.person("sam", domain.RoleSubmitter)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	other := env.proposeProcess(ada, env.processDocument("document_approval", 1)+"# other\n")
	comment := func(by domain.Actor, on domain.ID) (domain.ID, error) {
		done, err := env.svc.AddComment(env.ctx, by, casework.AddComment{ProposalID: on, Text: "Why so slow?"})
		return done.CommentID, err
	}
	for _, refused := range []struct {
		by domain.Actor
		on domain.ID
	}{{sam, proposal}, {ann, other}, {ann, env.proposeOwners(abe, 1, ann)}} {
		_, err := comment(refused.by, refused.on)
		wantCode(t, err, domain.NotPermitted)
	}
	delegate := sam
	delegate.OnBehalfOf = ann.UserID
	_, err := comment(delegate, proposal)
	wantCode(t, err, domain.NotPermitted)
	id, err := comment(ann, proposal)
	must(t, err)
	must(t, env.decideAsOwner(ann, proposal, ""))
	wantCode(t, env.publishOwned(abe, proposal, ""), domain.ConfirmationNeeded)
	_, err = env.svc.ResolveComment(env.ctx, sam, casework.ResolveComment{CommentID: id})
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.ResolveComment(env.ctx, ann, casework.ResolveComment{CommentID: id})
	must(t, err)
	must(t, env.publishOwned(abe, proposal, ""))
}
