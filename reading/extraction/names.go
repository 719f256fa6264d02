package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

var (
	numberLabel = regexp.MustCompile(`(?:(tax\s+)?invoice|\binv\b|\binv(?:oice)?|facture|factuur|rechnungs?|bill|receipt|rcpt|document|doc|booking|beleg|resit|slip|trans(?:action)?|trx|check|cash\s*bill|order|faktura|gutschrift|credit\s*note)[\s-]*(?:no|nos|nr|num(?:mer|ber|éro)?|n[°ºo]|id|#|nummer)\b[\s.:#;°-]*|(?:invoice|inv|receipt|bill|rechnung|facture|factuur)\s*[#:]+\s*|rechnungsnummer[\s.:]*|rechnungs-?nr[\s.:]*|factuurnummer[\s.:]*|belegnummer[\s.:]*|num[ée]ro\s+de\s+facture[\s.:]*|发票号码[\s:：]*|invoice\s+number[\s.:]*|\b(?:invoice|rechnung|facture)\s+(?:nr|no|n°)?[\s.:]*`)
	numberBest  = regexp.MustCompile(`inv|rechnung|facture|factuur|bill|faktura|发票|gutschrift|credit`)
	numberValue = regexp.MustCompile(`^[\s:#.=*;°_-]*([A-Za-z0-9][A-Za-z0-9/\\_.\-]*[A-Za-z0-9])`)
	numberWorse = regexp.MustCompile(`order|booking|check|trans|trx|slip`)
)

// number finds the document's number: what follows its label on the row, or stands under it.
func (s *sheet) number() finding {
	var best finding
	score := 0.0
	try := func(r *row, from int, text string, weight float64) {
		match := numberValue.FindStringSubmatchIndex(text)
		if match == nil {
			return
		}
		raw := text[match[2]:match[3]]
		if !numberLike(raw) {
			return
		}
		words := r.between(from+match[2], from+match[3])
		weight += meanConfidence(words) - 0.2*float64(r.page-1)
		if weight > score && len(words) > 0 {
			score = weight
			best = finding{raw: raw, value: raw, words: words, confidence: clamp(0.15 * weight)}
		}
	}
	for _, r := range s.rows {
		for _, at := range numberLabel.FindAllStringIndex(r.plain, -1) {
			label := r.plain[at[0]:at[1]]
			weight := 3.0
			if numberBest.MatchString(label) {
				weight += 2
			}
			if numberWorse.MatchString(label) {
				weight--
			}
			if !strings.ContainsAny(label, "#:°") && !numberWord.MatchString(label) {
				weight -= 1.5
			}
			try(r, at[1], r.text[at[1]:], weight)
			s.under(r, at[0], at[1], func(below *row, w *word) { try(below, w.at, below.text[w.at:], weight-0.7) })
		}
	}
	return best
}

var numberWord = regexp.MustCompile(`n[ro°º]|num|id\b|号码|nummer`)

