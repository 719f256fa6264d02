package casework_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// documentNumber returns another number at each call. It is of digits, because one with few digits is not read.
func documentNumber(prefix string) string {
	id := domain.NewID()
	return fmt.Sprintf("%s%012d", prefix, binary.BigEndian.Uint64(id[8:])%1_000_000_000_000)
}

// invoiceLines is a page without an e-invoice, as OCR reads it.
func invoiceLines(vendor, number, total string) []string {
	return []string{vendor, "Hafenstr. 1", "20457 Hamburg", "INVOICE",
		"Invoice number: " + number, "Invoice date: 2026-11-02", "Service 1 " + total,
		"Total EUR " + total}
}

// submitDeclared submits a remittance or invoice with a declared amount and country.
func (env *testEnv) submitDeclared(
	by domain.Actor, process, kind, amount, currency, country string,
) domain.ID {
	env.t.Helper()
	return env.submitContent(by, domain.NewID().String(), process, kind, amount, currency, country)
}

// submitContent is submitDeclared with the content of the file.
func (env *testEnv) submitContent(
	by domain.Actor, content, process, kind, amount, currency, country string,
) domain.ID {
	env.t.Helper()
	submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{
		Process: process, DocumentType: kind, Amount: amount, Currency: currency,
		Country: country, File: upload(content)})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

func (env *testEnv) correct(by domain.Actor, id domain.ID, pairs ...string) error {
	env.t.Helper()
	var fields []casework.FieldInput
	for i := 0; i < len(pairs); i += 2 {
		fields = append(fields, casework.FieldInput{Name: pairs[i], Value: pairs[i+1]})
	}
	_, err := env.svc.CorrectFields(env.ctx, by, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Fields: fields,
		Confirm: true})
	return err
}

// A remittance declared at 1 200 000 USD with an attachment of 717.97 EUR needs a reviewer whose
// limit covers what was declared, and a manager.
func TestDeclaredAmountCountsBesideTheDocument(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, sid, mia := env.person("sam", domain.RoleSubmitter),
		env.person("jan", domain.RoleL1), env.person("sid", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("717.97", "D-1")
	id := env.submitDeclared(sam, "cross_border_remittance", "remittance", "1200000", "USD", "DE")
	c := env.caseByID(id)
	if c.BaseMinor != 120000000 || c.Amount.String() != "717.97 EUR" ||
		c.AtRisk.String() != "1200000.00 USD" || !slices.Contains(c.DifferingFields, "total") {
		t.Fatalf("at risk %d (%s) beside %s, differing %v", c.BaseMinor, c.AtRisk, c.Amount,
			c.DifferingFields)
	}
	wantCode(t, env.claimAndDecide(jan, id, "review_l1", domain.Approve), domain.ApprovalLimit)
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	env.requireState(id, domain.InReview, "review_l2")
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	env.requireState(id, domain.Archived)
}

// A declared high-risk country goes to AML whatever the document says, and correcting it at L1 does
// not remove it.
func TestDeclaredCountryReachesAML(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, al := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.amlOfficer("al")
	env.reader.xml = invoiceXML("717.97", "D-2")
	id := env.submitDeclared(sam, "cross_border_remittance", "remittance", "717.97", "EUR", "IR")
	c := env.caseByID(id)
	if c.Country != "DE" || !slices.Equal(c.Countries(), []string{"DE", "IR"}) {
		t.Fatalf("countries %v, %s in force", c.Countries(), c.Country)
	}
	env.requireState(id, domain.InReview, "review_aml")
	finding := env.finding(id, "high_risk_country")
	if finding == nil || finding.Evidence["country"] != "IR" {
		t.Fatalf("the finding is %+v", finding)
	}
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldCountry, "DE"))
	if c := env.caseByID(id); !slices.Contains(c.Countries(), "IR") {
		t.Errorf("after a correction the countries are %v", c.Countries())
	}
}

// A page of 1.5 million that is declared as 100 needs someone with that limit, also after the total
// was cleared or corrected to the declared amount.
func TestClearedTotalStillCounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	for number, value := range map[string]string{"C-1": "", "C-2": "100.00"} {
		env.reader.xml = invoiceXML("1500000.00", number)
		id := env.submitDeclared(sam, "document_approval", "invoice", "100", "EUR", "")
		want := env.caseByID(id).BaseMinor
		if want != 165000000 {
			t.Fatalf("%d is at risk", want)
		}
		env.claim(mia, id)
		must(t, env.correct(mia, id, domain.FieldTotal, value))
		c := env.caseByID(id)
		review := env.openReview(id)
		if c.BaseMinor != want || review.BaseMinor != want {
			t.Errorf("after the total was set to %q, %d and %d are at risk", value, c.BaseMinor,
				review.BaseMinor)
		}
		env.verifyCaseLog(id)
	}
}

// A colleague who clears or changes the vendor does not end the conflict of a reviewer.
func TestConflictOutlivesTheName(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.person("joe", domain.RoleL1) // decides after ann has set a value of her own
	_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: ben.UserID, Party: "Muster Werke GmbH", Reason: "brother"})
	must(t, err)
	for _, value := range []string{"", "Andere Werke GmbH"} {
		env.reader.xml = invoiceXML("5000.00", documentNumber("V-"))
		id := env.submit(sam, domain.NewID().String())
		env.drainQueue()
		env.claim(ann, id)
		must(t, env.correct(ann, id, domain.FieldVendor, value))
		if review := env.openReview(id); review.Status == domain.ReviewClaimed {
			must(t, errOf(env.svc.ReleaseReview(env.ctx, ann,
				casework.ReviewTarget{ReviewID: review.ID})))
		}
		wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve),
			domain.ConflictOfInterest)
	}
}

