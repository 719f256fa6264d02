package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// submitRead submits a document without an e-invoice whose lines OCR reads.
func (env *testEnv) submitRead(by domain.Actor, lines ...string) domain.ID {
	env.t.Helper()
	env.reader.xml, env.reader.lines = nil, lines
	id := env.submit(by, domain.NewID().String())
	env.drainQueue()
	return id
}

// pending returns why a person's assertion of a field waits for a second person, "" if it resolves.
func (env *testEnv) pending(id domain.ID, field string) string {
	env.t.Helper()
	assertion := env.lastAsserted(id, field)
	if assertion.Resolves != (assertion.Pending == "") {
		env.t.Errorf("%+v", assertion)
	}
	return assertion.Pending
}

// lastAsserted returns the last assertion of a person of a field.
func (env *testEnv) lastAsserted(id domain.ID, field string) domain.Assertion {
	env.t.Helper()
	sets, err := env.db.Reader().Assertions(env.ctx, id)
	must(env.t, err)
	for _, set := range slices.Backward(sets) {
		for _, assertion := range set.Assertions {
			if set.Source == domain.SourceHuman && assertion.Field == field {
				return assertion
			}
		}
	}
	env.t.Fatalf("no one asserted %s", field)
	return domain.Assertion{}
}

// A duplicate that is found by an earlier number names that number, and not the one in force, which the other
// case does not have.
func TestDuplicateByAnEarlierNumberNamesIt(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	const vendor = "Hafen Logistik GmbH"
	first := env.caseByID(env.submitRead(sam, invoiceLines(vendor, "N-1", "500.00")...)).Reference
	second := env.caseByID(env.submitRead(sam, invoiceLines(vendor, "R-2231", "700.00")...)).Reference
	id := env.submitRead(sam, append(invoiceLines(vendor, "N-1", "501.00"), "see N-7 and R-2231")...)
	want := func(when, number, earlier, cases string) {
		t.Helper()
		found := env.finding(id, "duplicate_number")
		if found == nil {
			t.Fatalf("%s: the duplicate is not found", when)
		}
		if found.Evidence["number"] != number || found.Evidence["earlier_number"] != earlier ||
			found.Evidence["cases"] != cases {
			t.Errorf("%s: %v", when, found.Evidence)
		}
	}
	want("as read", "N-1", "", first)
	env.claim(jan, id)
	for range 2 {
		must(t, env.correct(jan, id, domain.FieldNumber, "N-7"))
		want("corrected to a free number", "N-1", "N-1", first)
	}
	must(t, env.correct(jan, id, domain.FieldNumber, "R-2231"))
	want("corrected to the number of another case", "N-1, R-2231", "N-1",
		first+","+second)
}

// A number or a name that a machine read is not corrected by one person alone to another one of the
// page if that hides a duplicate. A second person can confirm it.
func TestCorrectedReadingStillFindsTheDuplicate(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1)
	const vendor, other = "Hafen Logistik GmbH", "Alster Werke GmbH"
	env.submitRead(sam, invoiceLines(vendor, "N-1", "500.00")...)
	for name, row := range map[string][]string{
		"number":            {domain.FieldNumber, "N-2"},
		"name":              {domain.FieldVendor, other},
		"both":              {domain.FieldNumber, "N-2", domain.FieldVendor, other},
		"both, other order": {domain.FieldVendor, other, domain.FieldNumber, "N-2"},
	} {
		env.reader.vendorConfidence = 0.5
		id := env.submitRead(sam, append(invoiceLines(vendor, "N-1", "501.00"), "see N-2",
			other)...)
		env.reader.vendorConfidence = 0
		if env.finding(id, "duplicate_number") == nil {
			t.Fatalf("%s: the duplicate is not found", name)
		}
		env.claim(jan, id)
		must(t, env.correct(jan, id, row...))
		if env.finding(id, "duplicate_number") == nil {
			t.Errorf("%s: one person hides the duplicate", name)
		}
		for i := 0; i < len(row); i += 2 {
			if got := env.pending(id, row[i]); got != "rules_easier" {
				t.Errorf("%s: %s waits because of %q", name, row[i], got)
			}
		}
		must(t, errOf(env.svc.ReleaseReview(env.ctx, jan,
			casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
		env.claim(joe, id)
		must(t, env.correct(joe, id, row...))
		if env.finding(id, "duplicate_number") != nil {
			t.Errorf("%s: two persons cannot correct it", name)
		}
		env.verifyCaseLog(id)
		must(t, env.decide(joe, env.openReview(id).ID, domain.Reject, "tested"))
		env.drainQueue()
	}
}

// A misread number that hides nothing is corrected by one person.
func TestMisreadNumberNeedsOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH", "N-1", "15000.00"), "see N-2",
		"printed on 2026-11-03")...)
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldNumber, "N-2", domain.FieldDate, "2026-11-03"))
	for _, field := range []string{domain.FieldNumber, domain.FieldDate} {
		if why := env.pending(id, field); why != "" {
			t.Errorf("%s waits because of %q", field, why)
		}
	}
	must(t, env.correct(jan, id, domain.FieldDate, "2026-11-04")) // not printed
	if c := env.caseByID(id); !slices.Equal(c.DifferingFields, []string{domain.FieldDate}) {
		t.Errorf("differing fields %v", c.DifferingFields)
	}
	env.verifyCaseLog(id)
}

