package extraction

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

var (
	datePattern = regexp.MustCompile(
		`[0-9OolI|]{1,2}([-/.])[0-9OolI|]{1,2}[-/.][0-9OolI|]{2,4}`)
	// monthToken matches a date whose month has digits for letters, as in 10 0CT 2017.
	monthToken = regexp.MustCompile(
		`(\b\d{1,2}[\s/.-]{1,2})([A-Za-z015]{3})([\s/.-]{1,2}(?:20)?\d{2}(?:\D|$))`)
	// lostSeparator matches a date in which one separator is lost, as in 05 02-18.
	lostSeparator = regexp.MustCompile(
		`(?:^|\s)\d{2}(?: \d{2}[-/.]|[-/.]\d{2} )(?:20)?\d{2}(?:\s|$)`)
	confusedDigits = strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1", "|", "1")
	confusedMonth  = strings.NewReplacer("0", "O", "1", "I", "5", "S")
)

// repairDates replaces letters that engines confuse with digits, and the reverse, in text that looks
// like a date. It keeps the length.
func repairDates(text string) string {
	text = datePattern.ReplaceAllStringFunc(text, confusedDigits.Replace)
	for _, at := range monthToken.FindAllStringSubmatchIndex(text, -1) {
		token := text[at[4]:at[5]]
		repaired := confusedMonth.Replace(token)
		if repaired != token && strings.ContainsFunc(token, unicode.IsLetter) && month(repaired) > 0 {
			text = text[:at[4]] + repaired + text[at[5]:]
		}
	}
	return text
}

// repairSeparators also replaces a lost separator between the numbers of a date. It keeps the
// length.
func repairSeparators(text string) string {
	text = repairDates(text)
	for _, at := range lostSeparator.FindAllStringIndex(text, -1) {
		found := text[at[0]:at[1]]
		inner := strings.TrimSpace(found)
		text = text[:at[0]] + strings.Replace(found, inner, strings.ReplaceAll(inner, " ", "-"), 1) +
			text[at[1]:]
	}
	return text
}

// dateCandidates returns the dates of the document after the given repair of each row, which keeps
// the length.
func (s *documentLayout) dateCandidates(
	monthFirst bool, anchors []domain.Anchor, repair func(string) string,
) []*dateCandidate {
	var all []*dateCandidate
	for _, r := range s.rows {
		text := repair(r.text)
		if r.source() == domain.SourceOCR && !r.unrepaired { // a 1 misread as a 4
			text = farYear.ReplaceAllString(text, "${1}201$2")
		}
		for _, shaped := range findDates(text, monthFirst) {
			c := &dateCandidate{shapedDate: shaped, row: r,
				words: r.wordsBetween(shaped.from, shaped.to)}
			end := min(shaped.to, len(text))
			printed := r.text[min(shaped.from, len(r.text)):] // a repair may change the length
			c.repaired = !strings.HasPrefix(printed, text[shaped.from:end]) ||
				r.source() == domain.SourceOCR && (looksShortened(text[shaped.from:end]) ||
					isGuessedDate(text[:shaped.from], text[shaped.from:end]))
			if len(c.words) > 0 {
				s.scoreDate(c, anchors)
				all = append(all, c)
			}
		}
	}
	return all
}

// looksShortened reports whether a recognised date may have lost a digit, because Chinese invoices
// print two digits of the day.
func looksShortened(text string) bool { return shortHanDay.MatchString(text) }

var (
	shortHanDay = regexp.MustCompile(`月\s*\d\s*日?$`)
	// farYear matches a year of a date that no document has yet.
	farYear = regexp.MustCompile(`(\d[-/. ]|\pL ?)204(\d)\b`)
)

var (
	// sevenYear matches a year that is taken for one of the 2010s.
	sevenYear = regexp.MustCompile(`\b207\d`)
	wordOf3   = regexp.MustCompile(`\pL{3,}`)
	// misreadDay matches a letter in place of the first digit of a day.
	misreadDay = regexp.MustCompile(`(?:^|[^\pL\d])[ZzSsBGQDA]$`)
)

// isGuessedDate reports whether a date in a text, after the text before it, was taken for another than
// its letters and digits say: by its year, by a month with a wrong letter, or without the first digit of
// its day.
func isGuessedDate(before, date string) bool {
	return sevenYear.MatchString(date) || misreadDay.MatchString(before) ||
		slices.ContainsFunc(wordOf3.FindAllString(date, -1),
			func(word string) bool { return knownMonth(word) == 0 })
}

// hasClockTime reports whether a text has a time that is no beginning of a date and no part of an amount.
func hasClockTime(text string) bool {
	for _, at := range clockTime.FindAllStringIndex(text, -1) {
		if at[0] > 0 && strings.ContainsRune("0123456789.,:", rune(text[at[0]-1])) || !isTimeOfDay(text[at[0]:at[1]]) {
			continue
		}
		rest := strings.TrimLeft(text[at[1]:], " ")
		if len(rest) < 2 || !strings.ContainsRune(".-/", rune(rest[0])) ||
			!unicode.IsDigit(rune(rest[1])) {
			return true
		}
	}
	return false
}

// isTimeOfDay reports whether the first two numbers of a text can be an hour and a minute.
func isTimeOfDay(text string) bool {
	at := strings.IndexAny(text, ":.")
	return number(text[:at]) < 24 && number(text[at+1:at+3]) < 60
}
