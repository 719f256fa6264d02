package country

import (
	"regexp"
	"strings"
)

// vatForms holds the format of VAT ids by prefix, without the prefix.
var vatForms = compileForms(map[string]string{
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

func compileForms(forms map[string]string) map[string]*regexp.Regexp {
	compiled := make(map[string]*regexp.Regexp, len(forms))
	for prefix, form := range forms {
		compiled[prefix] = regexp.MustCompile("^" + form + "$")
	}
	return compiled
}

// VATForm reports whether a VAT id, in upper case without separators, starts with the prefix of a
// country whose format is known, and whether it has that format.
func VATForm(id string) (known, fits bool) {
	prefix := vatPrefix(id)
	return prefix != "", prefix != "" && vatForms[prefix].MatchString(id[len(prefix):])
}

func vatPrefix(id string) string {
	for _, length := range []int{3, 2} {
		if len(id) > length && vatForms[id[:length]] != nil {
			return id[:length]
		}
	}
	return ""
}

// vatCountries are the prefixes that are not the code of the country.
var vatCountries = map[string]string{"EL": "GR", "XI": "GB", "CHE": "CH"}

// OfTaxID returns the country of a tax id: a European VAT id with its prefix, or an id that its
// format and check digits tell apart from all others. It returns false for any other text.
func OfTaxID(text string) (string, bool) {
	id := compactCode(text)
	if prefix := vatPrefix(id); prefix != "" && vatForms[prefix].MatchString(id[len(prefix):]) {
		return ofVAT(prefix, id[len(prefix):])
	}
	for _, known := range taxIDs {
		if known.printed != nil && !known.printed.MatchString(strings.TrimSpace(text)) ||
			!known.form.MatchString(id) {
			continue
		}
		if known.check == nil || known.check(id) {
			return known.code, true
		}
	}
	return "", false
}

// ofVAT refuses two formats that other numbers have too: NO before a number, and RO before a few
// digits.
func ofVAT(prefix, rest string) (string, bool) {
	if prefix == "NO" && !strings.HasSuffix(rest, "MVA") || prefix == "RO" && !validRomanian(rest) {
		return "", false
	}
	if code, ok := vatCountries[prefix]; ok {
		return code, true
	}
	return prefix, true
}

// taxID is a kind of tax id without a country prefix.
type taxID struct {
	code    string
	form    *regexp.Regexp // without separators
	printed *regexp.Regexp // with separators, if they are part of the proof
	check   func(id string) bool
}

var taxIDs = []taxID{
	{code: "CN", form: regexp.MustCompile(`^[0-9A-HJ-NPQRTUWXY]{2}\d{6}[0-9A-HJ-NPQRTUWXY]{10}$`),
		check: validUSCC},
	{code: "IN", form: regexp.MustCompile(`^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z][A-Z][0-9A-Z]$`),
		check: validGSTIN},
	{code: "AE", form: regexp.MustCompile(`^100\d{12}$`)},
	{code: "US", form: regexp.MustCompile(`^\d{9}$`), printed: regexp.MustCompile(`^\d{2}-\d{7}$`),
		check: validEIN},
	{code: "AU", form: regexp.MustCompile(`^(ABN:?)?\d{11}$`),
		printed: regexp.MustCompile(`(?i)^(ABN:?\s*\d{11}|(ABN:?\s*)?\d{2} \d{3} \d{3} \d{3})$`),
		check:   validABN},
	{code: "SG", form: regexp.MustCompile(`^\d{8,9}[A-Z]$|^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$`),
		check: validUEN},
	{code: "MY", form: regexp.MustCompile(`^[A-Z]\d{14}$`),
		printed: regexp.MustCompile(`^[A-Z]\d{2}-\d{4}-\d{8}$`)},
}

// weighted returns the sum of the characters' places in the alphabet, each with its weight.
func weighted(text, alphabet string, weights ...int) int {
	sum := 0
	for i, weight := range weights {
		sum += weight * strings.IndexByte(alphabet, text[i])
	}
	return sum
}

const (
	digits10  = "0123456789"
	letters36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	// letters31 are the characters of Chinese credit codes (GB 32100).
	letters31 = "0123456789ABCDEFGHJKLMNPQRTUWXY"
	// letters32 are the characters of Singaporean numbers of other entities.
	letters32 = "ABCDEFGHJKLMNPQRSTUVWX0123456789"
)

// validUSCC checks the last character of a Chinese unified social credit code (modulo 31).
func validUSCC(id string) bool {
	sum := weighted(id, letters31, 1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
	return letters31[(31-sum%31)%31] == id[17]
}

// validGSTIN checks the state and the last character of an Indian GSTIN (modulo 36).
func validGSTIN(id string) bool {
	state := int(id[0]-'0')*10 + int(id[1]-'0')
	if state == 0 || state > 38 && state != 97 && state != 99 {
		return false
	}
	sum := 0
	for i := range 14 {
		product := strings.IndexByte(letters36, id[i]) * (1 + i%2)
		sum += product/36 + product%36
	}
	return letters36[(36-sum%36)%36] == id[14]
}

// einUnused are the first two digits that the IRS does not issue.
const einUnused = "00 07 08 09 17 18 19 28 29 49 69 70 78 79 89 96 97"

func validEIN(id string) bool { return !strings.Contains(einUnused, id[:2]) }

// validABN checks the first two digits of an Australian business number (modulo 89).
func validABN(id string) bool {
	id = id[len(id)-11:]
	sum := weighted(id, digits10, 10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
	return (sum-10)%89 == 0
}

// validUEN checks the last letter of a Singaporean entity number of a business, a company, or
// another entity.
func validUEN(id string) bool {
	switch {
	case len(id) == 9:
		return "XMKECAWLJDB"[weighted(id, digits10, 10, 4, 9, 3, 8, 2, 7, 1)%11] == id[8]
	case isDigit(id[0]):
		return "ZKCMDNERGWH"[weighted(id, digits10, 10, 8, 6, 4, 9, 7, 5, 3, 1)%11] == id[9]
	}
	for i := range 9 {
		if strings.IndexByte(letters32, id[i]) < 0 {
			return false
		}
	}
	sum := weighted(id, letters32, 4, 3, 5, 3, 10, 2, 2, 5, 7) - 5
	return letters32[(sum%11+11)%11] == id[9]
}

// validRomanian checks the last digit of a Romanian VAT id of at least six digits.
func validRomanian(id string) bool {
	if len(id) < 6 {
		return false
	}
	padded := strings.Repeat("0", 10-len(id)) + id
	sum := weighted(padded, digits10, 7, 5, 3, 2, 1, 7, 5, 3, 2)
	return sum*10%11%10 == int(padded[9]-'0')
}
