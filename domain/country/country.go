package country

import (
	"slices"
	"strings"
	"unicode"
)

// maxText limits the length of a text that is looked up. No country has a longer name.
const maxText = 200

// shared maps names that mean something else as often as the country, so that a city has to confirm
// them. Parse knows some of them alone.
var shared = map[string]string{"georgia": "GE", "korea": "KR", "congo": ""}

// parents maps territories to the country that addresses name after them.
var parents = territories(map[string]string{"CN": "HK MO TW", "US": "PR GU VI AS MP UM",
	"FR": "GP MQ RE GF YT NC PF PM WF BL MF TF", "NL": "CW AW SX BQ",
	"GB": "JE GG IM GI BM KY VG FK AI MS TC SH PN IO GS", "DK": "GL FO", "NO": "SJ BV",
	"FI": "AX", "AU": "CX CC NF HM", "NZ": "CK NU TK"})

func territories(children map[string]string) map[string]string {
	parents := map[string]string{}
	for parent, codes := range children {
		for child := range strings.FieldsSeq(codes) {
			parents[child] = parent
		}
	}
	return parents
}

// Parse returns the code (ISO 3166-1 alpha-2) of a value that is meant to be a country: a code, a
// name in one of the known languages, or a place followed by its country, such as "Tehran, Iran".
// It returns false if the value names no country, or could mean several.
func Parse(text string) (string, bool) {
	text = strings.Trim(strings.TrimSpace(text), " .,;:，。、；：")
	if text == "" || len(text) > maxText {
		return "", false
	}
	if code := whole(text); code != "" {
		return code, true
	}
	code := longName(text)
	if code == "" {
		code = inParts(text)
	}
	if code == "" {
		code = besideCity(text)
	}
	if code == "" {
		code = chinesePrefix(text)
	}
	return code, code != ""
}

// whole returns the country of a text that is nothing but a code or a name.
func whole(text string) string {
	if code := byCode(text); code != "" {
		return code
	}
	return byName(text)
}

// byCode returns the country of an alpha-2 or alpha-3 code in one case. "UK" is used as a code.
func byCode(text string) string {
	upper := strings.ToUpper(text)
	if text != upper && text != strings.ToLower(text) || len(text) < 2 || len(text) > 3 {
		return ""
	}
	t := countries()
	if t.known[upper] {
		return upper
	}
	return t.three[upper]
}

func byName(text string) string {
	t := countries()
	folded := fold(text)
	if code, ok := t.names[folded]; ok {
		return code
	}
	return ""
}

// separators divide a value into places.
func isSeparator(r rune) bool { return strings.ContainsRune(",;，；、/|()（）[]\n", r) }

