package casework_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// publish publishes a definition that is not built in, without the approval workflow.
func (env *testEnv) publish(text string) *workflow.Definition {
	env.t.Helper()
	def, err := workflow.Parse([]byte(text))
	must(env.t, err)
	if proof := workflow.Verify(def); !proof.Sound() {
		env.t.Fatalf("%s is not sound: %v", def.Key, proof.Problems)
	}
	must(env.t, publishDefinition(env.ctx, env.db, store.NewDefinition{Key: def.Key, Version: def.Version,
		Document: text, HasAmount: def.HasAmount, RequiresOrder: def.RequiresOrder()}))
	return def
}

// testDefinition reads a definition from the test data of package workflow.
func testDefinition(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../workflow/testdata/definitions/" + name + ".yaml")
	must(t, err)
	return string(text)
}

// sealNodes are the archive and end nodes of every test process.
const sealNodes = `
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// timedProcess waits a day, then opens a review, which moves to a manager after three days.
const timedProcess = `
key: timed
version: 1
on_abandon: seal_abandoned
re_enter: extract
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract, errors: [{codes: [DamagedFile], to: typed_in}]}
  - {id: typed_in, kind: review, queue: L1, duty: entry, on: {approve: cool, reject: seal_rejected}}
  - {id: extract, kind: stage, behaviour: extract, next: cool}
  - {id: cool, kind: timer, after: 24h, next: review}
  - id: review
    kind: review
    queue: L1
    on: {approve: big, reject: seal_rejected, return: read}
    timeout: {after: 72h, to: manager}
  - {id: manager, kind: review, queue: L2, level: 2, on: {approve: big, reject: seal_rejected}}
  - {id: big, kind: exclusive, branches: [{when: base_minor > 100000000, to: later}], default: archive}
  - {id: later, kind: timer, after: 1h, next: ratio}
  - {id: ratio, kind: exclusive, branches: [{when: "1000 / risk > 3", to: archive}], default: seal_rejected}
