package extraction

import (
	"regexp"
	"strings"
)

var (
	wideMarks = strings.NewReplacer("（", "(", "）", ")", "，", ",", "：", ":", "·", " ")
	// misreadBerhad and misreadShort match Malaysian legal forms with letters that engines confuse.
	misreadBerhad = regexp.MustCompile(`(?i)(\b|\s)[s5$§][d0o]n([\s.,]*)[b8][hn][dozn0](\W|$)`)
	misreadShort  = regexp.MustCompile(`(?i)(\b|\s)[s5$§]/[b8]{1,2}(\W|$)`)
	// misreadInitial matches initials with a sign or digit for a letter, as in D.1.¥.
	misreadInitial = regexp.MustCompile(`\b\pL\.\s?[1¥]\.|\.[¥1]\.`)
	numberInName   = regexp.MustCompile(
		`[\s'.]*(?:[([{]\s*|\b)(?:[Cc][Oo]\W{0,2}(?:[Nn][Oo]|[Rr][Ee][Gg])\W{0,3}|[Rr][Ee][Gg]\W{0,3})?[A-Z0-9]{0,4}\d{4,}\s?-?\s?[A-Za-z0-9]{0,2}\s?[)\]}]?.{0,8}$`)
)

// repairName repairs what engines often misread in names: legal forms, initials and digits inside
// words.
func repairName(text string) string {
	text = repairLegalForm(text)
	text = misreadInitial.ReplaceAllStringFunc(text, func(found string) string {
		return strings.NewReplacer("1", "I", "¥", "Y").Replace(found)
	})
	return digitInName.ReplaceAllStringFunc(text, repairLetters)
}

// repairLegalForm repairs the misread letters of a legal form.
func repairLegalForm(text string) string {
	text = misreadBerhad.ReplaceAllStringFunc(text, func(found string) string {
		parts := misreadBerhad.FindStringSubmatch(found)
		if small := strings.ToLower(found) == found; small {
			return parts[1] + "sdn" + parts[2] + "bhd" + parts[3]
		}
		if strings.Contains(found, "h") {
			return parts[1] + "Sdn" + parts[2] + "Bhd" + parts[3]
		}
		return parts[1] + "SDN" + parts[2] + "BHD" + parts[3]
	})
	return misreadShort.ReplaceAllString(text, "${1}S/B${2}")
}
