package extraction

import (
	"regexp"
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

var (
	// misreadElision matches a capital i in place of the l of an article: I'huile for l'huile. English
	// has no such words but I'll and I've.
	misreadElision = regexp.MustCompile(`(^|[^\pL\d])I(['’]\pL{3,})`)
	// misreadSharpS matches a capital B inside or at the end of a German word, where an engine without
	// that letter reads it for a sharp s: Straße, heiß.
	misreadSharpS = regexp.MustCompile(
		`(\pL(?:ei|ie|au|äu|ra|ro|rö|rü|fu|fü|ma|mä|sü)|\b[aA]u|\b[gG]ro|\b[mM]a|\b[fF]u|\b[fF]ü|\b[sS]ü)B(e|en|er|es|em|t|lich|)($|[^\pL\d])`)
	// lostGrave matches the preposition of French before an article, without its accent.
	lostGrave = regexp.MustCompile(`(\pL{3,} )a( l['’]\p{Ll})`)
	// misreadZero matches a small o between digits.
	misreadZero = regexp.MustCompile(`(\d)o(\d)`)
)

// repairText repairs what engines often misread in a description.
func repairText(text string) string {
	text = misreadElision.ReplaceAllString(text, "${1}l${2}")
	text = misreadSharpS.ReplaceAllString(text, "${1}ß${2}${3}")
	text = lostGrave.ReplaceAllString(text, "${1}à${2}")
	return misreadZero.ReplaceAllString(text, "${1}0${2}")
}