// A reviewer who mistypes a value corrects it without a second person. What that value found is not
// hidden in this way.
func TestMistypedValueNeedsOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	const vendor = "Hafen Logistik GmbH"
	env.submitRead(sam, invoiceLines(vendor, "N-1", "500.00")...)
	id := env.submitRead(sam, append(invoiceLines(vendor, "N-4", "15000.00"), "see N-2 and N-3, not N-1",
		"printed on 2026-11-03")...)
	env.claim(jan, id)
	for _, typed := range [][2]string{{domain.FieldNumber, "N-3"}, {domain.FieldNumber, "N-2"},
		{domain.FieldDate, "2027-11-03"}, {domain.FieldDate, "2026-11-03"}} {
		must(t, env.correct(jan, id, typed[0], typed[1]))
		if typed[1] == "2027-11-03" {
			continue // it is not printed
		}
		if why := env.pending(id, typed[0]); why != "" {
			t.Errorf("%s waits because of %q", typed[1], why)
		}
	}
	if found := env.finding(id, "date_future"); found != nil {
		t.Errorf("the mistyped date is still reported: %s", found.Message)
	}
	must(t, env.correct(jan, id, domain.FieldNumber, "N-1"))
	if env.finding(id, "duplicate_number") == nil {
		t.Fatal("the duplicate is not found")
	}
	must(t, env.correct(jan, id, domain.FieldNumber, "N-2"))
	if env.finding(id, "duplicate_number") == nil {
		t.Error("the reviewer hides the duplicate alone")
	}
	env.verifyCaseLog(id)
}

// An amount that the page does not show needs a second person, also if the reviewer corrects first to one
// that it does: without their own value, the amount read from the page would count.
func TestAmountNotOnThePageAfterAnOwnOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.person("joe", domain.RoleL1) // could confirm
	id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH", "N-1", "15000.00"),
		"or 12000.00")...)
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldTotal, "12000.00"))
	corrected := env.caseByID(id)
	if why := env.pending(id, domain.FieldTotal); why != "" {
		t.Fatalf("the amount on the page waits because of %q", why)
	}
	must(t, env.correct(jan, id, domain.FieldTotal, "2000.00"))
	if why := env.pending(id, domain.FieldTotal); why != "statement" {
		t.Errorf("the invented amount waits because of %q", why)
	}
	if c := env.caseByID(id); c.BaseMinor != corrected.BaseMinor {
		t.Errorf("%d is at risk, was %d", c.BaseMinor, corrected.BaseMinor)
	}
	env.verifyCaseLog(id)
}

