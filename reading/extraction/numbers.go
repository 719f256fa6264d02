package extraction

import (
	"countersign/domain"
	"regexp"
	"strings"
)

var (
	numberLabel = regexp.MustCompile(
		`(?:(tax\s+)?invoice|\binv\b|\binv(?:oice)?|facture|factuur|rechnungs?|bill|receipt|rcpt|document|doc|booking|beleg|resit|slip|trans(?:action)?|trx|check|cash\s*bill|order|faktura(?:\s+vat)?|fattura|factura|gutschrift|avoir|credit\s*note|pro\s?-?forma)[\s-]*(?:(?:no|nos|nr|num(?:mer|ber|éro)?|id|nummer)\b|n[°º.]|#)[\s.:#;°-]*|(?:invoice|inv|receipt|bill|rechnung|facture|factuur)\s*[#:]+\s*|rechnung\s*(?:\(\d+\))?\s*nr\.?[\s:]*|rechnungsnummer[\s.:]*|rechnungs-?nr[\s.:]*|factuurnummer[\s.:]*|belegnummer[\s.:]*|(?:num[ée]ro|n[°º])\s*(?:de\s+(?:la\s+)?)?(?:facture|factura|fattura)[\s.:]*|发票号码[\s:：]*|invoice\s+number[\s.:]*|\b(?:invoice|rechnung|facture|factuur)\b[\s.:]*`,
	)
	numberBest = regexp.MustCompile(
		`inv|rechnung|facture|factuur|bill|faktura|fattura|factura|发票|gutschrift|avoir|credit|forma`,
	)
	numberValue = regexp.MustCompile(`^[\s:#.=*;°_-]*([A-Za-z0-9][A-Za-z0-9/\\_.\-]*[A-Za-z0-9])`)
	numberWorse = regexp.MustCompile(`order|booking|check|trans|trx|slip`)
	// numberTitle matches a title that has words between the kind of the document and its number:
	// "Rechnung des Versicherers (575) Nr. 17 vom".
	numberTitle = regexp.MustCompile(
		kindInTitle + `\s+` +
			`(?:des|der|du|de|of|van|del|della|from)\s[^\d:#]{3,40}?(?:\(\d{1,4}\)\s*)?\b(?:nr|no|number|n[°º])[\s.:#°]*`)
	// titleDate matches a title with a number up to its date: "Rechnung (380) Nr. 17 vom".
	titleDate = regexp.MustCompile(
		kindInTitle + `\b.{0,50}?` +
			`(?:\b(?:nr|no|number)\b|n[°º]|#)\W{0,3}\S{2,30}\s+(?:vom|du|dated|of|van|del|d\.d\.)\s*$`)
	earlierDocument = allOf(func(l language) []string { return l.earlier })
)

// kindInTitle matches the kind of the document at the beginning of its title.
const kindInTitle = `^\W*\S*(?:rechnung|invoice|facture|factuur|factura|fattura|faktura|gutschrift|avoir|credit note)`

