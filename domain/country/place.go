package country

import "strings"

// OfPlace returns the country that a text names as a place: by its name, by nothing but a city of one
// country only, or by both. Cities of other countries have the same names, so that the country of a city
// alone is a reason to look, and never certain.
func OfPlace(text string) (code string, byCity bool) {
	if len(text) > maxText {
		return "", false
	}
	text = strings.Trim(strings.TrimSpace(text), " .,;:，。、；：")
	if code, ok := Parse(text); ok && len(text) > 3 && !ambiguous[fold(text)] {
		return code, false
	}
	all := parts(text)
	for i := len(all) - 1; i >= 0; i-- {
		part := strings.Trim(withoutDigits(all[i]), " -.")
		if code := byName(part); code != "" && len(part) > 3 && !ambiguous[fold(part)] {
			return code, false
		}
		if code := ofCity(part); code != "" {
			return code, true
		}
	}
	return "", false
}

// withoutDigits returns the text without the words that have digits, such as a postal code.
func withoutDigits(text string) string {
	var kept []string
	for _, word := range strings.Fields(text) {
		if !strings.ContainsAny(word, "0123456789") {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// ofCity returns the country of a city, "" if there are cities of the name in several countries.
func ofCity(name string) string {
	folded := fold(name)
	found := ""
	for code, towns := range countries().towns {
		if !towns[folded] && !(isHan(folded) && towns[strings.TrimSuffix(folded, "市")]) {
			continue
		}
		if found != "" {
			return ""
		}
		found = code
	}
	return found
}
