package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

var (
	companyForm    = regexp.MustCompile(`(?i)\b(sdn\.?\s*bhd|s[db]n\.?\s*b[hn]d|bhd|gmbh(\s*&\s*co\.?\s*kg)?|a\.?g\.?|k\.?g\.?|e\.?\s?k\.?|ltd|limited|inc|llc|llp|corp|b\.?v\.?|n\.?v\.?|s\.?a\.?r?\.?l?|sas|plc|pty|co\.|s/b|enterprise|syarikat|perniagaan|trading|co\.?\s*ltd|pte|ohg|ug|e\.v\.|a\.\s?g\.|restoran|restaurant|kedai|shop|store|mart|stationery|hardware|pharmacy|farmasi|pasar|pasaraya|bakery|cafe|bistro|supermarket|hotel|s[db]n\.?|services?)(\W|$)|公司|企业|商店|餐厅`)
	strongForm     = regexp.MustCompile(`(?i)\b(sdn\.?\s*bhd|s[dob]n\.?\s*b[hn]d|gmbh|ltd|limited|inc\.?|llc|b\.\s?v\.|n\.v\.|sarl|s\.a\.|ag|plc|[s$5]/[b8]|kg|sarl|co\.?\s*ltd)(\W|$)|公司`)
	courtesy       = regexp.MustCompile(`(?i)^\W*(dear|hello|hi|sehr geehrte[rs]?|guten tag|liebe[rs]?|hallo|bonjour|ch[eè]re?s?|madame|monsieur|geachte|estimad[oa]s?|(with )?(kind|best|warm) regards|yours (sincerely|faithfully|truly)|sincerely|mit freundlichen|viele gr(ü|ue)(ß|ss)e|cordialement)\b|^\W*(尊敬的|您好)`)
	sentence       = regexp.MustCompile(`^\p{Ll}\S*(\s+\S+){4,}[.!?:]$`)
	notVendor      = regexp.MustCompile(`(?i)invoice|receipt|rechnung|facture|factuur|\bfactura\b|\bfattura\b|\bfaktura\b|\bfatura\b|sprzedawca|nabywca|\btel\b|\bfax\b|phone|e-?mail|www\.|http|@|gst\b|tax\b|vat\b|date|datum|cashier|page|seite|total|copy|welcome|thank|customer|bill\s*to|ship\s*to|sold\s*to|deliver|kunde|client|amount|qty|\bitem\b|no\s*[:.#]|licensee|formerly|reg\b|co\.?\s*reg|iban|bic|bank|adres`)
	addressPattern = regexp.MustCompile(`(?i)\b(jalan|jln|kawasan|off|lot|no\.?\s*\d|taman|lorong|street|st\.|road|rd|avenue|stra(ss|ß)e|str\.|weg|platz|rue|straat|plein|level|floor|block|building|bangunan|wisma|plaza|postfach|\d{5}|\d{4}\s?[A-Z]{2})\b`)
)

// nameBlock is a part of a row that may be a name.
type nameBlock struct {
	row   *row
	words []*word
	text  string
}

// vendor guesses the issuer: a name at the top, in large type, with a legal form, similar to a web
// address in the document, or next to a label, and not in the address of the recipient.
func (s *documentLayout) vendor(addresses []addressBlock) finding {
	if len(s.rows) == 0 {
		return finding{}
	}
	height := float64(medianHeight(s.words))
	sides := s.webNames()
	bought := s.labelAreas(buyerLabel, 6)
	sold := s.labelAreas(sellerLabel, 3)
	blocks, times := s.possibleNames()
	var best nameBlock
	score, second, shown, seen := 0.0, 0.0, 0.0, -1
	var last *row
	for _, b := range blocks {
		if b.row != last {
			last = b.row
			seen++
		}
		value := vendorScore(b, height, seen)
		key := onlyLetters(b.text)
		value += min(2, 0.7*float64(times[key]-1))
		for _, side := range sides {
			if len(side) >= 4 && (strings.HasPrefix(key, side) || strings.HasPrefix(side, key) && len(key) >= 5) {
				value += 3
				break
			}
		}
		near := 0.0
		if !s.without.NameRules {
			near = byAddress(b, addresses)
		}
		value += near
		if s.followsFormerName(b.row) {
			value -= 4
		}
		if inLabelArea(b, bought) {
			value -= 3.5
		}
		if inLabelArea(b, sold) {
			value += 3
		}
		switch {
		case value > score:
			second = score
			score, best, shown = value, b, value-max(near, 0)
		case value > second && key != onlyLetters(best.text):
			second = value
		}
	}
	if len(best.words) == 0 {
		return finding{}
	}
	best = withoutAddress(s.wholeName(best, blocks, bought))
	certainty := nameCertainty(best)
	if s.mayBeAnother(best, score-second) {
		certainty = min(certainty, oddName)
	}
	return finding{raw: textOf(best.words), value: s.cleanName(best), words: best.words,
		confidence: clamp(0.15+0.08*shown) * certainty}
}