// number finds the document number, after its label in the row or below it.
func (s *documentLayout) number(anchors []domain.Anchor) finding {
	var best finding
	score := 0.0
	try := func(r *row, from int, text string, weight, factor float64) {
		match := numberValue.FindStringSubmatchIndex(text)
		if match == nil {
			return
		}
		raw := text[match[2]:match[3]]
		if !isNumberLike(raw) {
			return
		}
		words := r.wordsBetween(from+match[2], from+match[3])
		weight += meanConfidence(words) - 0.2*float64(r.page-1)
		if s.isAnchored(anchors, domain.FieldNumber, r, words, from+match[2]) {
			weight += anchorScore
		}
		if weight > score && len(words) > 0 {
			score = weight
			best = finding{raw: raw, value: raw, words: words, confidence: clamp(0.15*weight) * factor}
		}
	}
	for _, r := range s.rows {
		if at := numberTitle.FindStringIndex(r.folded); at != nil {
			try(r, at[1], r.text[at[1]:], titleWeight, 1)
		}
		for _, block := range r.segments() {
			if at := bareNumber.FindStringIndex(block.text); at != nil && s.isBelowTitle(block) {
				try(r, block.words[0].at+at[1], block.text[at[1]:], titleWeight, 1)
			}
		}
		for _, at := range numberLabel.FindAllStringIndex(r.folded, -1) {
			label := r.folded[at[0]:at[1]]
			weight, factor := 3.0, 1.0
			if isEarlier(r.folded[:at[0]]) {
				weight, factor = weight-2, unconfirmed*unconfirmed
			}
			if numberBest.MatchString(label) {
				weight += 2
			}
			if numberWorse.MatchString(label) {
				weight--
			}
			if !strings.ContainsAny(label, "#:°") && !numberWord.MatchString(label) {
				weight -= 1.5
			}
			try(r, at[1], r.text[at[1]:], weight, factor)
			s.wordsBelow(r, at[0], at[1], func(below *row, w *word) {
				try(below, w.at, below.text[w.at:], weight-0.7*float64(below.index-r.index), factor)
			})
		}
	}
	return best
}

var (
	bareNumber = regexp.MustCompile(`(?i)^\W*(?:n[°º]|(?:nr|no|num(?:mer|ber|éro|ero)?)\b)[\s.:#°]*`)
	// aloneTitle matches a title without more words.
	aloneTitle = regexp.MustCompile(`(?i)^\W*(?:tax\s+|vat\s+)?` +
		`(?:\pL*rechnung|invoice|facture|factuur|factura|fattura|gutschrift|avoir|credit note)\W*$`)
)

// isBelowTitle reports whether a title of an invoice alone is closely above the block, in its columns.
func (s *documentLayout) isBelowTitle(block nameBlock) bool {
	left := block.words[0].Box
	last := block.words[len(block.words)-1].Box
	for back := 1; back <= block.row.index; back++ {
		above := s.rows[block.row.index-back]
		if above.page != block.row.page || left.Y-above.box.Y-above.box.H > 3*left.H {
			return false
		}
		for _, title := range above.segments() {
			first, end := title.words[0].Box, title.words[len(title.words)-1].Box
			if aloneTitle.MatchString(title.text) && first.X < last.X+last.W && left.X < end.X+end.W {
				return true
			}
		}
	}
	return false
}

// titleWeight is the weight of a number in the title of the document: that of the best label.
const titleWeight = 5.0

// isEarlier reports whether the text before a label ends with a word that makes its number that of
// another document, such as the one that is corrected.
func isEarlier(before string) bool {
	before = strings.TrimRight(before, " -.'")
	for _, at := range earlierDocument.FindAllStringIndex(before, -1) {
		if at[1] == len(before) {
			return true
		}
	}
	return false
}

var numberWord = regexp.MustCompile(`n[ro°º]|num|id\b|号码|nummer`)

// wordsBelow calls call for each word directly below a label.
func (s *documentLayout) wordsBelow(r *row, from, to int, call func(below *row, w *word)) {
	label := r.wordsBetween(from, to)
	if len(label) == 0 {
		return
	}
	box := label[0].Box
	for _, w := range label[1:] {
		box = unionBox(box, w.Box)
	}
	for next := r.index + 1; next < len(s.rows) && next <= r.index+2; next++ {
		below := s.rows[next]
		if below.page != r.page || below.box.Y-r.box.Y > 5*r.box.H {
			return
		}
		for _, w := range below.words {
			if w.Box.X < box.X+box.W && w.Box.X+w.Box.W > box.X {
				call(below, w)
				return
			}
		}
	}
}

// isNumberLike reports whether a text has at least three characters and a digit, and is not a date,
// an amount or a time.
func isNumberLike(text string) bool {
	if len(text) < 3 || len(text) > 40 || countDigits(text) == 0 ||
		len(findDates(text, false)) > 0 {
		return false
	}
	if sum, ok := parseAmount(text, ""); ok && !sum.uncertain {
		return false
	}
	return countDigits(text)*4 >= len(text)
}
