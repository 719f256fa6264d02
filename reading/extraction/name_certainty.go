package extraction

import (
	"regexp"
	"strings"
	"unicode"

	"countersign/domain"
)

// oddName is the factor for the confidence of a name that looks misread or incomplete.
const oddName = 0.6

// nameCertainty returns a factor between 0 and 1 for how surely a name was read. It follows the
// worst word besides the legal form, because one misread word makes another name.
func nameCertainty(b nameBlock) float64 {
	worst := meanConfidence(b.words)
	for _, w := range b.words {
		if len(onlyLetters(w.Text)) > 1 && !legalWord.MatchString(w.Text) {
			worst = min(worst, w.Confidence)
		}
	}
	certainty := 0.4 + 0.6*clamp(worst)
	name := tidyName(b.text)
	if looksIncomplete(name) || isRepairedName(b.text) ||
		b.row.source() == domain.SourceOCR && looksMisread(name) {
		certainty *= oddName
	}
	return certainty
}

var (
	legalWord = regexp.MustCompile(
		`(?i)^\W*(sdn|bhd|s/b|gmbh|ltd|limited|inc|llc|co|kg|ag|plc|pte|corp|b\.?v|n\.?v|sarl|sas|s\.?a|ohg|ug|pty)\W*$`)
	nameMark = regexp.MustCompile(`[^\pL\pN\s&.,'’()/+-]`)
	// digitInWord matches a digit beside a letter of the same word, such as D.1.Y. or 5TORE.
	digitInWord = regexp.MustCompile(`\pL[.]?\d|\d[.]?\pL`)
)

// isRepairedName reports whether letters or digits of a name were replaced. Nothing on the page confirms
// such a letter. A legal form is one of few known words, and its misread letters are near no other.
func isRepairedName(text string) bool {
	text = repairLegalForm(wideMarks.Replace(text))
	return onlyLetters(repairName(text)) != onlyLetters(text)
}

// looksIncomplete reports whether only the end of a name is left: a legal form without a name
// before it, or an open bracket.
func looksIncomplete(text string) bool {
	if strings.Count(text, "(") != strings.Count(text, ")") {
		return true
	}
	first := strings.Fields(text)
	return len(first) > 0 && legalWord.MatchString(first[0])
}

// looksMisread reports whether a name has marks that names do not have, a digit inside a word, or
// small letters although most of its words are in capitals.
func looksMisread(text string) bool {
	if nameMark.MatchString(text) || digitInWord.MatchString(text) {
		return true
	}
	upper, mixed := 0, 0
	for _, word := range strings.Fields(text) {
		switch {
		case legalWord.MatchString(word):
		case strings.ToUpper(word) == word && len(onlyLetters(word)) > 2:
			upper++
		case strings.ContainsFunc(word, unicode.IsLower):
			mixed++
		}
	}
	return mixed > 0 && upper > mixed
}
