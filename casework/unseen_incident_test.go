package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// publishUnverified stores a version that is no longer published, as an earlier program left it.
func (env *testEnv) publishUnverified(text string) {
	env.t.Helper()
	def, err := workflow.Parse([]byte(text))
	must(env.t, err)
	if workflow.Verify(def).Sound() {
		env.t.Fatalf("the process %s could be published", def.Key)
	}
	must(env.t, publishDefinition(env.ctx, env.db, store.NewDefinition{Key: def.Key, Version: def.Version,
		Document: text, HasAmount: def.HasAmount, RequiresOrder: def.RequiresOrder()}))
}

// unreviewedLoan is an earlier version of the loan process, with other steps after the assessment.
func unreviewedLoan(steps string) string {
	head, _, _ := strings.Cut(loan, "next: aml_needed}\n")
	head = strings.Replace(head, "required: true", "required: false", 1)
	return head + steps + sealNodes
}

const paysByTimer = "next: large}\n  - {id: large, kind: exclusive, " +
	"branches: [{when: base_minor > 900000000, to: seal_rejected}], default: wait}\n  - {id: wait, kind: timer, after: 1h, next: archive}\n"

// An earlier version of a process pays or archives a case whose supporting documents no vote has seen: by a timer,
// by the deadline of a review, by another program or by a call. Each becomes an incident, and nothing is paid.
func TestUnseenDocumentsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ steps, node string }{
		"a timer": {paysByTimer, "wait"},
		"a deadline": {"next: waits}\n  - {id: waits, kind: review, queue: L1, timeout: {after: 48h, to: archive}, " +
			"on: {approve: archive, reject: seal_rejected}}\n", "waits"},
		"another program": {"next: pay}\n  - {id: pay, kind: external, topic: translation, " +
			"on: {done: archive, refused: seal_rejected}}\n", "assess"},
		"a call": {"next: pay}\n  - {id: pay, kind: saga, steps: [{id: one, call: bank.pay}], " +
			"on: {done: archive, undone: seal_rejected}}\n", "assess"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.publishUnverified(unreviewedLoan(row.steps))
			p, mia := env.loanPeople(), env.person("mia", domain.RoleManager)
			robo := env.externalWorker("robo", "translation")
			submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
			must(t, err)
			id := submitted.CaseID
			pass := func(by time.Duration) {
				env.setClockOffset(env.clockOffset + by)
				for range 2 { // a task is delivered twice
					must(t, errOf(env.svc.Sweep(env.ctx)))
					env.drainQueue()
				}
			}
			pass(72 * time.Hour)
			env.requireUnpaid(robo, id, row.node)
			must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id})))
			pass(time.Hour)
			env.requireUnpaid(robo, id, row.node)
			must(t, errOf(env.svc.AbandonCase(env.ctx, p.sam, casework.AbandonCase{
				CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "submitted again"})))
			pass(time.Hour)
			env.requireState(id, domain.Abandoned)
			env.verifyRows(id)
		})
	}
}

// requireUnpaid requires that a case is an incident at the node and that nothing was paid or archived.
func (env *testEnv) requireUnpaid(robo domain.Actor, id domain.ID, node string) {
	env.t.Helper()
	incidents := env.queryTexts(`SELECT node || ' ' || error_code || ' ' || error_text FROM stage_runs
		WHERE case_id = $1 AND status = 'incident'`, id)
	want := node + " FourEyes The case has supporting documents"
	if env.caseByID(id).Status != domain.Incident || len(incidents) != 1 || !strings.HasPrefix(incidents[0], want) {
		env.t.Fatalf("status %s, incidents %q, want %q", env.caseByID(id).Status, incidents, want)
	}
	if types := env.eventTypes(id); slices.Contains(types, domain.CaseArchived) ||
		slices.Contains(types, domain.CaseApproved) {
		env.t.Errorf("events %v", types)
	}
	tasks := env.leaseTasks(robo)
	if steps := env.queryInt(`SELECT count(*) FROM saga_steps`); len(tasks) > 0 || steps > 0 {
		env.t.Errorf("%d tasks of programs, %d calls", len(tasks), steps)
	}
}

// A program has already leased its task when the new version is installed. Its result is recorded, and the case
// is an incident in place of the archive.
func TestAResultThatArchivesUnseenDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publishUnverified(unreviewedLoan("next: pay}\n  - {id: pay, kind: external, topic: translation, " +
		"on: {done: archive, refused: seal_rejected}}\n"))
	p, robo := env.loanPeople(), env.externalWorker("robo", "translation")
	submitted, err := env.submitLoan(p.sam)
	must(t, err)
	id := submitted.CaseID
	tasks := env.leaseTasks(robo)
	if len(tasks) != 1 {
		t.Fatalf("leased %v", tasks)
	}
	env.asAdmin(fmt.Sprintf(`INSERT INTO supporting_documents VALUES ('%s', 1, 'payslip', 0, 'may.pdf',
		'application/pdf', 9, sha256('x'), 'x', '%s', clock())`, id, p.sam.UserID))
	in := casework.CompleteExternal{Once: casework.Once{Key: "k"}, Lease: leaseOf(tasks[0]), Outcome: "done"}
	for range 2 {
		must(t, errOf(env.svc.CompleteExternalTask(env.ctx, robo, in)))
	}
	env.drainQueue()
	env.requireUnpaid(robo, id, "pay")
	env.verifyCaseLog(id)
}

// The incident ends when the case moves to a version with a review, which then decides.
func TestACaseWithUnseenDocumentsMovesToAReview(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	env.publishUnverified(unreviewedLoan(paysByTimer))
	p, robo := env.loanPeople(), env.externalWorker("robo", "translation")
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	env.setClockOffset(2 * time.Hour)
	must(t, errOf(env.svc.Sweep(env.ctx)))
	env.drainQueue()
	env.requireUnpaid(robo, id, "wait")
	reviewed := strings.Replace(paysByTimer, "next: archive}", "next: first}", 1) +
		"  - {id: first, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected}}\n"
	env.publish(string(workflow.WithVersion([]byte(unreviewedLoan(reviewed)), 2)))
	moved := env.migrate(ada, abe, casework.PlanMigration{Process: "loan", From: 1, To: 2})
	if result := env.resultOf(moved.ID, id); env.caseByID(id).ProcessVersion != 2 {
		t.Fatalf("the case was not moved: %+v", result)
	}
	env.drainQueue()
	if env.caseByID(id).Status == domain.Incident {
		must(t, errOf(env.svc.RetryIncident(env.ctx, env.person("mia", domain.RoleManager),
			casework.CaseTarget{CaseID: id})))
		env.drainQueue()
	}
	env.requireState(id, domain.InReview, "first")
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyRows(id)
}
