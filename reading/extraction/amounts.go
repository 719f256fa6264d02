package extraction

import (
	"cmp"
	"regexp"
	"strings"

	"countersign/domain"
)

// amount is an amount of money as printed.
type amount struct {
	milli     int64 // thousandths of the currency's unit
	uncertain bool  // unusual number of decimals, or repaired
	ambiguous bool  // the separator could mean thousands or decimals, so the value is unknown
	// negated says that milli has the opposite sign of the printed amount, because the document credits
	// its amounts.
	negated  bool
	currency string
	words    []*word
	row      *row
	from, to int // byte offsets in the row's text
	raw      string
}

// finding renders the amount with the decimals of the currency. An ambiguous amount, or one with
// more decimals than the currency has, gets no normalised value.
func (a *amount) finding(currency string, confidence float64) finding {
	if a.currency != "" && currency == "" {
		currency = a.currency
	}
	digits, ok := domain.Exponent(currency)
	if !ok {
		digits = 2
	}
	f := finding{raw: a.raw, words: a.words, confidence: confidence}
	if a.ambiguous {
		return f
	}
	minor := a.milli
	if a.negated {
		minor = -minor
	}
	for range 3 - digits {
		if minor%10 != 0 {
			return f
		}
		minor /= 10
	}
	f.value = domain.FormatMinor(minor, digits)
	return f
}

var (
	// moneyPattern matches one run of characters: an optional sign or currency, digits in groups of
	// three or in Indian groups (12,33,100), decimals.
	moneyPattern = regexp.MustCompile(
		`^([^\d.,+-]{0,4}\pL\.|[^\d.,+-]{0,5})([-+–]?)(\d{1,3}(?:[.,'’]\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d+)(?:([.,])(\d{1,3}))?(-?)([^\d]{0,5})$`,
	)
	prefixes = regexp.MustCompile(
		`(?i)^(?:[（(]小写[)）])?(?:[:=*(_~<>«»'"‘’“”.-]*)(rm\.?|r[nhkya]|fm|m|myr|usd|us\$|sgd|s\$|eur|gbp|chf|inr|rs\.?|cny|rmb|hkd|hk\$|aud|a\$|cad|ca?\$|r\$|mx\$|nz\$|nt\$|jpy|` + plainCodes + `|[$€£¥￥₹])?(?:[:=*(_~<>«»'"‘’“”]*)$`,
	)
	suffixes = regexp.MustCompile(
		`(?i)^[)\]|:;*,.'"_~]*(rm|myr|usd|sgd|eur|euro|gbp|chf|inr|cny|rmb|jpy|` + plainCodes +
			`|sr|zr|zrl|[szte]|[€$£元円])?[)\]|:;*,.'"_~-]*$`,
	)
)

// parseAmount parses one run of characters as an amount: "1.234,56", "RM8.60", "(77.20)", "12.00-".
// Without a currency of its own it has the given currency; "" means a currency with two decimals.
// ok is false if it is not an amount.
func parseAmount(text, currency string) (found amount, ok bool) {
	match := moneyPattern.FindStringSubmatch(text)
	if match == nil {
		return amount{}, false
	}
	before, after := prefixes.FindStringSubmatch(match[1]), suffixes.FindStringSubmatch(match[7])
	if before == nil || after == nil {
		return amount{}, false
	}
	found.currency = symbols[strings.ToLower(before[1])]
	if found.currency == "" {
		found.currency = symbols[strings.ToLower(after[1])]
	}
	thousandths := decimalsOf(found.currency, currency) == 3
	whole, fraction, open := splitDecimals(match[3]+match[4]+match[5], thousandths)
	usual := 2
	if thousandths {
		usual = 3
	}
	found.ambiguous, found.uncertain = open, open || len(fraction) != usual
	digits := onlyDigits(whole)
	if len(digits) > 12 {
		return amount{}, false
	}
	for _, d := range digits + (fraction + "000")[:3] {
		found.milli = found.milli*10 + int64(d-'0')
	}
	if match[2] == "-" || match[2] == "–" || match[6] == "-" {
		found.milli = -found.milli
	}
	return found, true
}

// decimalsOf returns the number of decimals of the first known currency.
func decimalsOf(currencies ...string) int {
	for _, currency := range currencies {
		if digits, ok := domain.Exponent(currency); ok {
			return digits
		}
	}
	return 2
}