// parts splits a text at separators and at dashes between spaces.
func parts(text string) []string {
	for _, dash := range []string{" - ", " – ", " — "} {
		text = strings.ReplaceAll(text, dash, ",")
	}
	var all []string
	for part := range strings.FieldsFuncSeq(text, isSeparator) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// longName returns the country after a comma if its name has separators itself, as in "Tehran, Iran
// (Islamic Republic of)".
func longName(text string) string {
	for at, char := range text {
		if char != ',' && char != ';' {
			continue
		}
		name := strings.TrimSpace(text[at+1:])
		if len(parts(name)) > 1 {
			if code := byName(name); code != "" {
				return code
			}
		}
	}
	return ""
}

// inParts returns the country of a value in several parts: all mean the same one, as in "Iran (IR)",
// or the last is the name of the country in which the places before lie.
func inParts(text string) string {
	all := parts(text)
	if len(all) < 2 {
		return ""
	}
	codes := make([]string, len(all))
	countriesOnly := true
	for i, part := range all {
		codes[i] = whole(part)
		countriesOnly = countriesOnly && codes[i] != ""
	}
	last := len(all) - 1
	if countriesOnly {
		return sameCountry(codes, all)
	}
	if strings.ContainsAny(text, "()（）[]") { // a bank's name often has a country in brackets
		return ""
	}
	if len(all[last]) <= 3 && !certainCode(all[last]) {
		if code := codes[last]; len(all[last]) == 2 && all[last] == strings.ToUpper(all[last]) &&
			code != "" && hasCity(all[last-1], code) {
			return code
		}
		return ""
	}
	code := lastPlace(all[:last], all[last])
	for i := range last { // a part that also names a country, such as Cuba in Missouri
		if codes[i] == "" || codes[i] == code || len(all[i]) <= 3 || code == "" ||
			code == "US" && fold(all[i]) == "georgia" {
			continue
		}
		if parents[codes[i]] != code {
			return ""
		}
		return codes[i]
	}
	return code
}

// sameCountry returns the country if all codes mean it, or a territory and its country.
func sameCountry(codes, texts []string) string {
	code := codes[0]
	for i, next := range codes[1:] {
		switch {
		case next == code || parents[code] == next:
		case parents[next] == code:
			code = next
		case next == "US" && fold(texts[i]) == "georgia":
			code = next
		default:
			return ""
		}
	}
	return code
}

// certainCode reports whether a part of two or three letters means a country and nothing else.
func certainCode(text string) bool {
	switch fold(text) {
	case "uk", "usa", "us", "uae", "prc", "drc", "ksa":
		return strings.ToUpper(text) == text
	}
	return len(text) == 3 && text == strings.ToUpper(text) && countries().three[text] != "" &&
		!slices.Contains(words, text)
}

// words are alpha-3 codes that are words or abbreviations of companies.
var words = []string{"AND", "CAN", "PER", "ARE", "TON", "MAR", "GIN", "COD", "PAN", "SUR", "BEN",
	"GAB", "COM", "LIE", "NAM", "MAC", "JAM", "TUN", "GUM", "ALA", "CUB", "BEL", "NOR", "AGO",
	"EST", "IOT", "MUS", "GEO", "SEN", "DOM", "VAT", "BES"}

// lastPlace returns the country of a last part, if it is one. A name that can mean something else
// needs a city of the country before it.
func lastPlace(before []string, last string) string {
	code := byName(last)
	if code == "" && len(last) == 3 {
		code = byCode(last)
	}
	folded := fold(last)
	if of, ok := shared[folded]; ok {
		if of != "" && slices.ContainsFunc(before, func(p string) bool { return hasCity(p, of) }) {
			return of
		}
		return ""
	}
	return code
}

// hasCity reports whether the text contains a city of the country, as whole words.
func hasCity(text, code string) bool {
	padded := " " + fold(text) + " "
	for town := range countries().towns[code] {
		if strings.Contains(padded, " "+town+" ") || isHan(town) && strings.Contains(padded, town) {
			return true
		}
	}
	return false
}

// besideCity returns the country of "Tehran Iran" or "Iran, Tehran": a name of the country beside
// one of its cities, and nothing else.
func besideCity(text string) string {
	names := strings.Fields(fold(text))
	for cut := 1; cut < len(names); cut++ {
		first, second := strings.Join(names[:cut], " "), strings.Join(names[cut:], " ")
		for _, pair := range [][2]string{{first, second}, {second, first}} {
			code := countries().names[pair[0]]
			if of := shared[pair[0]]; of != "" {
				code = of
			}
			if code != "" && countries().towns[code][pair[1]] {
				return code
			}
		}
	}
	return ""
}

// chinesePlaces end the names of administrative areas and streets.
const chinesePlaces = "省市区区县州盟旗镇乡村路街道号"

// chinesePrefix returns the country with which a Chinese place starts, as in 伊朗德黑兰 or
// 中国上海市浦东新区, but not that of 中国银行.
func chinesePrefix(text string) string {
	if !isHan(text) {
		return ""
	}
	t := countries()
	folded := []rune(fold(text))
	for to := min(len(folded)-1, t.longest); to >= 2; to-- {
		code := t.names[string(folded[:to])]
		if code == "" {
			continue
		}
		rest := string(folded[to:])
		if t.towns[code][rest] || t.towns[code][strings.TrimSuffix(rest, "市")] {
			return code
		}
		if startsWithArea(folded[to:]) && !chineseOrganisation(rest) {
			return code
		}
		return ""
	}
	return ""
}

// startsWithArea reports whether a Chinese text starts with an administrative area of two to eight
// characters.
func startsWithArea(text []rune) bool {
	for i, r := range text {
		if i > 8 || !unicode.Is(unicode.Han, r) {
			return false
		}
		if i >= 2 && strings.ContainsRune(chinesePlaces, r) {
			return true
		}
	}
	return false
}

func chineseOrganisation(text string) bool {
	for _, word := range []string{"银行", "公司", "集团", "大学", "餐厅", "协会", "商会", "超市",
		"使馆", "銀行"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
