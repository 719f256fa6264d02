package ocr

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

const (
	// maxCompared limits the words of each reading; pages with more are not compared.
	maxCompared = 5000
	// maxAligned limits the characters of words at one place.
	maxAligned = 300
	// unconfirmedMost limits the confidence of words on a page that the second engine was asked for
	// and did not read: a page that disables it must not be surer than one that it contradicts.
	unconfirmedMost = 0.3
)

// pageReading is what one engine read on a page.
type pageReading struct {
	engine string
	words  []domain.Word
}

// mergeReadings returns the words of the first reading, by PP-OCR, corrected by the second, by
// tesseract: with the better text of each, the other one as its alternative, and a confidence that
// is higher where both agree and lower where they differ. Where both read the same characters, the
// spaces are those of tesseract. Words that only tesseract read are left out; by measurement one in a
// hundred is right.
func mergeReadings(first, second pageReading) []domain.Word {
	if len(first.words) > maxCompared || len(second.words) > maxCompared {
		return unconfirmed(first.words)
	}
	merged := slices.Clone(first.words)
	spaced := map[int][]domain.Word{}
	for _, g := range groupWords(first.words, second.words) {
		if len(g.second) == 0 {
			for _, i := range g.first {
				merged[i].Confidence = min(merged[i].Confidence, unconfirmedMost)
			}
		}
		if len(g.first) == 0 || len(g.second) == 0 {
			continue
		}
		list := placesOf(merged, second.words, g)
		if list == nil {
			for _, i := range g.first {
				merged[i].Confidence *= disputedFactor
			}
		}
		for _, p := range list {
			p.decide(first.engine, second.engine)
		}
		if words := respace(merged, second.words, g); words != nil {
			for _, i := range g.first {
				spaced[i] = words[i]
			}
		}
	}
	return withSpaces(merged, spaced)
}

// withSpaces returns the words with those that have other spaces in the place of the words at which
// they begin.
func withSpaces(words []domain.Word, spaced map[int][]domain.Word) []domain.Word {
	list := make([]domain.Word, 0, len(words))
	for i, word := range words {
		if others, ok := spaced[i]; ok {
			list = append(list, others...)
		} else {
			list = append(list, word)
		}
	}
	return list
}

// unconfirmed returns the words with low confidence.
func unconfirmed(words []domain.Word) []domain.Word {
	lowered := slices.Clone(words)
	for i := range lowered {
		lowered[i].Confidence = min(lowered[i].Confidence, unconfirmedMost)
	}
	return lowered
}

// place is a word of the first reading with what the second engine read there.
type place struct {
	word       *domain.Word
	text       string  // of the word, in narrow characters
	other      string  // "" if the second engine read nothing
	confidence float64 // of the other text, 0 without any
	steps      []step
}

// step is a character of each reading, 0 where one has none.
type step struct{ first, second rune }

// placesOf splits what the second engine read among the words of the first. It returns nil if the
// group is too large.
func placesOf(words, second []domain.Word, g group) []*place {
	a, b := lettersOf(words, g.first), lettersOf(second, g.second)
	if len(a) > maxAligned || len(b) > maxAligned {
		return nil
	}
	list := make([]*place, len(g.first))
	byWord := map[int]*place{}
	for i, at := range g.first {
		list[i] = &place{word: &words[at], confidence: 1}
		byWord[at] = list[i]
	}
	pairs := align(a, b)
	for i, p := range pairs {
		var s step
		var at int
		if p.first >= 0 {
			at, s.first = a[p.first].word, a[p.first].char
		} else {
			at = insertedInto(a, b, pairs, i)
		}
		to := byWord[at]
		if p.second >= 0 {
			s.second = b[p.second].char
			to.confidence = min(to.confidence, second[b[p.second].word].Confidence)
		}
		to.steps = append(to.steps, s)
	}
	for _, p := range list {
		p.collect()
	}
	return list
}

// collect sets the texts from the steps.
func (p *place) collect() {
	var text, other strings.Builder
	for _, s := range p.steps {
		if s.first != 0 {
			text.WriteRune(s.first)
		}
		if s.second != 0 {
			other.WriteRune(s.second)
		}
	}
	p.text, p.other = text.String(), other.String()
	if p.other == "" {
		p.confidence = 0
	}
}

// insertedInto returns the word of the first reading to which a character belongs that only the
// second engine read: that of the neighbour in the same word of the second engine; between two
// words, that of the same kind of character.
func insertedInto(a, b []letter, pairs []pair, at int) int {
	inserted := b[pairs[at].second]
	before, after := -1, -1
	withAfter := false
	for i := at - 1; i >= 0 && before < 0; i-- {
		before = pairs[i].first
	}
	for i := at + 1; i < len(pairs) && after < 0; i++ {
		after = pairs[i].first
		withAfter = pairs[i].second >= 0 && b[pairs[i].second].word == inserted.word
	}
	switch {
	case before < 0:
		return a[after].word
	case after < 0 || a[before].word == a[after].word:
		return a[before].word
	}
	withBefore := at > 0 && pairs[at-1].second >= 0 && b[pairs[at-1].second].word == inserted.word
	if withAfter && (!withBefore || isNumeric(inserted.char) == isNumeric(a[after].char)) {
		return a[after].word
	}
	return a[before].word
}

func isNumeric(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune(".,-+", r) }
