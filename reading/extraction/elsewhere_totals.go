package extraction

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"countersign/domain"
)

// sums are the sums of a document, with which the labelled totals of its pages are compared.
type sums struct {
	total    int64 // in thousandths, 0 without one
	page     int   // that states it
	known    map[int64]bool
	currency string
}

// sumsOf returns the sums among the fields of a document.
func sumsOf(fields []domain.Field) sums {
	found := sums{known: map[int64]bool{}, currency: valueOf(fields, domain.FieldCurrency)}
	for _, field := range fields {
		switch field.Name {
		case domain.FieldTotal, domain.FieldNet, domain.FieldTax, domain.FieldPrepaid,
			domain.FieldAmountDue:
			sum, ok := parseAmount(field.Normalised, found.currency)
			if !ok {
				continue
			}
			if found.known[sum.milli] = true; field.Name == domain.FieldTotal {
				found.total, found.page = sum.milli, field.Page
			}
		}
	}
	return found
}

// otherCurrency returns the currency that is named beside an amount, if it is not that of the document.
func (a *amount) otherCurrency(found sums) string {
	if a.currency == found.currency || found.currency == "" {
		return ""
	}
	return a.currency
}

// exceed reports whether the amount is larger than the total, or may be because its currency is another.
func (found sums) exceed(a *amount) bool {
	return size(a.milli) > size(found.total) || a.milli != 0 && a.otherCurrency(found) != ""
}

func size(milli int64) int64 { return max(milli, -milli) }

// sizeOf returns the size of a total, whatever its sign, in thousandths.
func sizeOf(value string) int64 {
	found, _ := parseAmount(value, "KWD") // three digits after a point are decimals
	return size(found.milli)
}

// pageTotal is a total of a page, with the currency that the page states with it; "" if that is not certain.
type pageTotal struct {
	scored
	stated string
}

func (s *documentLayout) pageTotal(total *candidate, candidates []*candidate) pageTotal {
	return pageTotal{scored{total.amount, totalConfidence(total, candidates)}, s.statedCurrency(total.words)}
}

// pageTotals returns the labelled totals of single pages of a document that are not the total found. An
// amount up to the total is none if it is another sum of the document, if the next page begins with it, or
// if those of all other pages add up to the total. Of the larger amounts of a page the largest counts.
func pageTotals(pages []domain.Page, total sums) []pageTotal {
	if len(pages) < 2 {
		return nil
	}
	var found, others []pageTotal
	var carried []map[int64]bool // by page with words: the amounts in its first rows
	sum, stated := int64(0), false
	for _, page := range pages {
		layout := newDocumentLayout([]domain.Page{page})
		amounts := layout.amounts(total.currency)
		carried = append(carried, carriedAmounts(amounts))
		candidates := layout.labelAmounts(amounts)
		best := chooseTotal(candidates)
		larger := candidates
		states := best != nil && best.milli == total.total
		if !stated && (states || page.Number == total.page) {
			// The total was chosen from the amounts of this page: before rounding, before a discount.
			larger = slices.DeleteFunc(slices.Clone(candidates), func(c *candidate) bool { return c != best })
		}
		stated = stated || states
		if largest := layout.largestTotal(larger, total); largest != nil {
			others = append(others, layout.pageTotal(largest, candidates))
		}
		if best == nil || !isLabelledTotal(best) || best.uncertain ||
			countedTotal.MatchString(best.row.folded) {
			found = append(found, pageTotal{})
			continue
		}
		if best.milli != total.total {
			sum += best.milli
		}
		found = append(found, layout.pageTotal(best, candidates))
	}
	for i, one := range found {
		if one.amount != nil && !total.exceed(one.amount) && !total.known[one.milli] &&
			sum != total.total && !(i+1 < len(carried) && carried[i+1][one.milli]) {
			others = append(others, one)
		}
	}
	return others
}

// carriedAmounts are the amounts in the first rows of a page that say that they are carried over.
func carriedAmounts(amounts []*amount) map[int64]bool {
	found := map[int64]bool{}
	for _, a := range amounts {
		if a.row.index < carriedRows && carriedOver.MatchString(a.row.folded) {
			found[a.milli] = true
		}
	}
	return found
}

// largestTotal returns the largest amount of money beside the label of a total that exceeds the total
// found; nil without one. A row with such a label may state a number before the amount, as in "Total
// payable within 30 days 95,000.00".
func (s *documentLayout) largestTotal(candidates []*candidate, total sums) *candidate {
	labelled := map[*row]bool{}
	for _, c := range candidates {
		labelled[c.row] = labelled[c.row] || isLabelledTotal(c) || isTotalOfSome(c)
	}
	plain := sync.OnceValue(s.mayTotalWhole)
	var largest *candidate
	for i, c := range candidates {
		last := i+1 == len(candidates) || candidates[i+1].row != c.row
		if !labelled[c.row] || !isLabelledTotal(c) && c.role != roleNone && !isTotalOfSome(c) {
			continue
		}
		read := *c
		read.amount = c.largest(total)
		if total.exceed(read.amount) && (largest == nil || size(read.milli) > size(largest.milli)) &&
			c.isMoney(last, plain) {
			largest = &read
		}
	}
	return largest
}

