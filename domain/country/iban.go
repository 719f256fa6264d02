package country

import "strings"

// ibanForms holds the form of accounts after the check digits by country, from the IBAN registry of
// SWIFT: a number of characters each, digits (n), letters (a) or both (c).
var ibanForms = parseForms(`AD 8n12c AE 19n AL 8n16c AT 16n AZ 4a20c BA 16n BE 12n BG 4a6n8c BH 4a14c
	BI 23n BR 23n1a1c BY 4c4n16c CH 5n12c CR 18n CY 8n16c CZ 20n DE 18n DJ 23n DK 14n DO 4c20n
	EE 16n EG 25n ES 20n FI 14n FK 2a12n FO 14n FR 10n11c2n GB 4a14n GE 2a16n GI 4a15c GL 14n
	GR 7n16c GT 24c HN 4a20n HR 17n HU 24n IE 4a14n IL 19n IQ 4a15n IS 22n IT 1a10n12c
	JO 4a4n18c KW 4a22c KZ 3n13c LB 4n20c LC 4a24c LI 5n12c LT 16n LU 3n13c LV 4a13c LY 21n
	MC 10n11c2n MD 20c ME 18n MK 3n10c2n MN 16n MR 23n MT 4a5n18c MU 4a19n3a NI 4a20n NL 4a10n
	NO 11n OM 3n16c PK 4a16c PL 24n PS 4a21c PT 21n QA 4a21c RO 4a16c RS 18n RU 14n15c
	SA 2n18c SC 4a20n3a SD 14n SE 20n SI 15n SK 20n SM 1a10n12c SO 19n ST 21n SV 4a20n TL 19n
	TN 20n TR 6n16c UA 6n19c VA 18n VG 4a16n XK 16n YE 4a4n18c`)

// unregisteredForms holds the form of the accounts of countries that are not in the registry and use the form
// of IBANs all the same, with the same check digits.
var unregisteredForms = parseForms(`AO 21n BF 2c22n BJ 2c22n CF 23n CG 23n CI 2c22n CM 23n CV 21n DZ 22n
	GA 23n GQ 23n GW 2c19n IR 22n KM 23n MA 24n MG 23n ML 2c22n MZ 21n NE 2c22n SN 2c22n TD 23n TG 2c22n`)

// parseForms expands each form to one letter per character.
func parseForms(text string) map[string]string {
	fields := strings.Fields(text)
	expanded := make(map[string]string, len(fields)/2)
	for i := 0; i+1 < len(fields); i += 2 {
		var form strings.Builder
		count := 0
		for _, c := range fields[i+1] {
			if c >= '0' && c <= '9' {
				count = count*10 + int(c-'0')
				continue
			}
			form.WriteString(strings.Repeat(string(c), count))
			count = 0
		}
		expanded[fields[i]] = form.String()
	}
	return expanded
}

// IBANLength returns the number of characters of the IBANs of a country, 0 if it has none.
func IBANLength(code string) int {
	if form, ok := ibanForms[code]; ok {
		return 4 + len(form)
	}
	return 0
}

// AccountLength returns the number of characters of the accounts of a country that have the form of IBANs, 0 if
// it has none: of IBANs, or of a country outside their registry.
func AccountLength(code string) int {
	if form, ok := unregisteredForms[code]; ok {
		return 4 + len(form)
	}
	return IBANLength(code)
}

// IBANForm returns the kind of each character after the check digits: n for a digit, a for a letter,
// c for either; "" for a country without IBANs.
func IBANForm(code string) string { return ibanForms[code] }

// FitsIBANForm reports whether an IBAN in upper case without spaces has the length of its country,
// and letters and digits where the country has them.
func FitsIBANForm(iban string) bool {
	if len(iban) < 5 || IBANLength(iban[:2]) != len(iban) || !isDigit(iban[2]) || !isDigit(iban[3]) {
		return false
	}
	form := ibanForms[iban[:2]]
	for i := range len(form) {
		char := iban[4+i]
		letter := char >= 'A' && char <= 'Z'
		if !letter && !isDigit(char) || form[i] == 'n' && letter || form[i] == 'a' && !letter {
			return false
		}
	}
	return true
}

// IBANRemainder returns the IBAN, in upper case without spaces, modulo 97 (ISO 7064): letters count
// as 10 to 35, the first four characters move to the end. It is 1 for correct check digits, and -1
// if the text contains other characters.
func IBANRemainder(iban string) int {
	if len(iban) < 5 {
		return -1
	}
	return remainder97(iban[4:] + iban[:4])
}

func remainder97(text string) int {
	rest := 0
	for i := range len(text) {
		switch char := text[i]; {
		case char >= 'A' && char <= 'Z':
			rest = (rest*100 + int(char-'A') + 10) % 97
		case isDigit(char):
			rest = (rest*10 + int(char-'0')) % 97
		default:
			return -1
		}
	}
	return rest
}

func isDigit(char byte) bool { return char >= '0' && char <= '9' }

// OfIBAN returns the country of a valid IBAN, with or without spaces; false for any other text. Accounts
// of some countries outside the registry have the form of IBANs and count as such.
func OfIBAN(text string) (string, bool) {
	iban := compactCode(text)
	if len(iban) < 5 || AccountLength(iban[:2]) != len(iban) || IBANRemainder(iban) != 1 {
		return "", false
	}
	return iban[:2], true
}

// compactCode removes the separators of printed codes and converts letters to upper case.
func compactCode(text string) string {
	if len(text) > maxText {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r > 127 && r != '\u00a0' && r != '\u202f' {
			return '?'
		}
		if strings.ContainsRune(" \t\u00a0\u202f-./", r) {
			return -1
		}
		return r
	}, strings.ToUpper(text))
}

// OfBIC returns the country of a BIC (ISO 9362): four letters of the party, the country,
// two of the place, and three of the branch or none.
func OfBIC(text string) (string, bool) {
	bic := strings.ToUpper(strings.TrimSpace(text))
	if compact := strings.ReplaceAll(bic, " ", ""); len(bic) <= 14 {
		bic = compact
	}
	if len(bic) != 8 && len(bic) != 11 {
		return "", false
	}
	for i := range len(bic) {
		letter := bic[i] >= 'A' && bic[i] <= 'Z'
		if !letter && (!isDigit(bic[i]) || i < 6) {
			return "", false
		}
	}
	if !Known(bic[4:6]) {
		return "", false
	}
	return bic[4:6], true
}
