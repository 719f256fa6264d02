package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// plainCodes are currencies that documents name by their code, and whose code rarely means anything
// else. BHD is omitted because Malaysian companies are named "Sdn. Bhd.".
const plainCodes = "aed|brl|czk|dkk|huf|idr|jod|krw|kwd|mxn|nok|nzd|omr|pln|qar|sar|sek|thb|tnd|twd|zar"

// symbols maps marks at an amount to currencies. It omits a single dollar sign, and the sign shared
// by yen and yuan.
var symbols = withPlainCodes(
	map[string]string{
		"rm": "MYR", "rm.": "MYR", "rn": "MYR", "rh": "MYR", "fm": "MYR", "myr": "MYR", "usd": "USD",
		"us$": "USD", "sgd": "SGD", "s$": "SGD", "eur": "EUR", "euro": "EUR", "€": "EUR",
		"gbp": "GBP", "£": "GBP", "chf": "CHF", "inr": "INR", "rs": "INR", "rs.": "INR",
		"₹": "INR", "cny": "CNY", "rmb": "CNY", "元": "CNY", "円": "JPY", "hkd": "HKD",
		"hk$": "HKD", "aud": "AUD", "a$": "AUD", "cad": "CAD", "jpy": "JPY", "c$": "CAD", "ca$": "CAD",
		"r$": "BRL", "mx$": "MXN", "nz$": "NZD", "nt$": "TWD",
	},
)

func withPlainCodes(known map[string]string) map[string]string {
	for code := range strings.SplitSeq(plainCodes, "|") {
		known[code] = strings.ToUpper(code)
	}
	return known
}

// currencyMark is one kind of evidence for a currency.
type currencyMark struct {
	code    string
	weight  float64
	maxRows int
	symbol  bool
	shape   *regexp.Regexp
	// place says that the mark only names a country in which the currency is used.
	place bool
	// except matches rows in which the mark means something else.
	except *regexp.Regexp
}