// wholeName returns the chosen name as the rules of names complete it.
func (s *documentLayout) wholeName(best nameBlock, blocks []nameBlock, bought []labelArea) nameBlock {
	if s.without.NameRules {
		return best
	}
	return s.completeName(s.preferLegalForm(best, blocks, bought))
}

// possibleNames returns what may be names on the first page that has any, and how often each occurs
// there, by its letters and digits.
func (s *documentLayout) possibleNames() (blocks []nameBlock, times map[string]int) {
	times = map[string]int{}
	page := s.rows[0].page
	for _, r := range s.rows {
		if r.page != page {
			if len(blocks) > 0 {
				break
			}
			page = r.page // a cover letter without a name precedes it
		}
		for _, b := range r.nameBlocks() {
			if isNameLike(b.text) && !courtesy.MatchString(b.text) && !sentence.MatchString(b.text) {
				blocks = append(blocks, b)
				times[onlyLetters(b.text)]++
			}
		}
	}
	return blocks, times
}

// maxBrandRows is the number of rows below a brand in which the name of its company is looked for.
const maxBrandRows = 3

// preferLegalForm returns the name with a legal form that follows a brand without one closely,
// because the company is the seller.
func (s *documentLayout) preferLegalForm(best nameBlock, blocks []nameBlock, bought []labelArea) nameBlock {
	if best.row.source() != domain.SourceOCR || strongForm.MatchString(repairLegalForm(best.text)) {
		return best
	}
	for _, b := range blocks {
		down := b.row.index - best.row.index
		if down >= 1 && down <= maxBrandRows && strongForm.MatchString(repairLegalForm(b.text)) &&
			!notVendor.MatchString(b.text) && !inLabelArea(b, bought) && !s.followsFormerName(b.row) {
			return b
		}
	}
	return best
}

var formerName = regexp.MustCompile(`(?i)formerly|previously|\bf\.?k\.?a\b|vormals|anciennement|voorheen`)

// followsFormerName reports whether the row above says that a former name follows.
func (s *documentLayout) followsFormerName(r *row) bool {
	return r.index > 0 && formerName.MatchString(s.rows[r.index-1].text)
}

// byAddress is the part of a score that follows from the addresses on the page: their lines are no
// names, and the name of the seller precedes the only address.
func byAddress(b nameBlock, addresses []addressBlock) float64 {
	for _, address := range addresses {
		for _, line := range address.lines {
			if line.row == b.row && overlapsWords(line.words, b.words) {
				return -4
			}
		}
	}
	if len(addresses) == 1 {
		down := addresses[0].lines[0].row.index - b.row.index
		if down >= 1 && down <= 4 {
			return 1.5
		}
	}
	return 0
}

func vendorScore(b nameBlock, height float64, seen int) float64 {
	score := max(3.5-0.6*float64(min(seen, 12)), -1.5)
	if height > 0 {
		score += min(2, max(-1, 1.5*(float64(medianHeight(b.words))/height-1)))
	}
	switch {
	case strongForm.MatchString(b.text), misreadBerhad.MatchString(b.text):
		score += 4
	case companyForm.MatchString(b.text):
		score += 2
	}
	if notVendor.MatchString(b.text) {
		score -= 4
	}
	if isSmall(b) {
		score -= 2
	}
	if addressPattern.MatchString(b.text) {
		score -= 2.5
	}
	if len([]rune(onlyLetters(b.text))) < 5 {
		score -= 1.5
	}
	if strings.HasSuffix(strings.TrimSpace(b.text), ":") {
		score -= 3
	}
	return score + 2*meanConfidence(b.words) - 1
}

// isSmall reports whether a recognised name has small letters only, as notes by hand have.
func isSmall(b nameBlock) bool {
	return b.row.source() == domain.SourceOCR && strings.ToLower(b.text) == b.text &&
		strings.ToUpper(b.text) != b.text
}

var (
	buyerLabel  = regexp.MustCompile(`(?i)bill(ed)?\s*to|ship\s*to|sold\s*to|deliver|customer|k.ufer|empf.nger|rechnungsadresse|lieferadresse|factuuradres|afleveradres|klant\b|client|destinataire|guest|buyer|nabywca|odbiorca|k.pare|acquirente|cessionari|destinatari|购买方|购货|attn|t\.a\.v`)
	sellerLabel = regexp.MustCompile(`(?i)^\W*(seller|vendor|supplier|verk.ufer|rechnungssteller|rechnungsersteller|lieferant|vendeur|fournisseur|.metteur|sprzedawca|wystawca|s.ljare|leverant.r|cedente|prestatore|venditore|emisor|销售方|销货单位)\W*$`)
	webName     = regexp.MustCompile(`(?i)(?:www\.|https?://(?:www\.)?|[\w.-]+@)([a-z0-9-]{3,40})\.[a-z]{2,6}`)
	freeMail    = regexp.MustCompile(`gmail|yahoo|hotmail|outlook|gmx|web|facebook|localhost`)
)

