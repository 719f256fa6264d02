package rules

import (
	"math"

	"countersign/domain"
	"countersign/expr"
)

// addPayable adds what contradicts the total: the amount due, and the taxes by rate. Amounts that were
// read from a page with low confidence are ignored.
func (s *inputIndex) addPayable(facts expr.Facts, known map[string]domain.Money) {
	facts["payable_differs"], facts["tax_rows_differ"] = []string{}, []string{}
	facts["amount_due_text"], facts["prepaid_text"] = s.text(domain.FieldAmountDue),
		s.text(domain.FieldPrepaid)
	if s.payableDiffers(known) {
		facts["payable_differs"] = []string{domain.FieldTotal, domain.FieldAmountDue}
	}
	if s.taxRowsDiffer(known) {
		facts["tax_rows_differ"] = []string{domain.FieldTaxBreakdown, domain.FieldTax}
	}
}

// roundingOfPayable is what cash rounding can add to the amount due, in minor units.
const roundingOfPayable = 5

// payableDiffers reports whether the amount due is more than the total, or not the total less what was
// paid before: limits judge the total, but people may pay the amount due.
func (s *inputIndex) payableDiffers(known map[string]domain.Money) bool {
	due, dueOK := s.certainMoney(domain.FieldAmountDue)
	total, totalOK := known[domain.FieldTotal]
	if !dueOK || !totalOK || s.isGuess(domain.FieldTotal) {
		return false
	}
	if magnitude(due.Minor) > magnitude(total.Minor)+roundingOfPayable {
		return true
	}
	prepaid, ok := s.certainMoney(domain.FieldPrepaid)
	return ok && magnitude(total.Minor-prepaid.Minor-due.Minor) > roundingOfPayable
}

// taxRowsDiffer reports whether the tax of a rate is not that rate of its net amount, or the rows do
// not add up to the net amount and the tax of the document.
func (s *inputIndex) taxRowsDiffer(known map[string]domain.Money) bool {
	text := s.text(domain.FieldTaxBreakdown)
	if text == "" || s.currency == "" || s.isGuess(domain.FieldTaxBreakdown) {
		return false
	}
	rows, err := domain.ParseTaxRows(text, s.currency)
	if err != nil {
		return true
	}
	lines := max(s.Lines, 1)
	for _, row := range rows {
		if !row.AddsUp(lines) {
			return true
		}
	}
	net, tax := domain.SumTaxRows(rows)
	differs := func(field string, sum int64) bool {
		amount, ok := known[field]
		return ok && !s.isGuess(field) && magnitude(amount.Minor-sum) > int64(lines)
	}
	return differs(domain.FieldNet, net) || differs(domain.FieldTax, tax)
}

// certainMoney is money without guesses.
func (s *inputIndex) certainMoney(name string) (domain.Money, bool) {
	amount, ok := s.money(name)
	return amount, ok && !s.isGuess(name)
}

// magnitude returns the value without its sign.
func magnitude(minor int64) int64 {
	if minor < 0 {
		return max(-minor, -math.MaxInt64)
	}
	return minor
}