// currencyMarks is the evidence for currencies, with a weight for each row and a maximum number of
// rows. A single symbol has a low weight in OCR text, because it is easily misread.
var currencyMarks = []currencyMark{
	{code: "EUR", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bEUR(?:O|os?)?\b`)},
	{code: "EUR", weight: 2, maxRows: 6, symbol: true, shape: regexp.MustCompile(`€\s?\d|\d\s?€`)},
	{code: "MYR", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bRM ?\d|\bRM\b|\bMYR\b|\(RM\)`)},
	{
		code: "MYR", weight: 1.5, maxRows: 3, place: true, shape: regexp.MustCompile(
			`(?i)\bsdn\.? ?bhd\b|\b[0-9]{5},? ?(?:kuala lumpur|johor|petaling|shah alam|klang|selangor|penang|melaka|ipoh)|malaysia|selangor|\bjalan\b|\btaman\b`,
		),
	},
	{code: "USD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bUSD\b|US\$`)},
	{code: "GBP", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bGBP\b`)},
	{code: "GBP", weight: 2, maxRows: 6, symbol: true, shape: regexp.MustCompile(`£\s?\d`)},
	{code: "CHF", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bCHF\b`)},
	{code: "CHF", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bFr\.\s?\d`), except: openingHours},
	{code: "INR", weight: 2, maxRows: 6, shape: regexp.MustCompile(`₹|\bINR\b|\bRs\.?\s?\d|\bRs\.|(?i)rupees`)},
	{code: "INR", weight: 2, maxRows: 6, place: true, shape: regexp.MustCompile(`GSTIN`)},
	{code: "CNY", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bCNY\b|\bRMB\b|人民币|元整`)},
	{code: "CNY", weight: 2, maxRows: 6, place: true, shape: regexp.MustCompile(`价税合计|增值税|发票`)},
	{code: "JPY", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bJPY\b|円`)},
	{code: "JPY", weight: 2, maxRows: 6, place: true, shape: regexp.MustCompile(`株式会社|有限会社|請求書|領収書|消費税`)},
	{code: yenOrYuan, weight: 2, maxRows: 6, symbol: true, shape: regexp.MustCompile(`[¥￥]\s?\d`)},
	{code: "SGD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bSGD\b|\bS\$`)},
	{code: "HKD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bHKD\b|HK\$`)},
	{code: "AUD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bAUD\b|\bA\$`)},
	{code: "CAD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bCAD\b|\bCA?\$`)},
	{code: "BRL", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bR\$`)},
	{code: "MXN", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bMX\$`)},
	{code: "NZD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bNZ\$`)},
	{code: "TWD", weight: 2, maxRows: 6, shape: regexp.MustCompile(`\bNT\$`)},
	{code: "USD", weight: 0.6, maxRows: 1, symbol: true, shape: regexp.MustCompile(`(?:^|[^A-Za-z])\$\s?\d`)},
}

// plainCodePattern matches any of the plainCodes; plainShape matches one of them next to a number
// or as a column heading.
var plainCodePattern = regexp.MustCompile(`\b(` + strings.ToUpper(plainCodes) + `)\b`)

func plainCodeMarkPattern(code string) *regexp.Regexp {
	return regexp.MustCompile(
		`\b` + code + `:?\s?[-+]?\d|\d\s?` + code + `\b|\(` + code + `\)|\b[Ii]n ` + code + `\b`,
	)
}

// plainCodeMarks returns the marks of the plainCodes in the rows. Most documents have none.
func plainCodeMarks(rows []*row) []currencyMark {
	var marks []currencyMark
	seen := map[string]bool{}
	for _, r := range rows {
		for _, code := range plainCodePattern.FindAllString(r.text, -1) {
			if !seen[code] {
				seen[code] = true
				marks = append(marks, currencyMark{code: code, weight: 2, maxRows: 6,
					shape: plainCodeMarkPattern(code)})
			}
		}
	}
	return marks
}

// openingHours matches times such as Fr. 08.30 - 12.30 Uhr, in which Fr. is a day.
var openingHours = regexp.MustCompile(
	`\d{1,2}[.:]\d{2}\s*(?:uhr\s*)?[-–]\s*\d{1,2}[.:]\d{2}|\d\s?uhr\b|\b(?:mo|di|mi|do|sa|so)\.?[\s,&-]`)

// currencyLabel matches what announces the currency of a document; namedCode is a code after it.
var (
	currencyLabel = allOf(func(l language) []string { return l.currency })
	namedCode     = regexp.MustCompile(`^[\s.:：()-]{0,4}([A-Z]{3})\b`)
)

// namedWeight is the weight of a currency that a label names: more than two rows of other marks.
const namedWeight = 6

// namedCurrency returns the currency that a label names, if all such labels name the same one.
func (s *documentLayout) namedCurrency() finding {
	var found finding
	for _, r := range s.rows {
		for _, label := range currencyLabel.FindAllStringIndex(r.folded, 3) {
			at := namedCode.FindStringSubmatchIndex(r.text[label[1]:])
			if at == nil {
				continue
			}
			from, to := label[1]+at[2], label[1]+at[3]
			code := r.text[from:to]
			if !domain.KnownCurrency(code) {
				continue
			}
			if found.value != "" && found.value != code {
				return finding{}
			}
			found = finding{raw: code, value: code, words: r.wordsBetween(from, to)}
		}
	}
	return found
}

// yenOrYuan is the sign of two currencies. Other marks of the document decide between them, then
// hints about its origin; the default is yuan.
const yenOrYuan = "¥"

func yenOrYuanCode(weights map[string]float64, hints Hints) (code string, sure bool) {
	switch {
	case weights["JPY"] != weights["CNY"]:
		if weights["JPY"] > weights["CNY"] {
			return "JPY", true
		}
		return "CNY", true
	case hints.Currency == "JPY" || hints.Country == "JP":
		return "JPY", true
	}
	return "CNY", hints.Currency == "CNY" || hints.Country == "CN"
}

// span returns the part of a match that is the mark itself, without the number beside it.
func (m currencyMark) span(text string, from, to int) (start, end int) {
	const number = " 0123456789.,+-:"
	trimmed := strings.TrimLeft(text[from:to], number)
	from = to - len(trimmed)
	return from, from + len(strings.TrimRight(trimmed, number))
}

// markBeside returns the currency with the place of its mark that is next to the total, if its row has
// one: people look for it there. A symbol does not replace the code itself.
func (s *documentLayout) markBeside(total *amount, found finding) finding {
	best := -1
	for _, mark := range append(slices.Clone(currencyMarks), plainCodeMarks([]*row{total.row})...) {
		if mark.place || mark.symbol && found.raw == found.value || mark.code != found.value &&
			(mark.code != yenOrYuan || found.value != "JPY" && found.value != "CNY") {
			continue
		}
		for _, at := range mark.shape.FindAllStringIndex(total.row.text, -1) {
			from, to := mark.span(total.row.text, at[0], at[1])
			away := max(from-total.to, total.from-to, 0)
			if from < to && (best < 0 || away < best) {
				best = away
				found.raw, found.words = total.row.text[from:to], total.row.wordsBetween(from, to)
				found.inferred = false
			}
		}
	}
	return found
}

// currency determines the currency from the marks of the whole document.
func (s *documentLayout) currency(hints Hints) finding {
	weights := map[string]float64{}
	firsts := map[string]finding{}
	marks := append(slices.Clone(currencyMarks), plainCodeMarks(s.rows)...)
	unsure := ""
	for i, mark := range marks {
		if mark.code == yenOrYuan {
			code, sure := yenOrYuanCode(weights, hints)
			if !sure {
				unsure = code
			}
			mark.code, marks[i].code = code, code
		}
		left := mark.maxRows
		for _, r := range s.rows {
			at := mark.shape.FindStringIndex(r.text)
			if at == nil || left == 0 || mark.except != nil && mark.except.MatchString(r.folded) {
				continue
			}
			left--
			weight := mark.weight
			if mark.symbol && r.source() == domain.SourceOCR {
				weight *= 0.35
			}
			weights[mark.code] += weight
			if first, ok := firsts[mark.code]; !ok || first.inferred && !mark.place {
				from, to := mark.span(r.text, at[0], at[1])
				firsts[mark.code] = finding{raw: r.text[from:to], value: mark.code,
					words: r.wordsBetween(from, to), inferred: mark.place}
			}
		}
	}
	if named := s.namedCurrency(); named.value != "" {
		weights[named.value] += namedWeight
		firsts[named.value] = named
		marks = append(marks, currencyMark{code: named.value})
	}
	best, sum := "", 0.0
	for _, mark := range marks { // in the order of the table, so that ties are resolved consistently
		if best == "" && weights[mark.code] > 0 || weights[mark.code] > weights[best] {
			best = mark.code
		}
	}
	for _, weight := range weights {
		sum += weight
	}
	if best == "" {
		if !domain.KnownCurrency(hints.Currency) {
			return finding{}
		}
		return finding{raw: hints.Currency, value: hints.Currency, confidence: 0.3}
	}
	found := firsts[best]
	found.confidence = 0.3 + 0.6*weights[best]/sum
	if weights[best] < 1 || best == unsure {
		found.confidence = 0.4
	}
	return found
}
