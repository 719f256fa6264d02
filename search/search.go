// Package search computes what a search compares: the words of texts, of queries and of typos.
//
// What may enter: texts of a case, folded to words; queries; the texts in which words were found. What
// never happens here: reads, rights, and SQL other than the two literals that Postgres parses.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Version is the version of the rules of this package. A worker indexes every case again when it
// changes.
const Version = 1

// maxToken is the greatest length of a token, in characters. Longer words are cut, in texts and in
// queries.
const maxToken = 64

// Token is a searchable word with its place in the text, in bytes.
type Token struct {
	Text     string
	From, To int
}

// run is a sequence of letters, digits and marks without a separator, or a sequence of CJK characters.
type run struct {
	from, to int
	cjk      bool
	digits   bool // only digits
}

// Scan calls emit for every token of the text: its words with case and accents folded, CJK characters
// and pairs of them, words that are joined by punctuation as one, amounts in one form, and IBANs
// without blanks. Tokens overlap.
func Scan(text string, emit func(Token)) {
	var s scanner
	s.scan(text, emit)
}

// scanner scans one text after the other, with the same memory.
type scanner struct {
	text string
	runs []run
	emit func(Token)
}

func (s *scanner) scan(text string, emit func(Token)) {
	s.text, s.emit, s.runs = text, emit, appendRuns(s.runs[:0], text)
	for i := range s.runs {
		s.words(i)
		s.amount(i)
		s.iban(i)
	}
	s.compounds()
}

// appendRuns finds the runs of a text.
func appendRuns(runs []run, text string) []run {
	from, to, cjk, digits := -1, 0, false, false
	end := func() {
		if from >= 0 {
			runs = append(runs, run{from, to, cjk, digits})
		}
		from = -1
	}
	for i, r := range text {
		letter, isCJK, digit, joins := classOf(r)
		switch {
		case joins && from >= 0: // a mark or an invisible character within a word
			if unicode.Is(unicode.Cf, r) {
				continue // one at the end is not part of the word
			}
		case !letter:
			end()
			continue
		case from < 0 || isCJK != cjk:
			end()
			from, cjk, digits = i, isCJK, digit
		default:
			digits = digits && digit
		}
		to = i + utf8.RuneLen(r)
	}
	end()
	return runs
}

// classOf returns whether a character is part of a word, of a CJK word, a digit, and whether it only
// continues a word.
func classOf(r rune) (letter, cjk, digit, joins bool) {
	if r < utf8.RuneSelf {
		digit = r >= '0' && r <= '9'
		return digit || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z', false, digit, false
	}
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー':
		return true, true, false, false
	case unicode.IsDigit(r):
		return true, false, true, false
	case unicode.IsLetter(r):
		return true, false, false, false
	}
	return false, false, false, unicode.IsMark(r) || unicode.Is(unicode.Cf, r)
}

// words emits a run as a word, or as CJK characters and pairs.
func (s *scanner) words(i int) {
	r := s.runs[i]
	if !r.cjk {
		s.emit(Token{Fold(s.text[r.from:r.to]), r.from, r.to})
		return
	}
	previous, start := "", 0
	for at, char := range s.text[r.from:r.to] {
		from, to := r.from+at, r.from+at+utf8.RuneLen(char)
		folded := Fold(string(char))
		if folded == "" {
			continue
		}
		s.emit(Token{folded, from, to})
		if previous != "" {
			s.emit(Token{previous + folded, start, to})
		}
		previous, start = folded, from
	}
}

// compoundChars join words to a compound, as a reference or a file name.
const compoundChars = "-_/.:'’&+@"

// compounds emits words that are joined by single characters as one word without these characters.
func (s *scanner) compounds() {
	for i := 0; i < len(s.runs); i++ {
		first, digits := i, s.runs[i].digits
		for i+1 < len(s.runs) && s.joined(s.runs[i], s.runs[i+1]) {
			i++
			digits = digits && s.runs[i].digits
		}
		from, to := s.runs[first].from, s.runs[i].to
		if i == first || to-from > 4*maxToken || digits && strings.ContainsRune(s.text[from:to], '.') {
			continue
		}
		var whole strings.Builder
		for _, r := range s.runs[first : i+1] {
			whole.WriteString(Fold(s.text[r.from:r.to]))
		}
		if joined := whole.String(); utf8.RuneCountInString(joined) <= maxToken {
			s.emit(Token{joined, from, to})
		}
	}
}

func (s *scanner) joined(a, b run) bool {
	between := s.text[a.to:b.from]
	char, size := utf8.DecodeRuneInString(between)
	return !a.cjk && !b.cjk && size == len(between) && strings.ContainsRune(compoundChars, char)
}

// Fold returns the word in lower case, without accents, invisible characters and other forms of the
// same characters, at most maxToken characters.
func Fold(word string) string {
	if isASCII(word) {
		return strings.ToLower(word[:min(len(word), maxToken)])
	}
	var folded strings.Builder
	for _, r := range norm.NFKD.String(cutRunes(word, maxToken)) {
		foldRune(&folded, r)
	}
	return cutRunes(norm.NFC.String(folded.String()), maxToken)
}

// latin are letters that do not decompose.
var latin = map[rune]string{'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'ø': "o", 'Ø': "o", 'đ': "d",
	'Đ': "d", 'ł': "l", 'Ł': "l", 'ı': "i", 'œ': "oe", 'Œ': "oe", 'þ': "th", 'Þ': "th", 'ð': "d", 'Ð': "d"}

func foldRune(folded *strings.Builder, r rune) {
	switch spelled, known := latin[r]; {
	case known:
		folded.WriteString(spelled)
	case r == '\u3099' || r == '\u309a': // the marks that distinguish Japanese syllables
		folded.WriteRune(r)
	case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
	case r > unicode.MaxASCII && unicode.IsDigit(r):
		folded.WriteByte(asciiDigit(r))
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		folded.WriteRune(unicode.ToLower(r))
	}
}

// asciiDigit returns the ASCII digit of another script's digit: each script has its ten in a row.
func asciiDigit(r rune) byte {
	value := rune(0)
	for value < 9 && unicode.IsDigit(r-value-1) {
		value++
	}
	return byte('0' + value) //nolint:gosec // 0 to 9
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cutRunes returns the first n characters of a text.
func cutRunes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