// under calls for the words that stand right under a label.
func (s *sheet) under(r *row, from, to int, call func(below *row, w *word)) {
	label := r.between(from, to)
	if len(label) == 0 {
		return
	}
	box := label[0].Box
	for _, w := range label[1:] {
		box = union(box, w.Box)
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

// numberLike: at least three characters with a digit, and neither a date nor an amount nor a clock time.
func numberLike(text string) bool {
	if len(text) < 3 || len(text) > 40 || countDigits(text) == 0 || len(findDates(text, false)) > 0 {
		return false
	}
	if _, _, weak, ok := parseAmount(text); ok && !weak {
		return false
	}
	return countDigits(text)*4 >= len(text)
}

var (
	companyForm = regexp.MustCompile(`(?i)\b(sdn\.?\s*bhd|s[db]n\.?\s*b[hn]d|bhd|gmbh(\s*&\s*co\.?\s*kg)?|a\.?g\.?|k\.?g\.?|e\.?\s?k\.?|ltd|limited|inc|llc|llp|corp|b\.?v\.?|n\.?v\.?|s\.?a\.?r?\.?l?|sas|plc|pty|co\.|s/b|enterprise|trading|co\.?\s*ltd|pte|ohg|ug|e\.v\.|a\.\s?g\.|restoran|restaurant|kedai|shop|store|mart|stationery|hardware|pharmacy|bakery|cafe|bistro|supermarket|hotel|services?)(\W|$)|公司|企业|商店|餐厅`)
	strongForm  = regexp.MustCompile(`(?i)\b(sdn\.?\s*bhd|s[dob]n\.?\s*b[hn]d|gmbh|ltd|limited|inc\.?|llc|b\.\s?v\.|n\.v\.|sarl|s\.a\.|ag|plc|s/b|kg)(\W|$)|公司`)
	notVendor   = regexp.MustCompile(`(?i)invoice|receipt|rechnung|facture|factuur|\btel\b|\bfax\b|phone|e-?mail|www\.|http|@|gst\b|tax\b|vat\b|date|datum|cashier|page|seite|total|copy|welcome|thank|customer|bill\s*to|ship\s*to|sold\s*to|deliver|kunde|client|amount|qty|\bitem\b|no\s*[:.#]|licensee|formerly|reg\b|co\.?\s*reg|iban|bic|bank|adres`)
	addressish  = regexp.MustCompile(`(?i)\b(jalan|jln|lot|no\.?\s*\d|taman|lorong|street|st\.|road|rd|avenue|stra(ss|ß)e|str\.|weg|platz|rue|straat|plein|level|floor|block|building|bangunan|wisma|plaza|postfach|\d{5}|\d{4}\s?[A-Z]{2})\b`)
	sellerLabel = regexp.MustCompile(`(?i)^\W*(seller|vendor|supplier|from|销售方|名\s*称|verk.ufer|lieferant|vendeur|fournisseur)\W+`)
)

// vendor guesses who issued the document: the name at the top, in large type, with a company's form; on the last rows of
// the page too, where letterheads put it.
func (s *sheet) vendor() finding {
	if len(s.rows) == 0 {
		return finding{}
	}
	height := typicalHeight(s.words)
	var best finding
	score := 0.0
	seen := 0
	for _, r := range s.rows {
		if r.page != s.rows[0].page {
			break
		}
		part, words := r.text, r.words
		if at := sellerLabel.FindStringIndex(part); at != nil && r.source() == domain.SourceText {
			part, words = part[at[1]:], r.between(at[1], len(part))
		} else {
			words = firstBlock(r)
			part = textOf(words)
		}
		if !nameLike(part) {
			continue
		}
		value := vendorScore(r, part, words, height, seen)
		seen++
		if value > score {
			score = value
			best = finding{raw: part, value: tidyName(part), words: words, confidence: clamp(0.25 + 0.07*value)}
		}
	}
	best.confidence *= 0.4 + 0.6*meanConfidence(best.words)
	return best
}

func vendorScore(r *row, part string, words []*word, height float64, seen int) float64 {
	score := 3.5 - 0.6*float64(min(seen, 12))
	box := words[0].Box
	letters := 0
	for _, w := range words {
		box = union(box, w.Box)
		letters += len([]rune(w.Text))
	}
	if height > 0 {
		score += min(2, max(-1, 1.5*(float64(medianHeight(words))/height-1)))
	}
	switch {
	case strongForm.MatchString(part):
		score += 4
	case companyForm.MatchString(part):
		score += 2
	}
	if notVendor.MatchString(part) {
		score -= 4
	}
	if addressish.MatchString(part) {
		score -= 2.5
	}
	if letters < 5 {
		score -= 1.5
	}
	score += 2*meanConfidence(words) - 1
	return score
}

// nameLike: mostly letters, few digits.
func nameLike(text string) bool {
	letters, digits, others := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			letters += 2
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters >= 3 && digits*2 <= letters && others*2 <= letters
}

// firstBlock is the row's words up to the first wide gap: columns beside the name do not belong to it.
func firstBlock(r *row) []*word {
	for i := 1; i < len(r.words); i++ {
		gap := r.words[i].Box.X - (r.words[i-1].Box.X + r.words[i-1].Box.W)
		if gap > 3*r.box.H && nameLike(textOf(r.words[:i])) {
			return r.words[:i]
		}
	}
	return r.words
}

func (r *row) source() domain.FieldSource { return r.words[0].source }

func textOf(words []*word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

func typicalHeight(words []*word) float64 { return float64(medianHeight(words)) }

func medianHeight(words []*word) int {
	if len(words) == 0 {
		return 0
	}
	heights := make([]int, len(words))
	for i, w := range words {
		heights[i] = w.Box.H
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// tidyName drops stray marks at the ends and a register number in brackets.
func tidyName(text string) string {
	text = registerNumber.ReplaceAllString(text, "")
	return strings.Trim(text, " \t.,:;*|_~'\"‘’“”-=<>«»(")
}

var registerNumber = regexp.MustCompile(`\s*[([{][A-Z0-9]{0,4}\d{4,}\s?-?\s?[A-Za-z0-9]{0,2}\s?[)\]}]?\s*$`)
