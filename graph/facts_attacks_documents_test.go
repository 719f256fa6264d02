package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// attackPage submits a page with the lines and without an e-invoice.
func (w *testEnv) attackPage(declared map[string]any, lines ...string) attack {
	w.t.Helper()
	return w.attackOn(printedPage+"\n"+strings.Join(lines, "\n"), declared)
}

// findings returns the rules of the case's findings with their severities.
func (a attack) findings() map[string]string {
	a.t.Helper()
	found := map[string]string{}
	answer := a.mustExecute("mia", `query($id: ID!) { case(id: $id) { findings { rule severity } } }`,
		"id", a.id)
	for i := range answer.at("case", "findings").([]any) {
		found[answer.text("case", "findings", i, "rule")] = answer.text("case", "findings", i, "severity")
	}
	return found
}

// stoppedBy checks that the case waits for a reviewer because of the rule.
func (a attack) stoppedBy(rule string) {
	a.t.Helper()
	if found := a.findings(); found[rule] == "" || a.status() != "IN_REVIEW" {
		a.t.Errorf("the case is %s with %v, want the finding %s", a.status(), found, rule)
	}
}

// archived checks that the case was archived.
func (a attack) archived() {
	a.t.Helper()
	if a.status() != "ARCHIVED" {
		a.t.Errorf("the case is %s with %v", a.status(), a.findings())
	}
}

func receiptPage(currency string) []string {
	return []string{"GREEN HILL STATIONERY SDN BHD", "12 Jalan Besar", "TAX INVOICE",
		"Date: 14/10/2026 12:14", "Paper " + currency + "174.90", "Total " + currency + "174.90",
		"Cash " + currency + "200.00", "Change " + currency + "25.10"}
}

func asReceipt() map[string]any { return map[string]any{"documentType": "receipt"} }

// A receipt over 174.90 MYR that prints a dollar sign, or no currency, is not archived in another one.
// The same receipt with its currency passes.
func TestAttackAssumedCurrency(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	must(t, w.service.SeedRate(t.Context(), "MYR", 240_000))
	w.attackPage(asReceipt(), receiptPage("RM ")...).archived()
	for _, sign := range []string{"$", ""} {
		a := w.attackPage(asReceipt(), receiptPage(sign)...)
		a.stoppedBy("currency_assumed")
	}
}

// articlePage is a page of a scientific article with a company, a date and a total in a table.
func articlePage() []string {
	text := []string{"Soil moisture and the growth of young oaks",
		"Brandt Instruments Ltd, Forest Research, University of Elm", "Received 12 March 2026"}
	for at := range 12 {
		text = append(text, fmt.Sprintf("the samples of year %d were taken in three forests and then dried for "+
			"two days before they were weighed", at))
	}
	return append(text, "Mean moisture EUR 212.40", "Total EUR 212.40")
}

// formPage is a form that no person has filled in.
func formPage() []string {
	return []string{"Payment request", "Acme Services Ltd", "Date: ______", "Payee: ______",
		"Account: ______", "Total: ______", "Signature: ______"}
}

// A scientific article is archived neither as an invoice nor as a receipt.
func TestAttackArticle(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	for _, documentType := range []string{"invoice", "receipt"} {
		a := w.attackPage(map[string]any{"documentType": documentType}, articlePage()...)
		a.stoppedBy("document_type_mismatch")
		if severity := a.findings()["document_type_mismatch"]; severity != "BLOCKING" {
			t.Errorf("%s: the finding is %s", documentType, severity)
		}
	}
}

