package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// orderLines is a page of a payment order that names no country, as OCR reads it.
func orderLines(extra ...string) []string {
	return append([]string{"Acme Trading", "PAYMENT ORDER", "Invoice number: P-" +
		documentNumber(""), "Invoice date: 2026-11-02", "Service 1 700.00",
		"Total USD 700.00"}, extra...)
}

// repairTeam is a submitter, a junior and a senior who both repair, and an AML officer.
type repairTeam struct {
	*testEnv
	sam, jan, sid, al domain.Actor
}

func newRepairTeam(t *testing.T) repairTeam {
	env := newTestEnv(t)
	env.reader.xml = nil
	env.approvedBefore("Acme Trading", "remittance", "")
	return repairTeam{env, env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("sid", domain.RoleSenior), env.amlOfficer("al")}
}

func (r repairTeam) order(lines []string, country string) domain.ID {
	r.reader.lines = lines
	return r.submitDeclared(r.sam, "cross_border_remittance", "remittance", "700", "USD", country)
}

// names claims the repair and sets fields there.
func (r repairTeam) names(by domain.Actor, id domain.ID, fields ...casework.FieldInput) error {
	r.t.Helper()
	review := r.reviewAt(id, "repair")
	if _, err := r.svc.ClaimReview(r.ctx, by,
		casework.ReviewTarget{ReviewID: review.ID}); err != nil {
		return err
	}
	return errOf(r.svc.CorrectFields(r.ctx, by, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Fields: fields, Confirm: true}))
}

func country(value string) casework.FieldInput {
	return casework.FieldInput{Name: domain.FieldCountry, Value: value}
}

// A remittance whose country was not stated goes to the repair queue. It cannot be approved there, and
// the repair cannot be ended before the country is named.
func TestRemittanceWithoutCountryIsNotApproved(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	for _, lines := range [][]string{orderLines(),
		// neither a name nor a street is a country
		orderLines("Attn: Jordan Smith", "12 Georgia Ave"),
		orderLines("Tel. +98 21 5555 0101", "Reference: shipment to Iran")} {
		id := r.order(lines, "")
		r.requireState(id, domain.InReview, "repair")
		c := r.caseByID(id)
		if !slices.Equal(c.Missing, []string{"country"}) ||
			!slices.Equal(c.Unstated, []string{"country"}) {
			t.Fatalf("missing %v, unstated %v", c.Missing, c.Unstated)
		}
		review := r.claim(r.jan, id)
		if review.Queue != domain.QueueRepair || review.Duty != domain.DutyRepair {
			t.Fatalf("%+v", review)
		}
		for verdict, code := range map[domain.Verdict]domain.Code{
			domain.Approve: domain.InvalidInput, domain.Reject: domain.InvalidInput,
			domain.Repaired: domain.ValidationFailed} {
			wantCode(t, r.decide(r.jan, review.ID, verdict, "fine"), code)
		}
		_, err := r.svc.ApproveReviews(r.ctx, r.jan,
			casework.BulkReviews{Reviews: []domain.ID{review.ID}})
		must(t, err)
		r.requireState(id, domain.InReview, "repair")
	}
}

// The reviewer who names a value casts no vote. If the value is printed on the page they may decide the next
// review, but the order does not pass without that review.
func TestRepairIsNoApproval(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	id := r.order(orderLines("Ship to Germany"), "")
	must(t, r.names(r.jan, id, country("Germany"),
		casework.FieldInput{Name: domain.FieldIBAN, Value: "DE89370400440532013000"}))
	// An account that was not stated: the junior has an interest now, and another person ends it.
	wantCode(t, r.claimAndDecide(r.jan, id, "repair", domain.Repaired), domain.FourEyes)
	must(t, r.claimAndDecide(r.sid, id, "repair", domain.Repaired))
	if r.voteCount(id) != 0 {
		t.Fatalf("%d votes after a repair", r.voteCount(id))
	}
	r.requireState(id, domain.InReview, "review_l1")
	wantCode(t, r.claimAndDecide(r.jan, id, "review_l1", domain.Approve), domain.FourEyes)
	must(t, r.claimAndDecide(r.sid, id, "review_l1", domain.Approve))
	r.requireState(id, domain.Archived)
	if types := r.eventTypes(id); !slices.Contains(types, "review.repaired") {
		t.Errorf("events: %v", types)
	}
	r.verifyCaseLog(id)
}

