package ocr

import (
	"unicode"

	"countersign/domain"
)

// segment is a run of characters of a group between two spaces.
type segment struct{ from, to int }

// respace returns the words of a group with the spaces of the second reading, by the index of the
// word of the first reading at which each begins. It returns nil if the readings differ in characters
// or if the spaces are the same. PP-OCR reads lines without spaces and guesses them from gaps;
// tesseract reads words. A space between two digits stays as the first reading has it, because there
// it may separate two columns.
func respace(words, second []domain.Word, g group) map[int][]domain.Word {
	a, b := lettersOf(words, g.first), lettersOf(second, g.second)
	if len(a) != len(b) {
		return nil
	}
	for i := range a {
		if a[i].char != b[i].char || words[a[i].word].Line != words[a[0].word].Line {
			return nil
		}
	}
	spaced := map[int][]domain.Word{}
	changed := false
	for _, s := range segmentsOf(a, b) {
		word, ok := wordOf(a, b, s, words, second)
		if !ok {
			return nil
		}
		at := a[s.from].word
		changed = changed || word.Text != words[at].Text
		spaced[at] = append(spaced[at], word)
	}
	if !changed {
		return nil
	}
	return spaced
}

// segmentsOf cuts the characters where the second reading has a space. Between digits it cuts where
// the first one has it.
func segmentsOf(a, b []letter) []segment {
	var segments []segment
	from := 0
	for i := 1; i < len(a); i++ {
		cut := b[i].word != b[i-1].word
		if insideNumber(a, i) {
			cut = a[i].word != a[i-1].word
		}
		if cut {
			segments = append(segments, segment{from, i})
			from = i
		}
	}
	return append(segments, segment{from, len(a)})
}

// insideNumber reports whether digits are on both sides of the place before a character, one of them
// at most one mark away.
func insideNumber(letters []letter, at int) bool {
	digit := func(i int) bool {
		return i >= 0 && i < len(letters) && unicode.IsDigit(letters[i].char)
	}
	mark := func(i int) bool { return isNumeric(letters[i].char) }
	return digit(at-1) && digit(at) || mark(at-1) && digit(at-2) && digit(at) ||
		digit(at-1) && mark(at) && digit(at+1)
}

// wordOf returns the word of a segment: that of the first reading if it is the same, otherwise its
// characters in the box of the word of the second reading. It returns false if the segment is a word
// of neither.
func wordOf(a, b []letter, s segment, words, second []domain.Word) (domain.Word, bool) {
	word := words[a[s.from].word]
	if wholeWord(a, s) {
		return word, true
	}
	if !wholeWord(b, s) {
		return word, false
	}
	text := make([]rune, 0, s.to-s.from)
	for i := s.from; i < s.to; i++ {
		text = append(text, a[i].char)
		word.Confidence = min(word.Confidence, words[a[i].word].Confidence)
	}
	word.Text, word.Box = string(text), second[b[s.from].word].Box
	return word, true
}

// wholeWord reports whether the segment is all characters of one word.
func wholeWord(letters []letter, s segment) bool {
	word := letters[s.from].word
	return letters[s.to-1].word == word && (s.from == 0 || letters[s.from-1].word != word) &&
		(s.to == len(letters) || letters[s.to].word != word)
}
