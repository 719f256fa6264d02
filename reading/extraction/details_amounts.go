package extraction

import (
	"math/big"
	"regexp"

	"countersign/domain"
)

// prepayment are the total, what was paid before, and the rest of it.
type prepayment struct{ total, paid, due *candidate }

// prepaymentOf returns the labelled amounts of which one is the total less what was paid before.
func prepaymentOf(candidates []*candidate) (found prepayment, ok bool) {
	for _, paid := range withInstalments(candidates) {
		if !prepaidLabel.MatchString(paid.row.folded[:paid.from]) {
			continue
		}
		for _, total := range candidates {
			if !isLabelledTotal(total) || total.uncertain || total.milli <= 0 {
				continue
			}
			for _, due := range candidates {
				if paid.milli == 0 && (due.role != roleDue || due.row == total.row) {
					continue // without a payment, only the label tells what is due from the total
				}
				if due != total && due != paid && (due.role == roleDue || due.role == roleGrand ||
					due.role == roleTotal) && due.milli == total.milli-max(paid.milli, -paid.milli) {
					return prepayment{total, paid, due}, true
				}
			}
		}
	}
	return listedPayment(candidates)
}

// wholeTotal returns the total of which the chosen amount is what is due after a payment.
func wholeTotal(chosen *candidate, candidates []*candidate) *candidate {
	if chosen == nil || chosen.role != roleDue {
		return chosen
	}
	if found, ok := prepaymentOf(candidates); ok && found.due == chosen && found.paid.milli != 0 {
		return found.total
	}
	return chosen
}

// listedPayment returns a labelled total, what is due of it, and the payment between them, which a
// list of payments has: an amount beside a means of payment, or below a heading of payments.
func listedPayment(candidates []*candidate) (found prepayment, ok bool) {
	for _, total := range candidates {
		if !isLabelledTotal(total) || total.uncertain {
			continue
		}
		for _, due := range candidates {
			if due.role != roleDue || due.uncertain || due.milli < 0 || due.milli >= total.milli {
				continue
			}
			for _, paid := range candidates {
				if paid != due && !paid.uncertain && paid.milli == total.milli-due.milli &&
					(paid.role == roleNone || paid.role == rolePaid) &&
					paymentWords.MatchString(paid.row.folded[:paid.from]) {
					return prepayment{total, paid, due}, true
				}
			}
		}
	}
	return prepayment{}, false
}

// payables returns what was paid before and what is due, if the labelled amounts on the pages add up.
func payables(candidates []*candidate, currency string, chosen map[string]scored) map[string]finding {
	sure := func(amounts ...*candidate) float64 {
		worst := 1.0
		for _, c := range amounts {
			worst = min(worst, meanConfidence(c.words))
		}
		return 0.6 + 0.35*worst
	}
	if p, ok := prepaymentOf(candidates); ok {
		confidence := sure(p.total, p.paid, p.due)
		positive := *p.paid.amount
		positive.milli, positive.negated = max(positive.milli, -positive.milli), false
		return map[string]finding{domain.FieldPrepaid: positive.finding(currency, confidence),
			domain.FieldAmountDue: p.due.finding(currency, confidence)}
	}
	total, ok := chosen[domain.FieldTotal]
	if !ok {
		return nil
	}
	for _, due := range candidates {
		if due.role == roleDue && due.milli == total.milli && !due.uncertain {
			return map[string]finding{domain.FieldAmountDue: due.finding(currency, sure(due))}
		}
	}
	return nil
}

// printedRate matches a rate of tax.
var (
	printedRate = regexp.MustCompile(`(\d{1,2}(?:[.,]\d{1,3})?)\s?%`)
	plainRate   = regexp.MustCompile(`(?:^| )(\d{1,2}(?:[.,]\d{1,2})?)(?: |$)`)
)

