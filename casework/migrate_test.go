package casework_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// publishNext publishes the next version of a process, without the proposal.
func (env *testEnv) publishNext(key string, version int, edits ...string) {
	env.t.Helper()
	document := env.processDocument(key, version)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(document, edits[i]) {
			env.t.Fatalf("the process %s has no %q", key, edits[i])
		}
		document = strings.ReplaceAll(document, edits[i], edits[i+1])
	}
	text := workflow.WithVersion([]byte(document), version+1)
	def, err := workflow.Parse(text)
	must(env.t, err)
	must(env.t, publishDefinition(env.ctx, env.db, store.NewDefinition{Key: key, Version: version + 1,
		Document: string(text), HasAmount: def.HasAmount, RequiresOrder: def.RequiresOrder()}))
}

// addedReview edits the document approval: another name of its review, and one more after it.
var addedReview = []string{
	"review_l1", "first_review", "      approve: archive", "      approve: second",
	"  - id: seal_rejected\n", `  - id: second
    kind: review
    queue: L2
    level: 2
    on: {approve: archive, reject: seal_rejected, return: validate}
  - id: seal_rejected
`}

// startMigration lets two administrators move the running cases of version 1.
func (env *testEnv) startMigration(ada, abe domain.Actor, plan casework.PlanMigration) domain.ID {
	env.t.Helper()
	proposed, err := env.svc.ProposeMigration(env.ctx, ada,
		casework.ProposeMigration{PlanMigration: plan, Reason: "new rules"})
	must(env.t, err)
	must(env.t, env.confirm(abe, proposed.ProposalID))
	found, err := env.svc.Migrations(env.ctx, ada, plan.Process)
	must(env.t, err)
	return found[0].ID
}

// migrate is startMigration that also moves the cases.
func (env *testEnv) migrate(
	ada, abe domain.Actor, plan casework.PlanMigration,
) casework.MigrationProgress {
	env.t.Helper()
	return env.finishMigration(env.startMigration(ada, abe, plan))
}

func (env *testEnv) finishMigration(id domain.ID) casework.MigrationProgress {
	env.t.Helper()
	_, err := env.svc.MigrateCases(env.ctx)
	must(env.t, err)
	migration, err := env.db.Reader().CaseMigration(env.ctx, id)
	must(env.t, err)
	counts, err := env.db.Reader().CountMigrated(env.ctx, id)
	must(env.t, err)
	return casework.MigrationProgress{CaseMigration: migration, Counts: counts}
}

// resultOf returns the result of a case.
func (env *testEnv) resultOf(migration, id domain.ID) domain.MigratedCase {
	env.t.Helper()
	results, err := env.db.Reader().MigratedCases(env.ctx, migration, "", domain.NoID, 10_000)
	must(env.t, err)
	for _, result := range results {
		if result.CaseID == id {
			return result
		}
	}
	env.t.Fatalf("the migration has no result of case %s", id)
	return domain.MigratedCase{}
}

// invoiceInReview submits an invoice that waits for its reviewer.
func (env *testEnv) invoiceInReview(by domain.Actor) domain.ID {
	env.t.Helper()
	env.reader.xml = invoiceXML("2000.00", documentNumber(""))
	id := env.submit(by, domain.NewID().String())
	env.drainQueue()
	return id
}

// consistent checks that the service finds no inconsistency.
func (env *testEnv) consistent() {
	env.t.Helper()
	env.releaseFeed()
	found, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
	must(env.t, err)
	for _, one := range found {
		switch one.Kind { // no worker keeps the search index or serves the queues here
		case casework.MissingFile, casework.UnservedQueue, "unindexed_case":
		default:
			env.t.Errorf("%s: %s", one.Kind, one.Message)
		}
	}
}

var toAddedReview = casework.PlanMigration{Process: "document_approval", From: 1, To: 2,
	Nodes: map[string]string{"review_l1": "first_review"}}

