package extraction

import (
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/domain"
)

// printedFields are the fields of an e-invoice that its pages must show, because they decide what is
// paid to whom, and people see the pages.
var printedFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldCurrency,
	domain.FieldTotal, domain.FieldIBAN}

// notPrinted returns the fields of the e-invoice whose values the pages do not show, in the order of
// printedFields. A value that the e-invoice contradicts itself about cannot be shown.
func (s *documentLayout) notPrinted(structured []domain.Field, amounts []*amount) []string {
	var missing []string
	text := ""
	for _, name := range printedFields {
		at := slices.IndexFunc(structured, func(f domain.Field) bool { return f.Name == name })
		if at < 0 {
			continue
		}
		if structured[at].Normalised == "" {
			missing = append(missing, name)
			continue
		}
		if text == "" {
			text = onlyLetters(s.text)
		}
		value, shown := structured[at].Normalised, false
		switch name {
		case domain.FieldTotal:
			shown = showsAmount(amounts, value)
		case domain.FieldCurrency:
			shown = s.showsCurrency(value)
		case domain.FieldVendor:
			shown = showsSeller(text, value)
		default:
			shown = strings.Contains(text, onlyLetters(value))
		}
		if !shown {
			missing = append(missing, name)
		}
	}
	return missing
}

// shortWord is the number of letters from which a word of a name distinguishes it.
const shortWord = 4

// showsSeller reports whether the letters of the pages contain the name, or one of its longer words that
// is no legal form: pages spell the name of a company in other ways than registers.
func showsSeller(letters, name string) bool {
	if strings.Contains(letters, onlyLetters(name)) {
		return true
	}
	for _, word := range strings.Fields(strongForm.ReplaceAllString(name, " ")) {
		word = onlyLetters(word)
		if utf8.RuneCountInString(word) >= shortWord && strings.Contains(letters, word) {
			return true
		}
	}
	return false
}

// showsAmount reports whether one of the amounts has the value of a plain decimal. The sign is
// ignored, because credit notes print amounts with and without it.
func showsAmount(amounts []*amount, value string) bool {
	whole, fraction, _ := strings.Cut(strings.TrimLeft(value, "+-"), ".")
	milli := int64(0)
	for _, digit := range onlyDigits(whole) + (fraction + "000")[:3] {
		milli = milli*10 + int64(digit-'0')
	}
	return slices.ContainsFunc(amounts, func(a *amount) bool {
		return !a.ambiguous && max(a.milli, -a.milli) == milli
	})
}

// showsCurrency reports whether a row writes the currency by its code or a sign for it.
func (s *documentLayout) showsCurrency(code string) bool {
	shows := func(mark currencyMark) bool {
		return !mark.place && (mark.code == code ||
			mark.code == yenOrYuan && (code == "JPY" || code == "CNY")) &&
			mark.shape.MatchString(s.text)
	}
	return strings.Contains(s.text, code) || slices.ContainsFunc(currencyMarks, shows)
}
