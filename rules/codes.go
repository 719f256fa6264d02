package rules

import (
	"fmt"
	"strings"

	"countersign/domain/country"
)

// IBANProblem returns what is wrong with an IBAN, as a clause, or "" if its length and check digits
// are correct. It ignores spaces and case.
func IBANProblem(text string) string {
	_, clause := ibanProblem(text)
	return clause
}

// ibanProblem returns the problem as a word, which rule sets translate, and as an English clause.
func ibanProblem(text string) (word, clause string) {
	iban := normalizeCode(text)
	if len(iban) < 5 {
		return "too_short", "it is too short"
	}
	for i, char := range iban {
		letter, digit := char >= 'A' && char <= 'Z', char >= '0' && char <= '9'
		if !letter && !digit || i < 2 && !letter || (i == 2 || i == 3) && !digit {
			return "form", "it must start with two letters and two check digits, and contain only letters and digits"
		}
	}
	length := country.AccountLength(iban[:2])
	switch {
	case length == 0:
		return "country", fmt.Sprintf("%s does not use IBANs", iban[:2])
	case len(iban) != length:
		return "length", fmt.Sprintf(
			"it has %d characters, but IBANs of %s have %d", len(iban), iban[:2], length,
		)
	case country.IBANRemainder(iban) != 1:
		return "check_digits", "its check digits are wrong"
	}
	return "", ""
}

// VATWellFormed reports whether a VAT id has the format of the country named by its prefix. It
// returns true for a country that is not in the table.
func VATWellFormed(text string) bool {
	known, fits := country.VATForm(normalizeCode(text))
	return fits || !known
}

// normalizeCode removes separators and converts letters to upper case.
func normalizeCode(text string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', '-', '.', '/':
			return -1
		}
		return r
	}, text))
}