// An order is not paid on an article or a blank form as its evidence; a page of an order, a statement
// or a contract raises no such finding.
func TestAttackEvidenceOfAnOrder(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	payee := "Brandt Instruments Ltd"
	for at, row := range []struct {
		lines    []string
		mismatch bool
	}{
		{articlePage(), true}, {formPage(), true},
		{[]string{"Purchase order", payee, "Nails EUR 212.40", "Total EUR 212.40"}, false},
		{[]string{"Statement of account", payee, "12 March 2026", "Balance EUR 212.40"}, false},
		{[]string{"Service agreement", "between " + payee + " and Kunde AG", "12 March 2026",
			"The fee is EUR 212.40"}, false},
		{[]string{"PRO FORMA INVOICE", payee, "Total EUR 212.40"}, false},
		{[]string{payee, "12 March 2026", "Rent EUR 212.40"}, false},
	} {
		in := order("212.40", fmt.Sprint("P-", at))
		in["payee"] = payee
		a := attack{w, w.mustOrder("sam", printedPage+"\n"+strings.Join(row.lines, "\n"), in)}
		if got := a.findings()["document_type_mismatch"] == "BLOCKING"; got != row.mismatch {
			t.Errorf("%q: %v, want %v; %v", row.lines[0], got, row.mismatch, a.findings())
		}
		if !row.mismatch {
			continue
		}
		claim(w, "ann", w.openReviewOf(a.id))
		if code := w.decideOrder("ann", a.id, "APPROVE", "").text("done", "userErrors", 0,
			"code"); code == "" || a.status() == "ARCHIVED" {
			t.Errorf("%q: approved without a reason: %s", row.lines[0], a.status())
		}
	}
}

// Six invoices of 990 USD by one counterparty within a minute: the first passes, the others wait.
func TestAttackSixInvoicesBelowTheMark(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	w.knowSeller()
	for at := range 6 {
		a := w.attackOn(fmt.Sprintf("900.00\n\n%sINV-%d00%d", numbered, at, at), map[string]any{})
		if at == 0 {
			a.archived()
			continue
		}
		a.stoppedBy("split_small")
	}
}

// misreadPage is an invoice over 1,589.80 whose total was read as 158,980.
func misreadPage(number string) []string {
	return []string{"Hafen Logistik GmbH", "Hafenstr. 1", "20457 Hamburg", "INVOICE",
		"Invoice number: " + number, "Invoice date: 2026-11-02", "Service 1 158980.00",
		"Total EUR 158980.00", "paid in advance 1,589.80"}
}

// A misread total takes one junior three actions: claim, correct, approve. The same change of a
// declared amount lowers nothing until a second person confirms it.
func TestMisreadTotalAtTheAPI(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	a := w.attackPage(map[string]any{}, misreadPage("M-1")...)
	a.sets("jan", "L1", domain.FieldTotal, "1589.80")
	if at := a.atRisk(); at != 174878 {
		t.Fatalf("%d is at risk", at)
	}
	a.wants("jan", "L1", "")
	a.archived()
	b := w.attackPage(map[string]any{"amount": map[string]any{"amount": "158980", "currency": "EUR"}},
		misreadPage("M-2")...)
	for _, row := range []struct {
		by   string
		risk int64
	}{{"jan", 17487800}, {"sid", 174878}} {
		b.sets(row.by, "L1", domain.FieldTotal, "1589.80")
		if at := b.atRisk(); at != row.risk {
			t.Errorf("after %s: %d is at risk, want %d", row.by, at, row.risk)
		}
		b.releases(row.by, "L1")
	}
}

// atRisk returns the amount at risk in the base currency.
func (a attack) atRisk() int64 {
	a.t.Helper()
	c, err := a.db.Reader().Case(a.t.Context(), caseIDOf(a.t, a.id))
	must(a.t, err)
	return c.BaseMinor
}

func (a attack) releases(by, queue string) {
	a.t.Helper()
	review, _ := a.waitsIn(by, queue)
	a.mustExecute(by, `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) { userErrors {
		... on Refusal { code } } } }`, "id", review)
}

// A reviewer who set the country to IR and then back to DE does not keep AML from deciding.
func TestAttackCountryAndBack(t *testing.T) {
	t.Parallel()
	a := newAttackEnv(t).attackOn("150000.00", remittanceOf("", "", "DE"))
	a.sets("jan", "L1", domain.FieldCountry, "IR")
	a.sets("jan", "L1", domain.FieldCountry, "DE")
	a.wants("jan", "L1", "")
	a.waitsInAML()
}

// The name of a person and a street are no countries.
func TestNamesOfPeopleAndStreetsAtTheAPI(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	page := append([]string{"Smith Trading Inc", "12 Georgia Ave", "Attn: Jordan Smith, Georgia Ave"},
		misreadPage("J-1")[3:]...)
	a := w.attackPage(remittanceOf("", "", "US"), page...)
	seen := a.mustExecute("mia", caseOnItsWay, "id", a.id)
	if queue := seen.text("case", "openReview", "queue"); queue != "L1" || fmt.Sprint(
		seen.at("case", "countries")) != "[US]" {
		t.Errorf("the case is %s in %q, countries %v", a.status(), queue, seen.at("case", "countries"))
	}
}

