package graph

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

const caseOnItsWay = `query($id: ID!) { case(id: $id) { status countries
	amount { amount currency } openReview { id version queue } } }`

// attack is a case that people try to approve by an easier way than its facts demand.
type attack struct {
	*testEnv
	id string
}

// attackOn submits a document over the total with what was declared.
func (w *testEnv) attackOn(total string, declared map[string]any) attack {
	w.t.Helper()
	answer := w.upload("sam", submitMutation, declared, "%PDF-1.7\n"+total+"\n")
	id := answer.text("submitDocument", "case", "id")
	if id == "" {
		w.t.Fatalf("not submitted: %+v", answer)
	}
	w.runPending()
	return attack{w, id}
}

// waitsIn returns the open review, which must be in the queue.
func (a attack) waitsIn(by, queue string) (review, version string) {
	a.t.Helper()
	found := a.mustExecute(by, caseOnItsWay, "id", a.id)
	if got := found.text("case", "openReview", "queue"); got != queue {
		a.t.Fatalf("the case is %s and waits in %q, want %s", found.text("case", "status"), got,
			queue)
	}
	return found.text("case", "openReview", "id"), found.text("case", "openReview", "version")
}

// sets claims the open review of a queue and sets a field.
func (a attack) sets(by, queue, field, value string) {
	a.t.Helper()
	review, _ := a.waitsIn(by, queue)
	claim(a.testEnv, by, review)
	answer := a.mustExecute(by, `mutation($in: CorrectFieldsInput!) { correctFields(input: $in) {
		userErrors { ... on Refusal { code message } } } }`, "in", map[string]any{
		"reviewId": review, "confirm": true,
		"fields": []any{map[string]any{"name": field, "value": value}}})
	if code := answer.text("correctFields", "userErrors", 0, "code"); code != "" {
		a.t.Fatalf("%s cannot set %s to %q: %+v", by, field, value, answer.Data)
	}
}

// approves claims and approves the open review of a queue and returns the code of the refusal.
func (a attack) approves(by, queue string) string {
	a.t.Helper()
	review, _ := a.waitsIn(by, queue)
	if code := claim(a.testEnv, by, review).text("claimReview", "userErrors", 0,
		"code"); code != "" {
		return code
	}
	_, version := a.waitsIn(by, queue)
	code := decide(a.testEnv, by, review, version, "APPROVE", "seen").text("decideReview",
		"userErrors", 0, "code")
	a.runPending()
	return code
}

func (a attack) wants(by, queue, code string) {
	a.t.Helper()
	if got := a.approves(by, queue); got != code {
		a.t.Fatalf("%s in %s: %q, want %q", by, queue, got, code)
	}
}

func newAttackEnv(t *testing.T) *testEnv {
	w := newTestEnv(t)
	w.acceptWithoutOrder()
	w.person("sam", domain.RoleSubmitter)
	for _, name := range []string{"jan", "joe"} {
		w.person(name, domain.RoleL1)
	}
	w.person("sid", domain.RoleSenior)
	w.person("mia", domain.RoleManager)
	must(t, w.putUser(domain.User{Email: "al@example.com", Name: "al",
		Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}}))
	return w
}

func remittanceOf(amount, currency, country string) map[string]any {
	declared := map[string]any{"process": "cross_border_remittance",
		"documentType": "remittance", "country": country}
	if amount != "" {
		declared["amount"] = map[string]any{"amount": amount, "currency": currency}
	}
	return declared
}

// A remittance declared at 1,200,000 USD with an attachment of 717.97 EUR.
func TestAttackSmallAttachment(t *testing.T) {
	t.Parallel()
	a := newAttackEnv(t).attackOn("717.97", remittanceOf("1200000", "USD", "DE"))
	a.wants("jan", "L1", string(domain.ApprovalLimit))
	a.wants("sid", "L1", "")
	a.wants("mia", "L2", "")
	if a.status() != "ARCHIVED" {
		t.Errorf("the case is %s", a.status())
	}
}

