package extraction

import (
	"regexp"
	"strings"

	"countersign/domain"
	"countersign/domain/country"
)

// The labels of further fields: the words of all languages.
var (
	orderLabel    = allOf(func(l language) []string { return l.orderNumber })
	deliveryLabel = allOf(func(l language) []string { return l.deliveryDate })
	termsLabel    = allOf(func(l language) []string { return l.paymentTerms })
	prepaidLabel  = allOf(func(l language) []string { return l.prepaid })
	paymentWords  = allOf(func(l language) []string { return l.payment })
	afterLabel    = regexp.MustCompile(`^[\s.:：#-]*(?:\((?:s|en)\)[\s.:：]*)?(?:(?:no|nr|number|nummer)\b[\s.:：#]*|n[°º][\s.:：]*)?`)
	bankLabel     = regexp.MustCompile(
		`\b(?:bic|swift)\b(?:[\s/.:：()-]*(?:code|no|nr|number|bic|swift)\b)*(?:[^\d:：]{1,40}[:：])?[\s.:：()-]*`)
	bankCode = regexp.MustCompile(`^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?:$|[^A-Za-z0-9])`)
)

// The certainty of a value that is beside or below its label alone, and nothing confirms.
const (
	besideLabel = 0.75
	belowLabel  = 0.6
)

// addDetails adds the fields that no other field depends on.
func (s *documentLayout) addDetails(
	found map[string]finding, hints Hints, candidates []*candidate, sums map[string]scored,
) {
	currency := found[domain.FieldCurrency].value
	add := func(name string, f finding) {
		if _, known := found[name]; !known && f.value != "" {
			found[name] = f
		}
	}
	if total, ok := found[domain.FieldTotal]; ok && currency == "CNY" {
		found[domain.FieldTotal] = s.confirmed(total)
	}
	if hints.DocumentType != receiptType {
		for name, amount := range payables(candidates, currency, sums) {
			add(name, amount)
		}
	}
	add(domain.FieldTaxBreakdown, s.taxesByRate(candidates, currency, sums))
	for name, detail := range s.details(hints, currency) {
		add(name, detail)
	}
	net, tax := s.fapiaoSums(found[domain.FieldTotal])
	add(domain.FieldNet, net)
	add(domain.FieldTax, tax)
	buyer, address := s.buyer(found[domain.FieldVendor], found[domain.FieldVendorAddress])
	add(domain.FieldBuyer, buyer)
	add(domain.FieldBuyerAddress, address)
	for _, place := range s.deliveryCountries() {
		add(domain.FieldDeliveryCountry, place)
	}
	add(domain.FieldBuyerVATID, s.buyerVATID(found[domain.FieldVATID]))
	for name, detail := range s.fapiao() {
		add(name, detail)
	}
}

// details finds the further fields that have labels.
func (s *documentLayout) details(hints Hints, currency string) map[string]finding {
	monthFirst := s.monthFirst(hints, currency)
	return map[string]finding{
		domain.FieldOrderNumber: s.labelled(orderLabel, orderValue),
		domain.FieldDeliveryDate: s.labelled(deliveryLabel,
			func(text string) (from, to int, value string) {
				return deliveryValue(text, monthFirst)
			}),
		domain.FieldPaymentTerms: s.paymentTerms(),
		domain.FieldBIC:          s.bank(),
		domain.FieldKind:         s.documentKind(),
	}
}

// valueReader returns the value at the beginning of a text and where it is; value is "" without one.
type valueReader func(text string) (from, to int, value string)

// labelled returns the first value beside a label, or below one.
func (s *documentLayout) labelled(label *regexp.Regexp, read valueReader) finding {
	var below finding
	take := func(r *row, at int, certainty float64) finding {
		from, to, value := read(r.text[at:])
		words := r.wordsBetween(at+from, at+to)
		if value == "" || len(words) == 0 {
			return finding{}
		}
		return finding{raw: r.text[at+from : at+to], value: value, words: words,
			confidence: certainty * meanConfidence(words)}
	}
	for _, r := range s.rows {
		for _, at := range label.FindAllStringIndex(r.folded, 3) {
			end := at[1] + len(afterLabel.FindString(r.folded[at[1]:]))
			if found := take(r, end, besideLabel); found.value != "" {
				return found
			}
			if below.value == "" {
				s.wordsBelow(r, at[0], at[1], func(next *row, w *word) {
					below = take(next, w.at, belowLabel)
				})
			}
		}
	}
	return below
}

// orderValue reads the number of an order.
func orderValue(text string) (from, to int, value string) {
	at := numberValue.FindStringSubmatchIndex(text)
	if at == nil || !isNumberLike(text[at[2]:at[3]]) {
		return 0, 0, ""
	}
	return at[2], at[3], text[at[2]:at[3]]
}

// maxDistance is the number of bytes that may be between a label and its date, or two dates of a
// period.
const maxDistance = 8

// deliveryValue reads the date of a delivery, or the last day of a period.
func deliveryValue(text string, monthFirst bool) (from, to int, value string) {
	dates := findDates(text, monthFirst)
	if len(dates) == 0 || dates[0].from > maxDistance {
		return 0, 0, ""
	}
	last := dates[0]
	if len(dates) > 1 && dates[1].from-last.to <= maxDistance && dates[1].iso >= last.iso {
		last = dates[1]
	}
	return dates[0].from, last.to, last.iso
}

// paymentTerms returns the text beside a label of payment terms, to the end of its column.
func (s *documentLayout) paymentTerms() finding {
	for _, r := range s.rows {
		at := termsLabel.FindStringIndex(r.folded)
		if at == nil {
			continue
		}
		from := at[1] + len(afterLabel.FindString(r.folded[at[1]:]))
		words := r.wordsBetween(from, len(r.text))
		if len(words) == 0 {
			s.wordsBelow(r, at[0], at[1], func(next *row, w *word) {
				words = next.wordsBetween(w.at, len(next.text))
			})
		}
		last := min(1, len(words))
		for last < len(words) && !isWideGap(words[last-1], words[last]) {
			last++
		}
		words = words[:last]
		if text := limited(textOf(words)); len(words) > 1 && len(onlyLetters(text)) >= 4 {
			return finding{raw: text, value: text, words: words,
				confidence: belowLabel * meanConfidence(words)}
		}
	}
	return finding{}
}

// bank returns the BIC beside its label: the one nearest to the row of the IBAN, because invoices
// list several banks.
func (s *documentLayout) bank() finding {
	account := s.iban()
	var best finding
	nearest := 0
	for _, found := range s.banks() {
		distance := 0
		if len(account.words) > 0 && len(found.words) > 0 {
			distance = found.words[0].row.index - account.words[0].row.index
			distance = max(distance, -distance)
		}
		if best.value == "" || distance < nearest {
			nearest, best = distance, found
		}
	}
	return best
}

// banks returns the BICs beside labels, in the order of the rows.
func (s *documentLayout) banks() (found []finding) {
	for _, r := range s.rows {
		for _, at := range bankLabel.FindAllStringIndex(r.folded, 3) {
			code := bankCode.FindString(r.text[at[1]:])
			code = strings.TrimRightFunc(code, func(c rune) bool { return !isWordRune(c) })
			if _, ok := country.OfBIC(code); !ok {
				continue
			}
			words := r.wordsBetween(at[1], at[1]+len(code))
			found = append(found, finding{raw: code, value: code, words: words,
				confidence: besideLabel * meanConfidence(words)})
		}
	}
	return found
}
