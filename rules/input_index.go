package rules

import (
	"strings"
	"time"

	"countersign/domain"
)

// inputIndex is the input with its fields laid out by name, values read once.
type inputIndex struct {
	*Input
	fields   map[string]*domain.Field
	currency string // "" unknown
}

func newInputIndex(input *Input) *inputIndex {
	s := &inputIndex{Input: input, fields: make(map[string]*domain.Field, len(input.Fields))}
	for i := range input.Fields {
		// The newest revision of a field is the one that holds.
		field := &input.Fields[i]
		if held := s.fields[field.Name]; held == nil || held.Revision <= field.Revision {
			s.fields[field.Name] = field
		}
	}
	for _, code := range []string{s.text(domain.FieldCurrency), input.Amount.Currency, input.Declared.Currency} {
		if domain.KnownCurrency(code) {
			s.currency = code
			break
		}
	}
	return s
}

// text returns a field's normalised value, "" when it is absent or unreadable.
func (s *inputIndex) text(name string) string {
	if field := s.fields[name]; field != nil {
		return field.Normalised
	}
	return ""
}

// hasValue tells whether anything was found for a field.
func (s *inputIndex) hasValue(name string) bool {
	field := s.fields[name]
	return field != nil && (strings.TrimSpace(field.Raw) != "" || field.Normalised != "")
}

// money reads an amount field in the document's currency.
func (s *inputIndex) money(name string) (domain.Money, bool) {
	if s.currency == "" || s.text(name) == "" {
		return domain.Money{}, false
	}
	amount, err := domain.ParseMoney(s.text(name), s.currency)
	return amount, err == nil
}

// isGuess tells a value that was read off the page by its label alone, with little confidence: nothing is concluded from
// it. Reading is sure of a net and a tax that make up the total, and of those that should and do not.
func (s *inputIndex) isGuess(name string) bool {
	field := s.fields[name]
	return field != nil && (field.Source == domain.SourceOCR || field.Source == domain.SourceText) && field.Confidence > 0 && field.Confidence < lowConfidence
}

// date reads a date field.
func (s *inputIndex) date(name string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, s.text(name))
	return day, err == nil
}

// today is the day the rules judge by, as a date of its own time zone.
func (s *inputIndex) today() time.Time {
	year, month, day := s.Today.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