// A country that a reviewer invented: they can neither end the repair nor decide afterwards.
func TestInventedCountryNeedsAnotherPerson(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	id := r.order(orderLines(), "")
	review := r.claim(r.jan, id)
	_, err := r.svc.CorrectFields(r.ctx, r.jan, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Fields:       []casework.FieldInput{country("US")}})
	wantCode(t, err, domain.ConfirmationNeeded)
	must(t, r.names(r.jan, id, country("US")))
	wantCode(t, r.claimAndDecide(r.jan, id, "repair", domain.Repaired), domain.FourEyes)
	must(t, r.claimAndDecide(r.sid, id, "repair", domain.Repaired))
	r.requireState(id, domain.InReview, "review_l1")
	wantCode(t, r.claimAndDecide(r.jan, id, "review_l1", domain.Approve), domain.FourEyes)
	// returned and resubmitted unchanged: still no way past a reviewer
	must(t, r.claimAndDecide(r.sid, id, "review_l1", domain.Return))
	must(t, errOf(r.svc.ResubmitCase(r.ctx, r.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "here"})))
	r.drainQueue()
	r.requireState(id, domain.InReview, "review_l1")
	must(t, r.claimAndDecide(r.sid, id, "review_l1", domain.Approve))
	r.requireState(id, domain.Archived)
}

// A country is recognised by its name, with its city; a risky one goes to AML.
func TestNamedRiskyCountryGoesToAML(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	id := r.order(orderLines(), "")
	must(t, r.names(r.jan, id, country("Tehran, Iran")))
	must(t, r.claimAndDecide(r.sid, id, "repair", domain.Repaired))
	if c := r.caseByID(id); c.Country != "IR" {
		t.Fatalf("country %q", c.Country)
	}
	r.requireState(id, domain.InReview, "review_aml")
}

// A country that cannot be determined is a case for AML, and never passes without a review. Only a
// missing value in a repair can be marked so.
func TestUndeterminedCountryGoesToAML(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	id := r.order(orderLines(), "")
	unknown := casework.FieldInput{Name: domain.FieldCountry, Undetermined: "no address given"}
	both, total := unknown, unknown
	both.Value, total.Name = "DE", domain.FieldTotal
	wantCode(t, r.names(r.jan, id, both), domain.InvalidInput)
	wantCode(t, r.names(r.jan, id, total), domain.NotPermitted)
	must(t, r.names(r.jan, id, unknown))
	if c := r.caseByID(id); len(c.Missing) != 0 || !slices.Equal(c.Unstated, []string{"country"}) {
		t.Fatalf("missing %v, unstated %v", c.Missing, c.Unstated)
	}
	must(t, r.claimAndDecide(r.jan, id, "repair", domain.Repaired))
	r.requireState(id, domain.InReview, "review_aml")
	must(t, r.claimAndDecide(r.al, id, "review_aml", domain.Approve))
	r.requireState(id, domain.InReview, "review_l1")
	review := r.reviewAt(id, "review_l1")
	must(t, errOf(r.svc.ClaimReview(r.ctx, r.jan, casework.ReviewTarget{ReviewID: review.ID})))
	wantCode(t, errOf(r.svc.CorrectFields(r.ctx, r.jan, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Fields:       []casework.FieldInput{unknown}})), domain.NotPermitted)
	r.verifyCaseLog(id)
}

