package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/domain/country"
)

var (
	streetWord = allOf(func(l language) []string { return l.street })
	regionWord = allOf(func(l language) []string { return l.region })
	// besideAddress matches the lines around an address that are no part of it.
	besideAddress = allOf(func(l language) []string { return l.contact },
		`\b\+?\d{2,4}[-. ]\s?\d{6,8}\b`, `\b\d{2,4}[-. ]\s?\d{3,4}[-. ]?\s?\d{4}\b`, `\d{8}`, `@`)
	// fieldLabel matches a label with a colon at the start of a line. "No.5: 55" is an address.
	fieldLabel = regexp.MustCompile(`^\W*\pL[\pL\s.]{2,}[:：]`)
	// houseNumber matches the start of a line of an address: a number of a house, lot or unit.
	houseNumber = regexp.MustCompile(
		`(?i)^\W*(?:(?:no|lot|unit|suite|level|blk|block|plot)\W{0,3}(?:no\W{0,3})?)?[A-Z]{0,2}[\dIl]{1,5}[A-Z]{0,2}(?:[-/&., ]{1,3}[A-Z]?\d{1,4}[A-Z]{0,2})*[\s,.]+\pL{2,}`)
	// postcode matches the postcode beside a city in the ways of several countries.
	postcode = regexp.MustCompile(
		`\b(?:[A-Z]{1,2}-?)?\d[\dOoIl]{4}\b|\b\d{4}\s?[A-Z]{2}\b|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b\d{4}\s\p{Lu}\p{Ll}+|\b\d{6}\b`)
	priceAtEnd = regexp.MustCompile(`\d[.,]\d{2}\s?\pL{0,2}$`)
	// registerLine matches a register number of a company alone in its line.
	// registeredName matches the register number in brackets that follows the name of a company.
	registeredName = regexp.MustCompile(`\pL\S* ?\([A-Z]{0,3}\d{5,}[-.,]?\s?[A-Z\d]?\)`)
	// codeAndCity matches a postcode and the letters for a city, as in 57000 KL.
	codeAndCity = regexp.MustCompile(`^\d{5},? \p{Lu}{2}\W*$`)
	// houseAlone matches the numbers of houses or lots in a line of their own, above the street.
	houseAlone   = regexp.MustCompile(`(?i)^\W*(?:no|lot)\W{0,3}\d{1,5}[A-Z]?(?:\W{1,3}\d{1,5}[A-Z]?)*\W*$`)
	registerLine = regexp.MustCompile(`(?i)^\W*(?:co|reg|no|id|[A-Z]{1,3})?[\W\d]*\d{4,}[\s-]*[A-Z]{0,2}\W*$`)
)

const (
	// maxAddressStarts is the number of rows of the document in which addresses are looked for,
	// maxAddressRows the number of rows of one.
	maxAddressStarts = 120
	maxAddressRows   = 6
)

// addresses returns the addresses of the document from top to bottom, without those that a label
// gives to the recipient.
func (s *documentLayout) addresses() []addressBlock {
	var found []addressBlock
	bought := s.labelAreas(buyerLabel, 6)
	for i := 0; i < min(len(s.rows), maxAddressStarts); {
		block := s.addressFrom(i, bought)
		if len(block.lines) == 0 {
			i++
			continue
		}
		found = append(found, block)
		i = block.lines[len(block.lines)-1].row.index + 1
	}
	return found
}

// vendorAddress chooses the address of the seller: the rest of the line after the name, as
// letterheads print it, or the nearest below the name.
func (s *documentLayout) vendorAddress(vendor finding, found []addressBlock) finding {
	from, page := 0, 0
	if len(vendor.words) > 0 {
		last := vendor.words[len(vendor.words)-1]
		from, page = last.row.index, last.page
		if rest := s.addressBeside(vendor); len(rest.lines) > 0 {
			return s.addressFinding(rest)
		}
	}
	var best addressBlock
	score := 1.0
	for _, block := range found {
		first := block.lines[0].row
		distance := float64(first.index - from)
		if distance < 0 {
			distance = 6 - distance
		}
		if value := block.score() - 0.5*distance; (page == 0 || first.page == page) && value > score {
			best, score = block, value
		}
	}
	return s.addressFinding(best)
}

