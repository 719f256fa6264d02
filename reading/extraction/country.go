package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain/country"
)

var currencyCountry = map[string]string{"MYR": "MY", "GBP": "GB", "CHF": "CH", "INR": "IN",
	"CNY": "CN", "JPY": "JP", "SGD": "SG",
	"HKD": "HK", "AUD": "AU", "CAD": "CA"}

// codeFindings are the findings from which the country can follow.
type codeFindings struct{ vat, iban, money, vendor finding }

// country finds the country of the seller or payee: written after a label, from the VAT id, written
// in the address, from the IBAN or BIC, or from a currency of only one country.
func (s *documentLayout) country(hints Hints, codes codeFindings) finding {
	from := func(f finding, code string, factor float64) finding {
		return finding{raw: f.raw, value: code, words: f.words, confidence: f.confidence * factor}
	}
	order := s.isPaymentOrder(hints)
	for _, label := range sellerCountryLabels(order) {
		if found := s.labelledCountry(label); found.value != "" {
			return found
		}
	}
	if code := taxCountry(codes.vat.value); code != "" {
		return from(codes.vat, code, 0.9)
	}
	if found := s.labelledCountry(plainCountryLabel); found.value != "" {
		return found
	}
	if found := s.addressCountry(order, codes.vendor); found.value != "" {
		return found
	}
	if code, ok := country.OfIBAN(codes.iban.value); ok {
		return from(codes.iban, code, 0.8)
	}
	if found := s.bicCountry(); found.value != "" {
		return found
	}
	switch {
	case currencyCountry[codes.money.value] != "":
		return from(codes.money, currencyCountry[codes.money.value], 0.8)
	case hints.Country != "":
		return finding{raw: hints.Country, value: hints.Country, confidence: 0.3}
	}
	return finding{}
}

// taxCountry returns the country of a tax id, or that of its prefix if the number was misread.
func taxCountry(vat string) string {
	if code, ok := country.OfTaxID(vat); ok {
		return code
	}
	if strings.HasPrefix(vat, "EL") {
		return "GR"
	}
	if len(vat) > 2 && country.Known(vat[:2]) {
		return vat[:2]
	}
	return ""
}

const labelEnd = `(?:\s*[:：]\s*|\s+|$)`

func countryLabelPattern(labels string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:` + labels + `)` + labelEnd)
}

var (
	paymentOrderTitle = regexp.MustCompile(
		`(?i)\b(payment (?:order|instruction)|remittance|(?:wire|telegraphic|outward|credit) transfer|zahlungs(?:auftrag|anweisung)|ordre de (?:paiement|virement)|orden de (?:pago|transferencia))\b|überweisungsauftrag|汇款|付款指令|电汇`)
	otherTitle = regexp.MustCompile(`(?i)invoice|rechnung|facture|factura|receipt|发票`)
	// payeeCountryLabel names the country of the seller or payee on any document.
	payeeCountryLabel = countryLabelPattern(
		`(?:beneficiary|payee|creditor|supplier|seller|vendor)(?:['’]s)? country(?:/region)?` +
			`|country of (?:the )?(?:beneficiary|payee|creditor|supplier|seller|vendor)` +
			`|land des (?:begünstigten|lieferanten|verkäufers|zahlungsempfängers)` +
			`|pays du (?:bénéficiaire|fournisseur|vendeur)|país del (?:beneficiario|proveedor|vendedor)` +
			`|(?:收款人|受益人|收款方|供应商|销售方)(?:所在)?国(?:家|别)?(?:/地区|或地区)?|收款国(?:家)?`)
	// destinationLabel names the country to which a payment goes. On an invoice it is that of goods.
	destinationLabel = countryLabelPattern(
		`(?:payment )?destination(?: country)?|country of destination|(?:recipient|receiver)(?:['’]s)? country` +
			`|country of (?:the )?(?:recipient|receiver)|bestimmungsland|zielland|empfängerland` +
			`|pays de destination|país de destino|目的国(?:家)?(?:/地区)?|目的地(?:国家?)?|汇往国(?:家)?|汇入国(?:家)?`)
	plainCountryLabel = countryLabelPattern(
		`country(?:/region)?|land|pays|país|国家(?:/地区|或地区)?|国别`)
	payerLabel = regexp.MustCompile(
		`(?i)\b(ordering|by order of|remitter|applicant|payer|debtor|sender|originator|auftraggeber|donneur|ordenante)\b|汇款人|付款人|付款方`)
	payeeLabel = regexp.MustCompile(
		`(?i)^\W*(?:` + payeeWords + `)(?:['’]s)?(?: name| address| name and address|地址|名称)?\s*[:：]?\s*`)
	addressLabel = regexp.MustCompile(
		`(?i)^\W*(?:beneficiary|payee|creditor|收款人|受益人)?\s*(?:address|city|place|adresse|ville|anschrift|ort|dirección|ciudad|地址|城市)\s*[:：]\s*`)
	bicShape = regexp.MustCompile(
		`\b(?i:bic|swift)(?:[ /-]*(?i:code|bic|swift))*(?:[^\d:：]{1,40}[:：])?[ :：.]*([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b`)
)