// A doubtful name that excludes a reviewer is not corrected by one person alone, even if that person
// is not the excluded one.
func TestCorrectedNameKeepsTheConflict(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe, ben := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1), env.person("ben", domain.RoleL1)
	const vendor, other = "Hafen Logistik GmbH", "Alster Werke GmbH"
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: ben.UserID, Party: vendor, Reason: "brother"})))
	env.reader.vendorConfidence = 0.5
	id := env.submitRead(sam, append(invoiceLines(vendor, "V-1", "15000.00"), other)...)
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldVendor, other))
	if why := env.pending(id, domain.FieldVendor); why != "counterparty" {
		t.Errorf("it waits because of %q", why)
	}
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jan,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
	env.claim(joe, id)
	must(t, env.correct(joe, id, domain.FieldVendor, other))
	must(t, errOf(env.svc.ReleaseReview(env.ctx, joe,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
	must(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve))
	env.verifyCaseLog(id)
}

// A name with a misread letter is corrected by one reviewer, who also decides. Both names count after
// that: the misread one still finds the duplicate and the conflict, so that a reviewer who changes a
// letter of a name hides nothing.
func TestMisreadNameCountsBesideTheCorrected(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, ben := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.person("joe", domain.RoleL1)
	const read, changed = "Hafen Logistik GmbH", "Hafen Logist1k GmbH"
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: ben.UserID, Party: read, Reason: "brother"})))
	first := env.submitRead(sam, invoiceLines(read, "V-4711", "15000.00")...)
	env.claim(jan, first)
	must(t, env.correct(jan, first, domain.FieldVendor, changed))
	c := env.caseByID(first)
	if c.Counterparty != changed || !slices.Contains(c.DifferingFields, domain.FieldVendor) {
		t.Errorf("%s, differing %v", c.Counterparty, c.DifferingFields)
	}
	wantCode(t, env.claimAndDecide(ben, first, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
	must(t, env.decide(jan, env.openReview(first).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(first, domain.Archived)
	second := env.submitLines(sam, "invoice", invoicePage(read, "V-4711", "2026-11-02", "15000.00")...)
	if found := env.duplicatesOf(second); len(found) == 0 {
		t.Error("the changed letter hides the duplicate")
	}
	// A name that the page does not nearly show is another payee.
	env.claim(jan, second)
	wantCode(t, env.correctUnconfirmed(jan, second, domain.FieldVendor, "Alster Werke GmbH"),
		domain.ConfirmationNeeded)
	env.verifyCaseLog(first)
}

// A name that the machine read without certainty is replaced by one person even if the page does not
// nearly show the new one. Both names count, so the person hides neither a conflict nor a duplicate,
// and a reviewer who then replaces the person's name needs a second person.
func TestDoubtfulNameCountsBesideTheEnteredOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, ben := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	joe := env.person("joe", domain.RoleL1)
	const read, entered = "Alster Werke GmbH", "Hafen Logistik GmbH"
	for _, party := range []string{read, entered} {
		must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(),
			casework.DeclareConflict{Person: ben.UserID, Party: party, Reason: "brother"})))
	}
	env.reader.vendorConfidence = 0.3
	first := env.submitRead(sam, invoiceLines(read, "D-4711", "15000.00")...)
	env.claim(jan, first)
	must(t, env.correct(jan, first, domain.FieldVendor, entered))
	c := env.caseByID(first)
	if c.Counterparty != entered || !slices.Contains(c.DifferingFields, domain.FieldVendor) {
		t.Errorf("%s, differing %v", c.Counterparty, c.DifferingFields)
	}
	wantCode(t, env.claimAndDecide(ben, first, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jan,
		casework.ReviewTarget{ReviewID: env.openReview(first).ID})))
	env.claim(joe, first)
	wantCode(t, env.correctUnconfirmed(joe, first, domain.FieldVendor, "Elbe Handel AG"),
		domain.ConfirmationNeeded)
	must(t, env.decide(joe, env.openReview(first).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(first, domain.Archived)
	for _, vendor := range []string{read, entered} {
		again := env.submitLines(sam, "invoice",
			invoicePage(vendor, "D-4711", "2026-11-02", "15000.00")...)
		if len(env.duplicatesOf(again)) == 0 {
			t.Errorf("no duplicate of %s", vendor)
		}
	}
	env.verifyCaseLog(first)
}

// Neither clearing a doubtful name nor replacing one that would still find a duplicate of another
// case makes a finding disappear.
func TestDoubtfulNameKeepsItsFindings(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.person("joe", domain.RoleL1)
	const read = "Alster Werke GmbH"
	env.submitRead(sam, invoiceLines(read, "D-4712", "15000.00")...)
	env.reader.vendorConfidence = 0.3
	second := env.submitRead(sam, append(invoiceLines(read, "D-4712", "15000.00"), "copy")...)
	if len(env.duplicatesOf(second)) == 0 {
		t.Fatal("the copy is no duplicate")
	}
	env.claim(jan, second)
	must(t, env.correct(jan, second, domain.FieldVendor, "Hafen Logistik GmbH"))
	if entered := env.lastAsserted(second, domain.FieldVendor); entered.Pending != "" ||
		entered.Resolves || len(env.duplicatesOf(second)) == 0 {
		t.Errorf("the entered name waits or hides the duplicate: %+v", entered)
	}
	must(t, env.correct(jan, second, domain.FieldVendor, ""))
	if why := env.pending(second, domain.FieldVendor); why == "" || len(env.duplicatesOf(second)) == 0 {
		t.Error("the removed name needs no second person or hides the duplicate")
	}
	env.verifyCaseLog(second)
}

// correctUnconfirmed corrects a field without confirming the consequence.
func (env *testEnv) correctUnconfirmed(by domain.Actor, id domain.ID, field, value string) error {
	env.t.Helper()
	return errOf(env.svc.CorrectFields(env.ctx, by, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
		Fields:       []casework.FieldInput{{Name: field, Value: value}}}))
}