` + sealNodes

// submitToProcess submits a case to the process and executes all due runs.
func (env *testEnv) submitToProcess(process string) domain.ID {
	env.t.Helper()
	sam, _, err := env.db.Reader().UserByEmail(env.ctx, "sam@example.com")
	actor := domain.Actor{UserID: sam.ID, Channel: domain.ChannelAPI}
	if err != nil {
		actor = env.person("sam", domain.RoleSubmitter)
	}
	return env.submitTo(actor, process, "", domain.NewID().String())
}

func (env *testEnv) requireState(id domain.ID, status domain.Status, nodes ...string) {
	env.t.Helper()
	c := env.caseByID(id)
	var at []string
	for _, token := range c.Marking.Tokens {
		at = append(at, token.Node)
	}
	if c.Status != status || strings.Join(at, " ") != strings.Join(nodes, " ") {
		env.t.Fatalf("the case is %s at %v, want %s at %v; events %v", c.Status, at, status, nodes,
			env.eventTypes(id))
	}
}

func TestTimerFiresOnceAfterDowntime(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(timedProcess)
	id := env.submitToProcess("timed")
	env.requireState(id, domain.Processing, "cool")
	env.setClockOffset(23 * time.Hour)
	env.drainQueue()
	env.requireState(id, domain.Processing, "cool")

	lost := env.notifier.drain() // no process runs when the timer is due, and its task is lost
	env.setClockOffset(30 * time.Hour)
	n, err := env.svc.Sweep(env.ctx)
	must(t, err)
	if n != 1 {
		t.Fatalf("the sweeper enqueued %d runs", n)
	}
	env.notifier.Enqueue(env.ctx, lost) // a late duplicate of the task of the sweeper
	env.drainQueue()
	env.requireState(id, domain.InReview, "review")
	if env.countEvents(id, domain.TimerStarted) != 1 ||
		env.countEvents(id, domain.TimerFired) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}

func TestBoundaryTimerCancelsReview(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(timedProcess)
	rita, mia := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	late, inTime := env.submitToProcess("timed"), env.submitToProcess("timed")
	env.setClockOffset(25 * time.Hour)
	env.drainQueue()
	env.claim(rita, late)
	must(t, env.claimAndDecide(rita, inTime, "review", domain.Approve))
	env.requireState(inTime, domain.Archived)
	env.setClockOffset(98 * time.Hour)
	env.drainQueue()
	env.requireState(late, domain.InReview, "manager")
	if env.countEvents(late, domain.WorkTimedOut) != 1 ||
		env.countEvents(late, domain.ReviewCancelledEvent) != 1 ||
		env.countEvents(inTime, domain.WorkTimedOut) != 0 {
		t.Errorf("events %v", env.eventTypes(late))
	}
	must(t, env.claimAndDecide(mia, late, "manager", domain.Approve))
	env.requireState(late, domain.Archived)
	for _, id := range []domain.ID{late, inTime} {
		env.verifyCaseLog(id)
		if left := env.pendingDeadlines(id); len(left) > 0 {
			t.Errorf("pending deadlines: %v", left)
		}
	}
}

func TestDeadlineSpeedShortensTimers(t *testing.T) {
	t.Parallel()
	env := newTestEnvWithSettings(t, casework.Settings{DeadlineSpeed: 60})
	env.publish(timedProcess)
	id := env.submitToProcess("timed")
	env.setClockOffset(25 * time.Minute)
	env.drainQueue()
	env.requireState(id, domain.InReview, "review")
}

func TestCaughtFailureTakesErrorEdge(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(timedProcess)
	mia := env.person("mia", domain.RoleManager)
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	id := env.submitToProcess("timed")
	env.requireState(id, domain.InReview, "typed_in")
	if env.countEvents(id, domain.StageFailed) != 1 ||
		env.countEvents(id, domain.IncidentOpened) != 0 || env.reader.calls != 1 {
		t.Errorf("events %v after %d readings", env.eventTypes(id), env.reader.calls)
	}
	must(t, env.claimAndDecide(mia, id, "typed_in", domain.Reject))
	env.requireState(id, domain.Rejected)
	env.verifyCaseLog(id)

	// which it does not catch
	env.reader.err = domain.Errorf(domain.EncryptedFile, "The file is locked.")
	id = env.submitToProcess("timed")
	env.requireState(id, domain.Incident, "read")
}

// TestFailingGuardOpensIncident checks that a failing guard opens an incident of its case alone,
// which a corrected value and a retry resolve.
func TestFailingGuardOpensIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(timedProcess)
	mia, max := env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
	env.reader.xml = invoiceXML("2000000.00", "R-5")
	id := env.submitToProcess("timed")
	env.setClockOffset(25 * time.Hour)
	env.drainQueue()
	must(t, env.claimAndDecide(mia, id, "review", domain.Approve))
	env.requireState(id, domain.Processing, "later")
	env.setClockOffset(27 * time.Hour)
	env.drainQueue()
	env.requireState(id, domain.Incident, "later")
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(t, err)
	last := runs[len(runs)-1]
	if last.Kind != domain.RunKindTimer || last.Status != domain.RunIncident ||
		last.ErrorCode != domain.ExpressionFailed {
		t.Fatalf("the last run is %+v", last)
	}
	// fails again, because no value has changed
	must(t, errOf(env.svc.RetryIncident(env.ctx, max, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	env.requireState(id, domain.Incident, "later")
	_, err = env.owner.Exec(env.ctx, `UPDATE cases SET risk = 10 WHERE id = $1`, id)
	must(t, err)
	must(t, errOf(env.svc.RetryIncident(env.ctx, max, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// TestIncidentStaysOpenBesideOtherBranches lets one branch of a fork fail: the other continues, and
// the case keeps the status Incident until the retry.
func TestIncidentStaysOpenBesideOtherBranches(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(`
key: beside
version: 1
on_abandon: seal_abandoned
re_enter: both
nodes:
  - {id: start, kind: start, next: both}
  - {id: both, kind: fork, to: [read, review]}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: meet}
  - {id: review, kind: review, queue: L1, on: {approve: meet, reject: {to: seal_rejected, cancel: all}}}
  - {id: meet, kind: join, next: archive}
` + sealNodes)
	rita, mia := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	retried, rejected := env.submitToProcess("beside"), env.submitToProcess("beside")
	env.requireState(retried, domain.Incident, "read", "review")
	must(t, env.decideWithoutLimit(rita, retried, domain.Approve))
	env.requireState(retried, domain.Incident, "read", "meet")
	env.reader.err = nil
	must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: retried})))
	env.drainQueue()
	env.requireState(retried, domain.Archived)
	env.verifyCaseLog(retried)

	must(t, env.decideWithoutLimit(rita, rejected, domain.Reject)) // cancels the failed run
	env.requireState(rejected, domain.Rejected)
	env.verifyCaseLog(rejected)
}

// decideWithoutLimit decides a case with an unknown amount, after removing the limit of the role.
func (env *testEnv) decideWithoutLimit(by domain.Actor, id domain.ID,
	verdict domain.Verdict) error {
	env.t.Helper()
	must(env.t, env.svc.SetLimit(env.ctx, domain.SystemActor(),
		domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}))
	return env.claimAndDecide(by, id, "review", verdict)
}