// payeeWords are labels of the payee.
const payeeWords = `beneficiary|payee|creditor|in favou?r of|pay to|begünstigter?|zu(?:\s?g|g)unsten(?: von)?|zahlungsempfänger|` +
	`bénéficiaire|en faveur de|beneficiario|a fav?or(?:e)? d[ei]|收款人|受益人|收款方`

// sellerCountryLabels returns the labels that are stronger than any code in the document.
func sellerCountryLabels(order bool) []*regexp.Regexp {
	if order {
		return []*regexp.Regexp{payeeCountryLabel, destinationLabel}
	}
	return []*regexp.Regexp{payeeCountryLabel}
}

// isPaymentOrder reports whether the document is an instruction to pay, by the type under which it
// was submitted or by its title.
func (s *documentLayout) isPaymentOrder(hints Hints) bool {
	if hints.DocumentType == "remittance" {
		return true
	}
	return s.isTitledOrder()
}

// segments splits a row at wide gaps, between the columns of a form.
func (r *row) segments() []nameBlock {
	var blocks []nameBlock
	from := 0
	for i := 1; i <= len(r.words); i++ {
		if i < len(r.words) {
			before := r.words[i-1]
			if r.words[i].Box.X-(before.Box.X+before.Box.W) <= 2*r.box.H {
				continue
			}
		}
		words := r.words[from:i]
		last := words[len(words)-1]
		blocks = append(blocks, nameBlock{r, words, r.text[words[0].at : last.at+len(last.Text)]})
		from = i
	}
	return blocks
}

// maxCountryLabels limits the work for a document that repeats a label.
const maxCountryLabels = 100

// labelledCountry returns the country that is written after a label, in its row or below it. It
// returns nothing if several labels name different countries.
func (s *documentLayout) labelledCountry(label *regexp.Regexp) finding {
	others := slices.Concat(s.labelAreas(buyerLabel, 6), s.labelAreas(payerLabel, 6))
	var found finding
	labels := 0
	for _, r := range s.rows {
		blocks := r.segments()
		for i, block := range blocks {
			at := label.FindStringIndex(block.text)
			if at != nil {
				labels++
			}
			if at == nil || labels > maxCountryLabels || label == plainCountryLabel && inLabelArea(block, others) {
				continue
			}
			next := s.labelledValue(blocks, i, at[1])
			if next.value == "" {
				continue
			}
			if found.value != "" && found.value != next.value {
				return finding{}
			}
			found = next
		}
	}
	return found
}

// labelledValue returns the country after the label that ends at a byte of the block: in the same
// block, in the next, or in the row below.
func (s *documentLayout) labelledValue(blocks []nameBlock, i, end int) finding {
	block := blocks[i]
	if end < len(block.text) {
		colon := strings.ContainsAny(block.text[:end], ":：")
		return countryIn(block, end, colon)
	}
	if i+1 < len(blocks) {
		return countryIn(blocks[i+1], 0, true)
	}
	if below := block.row.index + 1; below < len(s.rows) && s.rows[below].page == block.row.page {
		for _, next := range s.rows[below].segments() {
			if x := next.words[0].Box.X - block.words[0].Box.X; max(x, -x) <= 2*block.row.box.H {
				return countryIn(next, 0, true)
			}
		}
	}
	return finding{}
}

// countryIn parses the block from a byte on. A code counts in capitals only, and only after a colon
// or in a block of its own, because "is" and "NO" are words.
func countryIn(block nameBlock, from int, code bool) finding {
	raw := strings.TrimSpace(block.text[from:])
	if len(raw) <= 3 && (!code || raw != strings.ToUpper(raw)) {
		return finding{}
	}
	value, ok := country.Parse(raw)
	if !ok {
		return finding{}
	}
	start := block.words[0].at + from
	words := block.row.wordsBetween(start, block.words[0].at+len(block.text))
	return finding{raw: raw, value: value, words: words,
		confidence: 0.5 + 0.45*meanConfidence(words)}
}

