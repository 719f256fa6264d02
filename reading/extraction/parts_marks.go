package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// marks are what a page or an area shows of a document of its own.
type marks struct {
	numbers []string        // those with a label of an invoice or receipt, letters and digits only
	ids     []string        // tax and register numbers, accounts and telephone numbers, digits only
	layout  *documentLayout // for the name at its top, which is rarely needed
	total   int64           // labelled as total, in thousandths; 0 without one
	date    string
	title   bool // its upper part has a word such as invoice or receipt
	party   bool // its upper part has a legal form, a tax or a register number
	carried bool // it begins with a sum of the page before
	prose   bool
	// number and of are those of "page 2 of 3", 0 if not printed.
	number, of int
	format     pageFormat
	// amounts and longWords are the numbers of amounts with decimals and of words of three letters or
	// more, labelled that of amounts with such a word in their row.
	amounts, longWords, labelled int
}

// certainVendor is the confidence from which a name distinguishes documents, and carriedRows the number
// of rows at the top of a page that can carry a sum over.
const (
	certainVendor = 0.35
	carriedRows   = 12
)

// vendor returns the letters and digits of the name at its top, "" if it is uncertain.
func (m *marks) vendor() string {
	if found := m.layout.vendor(m.layout.addresses()); found.confidence >= certainVendor {
		return onlyLetters(found.value)
	}
	return ""
}

func (m *marks) hasTotal() bool { return m.total != 0 }

// complete reports whether the area alone could be an invoice or receipt.
func (m *marks) complete() bool {
	return m.hasTotal() && (m.date != "" || len(m.numbers) > 0) && (m.title || m.party)
}

// facts counts the facts of a document that the area shows: a total, a date, a number, an issuer or
// a word for the type.
func (m *marks) facts() (count int) {
	for _, present := range []bool{m.hasTotal(), m.date != "", len(m.numbers) > 0,
		m.title || m.party || len(m.ids) > 0} {
		if present {
			count++
		}
	}
	return count
}

// isBlock reports whether the area has both text and amounts, as a receipt has.
func (m *marks) isBlock() bool { return m.amounts >= 3 && m.longWords >= 15 }

// isColumnOf reports whether the area is the column of a table that has its labels in the other area: its
// amounts have no words in their rows, it has no total, and the other area has few amounts.
func (m *marks) isColumnOf(labels marks) bool {
	return m.amounts >= 3 && 3*m.labelled <= m.amounts && !m.hasTotal() && 2*labels.amounts <= m.amounts
}

// add adds the marks of another page of the same document.
func (m *marks) add(page marks) {
	m.numbers = firstOf(append(m.numbers, page.numbers...))
	m.ids = firstOf(append(m.ids, page.ids...))
	if page.hasTotal() {
		m.total = page.total
	}
	if m.date == "" {
		m.date = page.date
	}
	if page.number > 0 {
		m.number, m.of = page.number, page.of
	}
	m.title = m.title || page.title
}

// maxCodes limits the numbers that are compared.
const maxCodes = 60

func firstOf(codes []string) []string { return codes[:min(len(codes), maxCodes)] }

// pageFormat is the kind of a page: its source and its shape.
type pageFormat struct {
	source domain.FieldSource
	ratio  int // quarters of its width that its height has
}

// marksOf returns the marks of the rows.
func (s *documentLayout) marksOf(page domain.Page) marks {
	m := marks{layout: s, prose: s.isProse(), format: pageFormat{page.Source,
		(page.Height*4 + page.Width/2) / max(1, page.Width)}}
	candidates := s.labelAmounts(s.amounts(""))
	if total := chooseTotal(candidates); total != nil && isLabelledTotal(total) {
		m.total = total.milli
	}
	for _, c := range candidates {
		if !c.uncertain {
			m.amounts++
			if slices.ContainsFunc(c.row.words, isLongWord) {
				m.labelled++
			}
		}
	}
	for _, w := range s.words {
		if isLongWord(w) {
			m.longWords++
		}
	}
	date, _ := s.dates(Hints{}, "", nil)
	m.date = date.value
	m.numbers, m.ids = firstOf(s.numbers()), firstOf(s.issuerIDs())
	for i, r := range s.rows {
		if i*5 <= len(s.rows)*2 {
			m.title = m.title || len(r.words) <= 12 &&
				(typeWord.MatchString(r.text) || titleStart.MatchString(r.folded))
			m.party = m.party || strongForm.MatchString(r.text) || partyMark.MatchString(r.text)
		}
		if i < carriedRows && carriedOver.MatchString(r.folded) {
			m.carried = true
		}
		if m.number == 0 {
			m.number, m.of = pageNumber(r.text)
		}
	}
	return m
}