// TestRunningCasesMove moves an open and a claimed review to a version with another name of the
// review and one more after it. The claim stays, and the case is only archived after both reviews.
func TestRunningCasesMove(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	max := env.person("max", domain.RoleManager)
	ada, abe := env.admins()
	open, claimed, ended := env.invoiceInReview(sam), env.invoiceInReview(sam), env.invoiceInReview(sam)
	must(t, env.decide(lea, env.claim(lea, ended).ID, domain.Approve, "checked"))
	env.drainQueue()
	before := env.claim(lea, claimed)
	env.publishNext("document_approval", 1, addedReview...)

	preview, err := env.svc.PreviewMigration(env.ctx, ada,
		casework.PreviewMigration{PlanMigration: toAddedReview, Limit: 10})
	must(t, err)
	if len(preview.Problems) > 0 || preview.Cases != 2 || len(preview.Moves) != 2 ||
		preview.Moves[0].Status != domain.Moved || preview.Moves[0].Nodes[0].To != "first_review" ||
		len(preview.Moves[1].Reviews) != 1 || preview.Moves[1].Reviews[0].Assignee != lea.UserID {
		t.Fatalf("%+v", preview)
	}
	if c := env.caseByID(claimed); c.ProcessVersion != 1 || env.openReview(claimed).Version != before.Version {
		t.Fatal("the preview has changed the case")
	}

	progress := env.migrate(ada, abe, toAddedReview)
	if progress.Count(domain.Moved) != 2 || len(progress.Counts) != 1 || progress.EndedAt.IsZero() {
		t.Fatalf("%+v", progress)
	}
	after := env.openReview(claimed)
	if after.ID != before.ID || after.Node != "first_review" || after.Assignee != lea.UserID ||
		after.Status != domain.ReviewClaimed || !after.DecideBy.Equal(before.DecideBy) {
		t.Fatalf("%+v became %+v", before, after)
	}
	if c := env.caseByID(ended); c.ProcessVersion != 1 {
		t.Error("an archived case was moved")
	}
	if types := env.eventTypes(claimed); types[len(types)-1] != domain.CaseMigrated {
		t.Errorf("the last event is %s", types[len(types)-1])
	}
	must(t, env.decide(lea, after.ID, domain.Approve, "checked"))
	must(t, env.decide(lea, env.claim(lea, open).ID, domain.Approve, "checked"))
	env.drainQueue()
	for _, id := range []domain.ID{open, claimed} {
		review := env.openReview(id)
		if review.Node != "second" {
			t.Fatalf("the case waits at %s", review.Node)
		}
		must(t, env.decide(max, env.claim(max, id).ID, domain.Approve, "checked"))
	}
	env.drainQueue()
	for _, id := range []domain.ID{open, claimed} {
		if c := env.caseByID(id); c.Status != domain.Archived || c.ProcessVersion != 2 {
			t.Errorf("%s, version %d", c.Status, c.ProcessVersion)
		}
	}
	env.consistent()
}

// TestDeadlinesBeginAgain moves a review whose deadlines begin again: the former ones no longer act.
func TestDeadlinesBeginAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.person("lea", domain.RoleSenior)
	env.person("max", domain.RoleManager)
	ada, abe := env.admins()
	id := env.invoiceInReview(sam)
	before := env.openReview(id)
	env.setClockOffset(time.Hour)
	env.publishNext("document_approval", 1, addedReview...)
	plan := toAddedReview
	plan.RestartDeadlines = true
	if progress := env.migrate(ada, abe, plan); progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", progress)
	}
	after := env.openReview(id)
	for name, later := range map[string]time.Duration{"claim": after.ClaimBy.Sub(before.ClaimBy),
		"decide": after.DecideBy.Sub(before.DecideBy), "at risk": after.AtRiskFrom.Sub(before.AtRiskFrom)} {
		if later < time.Hour || later > 90*time.Minute {
			t.Errorf("the deadline %q is %s later", name, later)
		}
	}
	env.setClockOffset(2*time.Hour + 30*time.Minute)
	env.drainQueue()
	if overdue := env.countEvents(id, domain.ReviewOverdue); overdue != 0 {
		t.Errorf("the former deadline has acted: %d", overdue)
	}
	env.setClockOffset(3*time.Hour + 30*time.Minute)
	env.drainQueue()
	if overdue := env.countEvents(id, domain.ReviewOverdue); overdue != 1 {
		t.Errorf("the new deadline has acted %d times", overdue)
	}
	env.consistent()
}

