package extraction

import (
	"strings"
)

// capitalDigits and capitalUnits are the numerals of amounts in words on Chinese documents, in
// simplified and traditional characters.
var (
	capitalDigits = map[rune]int64{'零': 0, '〇': 0, '壹': 1, '贰': 2, '貳': 2, '叁': 3, '參': 3, '叄': 3,
		'肆': 4, '伍': 5, '陆': 6, '陸': 6, '柒': 7, '捌': 8, '玖': 9}
	capitalUnits = map[rune]int64{'拾': 10, '佰': 100, '仟': 1000}
)

// maxCapitals is the maximum length of an amount in words, in characters.
const maxCapitals = 40

// parseCapitals returns the hundredths of an amount in words: 701883 for 柒仟零壹拾捌圆捌角叁分. ok is
// false if a character is missing or misread, so that the words could mean two amounts.
func parseCapitals(text string) (hundredths int64, ok bool) {
	text = strings.NewReplacer("萬", "万", "億", "亿", "圓", "圆", "元", "圆", "正", "整").Replace(text)
	if len([]rune(text)) > maxCapitals {
		return 0, false
	}
	whole, rest, found := strings.Cut(text, "圆")
	if !found {
		whole, rest = "", text
	}
	rest, exact := strings.CutSuffix(rest, "整")
	cents, ok := capitalCents(rest)
	if !ok || !found && cents == 0 || found && whole == "" || rest == "" && !exact {
		return 0, false
	}
	units := int64(0)
	if found {
		if units, ok = capitalInteger(whole); !ok {
			return 0, false
		}
	}
	return units*100 + cents, true
}

// capitalCents reads what follows the 圆: 角 and 分.
func capitalCents(text string) (cents int64, ok bool) {
	last := int64(100)
	runes := []rune(text)
	for len(runes) > 0 {
		if runes[0] == '零' && len(runes) == 3 && last == 100 {
			runes = runes[1:] // 零叁分: no tenths
		}
		digit, known := capitalDigits[runes[0]]
		if !known || len(runes) < 2 {
			return 0, false
		}
		unit := map[rune]int64{'角': 10, '分': 1}[runes[1]]
		if unit == 0 || unit >= last {
			return 0, false
		}
		cents, last, runes = cents+digit*unit, unit, runes[2:]
	}
	return cents, true
}

// capitalInteger reads the units of an amount, of at most three sections: 亿, 万 and the rest.
func capitalInteger(text string) (value int64, ok bool) {
	for _, section := range []struct {
		mark  string
		times int64
	}{{"亿", 100_000_000}, {"万", 10_000}} {
		before, after, found := strings.Cut(text, section.mark)
		if !found {
			continue
		}
		units, ok := capitalSection(before)
		if !ok || units == 0 {
			return 0, false
		}
		value, text = value+units*section.times, after
	}
	if text == "" && value > 0 {
		return value, true
	}
	units, ok := capitalSection(text)
	return value + units, ok && (units > 0 || value == 0 || text == "零")
}

// capitalSection reads a number below 10 000. A digit without a unit must follow 拾 or 零: 贰佰伍 may
// be 205, or 250 without its last character.
func capitalSection(text string) (value int64, ok bool) {
	runes := []rune(text)
	last, zero := int64(10_000), false
	for i := 0; i < len(runes); i++ {
		digit, known := capitalDigits[runes[i]]
		unit := int64(1)
		switch {
		case known && digit == 0:
			if zero || i+1 == len(runes) && len(runes) > 1 {
				return 0, false
			}
			zero = true
			continue
		case known && i+1 < len(runes) && capitalUnits[runes[i+1]] > 0:
			i++
			unit = capitalUnits[runes[i]]
		case known:
			if last > 10 && i > 0 && !zero {
				return 0, false
			}
		case runes[i] == '拾' && i == 0:
			digit, unit = 1, 10
		default:
			return 0, false
		}
		if unit >= last {
			return 0, false
		}
		value, last, zero = value+digit*unit, unit, false
	}
	return value, len(runes) > 0
}
