package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// submitFile submits a file with the given lines on each page.
func (env *testEnv) submitFile(by domain.Actor, documentType string, pages ...[]string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.others = pages[1:]
	env.reader.mu.Unlock()
	id := env.submitPages(by, documentType, pages[0], nil)
	env.verifyCaseLog(id)
	return id
}

// Attack: a small invoice in front of a large one is decided like the large one. The number and the vendor
// of the second one count too, so that it is found as a duplicate and no one with a conflict decides it.
func TestSecondInvoiceOfAFileCounts(t *testing.T) {
	t.Parallel()
	for _, order := range [][2]string{{"120.00", "95000.00"}, {"95000.00", "120.00"}} {
		env := newTestEnv(t)
		sam := env.person("sam", domain.RoleSubmitter)
		env.submitRead(sam, invoiceLines("Beta Trading GmbH", "B-2002", order[1])...)
		id := env.submitTwo(sam, "document_approval", "", order[0], order[1])
		c := env.caseByID(id)
		if c.AtRisk.String() != "95000.00 EUR" && c.Amount.String() != "95000.00 EUR" {
			t.Errorf("%v: %s in force, %s at risk", order, c.Amount, c.AtRisk)
		}
		for _, field := range []string{domain.FieldVendor, domain.FieldNumber, domain.FieldTotal} {
			if !slices.Contains(c.DifferingFields, field) {
				t.Errorf("%v: %s is not doubted: %v", order, field, c.DifferingFields)
			}
		}
		if !slices.Contains(c.Numbers(), "A-1001") || !slices.Contains(c.Numbers(), "B-2002") {
			t.Errorf("%v: numbers %v", order, c.Numbers())
		}
		finding := env.finding(id, domain.RuleSeveralDocuments)
		if finding == nil || !strings.Contains(finding.Message, "A-1001 · "+order[0]+" EUR; B-2002 · "+order[1]) {
			t.Errorf("%v: %+v", order, finding)
		}
		if found := env.duplicatesOf(id); len(found) == 0 {
			t.Errorf("%v: the second invoice was submitted before: %v", order, env.findingRules(id))
		}
	}
}

// Attack: a further page states another total, with the number of the first page or none, as a page inside
// the document. The file does not pass, and the larger total counts, whatever the order of the pages.
func TestAnotherTotalOnAFurtherPageIsNotHidden(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam := env.person("sam", domain.RoleSubmitter)
	first := receiptLines("RM")
	for name, further := range map[string][]string{
		"no number":       {"Paper RM 9174.90", "Total RM 9174.90"},
		"inside":          {"GREEN HILL STATIONERY SDN BHD", "Page 2 of 2", "Total RM 9174.90"},
		"carried forward": {"Carried forward RM 174.90", "Total RM 9174.90"},
	} {
		for at, pages := range [][][]string{{first, further}, {further, first}, {{""}, first, further}} {
			id := env.submitFile(sam, "receipt", pages...)
			env.requireState(id, domain.InReview, "review_l1")
			c := env.caseByID(id)
			if c.Amount.String() != "9174.90 MYR" && c.AtRisk.String() != "9174.90 MYR" {
				t.Errorf("%s, order %d: %s in force, %s at risk", name, at, c.Amount, c.AtRisk)
			}
			if !slices.Contains(c.DifferingFields, domain.FieldTotal) &&
				env.finding(id, domain.RuleSeveralDocuments) == nil {
				t.Errorf("%s, order %d: nothing is doubted: %v", name, at, env.findingRules(id))
			}
		}
	}
}

// A further page of one document raises no doubt: one without a total, and one
// whose total is no amount of money.
func TestFurtherPagesOfOneDocumentPass(t *testing.T) {
	t.Parallel()
	for name, further := range map[string][]string{
		"no total":   {"GREEN HILL STATIONERY SDN BHD", "Thank you for your visit"},
		"time sheet": {"GREEN HILL STATIONERY SDN BHD", "Total hours 15.50"},
	} {
		env := newTestEnv(t)
		env.replaceRate("MYR", 240_000)
		sam := env.person("sam", domain.RoleSubmitter)
		id := env.submitFile(sam, "receipt", receiptLines("RM"), further)
		if c := env.caseByID(id); c.Status != domain.Archived {
			t.Errorf("%s: %s, differing %v, %v", name, c.Status, c.DifferingFields, env.findingRules(id))
		}
	}
}

// A document with two accounts, on one page or on two, leaves open which is paid: the account is doubted
// and both are values of its history. One account that is printed twice is not doubted.
func TestTwoAccountsAreDoubted(t *testing.T) {
	t.Parallel()
	const first, second = "DE89370400440532013000", "GB29NWBK60161331926819"
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := append(invoiceLines("Hafen Logistik GmbH", "N-1", "150.00"), "IBAN "+first)
	for name, pages := range map[string][][]string{
		"one page":  {append(slices.Clone(page), "IBAN "+second)},
		"two pages": {page, {"Our new account", "IBAN GB29 NWBK 6016 1331 9268 19"}},
	} {
		id := env.submitFile(sam, "invoice", pages...)
		env.requireState(id, domain.InReview, "review_l1")
		c := env.caseByID(id)
		if !slices.Contains(c.DifferingFields, domain.FieldIBAN) || env.finding(id, "values_differ") == nil ||
			!slices.Contains(c.Accounts, first) || !slices.Contains(c.Accounts, second) {
			t.Errorf("%s: differing %v, accounts %v, %v", name, c.DifferingFields, c.Accounts, env.findingRules(id))
		}
		if inForce := env.field(id, domain.FieldIBAN); inForce.Normalised != first {
			t.Errorf("%s: %+v", name, inForce)
		}
	}
	id := env.submitFile(sam, "invoice", page, []string{"Please pay to IBAN " + first})
	if c := env.caseByID(id); slices.Contains(c.DifferingFields, domain.FieldIBAN) {
		t.Errorf("one account: %v", c.DifferingFields)
	}
	// A reviewer who looked approves the document as it is. To settle on one account needs a second person,
	// as any other change of an account.
	env.person("lea", domain.RoleL1)
	for number, account := range map[string]string{"N-2": "", "N-3": first, "N-4": second} {
		id = env.submitFile(sam, "invoice", append(invoiceLines("Hafen Logistik GmbH", number, "15"+number[2:]+".00"),
			"IBAN "+first, "IBAN "+second))
		if account == "" {
			must(t, env.approve(jan, id, ""))
			env.requireState(id, domain.Archived)
			continue
		}
		env.claim(jan, id)
		must(t, env.correct(jan, id, domain.FieldIBAN, account))
		if why := env.pending(id, domain.FieldIBAN); why != "account" {
			t.Errorf("%s waits because of %q", account, why)
		}
	}
}