// isLongWord reports whether a word was read and has three letters or more, and no digit.
func isLongWord(w *word) bool {
	return len([]rune(onlyLetters(w.Text))) >= 3 && countDigits(w.Text) == 0 && w.Confidence >= 0.3
}

// titleStart matches a row that begins with the kind of the document, also as a part of a longer word.
var titleStart = regexp.MustCompile(kindInTitle + `(?:\P{L}|$)`)

var (
	carriedOver = regexp.MustCompile(`.bertrag|carried|brought forward|b/f\b|report\b.*page|承前页`)
	pageLabel   = regexp.MustCompile(
		`(?i)(?:\b(?:page|seite|pagina|página|blatt|halaman|muka\s*surat)\s*(?:no|nr)?[\s.:]*|第\s*)(\d{1,3})(?:\s*(?:of|von|/|de|sur|van|dari|[页頁][\s,，/]*共)\s*(\d{1,3}))?\b`)
	barePage = regexp.MustCompile(`^\W*(\d{1,2})\s*/\s*(\d{1,2})\W*$`)
)

// pageNumber returns the number of the page and of all pages that a row states; 0 without them.
func pageNumber(text string) (page, of int) {
	found := pageLabel.FindStringSubmatch(text)
	if found == nil {
		found = barePage.FindStringSubmatch(text)
	}
	if found == nil {
		return 0, 0
	}
	page, of = number(found[1]), max(0, number(found[2]))
	if page < 1 || of > 0 && page > of {
		return 0, 0
	}
	return page, of
}

// numbers returns all document numbers with a label of an invoice or receipt.
func (s *documentLayout) numbers() []string {
	var found []string
	take := func(text string) bool {
		match := numberValue.FindStringSubmatch(text)
		if match == nil || !isNumberLike(match[1]) {
			return false
		}
		if value := onlyLetters(match[1]); len(value) > 3 && !slices.Contains(found, value) {
			found = append(found, value)
		}
		return true
	}
	for _, r := range s.rows {
		if at := numberTitle.FindStringIndex(r.folded); at != nil {
			take(r.text[at[1]:])
		}
		for _, at := range numberLabel.FindAllStringIndex(r.folded, -1) {
			label := r.folded[at[0]:at[1]]
			if !ownNumber.MatchString(label) || numberWorse.MatchString(label) ||
				!strings.ContainsAny(label, "#:°") && !numberWord.MatchString(label) {
				continue
			}
			if take(r.text[at[1]:]) {
				continue
			}
			s.wordsBelow(r, at[0], at[1], func(below *row, w *word) { take(below.text[w.at:]) })
		}
	}
	return found
}

var ownNumber = regexp.MustCompile(
	`inv|rechnung|facture|factuur|bill|faktura|发票|gutschrift|credit|receipt|rcpt|resit|beleg`)

var (
	issuerID = regexp.MustCompile(
		`(?i)\b(?:vat|gst|sst|ust|mwst|btw|tva|kvk|siret|siren|gstin|abn|ein|tin|hrb|co|comp(?:any)?|reg|roc|ssm|steuer|tel|phone|hp)[a-z. -]{0,16}[\s.:#(/-]*([A-Z]{0,3}\s?\d[\d\s.-]{4,20}\d)`)
	registerMark = regexp.MustCompile(`\b(\d{4,8})\s?-\s?[A-Z]\b`)
)

// issuerIDs returns the digits of tax and register numbers, accounts and telephone numbers.
func (s *documentLayout) issuerIDs() []string {
	var found []string
	add := func(text string) {
		if digits := onlyDigits(text); len(digits) >= 5 && len(digits) <= 22 &&
			!slices.Contains(found, digits) {
			found = append(found, digits)
		}
	}
	for _, r := range s.rows {
		for _, match := range issuerID.FindAllStringSubmatch(r.text, 8) {
			if len(findDates(match[1], false)) == 0 {
				add(match[1])
			}
		}
		for _, match := range registerMark.FindAllStringSubmatch(r.text, 8) {
			add(match[1])
		}
	}
	add(s.iban().value)
	add(s.vatID("").value)
	return found
}

// shares reports whether the lists have a value in common, with one wrong character in longer ones.
func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return nearlyEqual(x, y) })
	})
}

// nearlyEqual reports whether two codes are equal but for one character of at least six.
func nearlyEqual(x, y string) bool {
	if x == y {
		return true
	}
	if len(x) != len(y) || len(x) < 6 {
		return false
	}
	wrong := 0
	for i := range len(x) {
		if x[i] != y[i] {
			wrong++
		}
	}
	return wrong == 1
}

// sameName reports whether one name contains the other, or their first letters are equal.
func sameName(a, b string) bool {
	const first = 6
	return strings.Contains(a, b) || strings.Contains(b, a) ||
		len(a) >= first && len(b) >= first && a[:first] == b[:first]
}
