package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

const (
	// headerRows is the number of rows at the top of the first page whose words identify the vendor:
	// name, register number, address and telephone.
	headerRows = 12
	// maxHeader limits the words of a lesson.
	maxHeader = 80
	// minHeaderWord is the minimum number of letters and digits of a word of the header.
	minHeaderWord = 4
	// minIdentifier is the minimum number of digits of a telephone, register or tax number.
	minIdentifier = 6
)

// Learn returns the lesson of a document. confirmed has the values in force. ok is false if no name
// was confirmed or there are no pages.
func Learn(pages []domain.Page, confirmed []domain.Field) (lesson domain.Lesson, ok bool) {
	layout := newDocumentLayout(pages)
	value := map[string]string{}
	for _, field := range confirmed {
		value[field.Name] = field.Normalised
	}
	lesson = domain.Lesson{Name: strings.Join(strings.Fields(value[domain.FieldVendor]), " ")}
	if len(layout.rows) == 0 || len(onlyLetters(lesson.Name)) < minMisread {
		return domain.Lesson{}, false
	}
	text := onlyLetters(layout.text)
	if taxID := onlyLetters(value[domain.FieldVATID]); len(taxID) > minIdentifier &&
		strings.Contains(text, taxID) {
		lesson.TaxID = taxID
	}
	lesson.Header = layout.header()
	if currency := value[domain.FieldCurrency]; currency != "" && layout.showsCurrency(currency) {
		lesson.Currency = currency
	}
	shown := layout.country(Hints{}, codeFindings{})
	if shown.value == value[domain.FieldCountry] {
		lesson.Country = shown.value
	}
	lesson.Anchors = layout.anchorsOf(value)
	return lesson, true
}

// accountRow matches rows that may have an account, of which nothing is remembered.
var accountRow = regexp.MustCompile(`(?i)iban|\bbic\b|swift|account|\ba/?c\b|konto|compte|rekening|账号|帐号|[A-Z]{2}\d{2}(\s?[A-Z0-9]{4}){3,}`)

// header returns the words of the first page's top rows that can identify a vendor, sorted: not those
// of the recipient, of dates, amounts and accounts.
func (s *documentLayout) header() []string {
	bought := s.labelAreas(buyerLabel, 6)
	found := []string{}
	for i, r := range s.rows {
		if i == headerRows || r.page != s.rows[0].page {
			break
		}
		if accountRow.MatchString(r.text) {
			continue
		}
		varying := varyingWords(r)
		for _, b := range r.nameBlocks() {
			if inLabelArea(b, bought) {
				continue
			}
			for _, w := range b.words {
				if !slices.Contains(varying, w) {
					found = append(found, headerWords(w.Text)...)
				}
			}
		}
		var text []string
		for _, w := range r.words {
			if slices.Contains(varying, w) {
				text = append(text, ";")
			} else {
				text = append(text, w.Text)
			}
		}
		found = append(found, identifiers(strings.Join(text, " "))...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), maxHeader)]
}

// varyingWords returns the words of dates and amounts in a row, which differ between documents.
func varyingWords(r *row) []*word {
	var words []*word
	for _, date := range findDates(repairDates(r.text), false) {
		words = append(words, r.wordsBetween(date.from, date.to)...)
	}
	for i := 0; i < len(r.words); {
		a, used := amountAt(r, i, "", false)
		if a != nil && !a.uncertain {
			words = append(words, a.words...)
		}
		i += max(used, 1)
	}
	return words
}

// headerWords returns the words and longer numbers in a text, in upper case.
func headerWords(text string) []string {
	var found []string
	for _, part := range strings.FieldsFunc(text, isNoLetterOrDigit) {
		key := onlyLetters(part)
		if size := len([]rune(key)); size > minHeaderWord || size == minHeaderWord && !isDigits(key) {
			found = append(found, key)
		}
	}
	return found
}

// identifiers returns the digits of the telephone, register and tax numbers in a row. Groups of
// digits with narrow separators are one number.
func identifiers(text string) []string {
	var found []string
	run := ""
	end := func() {
		if len(run) >= minIdentifier {
			found = append(found, run)
		}
		run = ""
	}
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			run += string(r)
		case r == '-' || r == ' ' || r == '.':
		default:
			end()
		}
	}
	end()
	return found
}

// LessonKeys returns the words and numbers by which a lesson is found: the numbers of the header and
// the longer words of the name.
func LessonKeys(l domain.Lesson) []string {
	keys := []string{}
	for _, word := range l.Header {
		if isDigits(word) {
			keys = append(keys, word)
		}
	}
	for _, word := range strings.FieldsFunc(l.Name, isNoLetterOrDigit) {
		if word = onlyLetters(word); len([]rune(word)) >= minHeaderWord {
			keys = append(keys, word)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func isDigits(text string) bool { return len(onlyDigits(text)) == len(text) }

func isNoLetterOrDigit(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// LookupKeys returns the words and numbers of the pages that can be keys of lessons: those of their
// header.
func LookupKeys(pages []domain.Page) []string {
	layout := newDocumentLayout(pages)
	if len(layout.rows) == 0 {
		return nil
	}
	return layout.header()
}
