package rules

import (
	"fmt"
	"regexp"
	"strings"
)

// ibanLengths holds the length of IBANs by country, from the IBAN registry.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
	"BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20,
	"EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
	"HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28,
	"LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27,
	"MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24,
	"RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28,
	"TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

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
	length, known := ibanLengths[iban[:2]]
	switch {
	case !known:
		return "country", fmt.Sprintf("%s does not use IBANs", iban[:2])
	case len(iban) != length:
		return "length", fmt.Sprintf(
			"it has %d characters, but IBANs of %s have %d", len(iban), iban[:2], length,
		)
	case remainder(iban) != 1:
		return "check_digits", "its check digits are wrong"
	}
	return "", ""
}

// remainder returns the IBAN modulo 97 (ISO 7064): letters count as 10 to 35, the first four
// characters move to the end.
func remainder(iban string) int {
	rest := 0
	for _, char := range iban[4:] + iban[:4] {
		if char >= 'A' {
			rest = (rest*100 + int(char-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(char-'0')) % 97
		}
	}
	return rest
}

// vatPatterns holds the format of VAT ids by prefix, without the prefix.
var vatPatterns = compilePatterns(map[string]string{
	"AT": `U\d{8}`, "BE": `[01]\d{9}`, "BG": `\d{9,10}`, "CHE": `\d{9}(MWST|TVA|IVA)?`,
	"CY": `\d{8}[A-Z]`, "CZ": `\d{8,10}`,
	"DE": `\d{9}`, "DK": `\d{8}`, "EE": `\d{9}`, "EL": `\d{9}`, "ES": `[A-Z0-9]\d{7}[A-Z0-9]`,
	"FI": `\d{8}`,
	"FR": `[A-HJ-NP-Z0-9]{2}\d{9}`, "GB": `(\d{9}|\d{12}|GD\d{3}|HA\d{3})`, "HR": `\d{11}`,
	"HU": `\d{8}`,
	"IE": `(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])`, "IT": `\d{11}`, "LT": `(\d{9}|\d{12})`,
	"LU": `\d{8}`, "LV": `\d{11}`,
	"MT": `\d{8}`, "NL": `\d{9}B\d{2}`, "NO": `\d{9}(MVA)?`, "PL": `\d{10}`, "PT": `\d{9}`,
	"RO": `\d{2,10}`,
	"SE": `\d{12}`, "SI": `\d{8}`, "SK": `\d{10}`, "XI": `(\d{9}|\d{12}|GD\d{3}|HA\d{3})`,
})

func compilePatterns(forms map[string]string) map[string]*regexp.Regexp {
	compiled := make(map[string]*regexp.Regexp, len(forms))
	for prefix, form := range forms {
		compiled[prefix] = regexp.MustCompile("^" + form + "$")
	}
	return compiled
}

// VATWellFormed reports whether a VAT id has the format of the country named by its prefix. It
// returns true for a country that is not in the table.
func VATWellFormed(text string) bool {
	id := normalizeCode(text)
	for _, length := range []int{3, 2} {
		if len(id) <= length {
			continue
		}
		if form, ok := vatPatterns[id[:length]]; ok {
			return form.MatchString(id[length:])
		}
	}
	return true
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
