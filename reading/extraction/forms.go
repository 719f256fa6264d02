package extraction

import (
	"strings"

	"countersign/domain/country"
)

// CurrencyOfMark returns the currency of a text that is nothing but its mark, such as € or Rs. False
// for a mark of several currencies, such as a single dollar sign.
func CurrencyOfMark(mark string) (code string, ok bool) {
	code, ok = symbols[strings.ToLower(strings.TrimSpace(mark))]
	return code, ok
}

// LooksLikeIBAN reports whether a text in upper case without spaces has the form of an account,
// whatever its check digits.
func LooksLikeIBAN(code string) bool {
	return len(code) > 4 && country.AccountLength(code[:2]) == len(code) && countDigits(code) > len(code)/2
}

// LooksLikeVATID reports whether a text in upper case without spaces has the form of a tax id.
func LooksLikeVATID(code string) bool {
	return wholeMatch(vatShape.FindStringSubmatch(code), code) ||
		wholeMatch(labelledVATShape.FindStringSubmatch(code), code)
}

func wholeMatch(parts []string, text string) bool { return len(parts) > 1 && parts[1] == text }
