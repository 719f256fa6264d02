package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// dueDateProcess asks two of three, and names a field beside the facts that always count.
const dueDateProcess = `
key: due
version: 1
key_facts: [amount, due_date, translated]
on_enter: review
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: review}
  - {id: review, kind: review, queue: L1, seats: 3, quorum: 2, on: {approve: archive, reject: seal_rejected}}
` + sealNodes

// A vote falls when a field that the definition names has another value, and not when one that nobody names has.
func TestChangedKeyFactsRevokeVotes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(dueDateProcess)
	ann, ben := env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1)
	for name, row := range map[string]struct {
		field, value string
		falls        bool
	}{
		"what the definition names": {domain.FieldDueDate,
			einvoice.Due().AddDate(0, 0, 1).Format(time.DateOnly), true},
		"the same value, written otherwise": {domain.FieldDueDate,
			einvoice.Due().Format("02.01.2006"), false},
		"what always counts":                     {domain.FieldIBAN, "GB33BUKB20201555555555", true},
		"the payee, which always counts":         {domain.FieldVendor, "Another GmbH", true},
		"what neither names":                     {domain.FieldNumber, "N-77", false},
		"the tax id, which only others may name": {domain.FieldVATID, "", false},
	} {
		env.reader.xml = invoiceXML("120.00", "K-"+domain.NewID().String()[24:])
		id := env.submitToProcess("due")
		must(t, env.claimAndDecide(ann, id, "review", domain.Approve))
		review := env.claim(ben, id)
		for range 2 {
			_, err := env.svc.CorrectFields(env.ctx, ben,
				casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID,
					Once: casework.Once{Key: "k" + id.String()}},
					Fields: []casework.FieldInput{{Name: row.field, Value: row.value}}, Confirm: true})
			must(t, err)
		}
		want := map[bool]int{true: 0, false: 1}[row.falls]
		if got := env.voteCount(id); got != want || env.countEvents(id, domain.VoteRevoked) != 1-want {
			t.Errorf("%s: %d votes stand, want %d; events %v", name, got, want, env.eventTypes(id))
		}
		env.verifyCaseLog(id)
	}
}

// ratioProcess divides by the risk when a person has approved.
const ratioProcess = `
key: ratio
version: 1
on_enter: review
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: review}
  - {id: review, kind: review, queue: L1, on: {approve: ratio, reject: seal_rejected}}
  - {id: ratio, kind: exclusive, branches: [{when: "1000 / risk > 3", to: archive}], default: seal_rejected}
` + sealNodes

// A reviewer decides, and the process has no answer on its way on: the decision stands, and what is wrong is an incident for
// those who can repair it. It takes effect when that is done; or the values are entered anew, and another decides.
func TestDecisionWithFailingGuardOpensIncident(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(ratioProcess)
	ann, ben, max := env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1),
		env.person("max", domain.RoleManager)
	failed := func() domain.ID {
		id := env.submitToProcess("ratio")
		must(t, env.claimAndDecide(ann, id, "review", domain.Approve))
		env.requireState(id, domain.Incident, "review")
		runs, err := env.db.Reader().RunsOf(env.ctx, id)
		must(t, err)
		last := runs[len(runs)-1]
		decisions, err := env.db.Reader().Decisions(env.ctx, id)
		must(t, err)
		if last.Status != domain.RunIncident || last.ErrorCode != domain.ExpressionFailed ||
			len(decisions) != 1 || env.voteCount(id) != 1 {
			t.Fatalf("the last run is %+v; %d decisions, %d votes", last, len(decisions),
				env.voteCount(id))
		}
		return id
	}
	id := failed()
	wantCode(t, errOf(env.svc.RetryIncident(env.ctx, ann, casework.CaseTarget{CaseID: id})),
		domain.NotPermitted)
	// nothing has changed
	must(t, errOf(env.svc.RetryIncident(env.ctx, max, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	env.requireState(id, domain.Incident, "review")
	_, err := env.owner.Exec(env.ctx, `UPDATE cases SET risk = 10 WHERE id = $1`, id)
	must(t, err)
	must(t, errOf(env.svc.RetryIncident(env.ctx, max, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if env.countEvents(id, domain.ReviewDecidedEvent) != 1 ||
		env.countEvents(id, domain.IncidentOpened) != 2 ||
		env.countEvents(id, domain.IncidentResolved) != 2 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.verifyCaseLog(id)

	id = failed()
	sam, _, err := env.db.Reader().UserByEmail(env.ctx, "sam@example.com")
	must(t, err)
	enter := casework.EnterFields{CaseTarget: casework.CaseTarget{CaseID: id},
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "130.00"}}}
	must(t, errOf(env.svc.EnterFields(env.ctx,
		domain.Actor{UserID: sam.ID, Channel: domain.ChannelAPI}, enter)))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review")
	must(t, env.claimAndDecide(ben, id, "review", domain.Reject))
	env.requireState(id, domain.Rejected)
	env.verifyCaseLog(id)
}
