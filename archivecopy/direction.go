package archivecopy

import (
	"slices"
	"unicode"
)

// rightToLeft are the scripts that are written from right to left.
var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana,
	unicode.Nko}

func isRightToLeft(r rune) bool { return r >= 0x590 && unicode.In(r, rightToLeft...) }

// isLeftToRight reports whether a character is written from left to right also between others: letters
// of other scripts, and digits of all.
func isLeftToRight(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsLetter(r) && !isRightToLeft(r)
}

// firstStrong reports whether a text is written from right to left, by its first letter.
func firstStrong(runes []rune) bool {
	at := slices.IndexFunc(runes, unicode.IsLetter)
	return at >= 0 && isRightToLeft(runes[at])
}

// visualOrder returns the characters of a word from left to right, as they are on the page. Programs
// that extract text expect this order and restore the other one.
func visualOrder(runes []rune) []rune {
	if !slices.ContainsFunc(runes, isRightToLeft) {
		return runes
	}
	turned := slices.Clone(runes)
	if !firstStrong(runes) {
		reverseRuns(turned, isRightToLeft)
		return turned
	}
	slices.Reverse(turned)
	reverseRuns(turned, isLeftToRight)
	return turned
}

// reverseRuns reverses each run that begins and ends with characters of a kind, with single other
// characters between them, such as the marks of a number.
func reverseRuns(runes []rune, ofKind func(rune) bool) {
	for from := 0; from < len(runes); from++ {
		if !ofKind(runes[from]) {
			continue
		}
		to := from + 1
		for to < len(runes) && (ofKind(runes[to]) || to+1 < len(runes) && ofKind(runes[to+1]) &&
			!unicode.IsLetter(runes[to])) {
			to++
		}
		slices.Reverse(runes[from:to])
		from = to
	}
}