// taxesByRate returns the taxes by rate: the rows of a table whose tax is the rate of their net amount
// and that add up to the tax of the document, or its net amount and tax if it prints their rate.
func (s *documentLayout) taxesByRate(
	candidates []*candidate, currency string, chosen map[string]scored,
) finding {
	net, netOK := chosen[domain.FieldNet]
	tax, taxOK := chosen[domain.FieldTax]
	if !netOK || !taxOK || !domain.KnownCurrency(currency) || net.ambiguous || tax.ambiguous ||
		net.negated {
		return finding{}
	}
	var rows []printedTax
	for _, r := range s.rows {
		if row, ok := taxRowOf(r, candidates); ok {
			rows = append(rows, row)
		}
	}
	if found := sumOfTaxes(rows, net.milli, tax.milli); len(found) > 0 {
		return taxFinding(found, currency)
	}
	for _, r := range s.rows {
		for _, rate := range printedRate.FindAllStringSubmatchIndex(r.text, 4) {
			row := printedTax{rate: decimalPoint(r.text[rate[2]:rate[3]]), net: net.milli,
				tax: tax.milli, words: r.wordsBetween(rate[0], rate[1])}
			if row.addsUp() && row.tax != 0 && len(row.words) > 0 {
				row.words = append(append(row.words[:len(row.words):len(row.words)], net.words...),
					tax.words...)
				return taxFinding([]printedTax{row}, currency)
			}
		}
	}
	return finding{}
}

// printedTax is a tax in thousandths of the currency's unit.
type printedTax struct {
	rate     string
	net, tax int64
	words    []*word
}

// addsUp reports whether the tax is the rate of the net amount, within a cent.
func (p printedTax) addsUp() bool {
	rate, ok := new(big.Rat).SetString(p.rate)
	if !ok {
		return false
	}
	due := new(big.Rat).Mul(rate, big.NewRat(p.net, 100))
	due.Sub(due, new(big.Rat).SetInt64(p.tax))
	return due.Abs(due).Cmp(big.NewRat(10, 1)) <= 0
}

// taxRowOf returns the tax of a row that states a rate, a net amount and its tax.
func taxRowOf(r *row, candidates []*candidate) (printedTax, bool) {
	var amounts []*candidate
	for _, c := range candidates {
		if c.row == r && !c.ambiguous {
			amounts = append(amounts, c)
		}
	}
	rates := printedRate.FindAllStringSubmatch(r.text, 4)
	if len(rates) == 0 && taxLabel.MatchString(r.folded) { // the heading has the sign
		rates = plainRate.FindAllStringSubmatch(r.text, 4)
	}
	for _, rate := range rates {
		for i, net := range amounts {
			for _, tax := range amounts[i+1:] {
				row := printedTax{rate: decimalPoint(rate[1]), net: net.milli, tax: tax.milli,
					words: r.words}
				if row.tax != 0 && row.addsUp() {
					return row, true
				}
			}
		}
	}
	return printedTax{}, false
}

// sumOfTaxes returns the rows if they add up to the net amount and the tax, without repeated rows.
func sumOfTaxes(rows []printedTax, net, tax int64) []printedTax {
	seen := map[string]bool{}
	var kept []printedTax
	for _, row := range rows {
		if seen[row.rate] {
			continue
		}
		seen[row.rate] = true
		kept = append(kept, row)
		net, tax = net-row.net, tax-row.tax
	}
	if net != 0 || tax != 0 {
		return nil
	}
	return kept
}

func taxFinding(rows []printedTax, currency string) finding {
	var words []*word
	var taxes []domain.TaxRow
	digits, _ := domain.Exponent(currency)
	for _, row := range rows {
		words = append(words, row.words...)
		net, tax := row.net, row.tax
		for range 3 - digits {
			if net%10 != 0 || tax%10 != 0 {
				return finding{}
			}
			net, tax = net/10, tax/10
		}
		taxes = append(taxes, domain.TaxRow{Rate: row.rate, Net: net, Tax: tax})
	}
	value, err := normaliseTaxes(domain.FormatTaxRows(taxes, currency), currency)
	if err != nil {
		return finding{}
	}
	return finding{raw: limited(textOf(words)), value: value, words: words,
		confidence: 0.6 + 0.35*meanConfidence(words)}
}

func decimalPoint(text string) string {
	for i, c := range text {
		if c == ',' {
			return text[:i] + "." + text[i+1:]
		}
	}
	return text
}
