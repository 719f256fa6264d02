package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// NormaliseIn converts a value like Normalise, for a field of a document type. A field that the type
// does not have is normalised by its name.
func NormaliseIn(t *domain.DocumentType, name, value, currency string) (string, error) {
	field, ok := t.Field(name)
	if !ok || field.IsBuiltin() {
		return Normalise(name, value, currency)
	}
	value = strings.Join(strings.Fields(value), " ")
	if domain.Longer(value, field.MaxLength) {
		return "", domain.Invalid(name, "The value is longer than %d characters.", field.MaxLength)
	}
	switch field.Type {
	case domain.FieldTypeNumber:
		return normaliseNumber(name, value)
	case domain.FieldTypeBoolean:
		return normaliseBoolean(name, value)
	case domain.FieldTypeChoice:
		return normaliseChoice(field, value)
	case domain.FieldTypeText:
		if ValidIBAN(strings.ToUpper(strings.ReplaceAll(value, " ", ""))) {
			return "", domain.Invalid(name, "This is an account number.").
				WithRemedy("Enter it as the IBAN, where rules and payments look for it.")
		}
		return value, nil
	}
	return normaliseTyped(name, field.Type, value, currency)
}

var numberShape = regexp.MustCompile(`^([-+]?)0*(\d{1,15})(?:[.,](\d{1,6}))?$`)