// The same with the payment order that the built-in process requires: no approval passes it before
// two persons have explained the difference.
func TestAttackSmallAttachmentOfAnOrder(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	w.person("sid", domain.RoleSenior)
	w.person("max", domain.RoleManager)
	in := order("1200000", "P-1")
	in["amount"] = map[string]any{"amount": "1200000", "currency": "USD"}
	a := attack{w, w.mustOrder("sam", "717.97", in)}
	a.wants("ann", "L1", string(domain.ApprovalLimit))
	a.wants("sid", "L1", "")
	a.wants("mia", "L2", string(domain.OrderUnsupported))
	wantDone(t, w.decideOrder("mia", a.id, "RETURN", "717.97 EUR?"))
}

func (a attack) status() string {
	a.t.Helper()
	return a.mustExecute("mia", caseOnItsWay, "id", a.id).text("case", "status")
}

// L1 sets the country to IR and approves the case: AML decides next. A declared IR goes to AML first,
// whatever the document says.
func TestAttackCountry(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	a := w.attackOn("150000.00", remittanceOf("", "", "DE"))
	a.sets("jan", "L1", domain.FieldCountry, "IR")
	a.wants("jan", "L1", "")
	a.waitsInAML()
	b := w.attackOn("160000.00", remittanceOf("", "", "IR"))
	b.waitsInAML()
	c := w.attackOn("170000.00", remittanceOf("", "", "Tehran, Iran"))
	c.waitsInAML()
}

// waitsInAML checks that the only open review is in the queue AML, which other people do not see.
func (a attack) waitsInAML() {
	a.t.Helper()
	reviews, err := a.db.Reader().ReviewsOf(a.t.Context(), caseIDOf(a.t, a.id))
	must(a.t, err)
	at := slices.IndexFunc(reviews, func(r domain.Review) bool {
		return r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed
	})
	if at < 0 || reviews[at].Queue != domain.QueueAML {
		a.t.Fatalf("the case is %s with the reviews %+v", a.status(), reviews)
	}
}

// A page of 1.5 million that is declared as 100: neither the declaration nor a cleared total lowers
// the amount that one reviewer may approve.
func TestAttackClearedTotal(t *testing.T) {
	t.Parallel()
	a := newAttackEnv(t).attackOn("1500000.00",
		map[string]any{"amount": map[string]any{"amount": "100", "currency": "EUR"}})
	a.wants("jan", "L1", string(domain.ApprovalLimit))
	a.sets("mia", "L1", domain.FieldTotal, "")
	a.wants("jan", "L1", string(domain.ApprovalLimit))
	c, err := a.db.Reader().Case(t.Context(), caseIDOf(t, a.id))
	must(t, err)
	if c.BaseMinor < 150000000 {
		t.Errorf("%d is at risk", c.BaseMinor)
	}
}

// A colleague clears the vendor, and the reviewer with a conflict of interest approves.
func TestAttackClearedVendor(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	joe, _, err := w.db.Reader().UserByEmail(t.Context(), "joe@example.com")
	must(t, err)
	_, err = w.service.DeclareConflict(t.Context(), domain.SystemActor(), casework.DeclareConflict{
		Person: joe.ID, Party: "Muster Werke GmbH", Reason: "brother"})
	must(t, err)
	a := w.attackOn("5000.00", map[string]any{})
	a.sets("jan", "L1", domain.FieldVendor, "")
	review, _ := a.waitsIn("jan", "L1")
	w.execute("jan", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) { userErrors {
		... on Refusal { code } } } }`, "id", review)
	if code := claim(w, "joe", review).text("claimReview", "userErrors", 0,
		"code"); code != string(domain.ConflictOfInterest) {
		t.Errorf("joe claims the review: %q", code)
	}
	if a.status() == "ARCHIVED" {
		t.Error("the case is archived")
	}
}