// isTotalOfSome reports whether the label of an amount names a total and what is in it, as in "Total for
// all items", but is not that of another sum such as "Total items".
func isTotalOfSome(c *candidate) bool {
	label := c.row.folded[:c.from]
	return c.role == roleOther && len(label) <= maxLabel && plainLabel.MatchString(label) && !isOtherTotal(label)
}

// maxLabel is the number of bytes of a label in which a total is looked for.
const maxLabel = 200

// largest returns the amount with a value in any case: the larger reading of a separator, rounded up to
// the decimals of its currency.
func (a *amount) largest(total sums) *amount {
	whole := *a
	if a.ambiguous {
		whole.ambiguous = false
		if digits := onlyDigits(a.raw); len(digits) <= 12 {
			whole.milli = 1000 * int64(max(0, number(digits)))
		}
	}
	step := int64(1)
	for range 3 - min(3, decimalsOf(a.otherCurrency(total), total.currency)) {
		step *= 10
	}
	whole.milli = (size(whole.milli) + step - 1) / step * step
	if a.milli < 0 {
		whole.milli = -whole.milli
	}
	return &whole
}

// maxTotalWords is the number of words of a row that states a total and nothing else.
const maxTotalWords = 6

// isMoney reports whether an amount in the row of a total is one of money. A currency beside it says so
// whatever else the row says. Otherwise it is if it has the usual decimals and counts nothing. Without them it
// must be the last number of a short row, and its label unambiguous, or plain, which says that the page
// may have such totals. last says that no other amount follows in the row.
func (c *candidate) isMoney(last bool, plain func() bool) bool {
	switch {
	case c.namesCurrency():
		return true
	case c.isCount(), !isLabelledTotal(c) && !last:
		return false
	case !c.uncertain:
		return true
	}
	return isLabelledTotal(c) && last && len(c.row.words) <= maxTotalWords && (c.role != roleTotal || plain())
}

// mayTotalWhole reports whether a whole number with the plain label of a total may be money: the page
// names a currency, or counts nothing.
func (s *documentLayout) mayTotalWhole() bool {
	return slices.ContainsFunc(s.words, func(w *word) bool { return namesCurrency(w.Text) }) ||
		!slices.ContainsFunc(s.rows, func(r *row) bool { return countedTotal.MatchString(r.folded) })
}

// currencySigns are the signs of currencies.
const currencySigns = "$€£¥￥₹"

// addPayable adds what the pages label as the amount to pay in another currency than the total.
func (e elsewhere) addPayable(layout *documentLayout) {
	own := sumsOf(e.fields)
	for _, c := range layout.labelAmounts(layout.amounts(own.currency)) {
		code := c.otherCurrency(own)
		if c.role != roleDue || c.uncertain || c.ambiguous || c.milli <= 0 || code == "" || !domain.KnownCurrency(code) {
			continue
		}
		confidence := totalConfidence(c, nil)
		one := c.finding(code, confidence)
		one.currency = code
		e.add(domain.FieldTotal, one)
		e.add(domain.FieldCurrency, finding{raw: code, value: code, words: c.words, confidence: confidence})
	}
}

// namesCurrency reports whether a word is a currency, or an amount with its sign.
func namesCurrency(text string) bool {
	text = strings.Trim(text, "()[].,:")
	return strings.ContainsAny(text, currencySigns) || symbols[strings.ToLower(text)] != "" ||
		domain.KnownCurrency(text)
}

// namesCurrency reports whether the amount, or the word before or after it, names a currency. One that
// another amount follows belongs to that.
func (a *amount) namesCurrency() bool {
	if a.currency != "" || strings.ContainsAny(a.raw, currencySigns) {
		return true
	}
	words := a.row.words
	from, to := a.place()
	return from > 0 && namesCurrency(words[from-1].Text) || to < len(words) && namesCurrency(words[to].Text) &&
		(to+1 == len(words) || countDigits(words[to+1].Text) == 0)
}

// place returns the indexes of the first word of the amount in its row, and of the word after it.
func (a *amount) place() (from, to int) {
	from, _ = slices.BinarySearchFunc(a.row.words, a.from, func(w *word, at int) int { return w.at - at })
	return from, from + len(a.words)
}

// countedTotal matches what a total counts that is no amount of money, as on a time sheet or a delivery
// note.
var countedTotal = regexp.MustCompile(
	`hours?\b|stunden|heures|uren\b|minut|weight|gewicht|poids|\bkg\b|\bkm\b|\bkwh\b|pieces|\bpcs\b|` +
		`st[üu]ck|items?\b|qty|quantity|menge|days\b|tage\b|pages\b|seiten\b|小时|重量|数量`)

// isCount reports whether the amount counts something: the word after it or its short label says what. A
// longer label says more than that, as in "total for all items".
func (a *amount) isCount() bool {
	from, to := a.place()
	return from <= maxCountWords && countedTotal.MatchString(a.row.folded[:a.from]) ||
		to < len(a.row.words) && countedTotal.MatchString(strings.ToLower(a.row.words[to].Text))
}

// maxCountWords is the number of words of a label that says what a total counts.
const maxCountWords = 3