// normaliseNumber accepts a number without separators of thousands. A comma before three digits
// could be one.
func normaliseNumber(name, value string) (string, error) {
	parts := numberShape.FindStringSubmatch(value)
	if parts == nil || strings.Contains(value, ",") && len(parts[3]) == 3 {
		return "", domain.Invalid(name, "%q is not a clear number.", value).
			WithRemedy("Write it without separators of thousands, such as 1234.5.")
	}
	whole, fraction := parts[2], strings.TrimRight(parts[3], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	if parts[1] == "-" && whole != "0" {
		whole = "-" + whole
	}
	return whole, nil
}

// booleanWords are the texts of the two values, in lower case.
var booleanWords = map[string][]string{
	"true":  {"true", "yes", "ja", "oui", "sí", "si", "是"},
	"false": {"false", "no", "nein", "non", "nee", "否"},
}

func normaliseBoolean(name, value string) (string, error) {
	for normalised, words := range booleanWords {
		if slices.Contains(words, strings.ToLower(value)) {
			return normalised, nil
		}
	}
	return "", domain.Invalid(name, "%q is neither yes nor no.", value).
		WithRemedy("Enter yes or no.")
}

// normaliseChoice accepts the value of an option or one of its labels.
func normaliseChoice(field domain.DocumentField, value string) (string, error) {
	values := make([]string, 0, len(field.Options))
	for _, option := range field.Options {
		if slices.ContainsFunc([]string{option.Value, option.English, option.Chinese},
			func(text string) bool { return strings.EqualFold(text, value) }) {
			return option.Value, nil
		}
		values = append(values, option.English)
	}
	return "", domain.Invalid(field.Name, "%q is not one of the options.", value).
		WithRemedy("Choose one of: %s.", strings.Join(values, ", "))
}

// The certainty of a value that was found by its label alone. A label inside other text may belong to
// a sentence, so that the value stays below the mark of low confidence.
const (
	exactLabel = 0.85
	looseLabel = 0.45
)

// FindByLabels finds the own fields of a document type on the pages, each by the labels of its
// definition: the value is right of the label, or below it. currency is that of the document, ""
// if unknown.
func FindByLabels(
	pages []domain.Page, t *domain.DocumentType, hints Hints, currency string,
) []domain.Field {
	own := t.OwnFields()
	if !slices.ContainsFunc(own, func(f domain.DocumentField) bool { return len(f.PageLabels) > 0 }) {
		return nil
	}
	search := labelSearch{layout: newDocumentLayout(pages), kind: t, currency: currency}
	search.monthFirst = search.layout.monthFirst(hints, currency)
	for _, field := range own {
		search.labels = append(search.labels, field.PageLabels...)
	}
	var fields []domain.Field
	for _, field := range own {
		if found := search.find(field); len(found.words) > 0 {
			fields = append(fields, found.field(field.Name))
		}
	}
	return fields
}

// labelSearch looks for the labels of a document type.
type labelSearch struct {
	layout     *documentLayout
	kind       *domain.DocumentType
	labels     []string // of all fields
	currency   string
	monthFirst bool
}

// find returns the most certain value of a field. Two labels with different values are no certain
// one.
func (s *labelSearch) find(field domain.DocumentField) (best finding) {
	for _, r := range s.layout.rows {
		for _, label := range field.PageLabels {
			for _, at := range labelsIn(r.text, label) {
				found := s.valueAt(field, r, at, label)
				switch {
				case len(found.words) == 0:
				case len(best.words) > 0 && best.value != found.value &&
					best.confidence >= looseLabel && found.confidence > looseLabel:
					best.confidence = min(best.confidence, looseLabel)
				case found.confidence > best.confidence:
					best = found
				}
			}
		}
	}
	return best
}

// labelsIn returns the offsets at which a label is in the text, as whole words, in any case.
func labelsIn(text, label string) (found []int) {
	for at := range text {
		end := at + len(label)
		if end > len(text) {
			break
		}
		if strings.EqualFold(text[at:end], label) && !joined(text, at) && !joined(text, end) {
			found = append(found, at)
		}
	}
	return found
}

// joined reports whether the characters before and after an offset belong to one word. Chinese text
// has no spaces between words.
func joined(text string, at int) bool {
	if at <= 0 || at >= len(text) || endsHan(text[:at]) || beginsHan(text[at:]) {
		return false
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before := []rune(text[max(0, at-4):at])
	after := []rune(text[at:min(len(text), at+4)])
	return letter(before[len(before)-1]) && letter(after[0])
}

// valueAt returns the value right of the label in the row, or below it.
func (s *labelSearch) valueAt(field domain.DocumentField, r *row, at int, label string) finding {
	end := at + len(label)
	rest := r.text[end:]
	trimmed := strings.TrimLeft(rest, " .")
	colon := strings.HasPrefix(trimmed, ":") || strings.HasPrefix(trimmed, "：")
	from := len(r.text) - len(strings.TrimLeft(rest, " .:：#"))
	confidence := looseLabel
	if s.beginsCell(r, at) && r.text[at:end] == label && (colon || s.endsCell(r, end)) {
		confidence = exactLabel
	}
	if from < len(r.text) {
		return s.read(field, r, from, confidence)
	}
	var below finding
	s.layout.wordsBelow(r, at, end, func(next *row, w *word) {
		if len(below.words) == 0 && !s.isLabel(next.text[w.at:]) {
			below = s.read(field, next, w.at, confidence)
		}
	})
	return below
}

// isLabel reports whether a text begins with a label of the type.
func (s *labelSearch) isLabel(text string) bool {
	return slices.ContainsFunc(s.labels, func(label string) bool {
		return len(text) >= len(label) && strings.EqualFold(text[:len(label)], label)
	})
}

// isWideGap reports whether the space between two words is that of columns, not of a sentence.
func isWideGap(left, right *word) bool {
	return 2*(right.Box.X-left.Box.X-left.Box.W) > 3*max(left.Box.H, right.Box.H)
}

// beginsCell reports whether the text at an offset begins the row or a column of it.
func (s *labelSearch) beginsCell(r *row, at int) bool {
	for i, w := range r.words {
		if w.at == at {
			return i == 0 || isWideGap(r.words[i-1], w)
		}
	}
	return false
}

// endsCell reports whether the text before an offset ends the row or a column of it.
func (s *labelSearch) endsCell(r *row, end int) bool {
	for i, w := range r.words {
		if w.at+len(w.Text) == end {
			return i == len(r.words)-1 || isWideGap(w, r.words[i+1])
		}
	}
	return false
}

// read reads the value of a field that begins at an offset of a row and ends with its column.
func (s *labelSearch) read(
	field domain.DocumentField, r *row, from int, confidence float64,
) finding {
	words := r.wordsBetween(from, len(r.text))
	if len(words) == 0 {
		return finding{}
	}
	last := 1
	for last < len(words) && !isWideGap(words[last-1], words[last]) &&
		!s.isLabel(r.text[words[last].at:]) {
		last++
	}
	words = words[:last]
	raw := r.text[from : words[last-1].at+len(words[last-1].Text)]
	value, exact := s.value(field, raw)
	if value == "" {
		return finding{}
	}
	if !exact {
		confidence = min(confidence, looseLabel)
	}
	return finding{raw: raw, value: value, words: words,
		confidence: clamp(confidence * meanConfidence(words))}
}

// value returns the normalised value of a text beside a label, "" if it is none. exact is false if
// the text can be read in two ways.
func (s *labelSearch) value(field domain.DocumentField, raw string) (value string, exact bool) {
	switch field.Type {
	case domain.FieldTypeDate:
		dates := findDates(raw, s.monthFirst)
		if len(dates) == 0 || dates[0].from != 0 {
			return "", false
		}
		return dates[0].iso, !dates[0].ambiguous
	case domain.FieldTypeMoney:
		sum, ok := parseAmount(strings.ReplaceAll(raw, " ", ""), s.currency)
		// The amounts of a document are in its currency.
		if !ok || s.currency == "" || sum.currency != "" && sum.currency != s.currency {
			return "", false
		}
		return sum.finding(s.currency, 1).value, !sum.ambiguous && !sum.uncertain
	case domain.FieldTypeText:
		if !strings.ContainsFunc(raw, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		}) {
			return "", false
		}
	}
	normalised, err := NormaliseIn(s.kind, field.Name, raw, s.currency)
	return normalised, err == nil
}