// A country that is listed after the approval and before the release stops the case for AML.
func TestCountryListedBeforeReleaseAtTheAPI(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	w.person("ada", domain.RoleAdmin)
	a := w.attackOn("150000.00", remittanceOf("", "", "DE"))
	review, _ := a.waitsIn("sid", "L1")
	claim(w, "sid", review)
	if code := decide(w, "sid", review, "", "APPROVE", "seen").text("decideReview", "userErrors", 0,
		"code"); code != "" || a.status() != "APPROVED" {
		t.Fatalf("the case is %s, %s", a.status(), code)
	}
	listed := w.mustExecute("ada", `mutation { setCountryRisks(input: {reason: "sanctions",
		countries: [{country: "DE", level: HIGH}]}) { results { applied } } }`)
	if listed.at("setCountryRisks", "results", 0, "applied") != true {
		t.Fatalf("listed %+v", listed.Data)
	}
	_, err := w.service.ReevaluateCases(t.Context())
	must(t, err)
	w.runPending()
	a.waitsInAML()
}

// Ten equal parking receipts of a day pass; the same one again does not.
func TestParkingReceiptsAtTheAPI(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	receipt := func(number, at string) []string {
		return []string{"Parkhaus Mitte GmbH", "RECEIPT", "Receipt No: " + number,
			"Date: 2026-11-02 " + at, "Parking EUR 4.00", "Total EUR 4.00", "Cash EUR 5.00",
			"Change EUR 1.00"}
	}
	for i := range 10 {
		w.attackPage(asReceipt(), receipt(fmt.Sprintf("PK%05d", 71100+i),
			fmt.Sprintf("%02d:15", 8+i))...).archived()
	}
	w.attackPage(asReceipt(), receipt("PK71103", "11:15")...).stoppedBy("duplicate_number")
}

// Monthly rent below the mark passes each month.
func TestMonthlyRentAtTheAPI(t *testing.T) {
	t.Parallel()
	w := newAttackEnv(t)
	w.knowSeller()
	for month := range 3 {
		w.attackOn(fmt.Sprintf("900.00\n\n%sRENT-%02d", numbered, month), map[string]any{}).archived()
		w.turnClock(time.Duration(month+1) * 28 * 24 * time.Hour)
	}
}

// What follows an invoice: its credit note and the invoice of a pro-forma are no duplicates, its
// reminder is one, and what was rejected names the earlier case.
func TestFollowersOfAnInvoiceAtTheAPI(t *testing.T) {
	t.Parallel()
	page := func(title, number, total string) []string {
		return []string{"Hafen Logistik GmbH", "Hafenstr. 1", "20457 Hamburg", title,
			"Invoice number: " + number, "Invoice date: 2026-11-02", "Service 1 " + total,
			"Total EUR " + total}
	}
	first := page("INVOICE", "INV-47110", "1200.00")
	duplicates := []string{"duplicate_number", "duplicate_bytes", "duplicate_similar_number",
		"duplicate_content", "duplicate_image"}
	for name, row := range map[string]struct {
		first, second []string
		rejected      bool
		rule          string // of the second, "" if none is needed
		duplicate     bool
	}{
		"credit note":   {first, page("CREDIT NOTE", "INV-47112", "-1200.00"), false, "", false},
		"pro-forma":     {page("PRO FORMA INVOICE", "INV-47110", "1200.00"), first, false, "linked_document", false},
		"reminder":      {first, append([]string{"REMINDER"}, first...), false, "duplicate_number", true},
		"rejected once": {first, first, true, "rejected_before", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newAttackEnv(t)
			one := w.attackPage(map[string]any{}, row.first...)
			if row.rejected {
				review, _ := one.waitsIn("jan", "L1")
				claim(w, "jan", review)
				decide(w, "jan", review, "", "REJECT", "Not ordered.")
				w.runPending()
			}
			two := w.attackPage(map[string]any{}, row.second...)
			if row.rule != "" {
				two.stoppedBy(row.rule)
			}
			found := two.findings()
			if got := slices.ContainsFunc(duplicates,
				func(rule string) bool { return found[rule] != "" }); got != row.duplicate {
				t.Errorf("the second has %v", found)
			}
		})
	}
}
