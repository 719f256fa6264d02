package casework_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// undo lets two administrators move the cases of a migration back.
func (env *testEnv) undo(ada, abe domain.Actor, progress casework.MigrationProgress) casework.MigrationProgress {
	env.t.Helper()
	proposed, err := env.svc.UndoMigration(env.ctx, abe,
		casework.UndoMigration{MigrationID: progress.ID, Reason: "wrong version"})
	must(env.t, err)
	must(env.t, env.confirm(ada, proposed.ProposalID))
	found, err := env.svc.Migrations(env.ctx, ada, progress.Process)
	must(env.t, err)
	return env.finishMigration(found[0].ID)
}

// A migration that changes only the reminders of a review is undone: the reminders of the first version act
// again, those of the second do not.
func TestUndoneRemindersActAsBefore(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newReminderEnv(t)
	ada, abe := env.admins()
	env.claim(jo, id)
	was := env.openReview(id)
	env.publishNext("reminding", 1, "remind: [1h, 4h]", "remind: [3h]")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: "reminding", From: 1, To: 2})
	if progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", progress)
	}
	undone := env.undo(ada, abe, progress)
	if undone.Count(domain.Moved) != 1 {
		t.Fatalf("%+v: %+v", undone, env.resultOf(undone.ID, id))
	}
	if is := env.openReview(id); is.ID != was.ID || !is.DecideBy.Equal(was.DecideBy) ||
		is.Assignee != was.Assignee || env.caseByID(id).ProcessVersion != 1 {
		t.Errorf("%+v became %+v", was, is)
	}
	env.setClockOffset(20*time.Hour + time.Minute)
	env.wantReminders(id, "decide_by 4h")
	env.setClockOffset(21*time.Hour + time.Minute)
	env.wantReminders(id, "decide_by 4h")
	env.setClockOffset(23*time.Hour + time.Minute)
	env.wantReminders(id, "decide_by 4h", "decide_by 1h")
	env.consistent()
}