// A total that the machine misread is corrected by one junior alone: both values lie within their
// limit, the page shows the new one, and the review is the same.
func TestMisreadTotalNeedsOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", "M-1",
		"158980.00"), "paid in advance 1,589.80")
	id := env.submit(sam, "misread")
	env.drainQueue()
	c := env.caseByID(id)
	if c.Amount.String() != "158980.00 EUR" {
		t.Fatalf("read %s", c.Amount)
	}
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldTotal, "1589.80"))
	c = env.caseByID(id)
	if c.BaseMinor != 174878 || len(c.DifferingFields) != 0 {
		t.Fatalf("%d is at risk, differing %v", c.BaseMinor, c.DifferingFields)
	}
	must(t, env.decide(jan, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// The same correction of a declared amount keeps the declared one at risk, and so does a value that
// the page does not show.
func TestStatementsAndInventedValuesNeedTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.person("joe", domain.RoleL1) // decides after jan has set a value of his own
	lines := append(invoiceLines("Hafen Logistik GmbH", "S-1", "158980.00"), "deposit 1,589.80")
	for name, row := range map[string]struct{ declared, set string }{
		"declared too":     {"158980", "1589.80"},
		"not on the page":  {"", "1234.56"},
		"total is cleared": {"", ""},
	} {
		env.reader.xml, env.reader.lines = nil, slices.Clone(lines)
		env.reader.lines[4] = "Invoice number: S-" + documentNumber("")
		currency := ""
		if row.declared != "" {
			currency = "EUR"
		}
		id := env.submitDeclared(sam, "document_approval", "invoice", row.declared, currency, "")
		env.claim(jan, id)
		must(t, env.correct(jan, id, domain.FieldTotal, row.set))
		if c := env.caseByID(id); c.BaseMinor != 17487800 {
			t.Errorf("%s: %d is at risk, differing %v", name, c.BaseMinor, c.DifferingFields)
		}
		env.verifyCaseLog(id)
	}
}

// Another number does not make a duplicate disappear.
func TestChangedNumberStillFindsTheDuplicate(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.reader.xml = invoiceXML("500.00", "N-1")
	env.submit(sam, "first")
	env.drainQueue()
	env.reader.xml = bytes.Replace(invoiceXML("500.00", "N-1"), []byte("500.00"), []byte("501.00"), 1)
	second := env.submit(sam, "second")
	env.drainQueue()
	if env.finding(second, "duplicate_number") == nil {
		t.Fatal("the duplicate is not found")
	}
	env.claim(jan, second)
	must(t, env.correct(jan, second, domain.FieldNumber, "N-2"))
	if env.finding(second, "duplicate_number") == nil {
		t.Error("another number hides the duplicate")
	}
}

// What one person may not resolve alone, a second one confirms; no one confirms their own value.
func TestSecondPersonConfirms(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", "P-1",
		"1589.80"), "Thank you")
	id := env.submitDeclared(sam, "document_approval", "invoice", "158980", "EUR", "")
	confirm := func(by domain.Actor, names ...string) error {
		_, err := env.svc.ConfirmFields(env.ctx, by, casework.ConfirmFields{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Names: names,
			Confirm: true})
		return err
	}
	env.claim(sid, id)
	for range 2 {
		must(t, confirm(sid, domain.FieldTotal, domain.FieldCurrency))
		if c := env.caseByID(id); c.BaseMinor != 17487800 {
			t.Fatalf("one person alone lowers the risk to %d", c.BaseMinor)
		}
	}
	must(t, errOf(env.svc.ReleaseReview(env.ctx, sid,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	env.claim(mia, id)
	must(t, confirm(mia, domain.FieldTotal, domain.FieldCurrency))
	if c := env.caseByID(id); c.BaseMinor != 174878 || len(c.DifferingFields) != 0 {
		t.Fatalf("two persons leave %d at risk, differing %v", c.BaseMinor, c.DifferingFields)
	}
	wantCode(t, confirm(mia, "unknown"), domain.InvalidInput)
	must(t, env.decide(mia, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// A reviewer who raised the amount above their limit cannot lower it again, not even as a second
// person.
func TestLimitCoversWhatIsResolved(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", "L-1",
		"1589.80"), "reference 900000.00")
	id := env.submit(sam, "limit")
	env.drainQueue()
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldTotal, "900000.00"))
	if c := env.caseByID(id); c.BaseMinor != 99000000 {
		t.Fatalf("%d is at risk", c.BaseMinor)
	}
	must(t, env.correct(jan, id, domain.FieldTotal, "1589.80"))
	if c := env.caseByID(id); c.BaseMinor != 99000000 || c.Amount.String() != "1589.80 EUR" {
		t.Errorf("%d is at risk beside %s", c.BaseMinor, c.Amount)
	}
	wantCode(t, env.decide(jan, env.openReview(id).ID, domain.Approve, ""), domain.ApprovalLimit)
}

// Contradictory countries go to the AML team first, though neither is risky.
func TestContradictoryCountriesGoToAML(t *testing.T) {
	t.Parallel()
	r := newRepairTeam(t)
	r.reader.lines = append(orderLines()[:5], "Total USD 150000.00", "IBAN "+einvoice.Account)
	id := r.submitDeclared(r.sam, "cross_border_remittance", "remittance", "150000", "USD", "US")
	if found := r.finding(id, "countries_differ"); found == nil {
		t.Fatal("the difference is not found")
	}
	r.requireState(id, domain.InReview, "review_aml")
	must(t, r.claimAndDecide(r.al, id, "review_aml", domain.Approve))
	r.requireState(id, domain.InReview, "review_l1")
	r.verifyCaseLog(id)
}