// TestMigrationNeedsTwoAdministrators covers who may propose and confirm a migration, and that the
// database refuses another version without one.
func TestMigrationNeedsTwoAdministrators(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.invoiceInReview(sam)
	env.publishNext("document_approval", 1, addedReview...)
	ada, abe := env.admins()
	in := casework.ProposeMigration{PlanMigration: toAddedReview, Reason: "new rules"}
	_, err := env.svc.ProposeMigration(env.ctx, sam, in)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.ProposeMigration(env.ctx, domain.SystemActor(), in)
	wantCode(t, err, domain.FourEyes)
	proposed, err := env.svc.ProposeMigration(env.ctx, ada, in)
	must(t, err)
	wantCode(t, env.confirm(ada, proposed.ProposalID), domain.FourEyes)
	if done, err := env.svc.MigrateCases(env.ctx); err != nil || done != 0 {
		t.Fatalf("%d, %v", done, err)
	}
	_, err = env.owner.Exec(env.ctx, `UPDATE cases SET process_version = 2 WHERE id = $1`, id)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "CS011" {
		t.Errorf("the database accepts another version: %v", err)
	}
	must(t, env.confirm(abe, proposed.ProposalID))
	in.Nodes = nil
	_, err = env.svc.ProposeMigration(env.ctx, ada, in)
	wantCode(t, err, domain.ValidationFailed) // review_l1 is not mapped
}

// TestMigrationEasesNoCase lets two administrators try to move a remittance of 1.2 million past its
// manager, and one to a risky country past the anti-money-laundering review.
func TestMigrationEasesNoCase(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]string{
		"no manager":          {"base_minor > 100000000", "base_minor > 900000000"},
		"the manager's level": {"    queue: L2\n    level: 2", "    queue: L2\n    level: 1"},
		"the manager's queue": {"    queue: L2\n    level: 2", "    queue: L1\n    level: 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam := env.person("sam", domain.RoleSubmitter)
			env.person("lea", domain.RoleSenior)
			env.person("max", domain.RoleManager)
			ada, abe := env.admins()
			id := env.remittanceOf(sam, "1200000.00")
			env.publishNext(remittance, 2, edits...)
			progress := env.migrate(ada, abe, casework.PlanMigration{Process: remittance, From: 2, To: 3})
			result := env.resultOf(progress.ID, id)
			if result.Status != domain.NotMoved || result.Reason != string(workflow.MoveEased) ||
				result.Node != "review_l2" || progress.Count(domain.Moved) != 0 {
				t.Fatalf("%+v", result)
			}
			if env.caseByID(id).ProcessVersion != 2 {
				t.Error("the case was moved")
			}
		})
	}
}