// splitDecimals splits a number at the decimal separator. Three digits after the last separator are
// thousands, or decimals in a currency with thousandths; open says that this is undecided.
func splitDecimals(number string, thousandths bool) (whole, fraction string, open bool) {
	at := strings.LastIndexAny(number, ".,")
	if at < 0 {
		return number, "", false
	}
	before, after, mark := number[:at], number[at+1:], number[at:at+1]
	other := strings.Trim(".,", mark)
	grouped := strings.ContainsAny(before, "'’"+other)
	switch repeated := strings.Contains(before, mark); {
	case len(after) != 3:
		return before, after, false
	case repeated: // 1.234.567
		return number, "", grouped
	case grouped: // 1,234.500
		return before, after, !thousandths
	case len(before) > 3, strings.HasPrefix(before, "0"): // 1234.500, 0.125
		return before, after, false
	case thousandths: // 1.500 has thousandths; 1,500 is ambiguous
		return before, after, mark == ","
	}
	return number, "", false
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// digitConfusions replaces letters that OCR confuses with digits.
var digitConfusions = strings.NewReplacer(
	"O", "0", "o", "0", "Q", "0", "D", "0", "¢", "0", "C", "0", "c", "0", "l", "1", "I", "1", "|",
	"1", "!", "1", "S", "5", "s", "5", "B", "8", "Z", "2", "z", "2", "G", "6", "b", "6", "A", "4",
)

// repairablePattern matches text that may be repaired: mostly digits, with two decimals after a
// separator.
var repairablePattern = regexp.MustCompile(
	`^(RM|[$€£]|\D{0,3}?)([\dOoQDlI|!SsBZzGbA]{1,7}[.,][\dOoQDlI|!SsBZz¢CcGb]{2})$`,
)

// repairAmount repairs an amount in which OCR misread one or two characters. ok is false if too
// many are wrong.
func repairAmount(text string) (string, bool) {
	text = strings.Trim(text, "()[]:;*'\"_~")
	match := repairablePattern.FindStringSubmatch(text)
	if match == nil {
		return "", false
	}
	sure := len(onlyDigits(match[2]))
	if sure < 2 || sure*2 < len(match[2])-1 {
		return "", false
	}
	mended := match[1] + digitConfusions.Replace(match[2])
	found, ok := parseAmount(mended, "")
	return mended, ok && !found.uncertain
}

// amounts returns all amounts of the document, row by row. currency is that of the document, if
// known.
func (s *documentLayout) amounts(currency string) []*amount {
	var found []*amount
	dollars := dollarAmount.MatchString(s.text)
	for _, r := range s.rows {
		dates := findDates(r.text, false)
		for i := 0; i < len(r.words); {
			a, used := amountAt(r, i, currency, dollars)
			if a != nil && !overlapsDate(dates, a.from, a.to) {
				found = append(found, a)
			}
			i += max(used, 1)
		}
	}
	return found
}

func overlapsDate(dates []shapedDate, from, to int) bool {
	for _, d := range dates {
		if from < d.to && d.from < to {
			return true
		}
	}
	return false
}

// dollarAmount matches an amount with a dollar sign. Where one is, an S before an amount is such a
// sign misread.
var dollarAmount = regexp.MustCompile(`\$\d+[.,]\d{2}`)

// amountAt parses an amount that starts at the i-th word of the row, joined with following words if
// the gap is narrow or a separator is split. It also returns the number of words used.
func amountAt(r *row, i int, currency string, dollars bool) (*amount, int) {
	make1 := func(text string, count int, mended bool) *amount {
		named := "" // a separate word before the amount can name the currency
		if i > 0 {
			named = symbols[strings.ToLower(strings.Trim(r.words[i-1].Text, "():."))]
		}
		a, ok := parseAmount(text, cmp.Or(named, currency))
		if !ok {
			return nil
		}
		words := r.words[i : i+count]
		last := words[count-1]
		a.uncertain, a.currency, a.words, a.row = a.uncertain ||
			mended, cmp.Or(
			a.currency, named,
		), words, r
		a.from, a.to = words[0].at, last.at+len(last.Text)
		a.raw = r.text[a.from:a.to]
		return &a
	}
	for count := min(3, len(r.words)-i); count > 1; count-- {
		if text, ok := joinAmountWords(r.words[i:i+count], decimalsOf(currency) == 3); ok {
			if a := make1(text, count, false); a != nil {
				return a, count
			}
		}
	}
	text := r.words[i].Text
	if a := make1(text, 1, false); a != nil {
		return a, 1
	}
	if rest, ok := strings.CutPrefix(text, "S"); ok && dollars {
		if a := make1(rest, 1, true); a != nil {
			return a, 1
		}
	}
	if mended, ok := repairAmount(text); ok && !r.unrepaired {
		if a := make1(mended, 1, true); a != nil {
			return a, 1
		}
	}
	return nil, 1
}

var (
	thousandsPattern = regexp.MustCompile(`^[-+]?[€$£]?\d{1,3}$`)
	groupPattern     = regexp.MustCompile(`^\d{3}$`)
	lastGroup        = regexp.MustCompile(`^\d{3}[.,]\d{2}$`)
	lastLong         = regexp.MustCompile(`^\d{3}[.,]\d{3}$`)
	openEndPattern   = regexp.MustCompile(`^\D{0,3}\d{1,6}[.,]$`)
	twoDigits        = regexp.MustCompile(`^\d{2}\D{0,2}$`)
	wholePart        = regexp.MustCompile(`^\D{0,3}\d{1,6}$`)
	pointAlone       = regexp.MustCompile(`^[.,]$`)
	pointPart        = regexp.MustCompile(`^[.,]\d{2}\D{0,2}$`)
)

// joinAmountWords joins words that form one number printed or recognised with gaps: "1 234,56", "33
// .90", "33. 90".
func joinAmountWords(words []*word, thousandths bool) (string, bool) {
	widest := 0
	for i := 1; i < len(words); i++ {
		gap := words[i].Box.X - (words[i-1].Box.X + words[i-1].Box.W)
		widest = max(widest, gap*10/max(words[i].Box.H, words[i-1].Box.H))
	}
	const narrow, wide = 6, 12 // tenths of the text height
	if widest > wide {
		return "", false
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	ends := lastGroup
	if thousandths {
		ends = lastLong
	}
	switch {
	case len(texts) == 2 && openEndPattern.MatchString(texts[0]) && twoDigits.MatchString(texts[1]),
		len(texts) == 3 && wholePart.MatchString(texts[0]) && pointAlone.MatchString(texts[1]) &&
			twoDigits.MatchString(texts[2]),
		len(texts) == 2 && wholePart.MatchString(texts[0]) && pointPart.MatchString(texts[1]),
		widest <= narrow && len(texts) == 2 && thousandsPattern.MatchString(texts[0]) &&
			ends.MatchString(texts[1]),
		widest <= narrow && len(texts) == 3 && thousandsPattern.MatchString(texts[0]) &&
			groupPattern.MatchString(texts[1]) && ends.MatchString(texts[2]):
		return strings.Join(texts, ""), true
	}
	return "", false
}
