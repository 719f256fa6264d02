package extraction

import (
	"cmp"
	"regexp"
	"strings"

	"countersign/domain"
)

// amount is a sum of money as printed.
type amount struct {
	milli     int64 // thousandths of the currency's unit
	uncertain bool  // not as many decimals as such sums are printed with, or mended
	ambiguous bool  // its separator may part thousands as well as decimals: it stands for no value
	currency  string
	words     []*word
	row       *row
	from, to  int // bytes of the row's text
	raw       string
}

// finding renders the amount in the currency's digits; a value that is open or that the currency cannot hold has no
// normalised form.
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
	// money as one run of characters: an optional sign or currency, digits with groups, decimals.
	moneyPattern = regexp.MustCompile(`^([^\d.,+-]{0,5})([-+–]?)(\d{1,3}(?:[.,'’]\d{3})+|\d+)(?:([.,])(\d{1,3}))?(-?)([^\d]{0,5})$`)
	prefixes     = regexp.MustCompile(`(?i)^(?:[:=*(_~<>«»'"‘’“”.-]*)(rm|r[nh]|fm|myr|usd|us\$|sgd|s\$|eur|gbp|chf|inr|rs\.?|cny|rmb|hkd|hk\$|aud|a\$|cad|jpy|` + plainCodes + `|[$€£¥￥₹])?(?:[:=*(_~<>«»'"‘’“”]*)$`)
	suffixes     = regexp.MustCompile(`(?i)^[)\]|:;*,.'"_~]*(rm|myr|usd|sgd|eur|euro|gbp|chf|inr|cny|rmb|jpy|` + plainCodes + `|sr|zr|zrl|[szte]|[€$£元円])?[)\]|:;*,.'"_~-]*$`)
)

// parseAmount reads one run of characters as an amount of money: "1.234,56", "RM8.60", "(77.20)", "12.00-". Unless it names
// its currency, it is one of the currency given; "" is one with two decimals. ok is false when it is none.
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

// decimalsOf is how many decimals the first known of the currencies has.
func decimalsOf(currencies ...string) int {
	for _, currency := range currencies {
		if digits, ok := domain.Exponent(currency); ok {
			return digits
		}
	}
	return 2
}

// splitDecimals parts the digits before and after the decimal separator. Three digits after the last separator are
// thousands or, in a currency that has thousandths, decimals; open says that they may be either, or neither.
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
	case thousandths: // 1.500 has thousandths; 1,500 may have them, or be thousands
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

// digitConfusions are what OCR puts for digits.
var digitConfusions = strings.NewReplacer("O", "0", "o", "0", "Q", "0", "D", "0", "¢", "0", "C", "0", "c", "0", "l", "1", "I", "1", "|", "1", "!", "1",
	"S", "5", "s", "5", "B", "8", "Z", "2", "z", "2", "G", "6", "b", "6", "A", "4")

// repairablePattern is what may be mended: digits prevail and two decimals follow a point.
var repairablePattern = regexp.MustCompile(`^(RM|[$€£]|\D{0,3}?)([\dOoQDlI|!SsBZzGbA]{1,7}[.,][\dOoQDlI|!SsBZz¢CcGb]{2})$`)

// repairAmount repairs an amount that OCR spoiled in a character or two; ok is false when too little of it is sure.
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

// amounts finds every amount of the document, row by row; the currency is the document's, as far as it is known.
func (s *documentLayout) amounts(currency string) []*amount {
	var found []*amount
	for _, r := range s.rows {
		dates := findDates(r.text, false)
		for i := 0; i < len(r.words); {
			a, used := amountAt(r, i, currency)
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

// amountAt reads an amount that begins at the row's i-th word: alone, or with the next words when a narrow gap or a
// split separator joins them. used is the number of words taken.
func amountAt(r *row, i int, currency string) (*amount, int) {
	make1 := func(text string, count int, mended bool) *amount {
		named := "" // the currency may stand before the amount as a word of its own
		if i > 0 {
			named = symbols[strings.ToLower(strings.Trim(r.words[i-1].Text, "():."))]
		}
		a, ok := parseAmount(text, cmp.Or(named, currency))
		if !ok {
			return nil
		}
		words := r.words[i : i+count]
		last := words[count-1]
		a.uncertain, a.currency, a.words, a.row = a.uncertain || mended, cmp.Or(a.currency, named), words, r
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
	if mended, ok := repairAmount(text); ok {
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
	pointPart        = regexp.MustCompile(`^[.,]\d{2}\D{0,2}$`)
)

// joinAmountWords reports whether the words are one number that was set or read with gaps: "1 234,56", "33 .90", "33. 90".
func joinAmountWords(words []*word, thousandths bool) (string, bool) {
	widest := 0
	for i := 1; i < len(words); i++ {
		gap := words[i].Box.X - (words[i-1].Box.X + words[i-1].Box.W)
		widest = max(widest, gap*10/max(words[i].Box.H, words[i-1].Box.H))
	}
	const narrow, wide = 6, 12 // tenths of the height of the type
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
		len(texts) == 2 && wholePart.MatchString(texts[0]) && pointPart.MatchString(texts[1]),
		widest <= narrow && len(texts) == 2 && thousandsPattern.MatchString(texts[0]) && ends.MatchString(texts[1]),
		widest <= narrow && len(texts) == 3 && thousandsPattern.MatchString(texts[0]) && groupPattern.MatchString(texts[1]) && ends.MatchString(texts[2]):
		return strings.Join(texts, ""), true
	}
	return "", false
}
