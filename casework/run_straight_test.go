package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// submitPages submits a document whose page has the lines, as the engine or a text layer states
// them.
func (env *testEnv) submitPages(
	by domain.Actor, documentType string, lines []string, change func(*domain.Page),
) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines, env.reader.change = nil, lines, change
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{
		Process: "document_approval", DocumentType: documentType,
		File: upload(domain.NewID().String())})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

// receiptLines is a receipt that is read surely: the payment confirms the total.
func receiptLines(currency string) []string {
	return []string{"GREEN HILL STATIONERY SDN BHD", "12 Jalan Besar", "TAX INVOICE",
		"Date: 14/10/2026 12:14", "Paper " + currency + " 174.90", "Total " + currency + " 174.90",
		"Cash " + currency + " 200.00", "Change " + currency + " 25.10"}
}

// A receipt of a new vendor that is read surely passes; one doubt about a key field and a person
// looks at it.
func TestReceiptsPassOnlyOnSureGround(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam := env.person("sam", domain.RoleSubmitter)
	confidence := func(word string, value float64) func(*domain.Page) {
		return func(page *domain.Page) {
			for i := range page.Words {
				if page.Words[i].Text == word {
					page.Words[i].Confidence = value
				}
			}
		}
	}
	without := func(part string) []string {
		return slices.DeleteFunc(receiptLines("RM"),
			func(line string) bool { return strings.Contains(line, part) })
	}
	misread := receiptLines("RM")
	misread[5] = "Total RM 114.90"
	// First, because the others are about the same purchase.
	env.requireState(env.submitPages(sam, "receipt", receiptLines("RM"), nil), domain.Archived)
	for name, row := range map[string]struct {
		lines  []string
		change func(*domain.Page)
		rule   string
	}{
		"a sign of many dollars": {receiptLines("$"), nil, "currency_assumed"},
		"no currency at all":     {receiptLines(""), nil, "currency_assumed"},
		"confidence 0":           {receiptLines("RM"), confidence("14/10/2026", 0), "low_confidence"},
		"a doubtful name":        {receiptLines("RM"), confidence("HILL", 0.4), "low_confidence"},
		"a misread total":        {misread, nil, "low_confidence"},
		"an unconfirmed total":   {slices.Delete(receiptLines("RM")[:6], 4, 5), nil, "low_confidence"},
		"no date":                {without("Date"), nil, "required_missing"},
		"an invoice to be paid": {append(receiptLines("RM"), "Due date: 30/11/2026",
			"IBAN DE89 3704 0044 0532 0130 00"), nil, "document_type_mismatch"},
	} {
		id := env.submitPages(sam, "receipt", row.lines, row.change)
		c := env.caseByID(id)
		if c.Status != domain.InReview || !slices.Contains(env.findingRules(id), row.rule) {
			t.Errorf("%s: %s, found %v", name, c.Status, env.findingRules(id))
		}
	}
}

// findingRules returns the rules of the case's findings.
func (env *testEnv) findingRules(id domain.ID) []string {
	env.t.Helper()
	rows, err := env.db.Reader().Findings(env.ctx, id)
	must(env.t, err)
	names := make([]string, 0, len(rows))
	for _, row := range rows {
		names = append(names, row.Rule)
	}
	return names
}

// A dollar sign on a Malaysian receipt is not archived as USD.
func TestAssumedCurrencyIsNotArchived(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.submitPages(sam, "receipt", []string{"THREE HILLS ENTERPRISE", "RECEIPT",
		"Date: 14/10/2026 12:14", "Dinner $174.90", "Total $174.90", "Cash $200.00",
		"Change $25.10"}, nil)
	env.requireState(id, domain.InReview, "review_l1")
	if c := env.caseByID(id); c.Amount.String() != "174.90 USD" ||
		!slices.Contains(env.findingRules(id), "low_confidence") {
		t.Errorf("%s with %v", c.Amount, env.findingRules(id))
	}
}

// articleLines is a page of a scientific article with a table.
func articleLines() []string {
	return []string{"Soil moisture and the growth of young oaks",
		"Brandt Instruments Ltd, Forest Research, University of Elm",
		"Received 12 March 2026",
		"the samples were taken in three forests over a period of four years and then dried",
		"for two days before they were weighed, which is the usual method in this field, and",
		"the results were compared with those of an earlier study that had used other depths",
		"in each forest we placed twelve probes at a depth of ten to forty centimetres, and",
		"their values were read once a day by a recorder that also kept the air temperature",
		"the differences between the depths are small in spring but grow during the summer",
		"when the upper layers dry out and the roots take most of their water from below, as",
		"others have shown before for beech and for pine, although not at the same sites and",
		"with fewer probes, so that we cannot say whether the effect is the same for all trees",
		"of the same age, but the trend is clear and is found in every year of the series",
		"we conclude that young oaks depend on the deeper layers much earlier than assumed",
		"Mean moisture EUR 212.40", "Total EUR 212.40"}
}

