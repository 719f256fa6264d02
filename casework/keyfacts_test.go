package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// dueDate asks two of three, and names a field beside the facts that always count.
const dueDate = `
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
` + seals

// A vote falls when a field that the definition names has another value, and not when one that nobody names has.
func TestVotesFallByTheFactsThatTheDefinitionNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(dueDate)
	ann, ben := w.person("ann", domain.RoleL1), w.person("ben", domain.RoleL1)
	for name, row := range map[string]struct {
		field, value string
		falls        bool
	}{
		"what the definition names":              {domain.FieldDueDate, einvoice.Due().AddDate(0, 0, 1).Format(time.DateOnly), true},
		"the same value, written otherwise":      {domain.FieldDueDate, einvoice.Due().Format("02.01.2006"), false},
		"what always counts":                     {domain.FieldIBAN, "GB33BUKB20201555555555", true},
		"the payee, which always counts":         {domain.FieldVendor, "Another GmbH", true},
		"what neither names":                     {domain.FieldNumber, "N-77", false},
		"the tax id, which only others may name": {domain.FieldVATID, "", false},
	} {
		w.desk.xml = invoiceXML("120.00", "K-"+domain.NewID().String()[24:])
		id := w.submitted("due")
		must(t, w.settle(ann, id, "review", domain.Approve))
		review := w.claim(ben, id)
		for range 2 {
			_, err := w.hall.CorrectFields(w.ctx, ben, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID, Once: casework.Once{Key: "k" + id.String()}},
				Fields: []casework.FieldInput{{Name: row.field, Value: row.value}}, Confirm: true})
			must(t, err)
		}
		want := map[bool]int{true: 0, false: 1}[row.falls]
		if got := w.votes(id); got != want || w.count(id, domain.VoteFell) != 1-want {
			t.Errorf("%s: %d votes stand, want %d; events %v", name, got, want, w.types(id))
		}
		w.verify(id)
	}
}

// ratio divides by the risk when a person has approved.
const ratio = `
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
` + seals

// A reviewer decides, and the process has no answer on its way on: the decision stands, and what is wrong is an incident for
// those who can repair it. It takes effect when that is done; or the values are entered anew, and another decides.
func TestADecisionThatTheProcessHasNoAnswerTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(ratio)
	ann, ben, max := w.person("ann", domain.RoleL1), w.person("ben", domain.RoleL1), w.person("max", domain.RoleManager)
	failed := func() domain.ID {
		id := w.submitted("ratio")
		must(t, w.settle(ann, id, "review", domain.Approve))
		w.at(id, domain.Incident, "review")
		runs, err := w.db.Reader().RunsOf(w.ctx, id)
		must(t, err)
		last := runs[len(runs)-1]
		decisions, err := w.db.Reader().Decisions(w.ctx, id)
		must(t, err)
		if last.Status != domain.RunIncident || last.ErrorCode != domain.ExpressionFailed || len(decisions) != 1 || w.votes(id) != 1 {
			t.Fatalf("the last run is %+v; %d decisions, %d votes", last, len(decisions), w.votes(id))
		}
		return id
	}
	id := failed()
	wantCode(t, first(w.hall.RetryIncident(w.ctx, ann, casework.OnCase{CaseID: id})), domain.NotPermitted)
	must(t, first(w.hall.RetryIncident(w.ctx, max, casework.OnCase{CaseID: id}))) // nothing has changed
	w.work()
	w.at(id, domain.Incident, "review")
	_, err := w.owner.Exec(w.ctx, `UPDATE cases SET risk = 10 WHERE id = $1`, id)
	must(t, err)
	must(t, first(w.hall.RetryIncident(w.ctx, max, casework.OnCase{CaseID: id})))
	w.work()
	w.at(id, domain.Archived)
	if w.count(id, domain.ReviewWasDecided) != 1 || w.count(id, domain.IncidentOpened) != 2 || w.count(id, domain.IncidentResolved) != 2 {
		t.Errorf("events %v", w.types(id))
	}
	w.verify(id)

	id = failed()
	sam, _, err := w.db.Reader().UserByEmail(w.ctx, "sam@example.com")
	must(t, err)
	enter := casework.EnterFields{OnCase: casework.OnCase{CaseID: id}, Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "130.00"}}}
	must(t, first(w.hall.EnterFields(w.ctx, domain.Actor{UserID: sam.ID, Channel: domain.ChannelAPI}, enter)))
	w.work()
	w.at(id, domain.InReview, "review")
	must(t, w.settle(ben, id, "review", domain.Reject))
	w.at(id, domain.Rejected)
	w.verify(id)
}
