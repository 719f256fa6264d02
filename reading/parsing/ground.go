package parsing

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Ground returns the assertions that the stated values make. A value is grounded if words of a page
// state it, amounts, dates, currencies and countries after normalisation; the words, their box and page
// then are the evidence, and the words are the text. Every other value is a suggestion. currency is that
// of the document, "" if unknown; a grounded one of the answer counts then.
func Ground(
	kind *domain.DocumentType, pages []domain.Page, stated []Stated, currency string,
) []domain.Assertion {
	layouts := make([]layout, 0, len(pages))
	for i := range pages {
		layouts = append(layouts, newLayout(&pages[i]))
	}
	search := search{kind, layouts, currency}
	ordered := slices.Clone(stated)
	slices.SortStableFunc(ordered, func(a, b Stated) int { return currencyFirst(a) - currencyFirst(b) })
	assertions := make([]domain.Assertion, 0, len(ordered))
	for _, one := range ordered {
		assertion := search.ground(one)
		if one.Field == domain.FieldCurrency && assertion.Grounded && search.currency == "" {
			search.currency = assertion.Value
		}
		assertions = append(assertions, assertion)
	}
	return assertions
}

// Fill returns the fields that the grounded values fill: those that have no value of another source.
func Fill(assertions []domain.Assertion, isKnown func(field string) bool) []domain.Field {
	var filled []domain.Field
	for _, a := range assertions {
		if a.Grounded && !isKnown(a.Field) {
			filled = append(filled, domain.Field{Name: a.Field, Raw: a.Raw, Normalised: a.Value, Page: a.Page,
				Box: a.Box, Confidence: a.Confidence, Source: domain.SourceLLM, Grounded: true})
		}
	}
	return filled
}

// currencyFirst orders the currency before the amounts.
func currencyFirst(s Stated) int {
	if s.Field == domain.FieldCurrency {
		return 0
	}
	return 1
}

// search looks for values in the words of the pages.
type search struct {
	kind     *domain.DocumentType
	layouts  []layout
	currency string
}

func (s search) ground(stated Stated) domain.Assertion {
	made := domain.Assertion{Field: stated.Field, Raw: stated.Text, Confidence: domain.ModelConfidence,
		Suggestion: true, Value: s.normalise(stated.Field, stated.Text)}
	if made.Value == "" {
		return made
	}
	order := slices.Clone(s.layouts) // the stated page first
	slices.SortStableFunc(order, func(a, b layout) int { return away(a, stated) - away(b, stated) })
	for _, page := range order {
		found := s.find(page, stated, made.Value)
		if len(found) == 0 {
			continue
		}
		if words := page.textOf(found[0]); fold(words) == fold(stated.Text) || !isText(s.typeOf(stated.Field)) {
			made.Raw = words
		}
		if isText(s.typeOf(stated.Field)) {
			made.Value = s.normalise(stated.Field, made.Raw)
		}
		made.Page, made.Box = page.page, page.boxOf(found[0])
		made.Grounded, made.Suggestion = true, false
		return made
	}
	return made
}

func away(page layout, stated Stated) int {
	if page.page == stated.Page {
		return 0
	}
	return 1
}

func (s search) typeOf(field string) domain.FieldType {
	spec, _ := s.kind.Field(field)
	return spec.Type
}

// isText reports whether a value of the type is stored as printed.
func isText(kind domain.FieldType) bool { return kind == domain.FieldTypeText }

var amountShape = regexp.MustCompile(`[-+]?\d[\d.,'’\x{00a0}\x{202f} ]*`)

// normalise returns the stored form of a text, "" if it has none.
func (s search) normalise(field, text string) string {
	switch s.typeOf(field) {
	case domain.FieldTypeMoney:
		numbers := amountShape.FindAllString(text, 2)
		if len(numbers) != 1 {
			return ""
		}
		text = strings.TrimRight(numbers[0], " .,'’\u00a0\u202f")
	case domain.FieldTypeCurrency:
		if code, ok := extraction.CurrencyOfMark(text); ok {
			return code
		}
	case domain.FieldTypeDate:
		text = strings.TrimRight(text, dateEnds)
		if dates := extraction.DatesOf(text); len(dates) == 1 {
			return dates[0]
		}
	}
	value, err := extraction.NormaliseIn(s.kind, field, text, s.currency)
	if err != nil {
		return ""
	}
	return value
}

// find returns the words of a page that state the value.
func (s search) find(page layout, stated Stated, value string) []span {
	switch kind := s.typeOf(stated.Field); kind {
	case domain.FieldTypeBoolean, domain.FieldTypeChoice:
		return nil // a word such as yes says nothing about the field
	case domain.FieldTypeMoney:
		return page.findInLines(func(text string, at span) bool {
			return sameDigits(text, value) && !page.isFragment(at) &&
				s.normalise(stated.Field, text) == value
		})
	case domain.FieldTypeNumber:
		return page.findInLines(func(text string, at span) bool {
			return hasDigit(text) && !page.isFragment(at) && s.normalise(stated.Field, text) == value
		})
	case domain.FieldTypeDate:
		return page.findInLines(func(text string, _ span) bool { return statesDate(text, value) })
	case domain.FieldTypeCurrency:
		return page.findInLines(func(text string, _ span) bool {
			return utf8.RuneCountInString(text) <= 8 && s.normalise(stated.Field, marksOf(text)) == value
		})
	case domain.FieldTypeCountry:
		return page.findInLines(func(text string, _ span) bool {
			text = strings.Trim(text, ":;,.()")
			return isCountryName(text) && s.normalise(stated.Field, text) == value
		})
	}
	if value != stated.Text { // such as an account without spaces
		if found := page.findFolded(value); len(found) > 0 {
			return found
		}
	}
	return page.findFolded(stated.Text)
}

// marksOf returns the currency mark of a text such as 120.00€, the text itself if it has no digits.
func marksOf(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsSpace(r) || strings.ContainsRune(".,'’-+():;", r)
	})
}

// isCountryName reports whether a text can name a country. A code of two letters does not: it also is a
// word of many languages.
func isCountryName(text string) bool {
	latin := strings.ContainsFunc(text, func(r rune) bool { return r < unicode.MaxLatin1 })
	return !hasDigit(text) && (!latin || utf8.RuneCountInString(text) > 3)
}

// dateEnds are what can follow a date without being part of it.
const dateEnds = ":;,."

// statesDate reports whether a text can mean the date.
func statesDate(text, date string) bool {
	return hasDigit(text) && slices.Contains(extraction.DatesOf(strings.TrimRight(text, dateEnds)), date)
}

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }

// sameDigits reports whether a text has the digits of an amount, apart from zeros at the ends.
func sameDigits(text, amount string) bool {
	digits := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, s), "0")
	}
	return hasDigit(text) && digits(text) == digits(amount)
}

// isFragment reports whether a number continues beside the words, such as 234.50 of 1 234.50.
func (l layout) isFragment(at span) bool {
	group := func(i, digits int) bool {
		if i < 0 || i >= len(l.tokens) || l.tokens[i].line != l.tokens[at.from].line {
			return false
		}
		text := l.tokens[i].text
		return len(text) <= digits && text != "" && strings.Trim(text, "0123456789") == ""
	}
	first := l.tokens[at.from].text
	startsGroup := len(first) >= 3 && strings.Trim(first[:3], "0123456789") == "" &&
		(len(first) == 3 || first[3] < '0' || first[3] > '9')
	return startsGroup && group(at.from-1, 3)
}