// Clearing a needed field needs a second person, and then the case goes back to the repair queue
// before it can be archived.
func TestClearedCountryGoesBackToRepair(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	r.reader.lines = append(orderLines()[:5], "Total USD 150000.00")
	id := r.submitDeclared(r.sam, "cross_border_remittance", "remittance", "150000", "USD", "US")
	r.requireState(id, domain.InReview, "review_l1")
	r.corrects(r.jan, id, "review_l1", domain.FieldCountry, "")
	if c := r.caseByID(id); len(c.Missing) != 0 {
		t.Fatalf("one person removed the country: missing %v", c.Missing)
	}
	review := r.reviewAt(id, "review_l1")
	must(t, errOf(r.svc.ReleaseReview(r.ctx, r.jan, casework.ReviewTarget{ReviewID: review.ID})))
	r.corrects(r.sid, id, "review_l1", domain.FieldCountry, "")
	if c := r.caseByID(id); !slices.Equal(c.Missing, []string{"country"}) {
		t.Fatalf("missing %v", c.Missing)
	}
	must(t, r.decide(r.sid, review.ID, domain.Approve, "the order states no account"))
	r.drainQueue()
	r.requireState(id, domain.InReview, "repair")
	must(t, r.names(r.jan, id, country("Iran")))
	must(t, r.claimAndDecide(r.sid, id, "repair", domain.Repaired))
	r.requireState(id, domain.InReview, "review_aml")
	must(t, r.claimAndDecide(r.al, id, "review_aml", domain.Approve))
	r.requireState(id, domain.InReview, "review_l1")
	must(t, r.claimAndDecide(r.sid, id, "review_l1", domain.Approve))
	r.requireState(id, domain.Archived)
	r.verifyCaseLog(id)
}

// A repair can be returned; resubmitted without the value it comes back, with the value it continues
// by what the submitter states.
func TestRepairIsReturnedAndResubmitted(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	id := r.order(orderLines("Net USD 700.00", "Tax USD 0.00"), "")
	resubmit := func() {
		must(t, errOf(r.svc.ResubmitCase(r.ctx, r.sam, casework.ResubmitCase{
			CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "see there"})))
		r.drainQueue()
	}
	must(t, r.claimAndDecide(r.jan, id, "repair", domain.Return))
	r.requireState(id, domain.Returned, "returned")
	resubmit()
	r.requireState(id, domain.InReview, "repair")
	must(t, r.claimAndDecide(r.jan, id, "repair", domain.Return))
	must(t, errOf(r.svc.EnterFields(r.ctx, r.sam, casework.EnterFields{
		CaseTarget: casework.CaseTarget{CaseID: id}, Fields: []casework.FieldInput{country("US")}})))
	resubmit()
	if c := r.caseByID(id); len(c.Unstated) != 0 || c.Country != "US" {
		t.Fatalf("unstated %v, country %q", c.Unstated, c.Country)
	}
	// a value that was entered after a return does not pass without a person
	r.requireState(id, domain.InReview, "review_l1")
	must(t, r.claimAndDecide(r.jan, id, "review_l1", domain.Approve))
	r.requireState(id, domain.Archived)
}

// A limit does not stop a repair, and an invoice needs no country.
func TestRepairNeedsNoLimitAndInvoicesNoCountry(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	r.reader.lines = []string{"INVOICE", "Invoice date: 2026-11-02"}
	id := r.submit(r.sam, "no amount")
	r.drainQueue()
	r.requireState(id, domain.InReview, "repair")
	if c := r.caseByID(id); slices.Contains(c.Missing, "country") ||
		!slices.Contains(c.Missing, "amount") {
		t.Fatalf("missing %v", c.Missing)
	}
	must(t, errOf(r.svc.ClaimNextReview(r.ctx, r.jan, casework.ClaimNext{})))
	must(t, r.names(r.jan, id, casework.FieldInput{Name: domain.FieldVendor, Value: "Acme"}))
}