// TestVotesFallByMigration moves a case whose approval was given at a lower level than the new
// version demands: the vote falls, and the review is asked again.
func TestVotesFallByMigration(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	max, moe := env.person("max", domain.RoleManager), env.person("moe", domain.RoleManager)
	ada, abe := env.admins()
	id := env.remittanceOf(sam, "1200000.00")
	must(t, env.decide(lea, env.claim(lea, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	if node := env.openReview(id).Node; node != "review_l2" {
		t.Fatal(node)
	}
	env.publishNext(remittance, 2, "    queue: L1\n    level: 1", "    queue: L1\n    level: 2",
		"    escalate_to: L2\n    on:\n      approve: second", "    on:\n      approve: second")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: remittance, From: 2, To: 3})
	if result := env.resultOf(progress.ID, id); result.Status != domain.Moved {
		t.Fatalf("%+v", result)
	}
	if votes := env.votes(id); votes != 0 {
		t.Fatalf("%d votes count", votes)
	}
	must(t, env.decide(max, env.claim(max, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	review := env.openReview(id)
	if review.Node != "review_l1" || review.Level != 2 {
		t.Fatalf("the case waits at %s, level %d", review.Node, review.Level)
	}
	must(t, env.decide(moe, env.claim(moe, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	env.consistent()
}

// votes counts the votes of a case.
func (env *testEnv) votes(id domain.ID) int {
	env.t.Helper()
	exclusions, err := env.db.Reader().Exclusions(env.ctx, id, nil)
	must(env.t, err)
	return len(exclusions.Votes)
}

// TestLeasedStepIsTriedAgain migrates while a worker executes a step of the case.
func TestLeasedStepIsTriedAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.reader.xml = invoiceXML("2000.00", "R-9")
	id := env.submit(sam, "one")
	env.publishNext("document_approval", 1, addedReview...)
	migration := env.startMigration(ada, abe, toAddedReview)
	env.reader.onOpen = func() {
		_, err := env.svc.MigrateCases(context.WithoutCancel(env.ctx))
		must(t, err)
	}
	env.drainQueue()
	if result := env.resultOf(migration, id); result.Status != domain.MoveWaiting ||
		result.Reason != "busy" || env.caseByID(id).ProcessVersion != 1 {
		t.Fatalf("%+v", result)
	}
	env.setClockOffset(env.clockOffset + 60_000_000_000)
	if progress := env.finishMigration(migration); progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", progress)
	}
	if review := env.openReview(id); review.Node != "first_review" {
		t.Errorf("the case waits at %s", review.Node)
	}
}

// TestPendingStepMoves moves a case before its first step was leased. The task from before cannot
// lease it any more, and the step runs in the new version.
func TestPendingStepMoves(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.reader.xml = invoiceXML("2000.00", "R-9")
	id := env.submit(sam, "one")
	env.publishNext("document_approval", 1, addedReview...)
	tasks := env.notifier.drain()
	if progress := env.migrate(ada, abe, toAddedReview); progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", progress)
	}
	moved := env.notifier.drain()
	if len(moved) != 1 || moved[0].RunID == tasks[0].RunID {
		t.Fatalf("%+v became %+v", tasks, moved)
	}
	env.notifier.Enqueue(env.ctx, append(tasks, moved...))
	env.drainQueue()
	if review := env.openReview(id); review.Node != "first_review" ||
		env.caseByID(id).ProcessVersion != 2 {
		t.Errorf("the case waits at %s", review.Node)
	}
	env.consistent()
}

// TestTimersMove moves a case that waits for a timer and one at a review with a time limit. Both fire
// at the time for which they were set, under the new names of their nodes.
func TestTimersMove(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.person("lea", domain.RoleSenior)
	env.person("max", domain.RoleManager)
	ada, abe := env.admins()
	env.publish(timedProcess)
	reviewed := env.submitToProcess("timed")
	env.setClockOffset(25 * time.Hour)
	env.drainQueue()
	env.requireState(reviewed, domain.InReview, "review")
	waiting := env.submitToProcess("timed")
	env.publishNext("timed", 1, "id: cool,", "id: wait,", "next: cool", "next: wait", "approve: cool",
		"approve: wait", "id: review\n", "id: check\n", "next: review", "next: check")
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: "timed", From: 1, To: 2,
		Nodes: map[string]string{"cool": "wait", "review": "check"}})
	if progress.Count(domain.Moved) != 2 {
		t.Fatalf("%+v", progress)
	}
	env.requireState(reviewed, domain.InReview, "check")
	env.requireState(waiting, domain.Processing, "wait")
	env.setClockOffset(48 * time.Hour)
	env.drainQueue()
	env.requireState(waiting, domain.Processing, "wait")
	env.setClockOffset(50 * time.Hour)
	env.drainQueue()
	env.requireState(waiting, domain.InReview, "check")
	env.setClockOffset(96 * time.Hour)
	env.drainQueue()
	env.requireState(reviewed, domain.InReview, "check")
	env.setClockOffset(99 * time.Hour)
	env.drainQueue()
	env.requireState(reviewed, domain.InReview, "manager")
	env.consistent()
}

// TestIncidentMoves moves a case whose reading has failed. It stays an incident, and the retry continues
// in the new version.
func TestIncidentMoves(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	id := env.submit(sam, "one")
	env.drainQueue()
	env.publishNext("document_approval", 1, append([]string{"id: read\n", "id: scan\n",
		"next: read\n", "next: scan\n", "on_replace: read\n", "on_replace: scan\n"}, addedReview...)...)
	plan := casework.PlanMigration{Process: "document_approval", From: 1, To: 2,
		Nodes: map[string]string{"review_l1": "first_review", "read": "scan"}}
	if progress := env.migrate(ada, abe, plan); progress.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", progress)
	}
	if c := env.caseByID(id); c.Status != domain.Incident || c.ProcessVersion != 2 {
		t.Fatalf("%s, version %d", c.Status, c.ProcessVersion)
	}
	env.reader.err, env.reader.xml = nil, invoiceXML("2000.00", "R-9")
	must(t, errOf(env.svc.RetryIncident(env.ctx, sam, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	if review := env.openReview(id); review.Node != "first_review" {
		t.Errorf("the case waits at %s", review.Node)
	}
	env.consistent()
}

// TestMigrationIsUndone moves cases back: exactly, unless something has happened to them since.
func TestMigrationIsUndone(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleSenior)
	ada, abe := env.admins()
	untouched, touched := env.invoiceInReview(sam), env.invoiceInReview(sam)
	was, review := env.caseByID(untouched), env.claim(lea, untouched)
	was = env.caseByID(untouched)
	env.publishNext("document_approval", 1, append([]string{"    level: 1\n    duty: approval",
		"    level: 1\n    seats: 2\n    quorum: 2\n    duty: approval"}, addedReview...)...)
	progress := env.migrate(ada, abe, toAddedReview)
	if progress.Count(domain.Moved) != 2 || env.openReviews(untouched) != 2 {
		t.Fatalf("%+v, %d reviews", progress, env.openReviews(untouched))
	}
	env.claim(lea, touched)
	proposed, err := env.svc.UndoMigration(env.ctx, abe,
		casework.UndoMigration{MigrationID: progress.ID, Reason: "wrong version"})
	must(t, err)
	wantCode(t, env.confirm(abe, proposed.ProposalID), domain.FourEyes)
	must(t, env.confirm(ada, proposed.ProposalID))
	found, err := env.svc.Migrations(env.ctx, ada, "document_approval")
	must(t, err)
	undone := env.finishMigration(found[0].ID)
	if undone.Undoes != progress.ID || undone.Count(domain.Moved) != 1 ||
		env.resultOf(undone.ID, touched).Reason != "touched" {
		t.Fatalf("%+v", undone)
	}
	is, back := env.caseByID(untouched), env.openReview(untouched)
	wasMarking, _ := was.Marking.Canonical()
	isMarking, _ := is.Marking.Canonical()
	if string(wasMarking) != string(isMarking) || is.ProcessVersion != 1 || is.Status != was.Status {
		t.Errorf("%s became %s, version %d", wasMarking, isMarking, is.ProcessVersion)
	}
	if back.ID != review.ID || back.Node != review.Node || back.Assignee != review.Assignee ||
		back.Queue != review.Queue || back.Level != review.Level || back.Status != review.Status ||
		!back.DecideBy.Equal(review.DecideBy) || env.openReviews(untouched) != 1 {
		t.Errorf("%+v became %+v", review, back)
	}
	must(t, env.decide(lea, back.ID, domain.Approve, "checked"))
	env.drainQueue()
	if c := env.caseByID(untouched); c.Status != domain.Archived || c.ProcessVersion != 1 {
		t.Errorf("%s, version %d", c.Status, c.ProcessVersion)
	}
	if c := env.caseByID(touched); c.ProcessVersion != 2 {
		t.Errorf("the touched case has version %d", c.ProcessVersion)
	}
	env.consistent()
}

// openReviews counts the open reviews of a case.
func (env *testEnv) openReviews(id domain.ID) (open int) {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	for _, review := range reviews {
		if review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed {
			open++
		}
	}
	return open
}
