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

// publish puts a definition in force that the program does not come with, past the persons who would do it.
func (w *world) publish(text string) *workflow.Definition {
	w.t.Helper()
	def, err := workflow.Parse([]byte(text))
	must(w.t, err)
	if proof := workflow.Prove(def); !proof.Sound() {
		w.t.Fatalf("%s is not sound: %v", def.Key, proof.Problems)
	}
	must(w.t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.PublishDefinition(w.ctx, store.PublishedDefinition{Key: def.Key, Version: def.Version, Document: text,
			HasAmount: def.HasAmount, By: domain.SystemUserID})
		return err
	}))
	return def
}

// standing is a definition of workflow's testdata.
func standing(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../workflow/testdata/definitions/" + name + ".yaml")
	must(t, err)
	return string(text)
}

// seals are the ends that every process has.
const seals = `
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// timed waits a day, then asks a person, and a manager when that one takes more than three days.
const timed = `
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
` + seals

// submitted starts a case of the process and does what is due.
func (w *world) submitted(process string) domain.ID {
	w.t.Helper()
	sam, _, err := w.db.Reader().UserByEmail(w.ctx, "sam@example.com")
	actor := domain.Actor{UserID: sam.ID, Channel: domain.ChannelAPI}
	if err != nil {
		actor = w.person("sam", domain.RoleSubmitter)
	}
	return w.submitTo(actor, process, "invoice", domain.NewID().String())
}

func (w *world) at(id domain.ID, status domain.Status, nodes ...string) {
	w.t.Helper()
	c := w.kase(id)
	var at []string
	for _, token := range c.Marking.Tokens {
		at = append(at, token.Node)
	}
	if c.Status != status || strings.Join(at, " ") != strings.Join(nodes, " ") {
		w.t.Fatalf("the case is %s at %v, want %s at %v; events %v", c.Status, at, status, nodes, w.types(id))
	}
}

func TestTimerFiresOnceThoughEverythingWasDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(timed)
	id := w.submitted("timed")
	w.at(id, domain.Processing, "cool")
	w.later(23 * time.Hour)
	w.work()
	w.at(id, domain.Processing, "cool")

	lost := w.bell.take() // everything is down over the time, and what was rung is lost
	w.later(30 * time.Hour)
	n, err := w.hall.Sweep(w.ctx)
	must(t, err)
	if n != 1 {
		t.Fatalf("the sweeper found %d", n)
	}
	w.bell.Ring(w.ctx, lost) // and comes back late, beside the sweeper's
	w.work()
	w.at(id, domain.InReview, "review")
	if w.count(id, domain.TimerStarted) != 1 || w.count(id, domain.TimerFired) != 1 {
		t.Errorf("events %v", w.types(id))
	}
	w.verify(id)
}

func TestBoundaryTimerWithdrawsAReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(timed)
	rita, mia := w.person("rita", domain.RoleL1), w.person("mia", domain.RoleManager)
	late, inTime := w.submitted("timed"), w.submitted("timed")
	w.later(25 * time.Hour)
	w.work()
	w.claim(rita, late)
	must(t, w.settle(rita, inTime, "review", domain.Approve))
	w.at(inTime, domain.Archived)
	w.later(98 * time.Hour)
	w.work()
	w.at(late, domain.InReview, "manager")
	if w.count(late, domain.WorkTimedOut) != 1 || w.count(late, domain.ReviewWithdrawn) != 1 || w.count(inTime, domain.WorkTimedOut) != 0 {
		t.Errorf("events %v", w.types(late))
	}
	must(t, w.settle(mia, late, "manager", domain.Approve))
	w.at(late, domain.Archived)
	for _, id := range []domain.ID{late, inTime} {
		w.verify(id)
		if left := w.pendingDeadlines(id); len(left) > 0 {
			t.Errorf("there still wait %v", left)
		}
	}
}

func TestDeadlineSpeedHurriesTimers(t *testing.T) {
	t.Parallel()
	w := newWorldSet(t, casework.Settings{DeadlineSpeed: 60})
	w.publish(timed)
	id := w.submitted("timed")
	w.later(25 * time.Minute)
	w.work()
	w.at(id, domain.InReview, "review")
}

func TestFailureThatTheProcessCatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(timed)
	mia := w.person("mia", domain.RoleManager)
	w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
	id := w.submitted("timed")
	w.at(id, domain.InReview, "typed_in")
	if w.count(id, domain.StageFailed) != 1 || w.count(id, domain.IncidentOpened) != 0 || w.desk.calls != 1 {
		t.Errorf("events %v after %d readings", w.types(id), w.desk.calls)
	}
	must(t, w.settle(mia, id, "typed_in", domain.Reject))
	w.at(id, domain.Rejected)
	w.verify(id)

	w.desk.err = domain.Fail(domain.EncryptedFile, "The file is locked.") // which it does not catch
	id = w.submitted("timed")
	w.at(id, domain.Incident, "read")
}

// A guard without an answer is an incident of that case: the worker goes on, and a correction and a retry mend it.
func TestGuardWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(timed)
	mia, max := w.person("mia", domain.RoleManager), w.person("max", domain.RoleManager)
	w.desk.xml = invoiceXML("2000000.00", "R-5")
	id := w.submitted("timed")
	w.later(25 * time.Hour)
	w.work()
	must(t, w.settle(mia, id, "review", domain.Approve))
	w.at(id, domain.Processing, "later")
	w.later(27 * time.Hour)
	w.work()
	w.at(id, domain.Incident, "later")
	runs, err := w.db.Reader().RunsOf(w.ctx, id)
	must(t, err)
	last := runs[len(runs)-1]
	if last.Kind != domain.KindTimer || last.Status != domain.RunIncident || last.ErrorCode != domain.ExpressionFailed {
		t.Fatalf("the last run is %+v", last)
	}
	must(t, first(w.hall.RetryIncident(w.ctx, max, casework.OnCase{CaseID: id}))) // nothing has changed
	w.work()
	w.at(id, domain.Incident, "later")
	_, err = w.owner.Exec(w.ctx, `UPDATE cases SET risk = 10 WHERE id = $1`, id)
	must(t, err)
	must(t, first(w.hall.RetryIncident(w.ctx, max, casework.OnCase{CaseID: id})))
	w.work()
	w.at(id, domain.Archived)
	w.verify(id)
}

// While one branch waits for a person to repair it, the other goes on; the case stays in view until it is repaired.
func TestIncidentStaysInViewBesideOtherWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(`
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
` + seals)
	rita, mia := w.person("rita", domain.RoleL1), w.person("mia", domain.RoleManager)
	w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
	kept, dropped := w.submitted("beside"), w.submitted("beside")
	w.at(kept, domain.Incident, "read", "review")
	must(t, w.decideUnknown(rita, kept, domain.Approve))
	w.at(kept, domain.Incident, "read", "meet")
	w.desk.err = nil
	must(t, first(w.hall.RetryIncident(w.ctx, mia, casework.OnCase{CaseID: kept})))
	w.work()
	w.at(kept, domain.Archived)
	w.verify(kept)

	must(t, w.decideUnknown(rita, dropped, domain.Reject)) // withdraws what failed
	w.at(dropped, domain.Rejected)
	w.verify(dropped)
}

// decideUnknown decides a case whose amount nobody knows, for which the limit is lifted.
func (w *world) decideUnknown(by domain.Actor, id domain.ID, verdict domain.Verdict) error {
	w.t.Helper()
	must(w.t, w.hall.SetLimit(w.ctx, domain.SystemActor(), domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}))
	return w.settle(by, id, "review", verdict)
}
