package extraction

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"countersign/domain"
)

// minMisread is the number of letters and digits from which two texts count as near. Shorter ones are
// near too many others.
const minMisread = 5

// Misread reports whether an engine may have read the text where the page shows the normalised value:
// of a name or an address, one letter or digit in eight may differ, at least one; of a number or a date, one
// character. In a number, letters that look like digits count as these. Other fields are compared
// exactly by their callers.
func Misread(field, text, value string) bool {
	var near func(text string) bool
	switch field {
	case domain.FieldVendor, domain.FieldVendorAddress:
		value = onlyLetters(value)
		near = func(text string) bool {
			return isNear(onlyLetters(text), value, max(1, len([]rune(value))/8))
		}
	case domain.FieldNumber:
		near = func(text string) bool {
			return isNear(alikeDigits.Replace(strings.ToUpper(text)),
				alikeDigits.Replace(strings.ToUpper(value)), 1)
		}
	case domain.FieldDate:
		near = func(text string) bool {
			return slices.ContainsFunc(DatesOf(text),
				func(date string) bool { return isNear(date, value, 1) })
		}
	default:
		return false
	}
	return len([]rune(value)) >= minMisread && near(text)
}

// alikeDigits replaces upper-case letters by the digits that engines take for them.
var alikeDigits = strings.NewReplacer("O", "0", "I", "1", "L", "1", "S", "5", "B", "8", "Z", "2")

// DatesOf returns the dates, as ISO dates, that a text can mean which is nothing but a date: two if day
// and month could be swapped.
func DatesOf(text string) []string {
	var dates []string
	for _, monthFirst := range []bool{false, true} {
		date, ok := wholeDate(text, monthFirst)
		if ok && !slices.Contains(dates, date.iso) {
			dates = append(dates, date.iso)
		}
	}
	return dates
}

// isNear reports whether at most so many insertions, deletions and replacements turn a into b.
func isNear(a, b string, allowed int) bool {
	longer := utf8.RuneCountInString(a) - utf8.RuneCountInString(b)
	return max(longer, -longer) <= allowed && levenshtein.ComputeDistance(a, b) <= allowed
}
