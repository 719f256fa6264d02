package rules

import (
	"time"

	"countersign/domain"
)

// inputIndex is an Input with its fields indexed by name.
type inputIndex struct {
	*Input
	fields   map[string]*domain.Field
	currency string // "" if unknown
}

func newInputIndex(input *Input) *inputIndex {
	s := &inputIndex{Input: input, fields: make(map[string]*domain.Field, len(input.Fields))}
	for i := range input.Fields {
		// Only the newest revision of a field counts.
		field := &input.Fields[i]
		if older := s.fields[field.Name]; older == nil || older.Revision <= field.Revision {
			s.fields[field.Name] = field
		}
	}
	for _, code := range []string{s.text(domain.FieldCurrency), input.Amount.Currency,
		input.Declared.Currency} {
		if domain.KnownCurrency(code) {
			s.currency = code
			break
		}
	}
	return s
}

// text returns the normalised value of a field, "" if it is absent or unreadable.
func (s *inputIndex) text(name string) string {
	if field := s.fields[name]; field != nil {
		return field.Normalised
	}
	return ""
}

// hasValue reports whether any value was found for a field.
func (s *inputIndex) hasValue(name string) bool {
	return !s.fields[name].IsEmpty()
}

// money parses an amount field in the document's currency.
func (s *inputIndex) money(name string) (domain.Money, bool) {
	if s.currency == "" || s.text(name) == "" {
		return domain.Money{}, false
	}
	amount, err := domain.ParseMoney(s.text(name), s.currency)
	return amount, err == nil
}

// isGuess reports whether a value was read from the page with low confidence, by its label alone,
// so that rules ignore it. Extraction gives a high confidence to net and tax that add up to the
// total, and to those that should but do not.
func (s *inputIndex) isGuess(name string) bool {
	field := s.fields[name]
	if field == nil || field.Source != domain.SourceOCR && field.Source != domain.SourceText {
		return false
	}
	return field.Confidence < LowConfidence
}

// certainty returns the confidence of a value that a machine read: 0 if the words of the page do not
// state it. read is false for values from other sources, and for a currency that was declared as
// well.
func (s *inputIndex) certainty(name string) (certainty float64, read bool) {
	field := s.fields[name]
	if field == nil || !field.Source.IsMachine() ||
		name == domain.FieldCurrency && s.isCurrencyDeclared() {
		return 0, false
	}
	if !field.Grounded {
		return 0, true
	}
	return field.Confidence, true
}

// isEntered reports whether a person entered or confirmed the value.
func (s *inputIndex) isEntered(name string) bool {
	field := s.fields[name]
	return field != nil && field.Source == domain.SourceHuman
}

func (s *inputIndex) isCurrencyDeclared() bool {
	return s.Declared.Currency != "" &&
		s.text(domain.FieldCurrency) == s.Declared.Currency
}

// isCurrencyAssumed reports whether the currency only follows from other words of the page, such as
// an address, and was not declared.
func (s *inputIndex) isCurrencyAssumed() bool {
	field := s.fields[domain.FieldCurrency]
	return field != nil && field.Normalised != "" && field.Source.IsMachine() &&
		!field.Grounded && !s.isCurrencyDeclared()
}

// date parses a date field.
func (s *inputIndex) date(name string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, s.text(name))
	return day, err == nil
}

// today returns the calendar day of Today in its own time zone, at midnight UTC.
func (s *inputIndex) today() time.Time {
	year, month, day := s.Today.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
