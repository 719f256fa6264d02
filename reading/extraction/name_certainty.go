package extraction

import (
	"regexp"
	"slices"
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
	if looksIncomplete(name) || isRepairedName(b.text) || slices.ContainsFunc(b.words, isContested) ||
		b.row.source() == domain.SourceOCR && looksMisread(name) {
		certainty *= oddName
	}
	return certainty
}

// minNameLead is the lead in score that a name without a legal form needs over every other name.
const minNameLead = 2

// mayBeAnother reports whether the page does not decide which rows are the name: another one is nearly
// as probable, or a row of the same type above may be the start of a name with a legal form.
func (s *documentLayout) mayBeAnother(b nameBlock, lead float64) bool {
	if b.row.source() != domain.SourceOCR {
		return false
	}
	if !strongForm.MatchString(b.text) {
		return lead < minNameLead
	}
	above, words := s.nameAbove(b.row)
	if above == nil || !alikeType(words, b.words) || nameLabel.MatchString(b.text) {
		return false
	}
	text := nameOf(words)
	return !sellerLabel.MatchString(text) && !buyerLabel.MatchString(text) && !notVendor.MatchString(text) && !addressPattern.MatchString(text)
}

// alikeType reports whether words are of nearly the same height.
func alikeType(a, b []*word) bool {
	return medianHeight(a)*4 <= medianHeight(b)*5 && medianHeight(a)*5 >= medianHeight(b)*4
}

// isContested reports whether another engine read other letters in a word of a name, however little it was
// certain of them, or did not read the word. The legal form and the number in a register do not count: they are repaired or left out.
func isContested(w *word) bool {
	if w.Alternative == "" && (!w.compared || w.isAgreed()) || len(onlyLetters(w.Text)) == 0 ||
		legalWord.MatchString(repairLegalForm(w.Text)) ||
		2*len(onlyDigits(w.Text)) > len(onlyLetters(w.Text)) {
		return false
	}
	return w.Alternative == "" || w.Text == w.Alternative || nameLetters(w.Text) != nameLetters(w.Alternative)
}

// readAsLetter maps digits and signs to the capital letters that they look like.
var readAsLetter = strings.NewReplacer("0", "O", "5", "S", "$", "S", "8", "B", "¥", "Y")

// nameLetters returns the letters of a word of a name, with digits and signs that look like one as that
// letter, because names seldom have digits or signs inside words.
func nameLetters(text string) string { return onlyLetters(readAsLetter.Replace(text)) }

// nameOf returns the words as a name. A word of letters that another engine read is taken in place of one
// with digits, because names seldom have digits inside words.
func nameOf(words []*word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
		if w.HasCredibleAlternative() && digitInWord.MatchString(w.Text) && isWordOfLetters(w.Alternative) {
			texts[i] = w.Alternative
		}
	}
	return strings.Join(texts, " ")
}

func isWordOfLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
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