// The order of the fields of a request does not matter, and no field is entered twice.
func TestOrderOfCorrectionsDoesNotMatter(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, joe := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("joe", domain.RoleL1)
	var want domain.Case
	for i, pairs := range [][]string{
		{domain.FieldTotal, "1234.56", domain.FieldCurrency, "USD"},
		{domain.FieldCurrency, "USD", domain.FieldTotal, "1234.56"}} {
		id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH",
			documentNumber("O-"), "158980.00"), "paid in USD")...)
		env.claim(jan, id)
		must(t, env.correct(jan, id, pairs...))
		c := env.caseByID(id)
		if why := env.pending(id, domain.FieldCurrency); c.BaseMinor != 17487800 ||
			why != "not_on_page" || env.pending(id, domain.FieldTotal) != why {
			t.Errorf("%v: %d is at risk, the currency waits because of %q", pairs, c.BaseMinor, why)
		}
		if i > 0 && (c.Amount != want.Amount || c.AtRisk != want.AtRisk ||
			!slices.Equal(c.DifferingFields, want.DifferingFields)) {
			t.Errorf("%+v, in the other order %+v", c, want)
		}
		want = c
		env.claim(joe, id)
		wantCode(t, env.correct(joe, id, domain.FieldTotal, "1.00", domain.FieldTotal, "2.00"),
			domain.InvalidInput)
		env.verifyCaseLog(id)
	}
}

// What was asserted about a case from before assertions were stored still counts after a second
// correction.
func TestOldCaseKeepsItsAssertions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH", "A-1", "1589.80")
	id := env.submitDeclared(sam, "document_approval", "invoice", "158980", "EUR", "")
	_, err := env.owner.Exec(env.ctx, `DELETE FROM assertions WHERE case_id = $1`, id)
	must(t, err)
	env.claim(jan, id)
	for _, pairs := range [][]string{{domain.FieldNumber, "A-2"}, {domain.FieldTotal, "1589.80"},
		{domain.FieldNumber, "A-3"}} {
		must(t, env.correct(jan, id, pairs...))
		if c := env.caseByID(id); c.BaseMinor != 17487800 || !slices.Contains(c.Numbers(), "A-1") {
			t.Errorf("after %v, %d and %v are at risk", pairs, c.BaseMinor, c.Numbers())
		}
	}
	env.verifyCaseLog(id)
}