// A part of a file keeps the reviews of the file that was split. It moves, and back, if the plan keeps their
// names, and stays if the plan renames one.
func TestPartsOfFilesMoveAndMoveBack(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	max := env.person("max", domain.RoleManager)
	env.person("moe", domain.RoleManager)
	ada, abe := env.admins()
	env.publishNext("document_approval", 1, addedReview...)
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	must(t, env.decide(lea, env.claim(lea, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	env.requireState(id, domain.InReview, "second")
	env.claim(max, id)
	split, err := env.split(max, id, "once", twoParts...)
	must(t, err)
	env.drainQueue()
	part := env.caseByID(split.Parts[0])
	if !slices.ContainsFunc(part.Part.Reviews, func(k domain.KeptReview) bool { return k.Node == "first_review" }) {
		t.Fatalf("the part keeps %+v", part.Part.Reviews)
	}
	env.publishNext("document_approval", 2, "first_review", "other_name")
	renamed := env.migrate(ada, abe, casework.PlanMigration{Process: "document_approval", From: 2, To: 3,
		Nodes: map[string]string{"first_review": "other_name"}})
	if result := env.resultOf(renamed.ID, part.ID); result.Status != domain.NotMoved || result.Reason != "part" {
		t.Errorf("a plan that renames a kept review: %+v", result)
	}
	env.publishNext("document_approval", 3, "other_name", "first_review", "seal_rejected", "seal_refused")
	moved := env.migrate(ada, abe, casework.PlanMigration{Process: "document_approval", From: 2, To: 4,
		Nodes: map[string]string{"seal_rejected": "seal_refused"}})
	if moved.Count(domain.Moved) != 2 {
		t.Fatalf("%+v: %+v", moved.Counts, env.resultOf(moved.ID, part.ID))
	}
	undone := env.undo(ada, abe, moved)
	if undone.Count(domain.Moved) != 2 {
		t.Fatalf("%+v: %+v", undone, env.resultOf(undone.ID, part.ID))
	}
	back := env.caseByID(part.ID)
	if !reflect.DeepEqual(back.Part, part.Part) || !reflect.DeepEqual(back.Marking, part.Marking) ||
		back.ProcessVersion != 2 {
		t.Errorf("%+v became %+v", part, back)
	}
	env.consistent()
}

// hiddenCommittee is the document approval with a committee that hides its votes.
func (env *testEnv) hiddenCommittee() {
	env.t.Helper()
	document := env.processDocument("document_approval", 1)
	bulk := document[strings.Index(document, "    bulk:"):]
	bulk = bulk[:strings.Index(bulk, "\n")+1]
	env.publishNext("document_approval", 1, bulk, "", "    duty: approval\n", "    duty: approval\n"+
		"    seats: 3\n    quorum: 2\n    decide_by: majority\n    abstain: true\n    votes: hidden\n")
}

// A case with a hidden vote moves and moves back. Nothing that is recorded meanwhile has the verdict, the vote
// counts afterwards, and a version that would show it is refused.
func TestHiddenVotesMoveAndMoveBack(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.hiddenCommittee()
	id := env.invoiceInReview(sam)
	m := env.members("jo", "jill", "joe")
	env.decideNextSeat(m[0], id, domain.Reject)
	env.drainQueue()
	env.publishNext("document_approval", 2, "review_l1", "first_review")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: "document_approval", From: 2, To: 3,
		Nodes: map[string]string{"review_l1": "first_review"}})
	if progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v: %+v", progress, env.resultOf(progress.ID, id))
	}
	undone := env.undo(ada, abe, progress)
	if undone.Count(domain.Moved) != 1 {
		t.Fatalf("%+v: %+v", undone, env.resultOf(undone.ID, id))
	}
	if recorded := env.everythingRecorded(id); strings.Contains(recorded, "reject\"") ||
		len(env.disclosed(id)) != 0 {
		t.Errorf("the hidden vote is recorded: %s", recorded)
	}
	env.publishNext("document_approval", 3, "    votes: hidden\n", "")
	shown := env.migrate(ada, abe, casework.PlanMigration{Process: "document_approval", From: 2, To: 4,
		Nodes: map[string]string{"review_l1": "first_review"}})
	if result := env.resultOf(shown.ID, id); result.Status != domain.NotMoved ||
		result.Reason != string(workflow.MoveEased) {
		t.Errorf("a version that shows the votes: %+v", result)
	}
	env.decideNextSeat(m[1], id, domain.Reject)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Rejected {
		t.Errorf("two rejections of three leave the case %s", c.Status)
	}
	if votes := env.disclosed(id); len(votes) != 2 {
		t.Errorf("disclosed: %+v", votes)
	}
	env.verifyRows(id)
}

// A migration that revoked a vote is not undone for that case: its voter was asked again, and a vote that
// came back without the person would be a decision that no one confirms.
func TestRevokedVotesDoNotComeBack(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	max, moe := env.person("max", domain.RoleManager), env.person("moe", domain.RoleManager)
	ada, abe := env.admins()
	id, other := env.remittanceOf(sam, "1200000.00"), env.remittanceOf(sam, "1300000.00")
	must(t, env.decide(lea, env.claim(lea, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	env.publishNext(remittance, 2, "    queue: L1\n    level: 1", "    queue: L1\n    level: 2",
		"    escalate_to: L2\n    on:\n      approve: second", "    on:\n      approve: second")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: remittance, From: 2, To: 3})
	if progress.Count(domain.Moved) != 2 {
		t.Fatalf("%+v", progress)
	}
	undone := env.undo(ada, abe, progress)
	if result := env.resultOf(undone.ID, id); result.Status != domain.NotMoved || result.Reason != "votes_revoked" {
		t.Errorf("the case with the revoked vote: %+v", result)
	}
	if result := env.resultOf(undone.ID, other); result.Status != domain.Moved {
		t.Errorf("the other case: %+v", result)
	}
	if c := env.caseByID(id); c.ProcessVersion != 3 || env.votes(id) != 0 {
		t.Errorf("version %d with %d votes", c.ProcessVersion, env.votes(id))
	}
	// It continues in the version that it has.
	must(t, env.decide(max, env.claim(max, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	must(t, env.decide(moe, env.claim(moe, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	env.consistent()
}
