package extraction

import (
	"regexp"
	"strings"
)

var (
	wideMarks = strings.NewReplacer("（", "(", "）", ")", "，", ",", "：", ":", "·", " ")
	// misreadBerhad and misreadShort match Malaysian legal forms with letters that engines confuse.
	misreadBerhad = regexp.MustCompile(`(?i)(\b|\s)[s5$§][d0o]n([\s.,]*)[b8][hn][dozn0](\W|$)`)
	misreadShort  = regexp.MustCompile(`(?i)(\b|\s)[s5$§]/[b8d]{1,2}(\W|$)`)
	// afterSendirian matches the word after SDN, which is BHD whatever an engine read.
	afterSendirian = regexp.MustCompile(`(?i)(\bs[d0]n[\s.,]*)(b\s?h\s?d|[\pL\d]{2,4})(\W|$)`)
	// joinedForm matches a legal form without a space before it, as in KIEFERSDN BHD.
	joinedForm = regexp.MustCompile(`(?i)([\pL)])(sdn(?:\b|bhd))`)
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

// maxMisreadForm is the number of letters of BHD that an engine may have read wrongly after SDN.
const maxMisreadForm = 2

// repairLegalForm repairs the misread letters of a legal form, and separates it from the name.
func repairLegalForm(text string) string {
	text = joinedForm.ReplaceAllString(text, "${1} ${2}")
	text = afterSendirian.ReplaceAllStringFunc(text, func(found string) string {
		parts := afterSendirian.FindStringSubmatch(found)
		sendirian, berhad := parts[1], strings.Join(strings.Fields(parts[2]), "")
		if !isNear(strings.ToUpper(berhad), "BHD", maxMisreadForm) {
			return found
		}
		if !strings.ContainsAny(sendirian, " .,") {
			sendirian += " "
		}
		if !strings.EqualFold(berhad, "BHD") {
			berhad = likeCase("BHD", sendirian)
		}
		return sendirian + berhad + parts[3]
	})
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

// likeCase returns an upper-case word in the case of another: small letters, a capital first, or
// capitals.
func likeCase(word, like string) string {
	switch {
	case strings.ToLower(like) == like:
		return strings.ToLower(word)
	case strings.ToUpper(like) == like:
		return word
	}
	return word[:1] + strings.ToLower(word[1:])
}

// tidyName repairs and cleans a name.
func tidyName(text string) string { return cleanName(repairName(wideMarks.Replace(text))) }

// spaceBrackets separates a bracket from the words of a name, because engines lose the space before it:
// BAKERIES(KL) SDN BHD. A name of one word and a bracket can be printed without.
func spaceBrackets(text string) string {
	if !strings.Contains(text, " ") {
		return text
	}
	return bracketAfterWord.ReplaceAllString(bracketBeforeWord.ReplaceAllString(text, "$1 $2"), "$1 $2")
}

var (
	bracketBeforeWord = regexp.MustCompile(`(\p{Latin}{2})(\([\pL ])`)
	bracketAfterWord  = regexp.MustCompile(`( \([^()]*\pL\.?\))(\p{Latin})`)
)

// cleanName removes stray marks at both ends and a register number in brackets.
func cleanName(text string) string {
	text = registerNumber.ReplaceAllString(text, "")
	if at := strongForm.FindStringIndex(text); at != nil {
		text = text[:at[1]] + numberInName.ReplaceAllString(text[at[1]:], "")
	}
	text = spaceBrackets(nameLabel.ReplaceAllString(text, ""))
	text = strings.TrimLeft(text, " \t.,:;*|_~'\"‘’“”-=<>«»")
	text = strings.TrimRight(text, " \t,:;*|_~'\"‘’“”-=<>«»(")
	if last := text[strings.LastIndexByte(text, ' ')+1:]; len(last) > 5 { // Inc. and B.V. keep their dot
		text = strings.TrimRight(text, ".")
	}
	return text
}

var nameLabel = regexp.MustCompile(`(?i)^\W*(name|firma|company|seller|vendor|from|verk.ufer|名\s*称)\s*[:：]\s*`)

var registerNumber = regexp.MustCompile(`\s*[([{][A-Z0-9]{0,4}\d{4,}\s?-?\s?[A-Za-z0-9]{0,2}\s?[)\]}]?\s*$`)
