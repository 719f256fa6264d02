package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain/country"
)

var ibanStart = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([A-Z]{2}[0-9OQISBl]{2})`)

// iban finds an IBAN with the length for its country and valid check digits, after correcting
// likely OCR errors. An IBAN with invalid check digits is returned with lower confidence, so that a
// rule or a person can check it.
func (s *documentLayout) iban() finding {
	valid, labelled := s.ibans(1)
	if len(valid) > 0 {
		return valid[0]
	}
	return labelled
}

// maxAccounts limits the accounts of one document that are compared.
const maxAccounts = 20

// accounts returns the distinct IBANs with valid check digits.
func (s *documentLayout) accounts() []finding {
	valid, _ := s.ibans(maxAccounts)
	return valid
}

// ibans returns the first distinct IBANs with valid check digits, and the first one without them that has
// a label or looks like one.
func (s *documentLayout) ibans(most int) (valid []finding, second finding) {
	for _, r := range s.rows {
		for _, at := range ibanStart.FindAllStringSubmatchIndex(r.text, -1) {
			length := country.AccountLength(r.text[at[2] : at[2]+2])
			if length == 0 {
				continue
			}
			shape, to, ok := accountAt(r.text, at[2], length)
			if !ok {
				continue
			}
			words := r.wordsBetween(at[2], to)
			found := finding{raw: r.text[at[2]:to], words: words,
				confidence: 0.5 + 0.45*meanConfidence(words)}
			mended, ok := repairIBAN(shape)
			if ok {
				found.value = mended
				if mended != compact(found.raw) {
					found.confidence *= 0.8
				}
				if !slices.ContainsFunc(valid, func(f finding) bool { return f.value == mended }) {
					valid = append(valid, found)
				}
				if len(valid) == most {
					return valid, second
				}
				continue
			}
			labelled := strings.Contains(r.folded[:at[2]], "iban")
			if second.value == "" && (labelled || countDigits(shape) > length/2 &&
				country.FitsIBANForm(mended)) {
				found.value, found.confidence = shape, found.confidence*0.5
				second = found
			}
		}
	}
	return valid, second
}

// accountAt returns what has the length of an account and ends cleanly. An engine can read a zero twice,
// as O0; only right check digits show it.
func accountAt(text string, from, length int) (shape string, to int, ok bool) {
	shape, to = collectAlphanumerics(text, from, length)
	if len(shape) == length && endsCleanly(text, from, to) {
		return shape, to, true
	}
	once := zeroOnce(text)
	shape, to = collectAlphanumerics(once, from, length)
	if len(shape) != length || !endsCleanly(once, from, to) {
		return "", 0, false
	}
	_, ok = repairIBAN(shape)
	return shape, to, ok
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
		case c == ' ' || c == '.' || c == '-' || c == readTwice:
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

// readTwice marks a letter O beside a zero.
const readTwice = '\x00'

// zeroOnce marks each letter O beside a zero, and keeps the length.
func zeroOnce(text string) string {
	return strings.NewReplacer("O0", string(readTwice)+"0", "0O", "0"+string(readTwice)).Replace(text)
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

// ibanLetters replaces digits that OCR confuses with letters.
var ibanLetters = strings.NewReplacer("0", "O", "1", "I", "5", "S", "8", "B")

// repairIBAN returns the IBAN if its check digits are valid, as read or after correcting likely OCR
// errors where the country has only digits or only letters.
func repairIBAN(shape string) (string, bool) {
	if ValidIBAN(shape) {
		return shape, true
	}
	var mended strings.Builder
	mended.WriteString(shape[:2] + ibanDigits.Replace(shape[2:4]))
	form := country.IBANForm(shape[:2])
	for i := range len(form) {
		char := shape[4+i : 5+i]
		switch form[i] {
		case 'n':
			char = ibanDigits.Replace(char)
		case 'a':
			char = ibanLetters.Replace(char)
		}
		mended.WriteString(char)
	}
	return mended.String(), ValidIBAN(mended.String())
}

// ValidIBAN reports whether an IBAN, in upper case without spaces, has the length of its country
// and valid check digits.
func ValidIBAN(iban string) bool {
	return len(iban) > 4 && country.AccountLength(iban[:2]) == len(iban) &&
		country.IBANRemainder(iban) == 1
}

var (
	vatLabel = regexp.MustCompile(
		`vat|ust|mwst|tva|btw|tax\s*id|umsatzsteuer|gstin|intracom|gst\s*(id|reg|no)`)
	vatShape = regexp.MustCompile(
		`(?:^|[^A-Z0-9])((?:AT ?U\d{8}|BE ?[01] ?\d{3}[ .]?\d{3}[ .]?\d{3}|CH(?:E-?\d{3}\.?\d{3}\.?\d{3})|DE ?\d{3} ?\d{3} ?\d{3}|DK ?\d{8}|ES ?[A-Z]\d{7}[A-Z0-9]|FR ?[A-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|IE ?\d{7}[A-Z]{1,2}|IT ?\d{11}|LU ?\d{8}|NL ?[0-9. ]{9,12}B ?\d{2}|PL ?\d{10}|PT ?\d{9}|SE ?\d{12}|\d{2}[A-Z]{5}\d{4}[A-Z]\d[A-Z0-9]{2}))(?:[^A-Z0-9]|$)`)
	// labelledVATShape has the formats of further countries, which need a label.
	labelledVATShape = regexp.MustCompile(
		`(?:^|[^A-Z0-9])(BG ?\d{9,10}|CY ?\d{8}[A-Z]|CZ ?\d{8,10}|E[EL] ?\d{9}|FI ?\d{8}|HR ?\d{11}|HU ?\d{8}|LT ?(?:\d{12}|\d{9})|LV ?\d{11}|MT ?\d{8}|RO ?\d{6,10}|S[IK] ?\d{8,10}|XI ?\d{9})(?:[^A-Z0-9]|$)`)
	gstShape = regexp.MustCompile(`(?i)gst\s*(?:id|reg|no)[^0-9]{0,12}(\d{12})(?:\D|$)`)
)

// vatID finds the VAT number of the seller: a labelled one, otherwise the first with a valid format. Of
// two with labels, that of the country of the seller's account is likely to be the seller's.
func (s *documentLayout) vatID(bankCountry string) finding {
	var best finding
	score := 0.0
	for _, r := range s.rows {
		for _, shape := range []*regexp.Regexp{vatShape, labelledVATShape, gstShape} {
			for _, at := range shape.FindAllStringSubmatchIndex(r.text, -1) {
				raw := r.text[at[2]:at[3]]
				value := compact(raw)
				if ValidIBAN(value) || len(value) > 15 || continuesDigits(r.text, at[2], at[3]) {
					continue
				}
				words := r.wordsBetween(at[2], at[3])
				confidence := 0.4 + 0.2*meanConfidence(words)
				if isBuyersVAT(r.text[:at[2]]) {
					continue
				}
				labelled := vatLabel.MatchString(r.folded[:at[2]])
				if shape == labelledVATShape && !labelled {
					continue
				}
				if labelled || shape == gstShape {
					confidence += 0.3
				}
				likely := confidence
				if bankCountry != "" && taxCountry(value) == bankCountry {
					likely += 0.05
				}
				if likely > score {
					score = likely
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