// A scientific article is not archived as an invoice or receipt, though it has an amount, a date and
// a company.
func TestArticleIsNoInvoice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for _, documentType := range []string{"invoice", "receipt"} {
		id := env.submitPages(sam, documentType, articleLines(), nil)
		env.requireState(id, domain.InReview, "review_l1")
		finding := env.finding(id, "document_type_mismatch")
		if finding == nil || finding.Severity != domain.SeverityBlocking {
			t.Errorf("%s: found %v", documentType, env.findingRules(id))
		}
	}
}

// The label of a total in a text layer can be chosen wrongly although every letter is certain.
func TestTextLayerTotalWithADoubtfulLabel(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.approvedBefore("Muster Werke GmbH", "invoice", "")
	sam := env.person("sam", domain.RoleSubmitter)
	asText := func(page *domain.Page) {
		page.Source = domain.SourceText
		for i := range page.Words {
			page.Words[i].Confidence = 1
		}
	}
	top := []string{"Muster Werke GmbH", "INVOICE", "Invoice number: T-1",
		"Invoice date: 2026-10-14"}
	clear := env.submitPages(sam, "invoice", append(top, "Total EUR 120.00"), asText)
	env.requireState(clear, domain.Archived)
	top[2] = "Invoice number: T-2"
	doubtful := env.submitPages(sam, "invoice", append(top, "Packaging EUR 12.00",
		"EUR 980.00"), asText)
	env.requireState(doubtful, domain.InReview, "review_l1")
	if finding := env.finding(doubtful, "low_confidence"); finding == nil {
		t.Errorf("found %v", env.findingRules(doubtful))
	}
}

// The evidence of an approval names the fields that a machine read with low confidence and that no person
// has confirmed or corrected.
func TestEvidenceNamesUncheckedFields(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleL1)
	env.reader.vendorConfidence = 0.4
	submit := func(number string) domain.ID {
		return env.submitLines(sam, "invoice", invoicePage("Muster Werke GmbH", number, "2026-11-02", "120.00")...)
	}
	approve := func(id domain.ID) []string {
		must(t, env.decide(kim, env.openReview(id).ID, domain.Approve, "compared with the order"))
		decisions, err := env.db.Reader().Decisions(env.ctx, id)
		must(t, err)
		return decisions[len(decisions)-1].Evidence.Unchecked
	}
	unchecked, checked := submit("U-10"), submit("W-7755")
	env.claim(kim, unchecked)
	env.claim(kim, checked)
	must(t, env.correct(kim, checked, domain.FieldVendor, "Muster Werke GmbH"))
	if got := approve(unchecked); !slices.Contains(got, domain.FieldVendor) || slices.Contains(got, domain.FieldNumber) {
		t.Errorf("approved with %v unchecked", got)
	}
	if got := approve(checked); slices.Contains(got, domain.FieldVendor) {
		t.Errorf("after the vendor was confirmed: %v", got)
	}
}

// Values of an e-invoice that its page does not show are seen by a person.
func TestEInvoiceDiffersFromItsPage(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120.00", "P-1")
	env.reader.lines = printedInvoice(invoiceXML("990.00", "P-1"))
	id := env.submit(sam, "differs")
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	finding := env.finding(id, "xml_not_printed")
	if finding == nil || finding.Evidence["fields"] != domain.FieldTotal {
		t.Fatalf("found %v", env.findingRules(id))
	}
	env.reader.lines = []string{} // an image that was not recognised
	env.reader.xml = invoiceXML("120.00", "P-2")
	id = env.submit(sam, "no words")
	env.drainQueue()
	if finding := env.finding(id, "xml_not_printed"); finding == nil {
		t.Errorf("found %v", env.findingRules(id))
	}
}

// The first invoice of a counterparty waits for a person, the second with the same account passes,
// and one with another account waits. A receipt does not make a counterparty or account known.
func TestFirstUseOfCounterpartyAndAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.approvedBefore("Muster Werke GmbH", "receipt", "DE89370400440532013000")
	submit := func(xml []byte) domain.ID {
		env.reader.xml, env.reader.lines = xml, nil
		id := env.submit(sam, string(xml))
		env.drainQueue()
		return id
	}
	first := submit(invoiceXML("454.50", "F-1"))
	env.requireState(first, domain.InReview, "review_l1")
	if found := env.findingRules(first); !slices.Contains(found, "new_vendor") ||
		!slices.Contains(found, "new_account") {
		t.Errorf("found %v", found)
	}
	must(t, env.claimAndDecide(jan, first, "review_l1", domain.Approve))
	env.requireState(first, domain.Archived)
	second := submit(invoiceXML("120.00", "F-2"))
	env.requireState(second, domain.Archived)
	other := strings.ReplaceAll(string(invoiceXML("120.00", "F-3")), "DE89370400440532013000",
		"DE02120300000000202051")
	third := submit([]byte(other))
	env.requireState(third, domain.InReview, "review_l1")
	if found := env.findingRules(third); !slices.Contains(found, "account_changed") {
		t.Errorf("found %v", found)
	}
}
