package rules

import (
	"slices"

	"countersign/domain"
)

// Rule is one line of the table: its stable id (the page translates by it), when it runs and what it weighs.
type Rule struct {
	ID       string
	Phase    Phase
	Severity domain.Severity
	Points   int // added to the risk score, 0..100
	// Skips are the document types the rule is not asked for.
	Skips []string
	// Asks says in a sentence what the rule asks.
	Asks string

	check func(*sheet) *sighting
}

// sighting is what a rule saw: a sentence for a person and the values behind it.
type sighting struct {
	message  string
	evidence map[string]string
}

// Thresholds of the rules, in one place.
const (
	lowConfidence  = 0.60         // below it a key field should be looked at
	oldestDays     = 400          // older documents are asked about
	futureDays     = 1            // time zones
	roundFromMinor = 100_000      // 1 000.00 base: smaller sums are often round
	roundMajor     = 100          // multiple of so many units of the currency
	highBaseMinor  = 10_000_000   // 100 000.00 base
	receipt        = "receipt"    // no bank account, often no number
	remittance     = "remittance" // an order to pay, not a bill
)

// table is the rule set: severities and points stand here and nowhere else. A blocking finding always brings a person;
// points do so from 30 on (document_approval).
var table = []Rule{
	{ID: "amount_missing", Phase: Validation, Severity: domain.SeverityBlocking, Points: 30,
		Asks: "Is the amount known?", check: amountMissing},
	{ID: "currency_unknown", Phase: Validation, Severity: domain.SeverityWarning, Points: 10,
		Asks: "Does the document name a currency that exists?", check: currencyUnknown},
	{ID: "required_missing", Phase: Validation, Severity: domain.SeverityWarning, Points: 10,
		Asks: "Does the document have every field its type needs?", check: requiredMissing},
	{ID: "field_unreadable", Phase: Validation, Severity: domain.SeverityWarning, Points: 10,
		Asks: "Could every amount and date that was found be read?", check: fieldUnreadable},
	{ID: "arithmetic", Phase: Validation, Severity: domain.SeverityBlocking, Points: 30,
		Asks: "Do net and tax add up to the total?", check: arithmetic},
	{ID: "date_order", Phase: Validation, Severity: domain.SeverityWarning, Points: 15,
		Asks: "Is the due date on or after the document's date?", check: dateOrder},
	{ID: "date_future", Phase: Validation, Severity: domain.SeverityWarning, Points: 20,
		Asks: "Is the document dated no later than today?", check: dateFuture},
	{ID: "date_old", Phase: Validation, Severity: domain.SeverityWarning, Points: 5,
		Asks: "Is the document recent enough?", check: dateOld},
	{ID: "iban_check", Phase: Validation, Severity: domain.SeverityBlocking, Points: 30, Skips: []string{receipt},
		Asks: "Do the IBAN's length and check digits fit?", check: ibanCheck},
	{ID: "vat_id_format", Phase: Validation, Severity: domain.SeverityWarning, Points: 10,
		Asks: "Has the VAT id the form its country gives it?", check: vatFormat},
	{ID: "low_confidence", Phase: Validation, Severity: domain.SeverityWarning, Points: 10,
		Asks: "Were the key fields read with confidence?", check: lowConfidenceFields},
	{ID: "duplicate_number", Phase: Risk, Severity: domain.SeverityBlocking, Points: 40,
		Asks: "Is there no other case with this vendor and number?", check: duplicateOf(SameNumber)},
	{ID: "duplicate_bytes", Phase: Risk, Severity: domain.SeverityBlocking, Points: 50,
		Asks: "Was this very file not submitted before?", check: duplicateOf(SameBytes)},
	{ID: "declared_differs", Phase: Risk, Severity: domain.SeverityWarning, Points: 30,
		Asks: "Is the declared amount the one on the document?", check: declaredDiffers},
	{ID: "iban_country", Phase: Risk, Severity: domain.SeverityWarning, Points: 20, Skips: []string{receipt},
		Asks: "Is the account in the vendor's country?", check: ibanCountry},
	{ID: "round_amount", Phase: Risk, Severity: domain.SeverityInfo, Points: 5,
		Asks: "Is the amount not a conspicuously round one?", check: roundAmount},
	{ID: "new_vendor", Phase: Risk, Severity: domain.SeverityInfo, Points: 10,
		Asks: "Was a document of this vendor approved before?", check: newVendor},
	{ID: "high_amount", Phase: Risk, Severity: domain.SeverityWarning, Points: 30,
		Asks: "Is the amount below the mark from which a person always looks?", check: highAmount},
}

// Table returns the rules in the order they are asked.
func Table() []Rule { return slices.Clone(table) }

func (r *Rule) applies(documentType string) bool { return !slices.Contains(r.Skips, documentType) }

// sortReasons puts the heaviest first; equal ones keep the table's order.
func sortReasons(reasons []Reason) {
	slices.SortStableFunc(reasons, func(a, b Reason) int { return b.Points - a.Points })
}

// requiredFields are the fields a document type needs beside the amount, which has a rule of its own.
func requiredFields(documentType string) []string {
	switch documentType {
	case receipt:
		return []string{domain.FieldVendor, domain.FieldDate}
	case remittance:
		return []string{domain.FieldVendor, domain.FieldIBAN}
	}
	return []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate}
}

// keyFields are the fields whose confidence counts.
var keyFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldCurrency, domain.FieldTotal, domain.FieldIBAN}