// addressFinding returns an address as it is reported.
func (s *documentLayout) addressFinding(b addressBlock) finding {
	repair := repairAddress
	if s.without.Repairs {
		repair = func(text string, _ []*word) string { return text }
	}
	return b.finding(repair)
}

// addressBlock is a run of lines that looks like an address.
type addressBlock struct {
	lines    []nameBlock
	postcode bool
	streets  int
	complete bool // a line that is no part of an address follows
}

func (b *addressBlock) score() float64 {
	value := 2 + 2*float64(min(b.streets, 3))
	if b.postcode {
		value += 4
	}
	return value
}

func (b *addressBlock) add(line nameBlock) {
	b.lines = append(b.lines, line)
	b.postcode = b.postcode || postcode.MatchString(line.text)
	if streetWord.MatchString(foldForSearch(line.text)) {
		b.streets++
	}
}

// addressFrom returns the address that begins in the row; without lines if none does.
func (s *documentLayout) addressFrom(at int, bought []labelArea) addressBlock {
	return s.addressIn(columnOf(s.rows[at], nil), bought)
}

// addressIn returns the address that begins with a line, in its column.
func (s *documentLayout) addressIn(first nameBlock, bought []labelArea) addressBlock {
	var block addressBlock
	if !isAddressLine(first) || inLabelArea(first, bought) {
		return block
	}
	at := first.row.index
	named := countDigits(first.text) == 0 ||
		!streetWord.MatchString(foldForSearch(first.text)) && !postcode.MatchString(first.text)
	if named && at+1 < len(s.rows) &&
		houseNumber.MatchString(columnOf(s.rows[at+1], first.words).text) {
		return block // the name of a branch; the address begins below it
	}
	if house := s.houseAbove(first); len(house.words) > 0 {
		block.add(house)
	}
	block.add(first)
	for i := at + 1; i < len(s.rows) && len(block.lines) < maxAddressRows; i++ {
		above, r := s.rows[i-1], s.rows[i]
		if r.page != above.page || r.box.Y-(above.box.Y+above.box.H) > 3*max(r.box.H, above.box.H) {
			block.complete = true
			break
		}
		last := block.lines[len(block.lines)-1].words
		line := columnOf(r, last)
		if len(line.words) == 0 || !overlapsWords(line.words, last) {
			continue
		}
		if !continuesAddress(line, block.postcode) {
			block.complete = true
			break
		}
		block.add(line)
	}
	if block.streets == 0 && !block.postcode &&
		(len(block.lines) < 2 || !houseNumber.MatchString(first.text) ||
			!strings.Contains(first.text, ",")) {
		return addressBlock{}
	}
	return block
}

// houseAbove returns the line with only the numbers of houses above the street, if there is one.
func (s *documentLayout) houseAbove(street nameBlock) nameBlock {
	at := street.row.index
	if at == 0 || !streetWord.MatchString(foldForSearch(street.words[0].Text)) {
		return nameBlock{}
	}
	above := s.rows[at-1]
	line := columnOf(above, street.words)
	if above.page != street.row.page || len(line.words) == 0 || !overlapsWords(line.words, street.words) ||
		street.row.box.Y-(above.box.Y+above.box.H) > 2*street.row.box.H || !houseAlone.MatchString(line.text) {
		return nameBlock{}
	}
	return line
}

