package parsing

import (
	"strings"

	"countersign/domain"
	"countersign/reading/extraction"
)

// removed replaces a value that must not leave.
const removed = "[removed]"

// remove removes the values of the fields that must not leave from the words of the page: the known
// ones, and for accounts and tax ids everything that has their form. It returns the number of places.
func (l *layout) remove(kind *domain.DocumentType, known map[string][]string) int {
	var places []span
	for _, name := range kind.NeverSent {
		field, _ := kind.Field(name)
		for _, value := range known[name] {
			places = append(places, l.findFolded(value)...)
			places = append(places, l.findValue(kind, name, value)...)
		}
		if field.Type == domain.FieldTypeIBAN || field.Type == domain.FieldTypeVATID {
			places = append(places, l.findCodes(field.Type)...)
		}
	}
	for _, place := range places {
		for i := place.from; i < place.to; i++ {
			l.tokens[i].text = removed
		}
	}
	return len(places)
}

// findValue returns the words of one line that state a normalised amount or date, in all its forms.
func (l *layout) findValue(kind *domain.DocumentType, name, value string) []span {
	spec, _ := kind.Field(name)
	switch spec.Type {
	case domain.FieldTypeMoney:
		return l.findAllInLines(func(text string, at span) bool {
			return hasDigit(l.tokens[at.from].text) && hasDigit(l.tokens[at.to-1].text) && sameDigits(text, value)
		})
	case domain.FieldTypeDate:
		return l.findAllInLines(func(text string, _ span) bool { return statesDate(text, value) })
	}
	return nil
}

// findCodes returns the words that form an account or a tax id. Of accounts the check digits need not
// be right, because a misread account is still one.
func (l *layout) findCodes(kind domain.FieldType) []span {
	var found []span
	for from := range l.tokens {
		for to := min(from+maxLineWords, len(l.tokens)); to > from; to-- {
			if l.tokens[to-1].line != l.tokens[from].line {
				continue
			}
			code := strings.ToUpper(fold(l.textOf(span{from, to})))
			if kind == domain.FieldTypeIBAN && extraction.LooksLikeIBAN(code) ||
				kind == domain.FieldTypeVATID && extraction.LooksLikeVATID(code) {
				found = append(found, span{from, to})
				break
			}
		}
	}
	return found
}
