package extraction

import (
	"regexp"
	"strings"

	"countersign/domain"
)

// cellNumber is a number in a column as printed, with the decimals that it can mean: two if its only
// separator could separate thousands or decimals.
type cellNumber struct {
	readings []string // plain decimals; the likelier first
	unit     string   // word around the number, such as "Stk" or "kg"
	percent  bool
	raw      string
	words    []*word
}

var (
	numberCore = regexp.MustCompile(
		`^([-+–−(]?)(\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d{1,6})?|\d+(?:[.,]\d{1,6})?)([-)]?)$`)
	numberAround = regexp.MustCompile(
		`^([^\d.,+–−(-]{0,6})([-+–−(]?[\d.,'’]*\d[-)]?)([^\d]{0,12})$`)
	numberMultiple = regexp.MustCompile(`^[x×@*]?(.*?)[x×@*]?$`)
)

// numberOf parses the text of a cell as a number, with a currency, a percent sign or a unit around
// it. point is the decimal mark of the document, "" if unknown. ok is false for any other text.
func numberOf(text, point string) (found cellNumber, ok bool) {
	compacted := strings.ReplaceAll(text, " ", "")
	if match := numberMultiple.FindStringSubmatch(compacted); match != nil {
		compacted = match[1]
	}
	around := numberAround.FindStringSubmatch(compacted)
	if around == nil {
		return cellNumber{}, false
	}
	before, after := around[1], strings.Trim(around[3], ".,;:")
	found.percent = strings.Contains(after, "%")
	switch {
	case before != "" && prefixes.FindStringSubmatch(before) == nil:
		return cellNumber{}, false
	case after == "" || found.percent || suffixes.FindStringSubmatch(after) != nil:
	case unitWords[strings.ToLower(after)] || unitWords[strings.ToLower(strings.TrimSpace(around[3]))]:
		found.unit = strings.TrimSpace(around[3])
	default:
		return cellNumber{}, false
	}
	core := numberCore.FindStringSubmatch(around[2])
	if core == nil || len(onlyDigits(core[2])) > 15 {
		return cellNumber{}, false
	}
	negative := strings.ContainsAny(core[1], "-–−") || core[3] == "-" ||
		core[1] == "(" && core[3] == ")"
	for _, plain := range decimalReadings(core[2], point) {
		if negative && plain != "0" {
			plain = "-" + plain
		}
		found.readings = append(found.readings, plain)
	}
	found.raw = text
	return found, len(found.readings) > 0
}

// decimalReadings returns the plain decimals that digits with separators can mean.
func decimalReadings(text, point string) []string {
	at := strings.LastIndexAny(text, ".,")
	text = strings.NewReplacer("'", "", "’", "").Replace(text)
	if at < 0 {
		return nonEmpty(plainDecimal(text))
	}
	at = strings.LastIndexAny(text, ".,")
	mark, whole, fraction := text[at:at+1], onlyDigits(text[:at]), text[at+1:]
	asDecimals, asThousands := plainDecimal(whole+"."+fraction), plainDecimal(whole+fraction)
	before := text[:at]
	switch {
	case strings.Contains(before, mark): // 1.234.567
		return nonEmpty(asThousands)
	case strings.ContainsAny(before, ".,"), len(fraction) != 3, len(before) > 3,
		strings.HasPrefix(before, "0"):
		return nonEmpty(asDecimals)
	case point == mark:
		return nonEmpty(asDecimals, asThousands)
	}
	return nonEmpty(asThousands, asDecimals)
}

func nonEmpty(texts ...string) []string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return kept
}

// decimalMark returns the decimal mark that most amounts of the rows use, "" if it is not clear.
func decimalMark(rows []*tableRow) string {
	count := map[string]int{}
	for _, r := range rows {
		for _, w := range r.words {
			if match := markedDecimals.FindStringSubmatch(w.Text); match != nil {
				count[match[1]]++
			}
		}
	}
	switch {
	case count[","] > 2*count["."]:
		return ","
	case count["."] > 2*count[","]:
		return "."
	}
	return ""
}

var markedDecimals = regexp.MustCompile(`\d([.,])\d{2}(?:\D{0,3})$`)

// repairedNumber parses the text of a cell in a column of numbers, in which OCR may have misread a
// digit as a letter.
func repairedNumber(text, point string) (cellNumber, bool) {
	if found, ok := numberOf(text, point); ok {
		return found, true
	}
	bare := strings.Trim(strings.ReplaceAll(text, " ", ""), "|[]{}:;*'\"_~‘’“”")
	if found, ok := numberOf(bare, point); ok {
		return found, true
	}
	if match := misreadUnit.FindStringSubmatch(bare); match != nil {
		return numberOf(match[1], point)
	}
	if digits := countDigits(bare); digits*2 < len(bare) || digits < 2 {
		return cellNumber{}, false
	}
	return numberOf(digitConfusions.Replace(bare), point)
}

// misreadUnit matches a number with a unit that is not among the known ones.
var misreadUnit = regexp.MustCompile(`^(-?\d[\d.,]*)[^\d.,]{1,3}$`)

// currencyDigits returns the decimals of a currency, 2 if it is unknown.
func currencyDigits(currency string) int { return decimalsOf(currency) }

// minorReading returns the first reading of the number that is exact in the currency.
func (n cellNumber) minorReading(currency string) (int64, bool) {
	for _, reading := range n.readings {
		if minor, ok := minorOf(reading, currency); ok {
			return minor, true
		}
	}
	return 0, false
}

// agree chooses the readings of quantity, price and amount with which the row adds up, if there are
// any, otherwise the likeliest ones.
func agree(item *domain.LineItem, quantity, price, amount *cellNumber, currency string) {
	pick := func(n *cellNumber) []string {
		if n == nil {
			return []string{""}
		}
		return n.readings
	}
	try := *item
	for _, a := range pick(amount) {
		try.Minor = nil
		if minor, ok := minorOf(a, currency); ok && a != "" {
			try.Minor = &minor
		}
		for _, q := range pick(quantity) {
			for _, p := range pick(price) {
				try.Quantity, try.UnitPrice = q, p
				if try.CheckRow(currencyDigits(currency)) == domain.RowAddsUp {
					*item = try
					return
				}
			}
		}
	}
	item.Quantity, item.UnitPrice = pick(quantity)[0], pick(price)[0]
	if amount != nil {
		if minor, ok := amount.minorReading(currency); ok {
			item.Minor = &minor
		}
	}
}