// addressBeside returns the address after the name in the same line, as letterheads print it.
func (s *documentLayout) addressBeside(vendor finding) addressBlock {
	last := vendor.words[len(vendor.words)-1]
	var block addressBlock
	for _, segment := range last.row.segments() {
		at := slices.Index(segment.words, last)
		if at < 0 || at+1 == len(segment.words) {
			continue
		}
		words := trimmedWords(segment.words[at+1:])
		line := nameBlock{last.row, words, textOf(words)}
		folded := foldForSearch(line.text)
		if postcode.MatchString(line.text) && houseAndPlace.MatchString(line.text) &&
			!besideAddress.MatchString(folded) {
			block.add(line)
			block.complete = true
		}
	}
	return block
}

// houseAndPlace matches the street with its number before a postcode in one line.
var houseAndPlace = regexp.MustCompile(`\pL{3,}.*\d`)

// columnOf returns the words of the row in the column of the words above, without stray marks: the
// segment that overlaps them and has most letters, or the only one.
func columnOf(r *row, above []*word) nameBlock {
	var best nameBlock
	most := 0
	segments := r.segments()
	for _, segment := range segments {
		words := trimmedWords(segment.words)
		if len(words) == 0 {
			continue
		}
		line := nameBlock{r, words, repairAddress(wideMarks.Replace(textOf(words)), nil)}
		letters := len(onlyLetters(line.text))
		if len(segments) > 1 && len(above) > 0 && !overlapsWords(words, above) {
			continue
		}
		if letters > most {
			best, most = line, letters
		}
	}
	return best
}

func overlapsWords(a, b []*word) bool {
	last := func(words []*word) int { w := words[len(words)-1]; return w.Box.X + w.Box.W }
	return a[0].Box.X < last(b) && b[0].Box.X < last(a)
}

// trimmedWords returns the words without marks at both ends that have no letter or digit.
func trimmedWords(words []*word) []*word {
	for len(words) > 0 && onlyLetters(words[0].Text) == "" {
		words = words[1:]
	}
	for len(words) > 0 && onlyLetters(words[len(words)-1].Text) == "" {
		words = words[:len(words)-1]
	}
	return words
}

// isAddressLine reports whether a line can begin an address.
func isAddressLine(line nameBlock) bool {
	if len(line.words) == 0 || isOtherLine(line) {
		return false
	}
	return streetWord.MatchString(foldForSearch(line.text)) || houseNumber.MatchString(line.text) ||
		postcode.MatchString(line.text) && isNameLike(line.text)
}

// isOtherLine reports whether a line is a contact, a label with a value, a number or a date, or has
// an amount.
func isOtherLine(line nameBlock) bool {
	folded := foldForSearch(line.text)
	if besideAddress.MatchString(withoutStreets(folded)) || fieldLabel.MatchString(line.text) ||
		registerLine.MatchString(line.text) && !codeAndCity.MatchString(line.text) || strings.HasPrefix(line.text, "(") ||
		registeredName.MatchString(line.text) || priceAtEnd.MatchString(line.text) || len(findDates(line.text, false)) > 0 || strongForm.MatchString(line.text) {
		return true
	}
	letters := 0
	for _, r := range line.text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters < 3 && !codeAndCity.MatchString(line.text)
}

// withoutStreets returns the words of a line but those of streets, because a street can be named like a
// contact: Kundenweg 88.
func withoutStreets(folded string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(folded), streetWord.MatchString), " ")
}

// continuesAddress reports whether the line below an address belongs to it. After the postcode, only
// a region, a country or another part of the address does.
func continuesAddress(line nameBlock, complete bool) bool {
	if isOtherLine(line) {
		return false
	}
	if isAddressLine(line) {
		return true
	}
	if !complete {
		return true
	}
	_, known := country.Parse(line.text)
	return known || regionWord.MatchString(foldForSearch(line.text))
}