// addressCountry returns the country in the address of the payee of an order, or of the seller.
func (s *documentLayout) addressCountry(order bool, vendor finding) finding {
	if found := s.payeeAddressCountry(); order && (found.value != "" || s.isTitledOrder()) {
		return found
	}
	if len(vendor.words) == 0 {
		return finding{}
	}
	first := vendor.words[0]
	for _, block := range first.row.segments() {
		if !slices.Contains(block.words, first) {
			continue
		}
		if strings.ContainsAny(block.text, ":：") ||
			inLabelArea(block, s.labelAreas(buyerLabel, 6)) {
			return finding{}
		}
		return s.countryBelow(block, 0, order)
	}
	return finding{}
}

// payeeAddressCountry returns the country in the addresses that are labelled as the payee's. It
// returns nothing if they are in different countries.
func (s *documentLayout) payeeAddressCountry() finding {
	var found finding
	labels := 0
	for _, r := range s.rows {
		for _, block := range r.segments() {
			at := payeeLabel.FindStringIndex(block.text)
			if at == nil || payeeBank.MatchString(block.text) {
				continue
			}
			if labels++; labels > maxCountryLabels {
				return found
			}
			next := s.countryBelow(block, at[1], true)
			if next.value != "" && found.value != "" && next.value != found.value {
				return finding{}
			}
			if next.value != "" {
				found = next
			}
		}
	}
	return found
}

// maxAddressLines is the number of lines of a name with its address.
const maxAddressLines = 7

// countryBelow returns the country in the address that starts in a block; of cities alone if they count.
func (s *documentLayout) countryBelow(block nameBlock, from int, cities bool) finding {
	blocks, lines := s.addressLines(block, from)
	code, at := country.InAddress(lines)
	if at < 0 {
		if cities {
			return placeIn(blocks, lines)
		}
		return finding{}
	}
	words := blocks[at].words
	return finding{raw: blocks[at].text, value: code, words: words,
		confidence: 0.35 + 0.4*meanConfidence(words)}
}

// addressLines returns the lines of an address that starts in a block and continues below it in its
// column, up to a wide gap or the next label.
func (s *documentLayout) addressLines(block nameBlock, from int) (blocks []nameBlock, lines []string) {
	blocks, lines = []nameBlock{block}, []string{addressLine(block.text[from:])}
	above := block.row
	for i := block.row.index + 1; i < len(s.rows) && len(lines) < maxAddressLines; i++ {
		r := s.rows[i]
		if r.page != above.page || r.box.Y-(above.box.Y+above.box.H) > 2*above.box.H {
			break
		}
		next, ok := columnBlock(r, block.words[0].Box.X)
		if !ok || strings.ContainsAny(next.text, ":：") && !addressLabel.MatchString(next.text) ||
			buyerLabel.MatchString(next.text) {
			break
		}
		blocks = append(blocks, next)
		lines = append(lines, addressLine(addressLabel.ReplaceAllString(next.text, "")))
		above = r
	}
	return blocks, lines
}

// columnBlock returns the segment of the row that starts in the column.
func columnBlock(r *row, x int) (nameBlock, bool) {
	for _, block := range r.segments() {
		if distance := block.words[0].Box.X - x; max(distance, -distance) <= 3*r.box.H {
			return block, true
		}
	}
	return nameBlock{}, false
}

// addressLine writes the separators of letterheads as commas.
func addressLine(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("·•●|", r) {
			return ','
		}
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
}

// bicCountry returns the country of the labelled BICs, if all are of one country.
func (s *documentLayout) bicCountry() finding {
	var found finding
	for _, r := range s.rows {
		for _, at := range bicShape.FindAllStringSubmatchIndex(r.text, -1) {
			code, ok := country.OfBIC(r.text[at[2]:at[3]])
			if !ok {
				continue
			}
			if found.value != "" && found.value != code {
				return finding{}
			}
			words := r.wordsBetween(at[2], at[3])
			found = finding{raw: r.text[at[2]:at[3]], value: code, words: words,
				confidence: 0.35 + 0.4*meanConfidence(words)}
		}
	}
	return found
}
