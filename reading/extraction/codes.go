package extraction

import (
	"math/big"
	"regexp"
	"strings"
	"unicode"
)

// ibanLengths holds the length of IBANs by country.
var ibanLengths = map[string]int{"AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21,
	"CY": 28, "CZ": 24, "DE": 22, "DK": 18,
	"EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22,
	"IS": 26, "IT": 27, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
	"SA": 24, "SE": 24, "SI": 19, "SK": 24,
	"SM": 27, "TR": 26}

var ibanStart = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([A-Z]{2}[0-9OQISBl]{2})`)

// iban finds an IBAN with the length for its country and valid check digits, after correcting
// likely OCR errors. An IBAN with invalid check digits is returned with lower confidence, so that a
// rule or a person can check it.
func (s *documentLayout) iban() finding {
	var second finding
	for _, r := range s.rows {
		for _, at := range ibanStart.FindAllStringSubmatchIndex(r.text, -1) {
			length, known := ibanLengths[r.text[at[2]:at[2]+2]]
			if !known {
				continue
			}
			shape, to := collectAlphanumerics(r.text, at[2], length)
			if len(shape) != length || !endsCleanly(r.text, at[2], to) {
				continue
			}
			words := r.wordsBetween(at[2], to)
			found := finding{raw: r.text[at[2]:to], words: words,
				confidence: 0.5 + 0.45*meanConfidence(words)}
			if mended, ok := repairIBAN(shape); ok {
				found.value = mended
				if mended != shape {
					found.confidence *= 0.8
				}
				return found
			}
			labelled := strings.Contains(r.folded[:at[2]], "iban")
			if second.value == "" && (labelled || countDigits(shape) > length/2) {
				found.value, found.confidence = shape, found.confidence*0.5
				second = found
			}
		}
	}
	return second
}

// collectAlphanumerics returns the given number of letters and digits from the text, skipping
// spaces.
func collectAlphanumerics(text string, from, count int) (string, int) {
	var shape strings.Builder
	for i := from; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == 'l':
			shape.WriteByte(c)
		case c == ' ' || c == '.' || c == '-':
			continue
		default:
			return shape.String(), i
		}
		if shape.Len() == count {
			return shape.String(), i + 1
		}
	}
	return shape.String(), len(text)
}

// endsCleanly reports whether no letter or digit follows the account directly.
func endsCleanly(text string, from, to int) bool {
	return to >= len(text) || !(text[to] >= '0' && text[to] <= '9' || text[to] >= 'A' &&
		text[to] <= 'Z') && from < to
}

func countDigits(text string) int { return len(onlyDigits(text)) }

// ibanDigits replaces letters that OCR confuses with digits.
var ibanDigits = strings.NewReplacer("O", "0", "Q", "0", "I", "1", "l", "1", "S", "5", "B", "8",
	"Z", "2", "G", "6")

// digitsOnly lists the countries whose IBANs have only digits after the country code.
var digitsOnly = map[string]bool{"DE": true, "AT": true, "BE": true, "DK": true, "FI": true,
	"ES": true, "PL": true, "PT": true,
	"NO": true, "SE": true, "EE": true, "LT": true, "HU": true, "CZ": true, "SK": true, "SI": true,
	"HR": true}

// repairIBAN returns the IBAN if its check digits are valid, as read or after correcting likely OCR
// errors.
func repairIBAN(shape string) (string, bool) {
	if ValidIBAN(shape) {
		return shape, true
	}
	country := shape[:2]
	mended := country + ibanDigits.Replace(shape[2:4]) + shape[4:]
	if digitsOnly[country] {
		mended = country + ibanDigits.Replace(shape[2:])
	} else if country == "NL" || country == "GB" || country == "IE" { // four letters of the bank, then digits
		letters := strings.NewReplacer("0", "O", "1", "I", "5", "S", "8", "B").Replace(shape[4:8])
		mended = country + ibanDigits.Replace(shape[2:4]) + letters + ibanDigits.Replace(shape[8:])
	}
	return mended, ValidIBAN(mended)
}

// ValidIBAN reports whether an IBAN, in upper case without spaces, has the length of its country
// and valid check digits.
func ValidIBAN(iban string) bool {
	if len(iban) < 15 || len(iban) > 34 || ibanLengths[iban[:2]] != len(iban) {
		return false
	}
	var digits strings.Builder
	for _, c := range iban[4:] + iban[:4] {
		switch {
		case c >= '0' && c <= '9':
			digits.WriteRune(c)
		case c >= 'A' && c <= 'Z':
			digits.WriteByte(byte('0' + (c-'A'+10)/10))
			digits.WriteByte(byte('0' + (c-'A'+10)%10))
		default:
			return false
		}
	}
	value, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(value, big.NewInt(97)).Int64() == 1
}

var (
	vatLabel = regexp.MustCompile(
		`vat|ust|mwst|tva|btw|tax\s*id|umsatzsteuer|gstin|intracom|gst\s*(id|reg|no)`)
	vatShape = regexp.MustCompile(
		`(?:^|[^A-Z0-9])((?:AT ?U\d{8}|BE ?[01] ?\d{3}[ .]?\d{3}[ .]?\d{3}|CH(?:E-?\d{3}\.?\d{3}\.?\d{3})|DE ?\d{3} ?\d{3} ?\d{3}|DK ?\d{8}|ES ?[A-Z]\d{7}[A-Z0-9]|FR ?[A-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|IE ?\d{7}[A-Z]{1,2}|IT ?\d{11}|LU ?\d{8}|NL ?[0-9. ]{9,12}B ?\d{2}|PL ?\d{10}|PT ?\d{9}|SE ?\d{12}|\d{2}[A-Z]{5}\d{4}[A-Z]\d[A-Z0-9]{2}))(?:[^A-Z0-9]|$)`)
	gstShape = regexp.MustCompile(`(?i)gst\s*(?:id|reg|no)[^0-9]{0,12}(\d{12})(?:\D|$)`)
)

// vatID finds the VAT number of the seller: a labelled one, otherwise the first with a valid
// format.
func (s *documentLayout) vatID() finding {
	var best finding
	for _, r := range s.rows {
		for _, shape := range []*regexp.Regexp{vatShape, gstShape} {
			for _, at := range shape.FindAllStringSubmatchIndex(r.text, -1) {
				raw := r.text[at[2]:at[3]]
				value := compact(raw)
				if ValidIBAN(value) || len(value) > 15 || continuesDigits(r.text, at[2], at[3]) {
					continue
				}
				words := r.wordsBetween(at[2], at[3])
				confidence := 0.4 + 0.2*meanConfidence(words)
				if vatLabel.MatchString(r.folded[:at[2]]) || shape == gstShape {
					confidence += 0.3
				}
				if confidence > best.confidence {
					best = finding{raw: raw, value: value, words: words, confidence: confidence}
				}
			}
		}
	}
	return best
}

// continuesDigits reports whether digits follow the match, as in an IBAN printed in groups.
func continuesDigits(text string, _, to int) bool {
	rest := strings.TrimPrefix(text[to:], " ")
	return len(rest) > 1 && unicode.IsDigit(rune(rest[0])) && unicode.IsDigit(rune(rest[1])) &&
		len(text[to:]) > len(rest)
}

var currencyCountry = map[string]string{"MYR": "MY", "GBP": "GB", "CHF": "CH", "INR": "IN",
	"CNY": "CN", "JPY": "JP", "SGD": "SG",
	"HKD": "HK", "AUD": "AU", "CAD": "CA"}

// country derives the seller's country from the VAT id, the IBAN, or a currency of only one
// country.
func (s *documentLayout) country(hints Hints, vat, iban, money finding) finding {
	from := func(f finding, code string, factor float64) finding {
		return finding{raw: f.raw, value: code, words: f.words, confidence: f.confidence * factor}
	}
	switch {
	case len(vat.value) > 2 && unicode.IsLetter(rune(vat.value[0])) &&
		unicode.IsLetter(rune(vat.value[1])):
		return from(vat, vat.value[:2], 0.9)
	case len(iban.value) > 2 && ValidIBAN(iban.value):
		return from(iban, iban.value[:2], 0.8)
	case currencyCountry[money.value] != "":
		return from(money, currencyCountry[money.value], 0.8)
	case hints.Country != "":
		return finding{raw: hints.Country, value: hints.Country, confidence: 0.3}
	}
	return finding{}
}
