package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// dueDateProcess requires two of three votes and declares key facts besides the built-in ones.
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

// TestChangedKeyFactsRevokeVotes changes fields after a vote. The vote is revoked only if the field
// is a key fact.
func TestChangedKeyFactsRevokeVotes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(dueDateProcess)
	ann, ben := env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1)
	for name, row := range map[string]struct {
		field, value string
		revoked      bool
	}{
		"a key fact of the definition": {domain.FieldDueDate,
			einvoice.Due().AddDate(0, 0, 1).Format(time.DateOnly), true},
		"the same value in another format": {domain.FieldDueDate,
			einvoice.Due().Format("02.01.2006"), false},
		"a built-in key fact":                       {domain.FieldIBAN, "GB33BUKB20201555555555", true},
		"the payee, a built-in key fact":            {domain.FieldVendor, "Another GmbH", true},
		"the number, by which duplicates are found": {domain.FieldNumber, "N-77", true},
		"the tax id, no key fact here":              {domain.FieldVATID, "", false},
	} {
		number := documentNumber("K-")
		env.reader.xml, env.reader.lines = invoiceXML("120.00", number), nil
		if row.field == domain.FieldDueDate { // that of an e-invoice would need a second person
			env.reader.xml = nil
			env.reader.lines = append(invoiceLines("Hafen Logistik GmbH", number, "120.00"),
				"Due date: "+einvoice.Due().Format(time.DateOnly))
		}
		id := env.submitToProcess("due")
		must(t, env.claimAndDecide(ann, id, "review", domain.Approve))
		review := env.claim(ben, id)
		for range 2 {
			_, err := env.svc.CorrectFields(env.ctx, ben,
				casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID,
					Once: casework.Once{Key: "k" + id.String()}},
					Fields:  []casework.FieldInput{{Name: row.field, Value: row.value}},
					Confirm: true})
			must(t, err)
		}
		want := map[bool]int{true: 0, false: 1}[row.revoked]
		if got := env.voteCount(id); got != want || env.countEvents(id,
			domain.VoteRevoked) != 1-want {
			t.Errorf("%s: %d active votes, want %d; events %v", name, got, want, env.eventTypes(id))
		}
		env.verifyCaseLog(id)
	}
}

// ratioProcess divides by the risk after the approval.
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

// TestDecisionWithFailingGuardOpensIncident approves a case whose next guard fails. The decision
// remains valid and an incident opens. The decision takes effect after a retry, or another reviewer
// decides after the values were entered again.
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
	// The retry fails in the same way, because no value has changed.
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
