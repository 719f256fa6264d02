package extraction

import (
	"regexp"
	"strings"

	"countersign/domain"
)

// The marks of a Chinese VAT invoice (发票).
var (
	invoiceCode  = regexp.MustCompile(`发票代码[^0-9]{0,8}(\d{10}|\d{12})(?:\D|$)`)
	chineseTaxID = regexp.MustCompile(
		`(?:识别号|信用代码|税号)[^0-9A-Z]{0,12}([0-9A-HJ-NPQRTUWXY]{15}|[0-9A-HJ-NPQRTUWXY]{18}|[0-9]{20})(?:[^0-9A-Z]|$)`)
	buyerSide  = regexp.MustCompile(`购买方|购货|购方`)
	sellerSide = regexp.MustCompile(`销售方|销货|销方|收款`)
	inWords    = regexp.MustCompile(
		`大写[^零〇壹贰貳叁參叄肆伍陆陸柒捌玖拾]{0,8}([零〇壹贰貳叁參叄肆伍陆陸柒捌玖拾佰仟万萬亿億圆圓元角分整正 ]+)`)
)

// maxPartyRows is the number of rows above a tax number in which the title of its party is.
const maxPartyRows = 5

// fapiao finds the code and the tax numbers of a Chinese VAT invoice.
func (s *documentLayout) fapiao() map[string]finding {
	found := map[string]finding{}
	keep := func(name string, r *row, from, to int) {
		words := r.wordsBetween(from, to)
		if _, known := found[name]; known || len(words) == 0 {
			return
		}
		found[name] = finding{raw: r.text[from:to], value: r.text[from:to], words: words,
			confidence: besideLabel * meanConfidence(words)}
	}
	for _, r := range s.rows {
		if at := invoiceCode.FindStringSubmatchIndex(r.text); at != nil {
			keep(domain.FieldInvoiceCode, r, at[2], at[3])
		}
		for _, at := range chineseTaxID.FindAllStringSubmatchIndex(r.text, 4) {
			keep(s.taxIDField(r, at[0]), r, at[2], at[3])
		}
	}
	delete(found, "")
	if _, known := found[domain.FieldInvoiceCode]; !known && strings.Contains(s.text, grandTotal) {
		for _, w := range s.words {
			if w.row.index < codeRows && codeAlone.MatchString(w.Text) {
				found[domain.FieldInvoiceCode] = finding{raw: w.Text, value: w.Text,
					words: []*word{w}, confidence: belowLabel * w.Confidence}
				break
			}
		}
	}
	return found
}

// codeAlone matches the code of an invoice, which paper forms print without a label in the codeRows
// rows at the top.
var codeAlone = regexp.MustCompile(`^(?:\d{10}|\d{12})$`)

const codeRows = 3

// taxIDField returns the field of the tax number at an offset of a row, by the nearest title left of it or
// above it; "" if none is near.
func (s *documentLayout) taxIDField(r *row, at int) string {
	text := r.text[:at]
	for i := r.index; i >= 0 && i >= r.index-maxPartyRows && s.rows[i].page == r.page; i-- {
		if i < r.index {
			text = s.rows[i].text
		}
		buyer, seller := lastMatch(buyerSide, text), lastMatch(sellerSide, text)
		switch {
		case buyer > seller:
			return domain.FieldBuyerVATID
		case seller > buyer:
			return domain.FieldVATID
		}
	}
	// The title of a party can be in the middle of its rows, below the number.
	total := s.totalRow()
	switch {
	case total < 0:
		return ""
	case r.index < total:
		return domain.FieldBuyerVATID
	}
	return domain.FieldVATID
}

// lastMatch returns the offset of the last match, -1 without one.
func lastMatch(pattern *regexp.Regexp, text string) int {
	all := pattern.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1][0]
}

// confirmed returns the total with the confidence that the amount in words gives it: words that state
// another amount make it uncertain. Words that cannot be read say nothing.
func (s *documentLayout) confirmed(total finding) finding {
	for _, r := range s.rows {
		at := inWords.FindStringSubmatchIndex(r.text)
		if at == nil {
			continue
		}
		hundredths, ok := parseCapitals(strings.ReplaceAll(r.text[at[2]:at[3]], " ", ""))
		if !ok {
			continue
		}
		if domain.FormatMinor(hundredths, 2) != total.value {
			total.confidence = min(total.confidence, doubtful)
			return total
		}
		words := meanConfidence(r.wordsBetween(at[2], at[3]))
		total.confidence = max(total.confidence, 0.95*min(words, meanConfidence(total.words)))
		return total
	}
	return total
}