// finding returns the address with its lines joined by commas.
func (b addressBlock) finding(repair func(string, []*word) string) finding {
	if len(b.lines) == 0 {
		return finding{}
	}
	var words []*word
	var raws, lines []string
	worst := 1.0
	for _, line := range b.lines {
		words = append(words, line.words...)
		raws = append(raws, textOf(line.words))
		lines = append(lines, wideMarks.Replace(addressLine(textOf(line.words))))
		worst = min(worst, meanConfidence(line.words))
	}
	value := joinAddress(lines)
	repaired := repair(value, words)
	confidence := 0.3 + 0.6*worst
	if !b.postcode || b.streets == 0 || !b.complete {
		confidence *= 0.7
	}
	if repaired != value {
		confidence *= unconfirmed
	}
	if words[0].source == domain.SourceOCR { // nothing else on the page confirms a letter of it
		confidence *= unconfirmed
	}
	return finding{raw: strings.Join(raws, " "), value: repaired, words: words,
		confidence: confidence}
}

// joinAddress joins the lines of an address by ", ", without marks at the ends of lines and with
// single blanks.
func joinAddress(lines []string) string {
	var kept []string
	for _, line := range lines {
		line = strings.ReplaceAll(strings.Join(strings.Fields(line), " "), " ,", ",")
		line = strings.Trim(line, " ,;:|_~'\"‘’“”*=<>«»")
		if line = strings.TrimLeft(line, ".-–—"); line != "" {
			kept = append(kept, line)
		}
	}
	return dashBeforeCity.ReplaceAllString(strings.Join(kept, ", "), ", $1")
}

// dashBeforeCity matches the dash that letterheads print between the street and the postcode.
var dashBeforeCity = regexp.MustCompile(` [-–—] (\d{4,5}\b)`)

var (
	// stopForComma matches a full stop after a number or a word that is no abbreviation, for which engines
	// take a comma.
	stopForComma = regexp.MustCompile(`(\d|\pL{5})\. (\pL|\d{5}\b)`)
	// commaForStop matches a comma after an abbreviation that ends with a full stop.
	commaForStop = regexp.MustCompile(`((?:^|\s)(?:[Nn][Oo]|\pL\.\pL)),`)
	// openInitials matches an abbreviation at the end that lacks its last full stop, as in D.E.
	openInitials   = regexp.MustCompile(`(?:^|\s)\pL\.\pL$`)
	letterInNumber = regexp.MustCompile(`\d[OoIl]+(?:\d|\b)|\b[OoIl]+\d{3,}`)
	digitInName    = regexp.MustCompile(
		`\pL{2,}[015]{1,2}\pL{2,}|\b\pL[05]\pL{3,}|\p{Ll}{3,}1\b|\pL{2,}[015]\pL\b|\b\pL[0]\pL\b|\b[Nn]0\b|\pL0{2}\pL`)
	// wrongI matches a small l for a capital I before a consonant, as in lpoh, and the reverse within
	// a word, as in JIn.
	wrongI = regexp.MustCompile(`\bl[bcdfghjkmnpqrstvwxz]\p{Ll}|\b\p{Lu}I\p{Ll}`)
)

// repairAddress replaces letters inside numbers and digits inside words, which engines confuse, and
// those of its words that engines read differently.
func repairAddress(text string, words []*word) string {
	text = stopForComma.ReplaceAllString(text, "${1}, ${2}")
	text = commaForStop.ReplaceAllString(text, "${1}.")
	text = openInitials.ReplaceAllString(text, "${0}.")
	return repairAddressWords(repairAddressDigits(text), doubtfulTokens(words))
}

func repairAddressDigits(text string) string {
	text = letterInNumber.ReplaceAllStringFunc(text, func(found string) string {
		return strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1").Replace(found)
	})
	text = digitInName.ReplaceAllStringFunc(text, repairLetters)
	return wrongI.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == 'l' {
			return "I" + found[1:]
		}
		return strings.Replace(found, "I", "l", 1)
	})
}

// repairLetters replaces the digits 0, 1 and 5 of a word by the letters that they resemble, in the
// case of the word.
func repairLetters(found string) string {
	if strings.ToUpper(found) == found {
		return strings.NewReplacer("0", "O", "1", "I", "5", "S").Replace(found)
	}
	return strings.NewReplacer("0", "o", "1", "l", "5", "s").Replace(found)
}
