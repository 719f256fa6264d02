package extraction

import (
	"unicode"

	"countersign/domain"
)

// minMisread is the number of letters and digits from which two texts count as near. Shorter ones are
// near too many others.
const minMisread = 5

// Misread reports whether an engine may have read the text where the page shows the normalised value:
// of a name, one letter or digit in eight may differ, at least one; of a number or a date, one
// character. Other fields are compared exactly by their callers.
func Misread(field, text, value, currency string) bool {
	allowed := 1
	if field == domain.FieldVendor {
		text, value = lettersAndDigits(text), lettersAndDigits(value)
		allowed = max(1, len([]rune(value))/8)
	} else {
		normalised, err := Normalise(field, text, currency)
		if err != nil {
			return false
		}
		text = normalised
	}
	return len([]rune(value)) >= minMisread && within([]rune(text), []rune(value), allowed)
}

// lettersAndDigits returns the lower-case letters and digits of a text.
func lettersAndDigits(text string) string {
	var kept []rune
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			kept = append(kept, unicode.ToLower(r))
		}
	}
	return string(kept)
}

// within reports whether at most so many insertions, deletions and replacements turn a into b.
func within(a, b []rune, allowed int) bool {
	if len(a)-len(b) > allowed || len(b)-len(a) > allowed {
		return false
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > allowed {
			return false
		}
	}
	return row[len(b)] <= allowed
}