// webNames returns the names in web and e-mail addresses, letters and digits only, without public
// mail providers.
func (s *documentLayout) webNames() []string {
	var names []string
	for _, match := range webName.FindAllStringSubmatch(s.text, 20) {
		name := onlyLetters(match[1])
		if !freeMail.MatchString(strings.ToLower(name)) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func onlyLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// labelArea is a label and the rows that it applies to.
type labelArea struct {
	row  *row
	box  domain.Box
	rows int
}

// labelAreas finds the labels. Each applies to the given number of rows below in its column.
func (s *documentLayout) labelAreas(label *regexp.Regexp, rows int) []labelArea {
	var marks []labelArea
	for _, r := range s.rows {
		if at := label.FindStringIndex(r.text); at != nil {
			words := r.wordsBetween(at[0], at[1])
			if len(words) > 0 {
				marks = append(marks, labelArea{r, words[0].Box, rows})
			}
		}
	}
	return marks
}

// inLabelArea reports whether the block is in the column of a label, to its right in the same row
// or below it.
func inLabelArea(b nameBlock, marks []labelArea) bool {
	at := b.words[0].Box
	for _, m := range marks {
		down := b.row.index - m.row.index
		if b.row.page != m.row.page || down < 0 || down > m.rows {
			continue
		}
		beside := down == 0 && at.X > m.box.X
		below := down > 0 && at.X < m.box.X+m.box.W+8*m.box.H && at.X+8*m.box.H > m.box.X
		if beside || below {
			return true
		}
	}
	return false
}

// nameBlocks splits a row at wide gaps and at the separators between name and address in
// letterheads.
func (r *row) nameBlocks() []nameBlock {
	var blocks []nameBlock
	from := 0
	cut := func(to int) {
		words := slices.DeleteFunc(slices.Clone(r.words[from:to]), func(w *word) bool {
			return w.Confidence < 0.6 && len(onlyLetters(w.Text)) == 0 && w.Text != "&"
		})
		if len(words) > 0 {
			blocks = append(blocks, r.nameBlock(words))
		}
	}
	for i := 1; i < len(r.words); i++ {
		before, here := r.words[i-1], r.words[i]
		gap := here.Box.X - (before.Box.X + before.Box.W)
		switch {
		case isSeparator(here.Text) && (r.source() == domain.SourceText || strongForm.MatchString(textOf(r.words[from:i]))):
			cut(i)
			from = i + 1
		case i > from && gap > 3*r.box.H && isNameLike(textOf(r.words[from:i])):
			cut(i)
			from = i
		}
	}
	if from < len(r.words) {
		cut(len(r.words))
	}
	return blocks
}

// nameBlock returns words of the row as what may be a name.
func (r *row) nameBlock(words []*word) nameBlock {
	if r.unrepaired {
		return nameBlock{r, words, textOf(words)}
	}
	return nameBlock{r, words, repairLegalForm(nameOf(words))}
}

func isSeparator(text string) bool {
	switch text {
	case "-", "–", "—", "|", "•", "·", "●", "*", "/":
		return true
	}
	return false
}

// completeName prepends the row above if the name starts there: if only the end of a name precedes
// the legal form, or a bracket is closed but not opened.
func (s *documentLayout) completeName(b nameBlock) nameBlock {
	for range 2 {
		at := strongForm.FindStringIndex(b.text)
		if at == nil || b.row.index == 0 {
			return b
		}
		rest := len(strings.Fields(continuation.ReplaceAllString(b.text[:at[0]], " ")))
		open := strings.Count(b.text, "(") < strings.Count(b.text, ")")
		above, words := s.nameAbove(b.row)
		if !open && rest > 1 || above == nil {
			return b
		}
		text := nameOf(words)
		if notVendor.MatchString(text) || strings.ToUpper(text) == text != (strings.ToUpper(b.text) == b.text) ||
			rest > 0 && (!open && !alikeType(words, b.words) || meanConfidence(words) < 0.5) {
			return b
		}
		b = nameBlock{above, append(slices.Clone(words), b.words...), text + " " + b.text}
	}
	return b
}

// nameAbove returns the nearest row above that may be the start of a name, without stray marks; nil
// if there is none.
func (s *documentLayout) nameAbove(r *row) (*row, []*word) {
	for back := 1; back <= 2 && back <= r.index; back++ {
		above := s.rows[r.index-back]
		if above.page != r.page || r.box.Y-(above.box.Y+above.box.H) > 3*r.box.H {
			return nil, nil
		}
		words := slices.DeleteFunc(slices.Clone(above.words), func(w *word) bool { return len(onlyLetters(w.Text)) == 0 })
		if len(words) == 0 {
			continue
		}
		if !isNameLike(textOf(words)) {
			return nil, nil
		}
		return above, words
	}
	return nil, nil
}

var continuation = regexp.MustCompile(`(?i)\bco\b\.?|\([^)]*\)|[^\pL\s]`)

// isNameLike reports whether a text has mostly letters and few digits.
func isNameLike(text string) bool {
	text = registerNumber.ReplaceAllString(wideMarks.Replace(text), "")
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
	return letters >= 3 && digits*2 <= letters && others <= letters
}

func (r *row) source() domain.FieldSource { return r.words[0].source }

func textOf(words []*word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

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
