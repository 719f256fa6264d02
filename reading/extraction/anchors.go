package extraction

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// maxAnchors limits the anchors of a lesson, because a value can be printed many times.
const maxAnchors = 12

// anchorScore is what a candidate at an anchor gains: more than a general label of its field, and less
// than a label of another meaning costs.
const anchorScore = 3.5

// anchorsOf returns the places where the values of number, date and total are printed.
func (s *documentLayout) anchorsOf(value map[string]string) []domain.Anchor {
	var found []domain.Anchor
	add := func(field string, r *row, words []*word, from int) {
		if anchor, ok := s.anchorAt(field, r, words, from); ok && len(found) < maxAnchors &&
			!slices.Contains(found, anchor) {
			found = append(found, anchor)
		}
	}
	if total := value[domain.FieldTotal]; total != "" {
		for _, a := range s.amounts(value[domain.FieldCurrency]) {
			if a.finding(value[domain.FieldCurrency], 1).value == total {
				add(domain.FieldTotal, a.row, a.words, a.from)
			}
		}
	}
	monthFirst := s.monthFirst(Hints{}, value[domain.FieldCurrency])
	for _, r := range s.rows {
		if date := value[domain.FieldDate]; date != "" {
			for _, shaped := range findDates(repairDates(r.text), monthFirst) {
				if shaped.iso == date {
					add(domain.FieldDate, r, r.wordsBetween(shaped.from, shaped.to), shaped.from)
				}
			}
		}
		if number := value[domain.FieldNumber]; len(number) > 2 {
			if at := strings.Index(r.text, number); at >= 0 {
				add(domain.FieldNumber, r, r.wordsBetween(at, at+len(number)), at)
			}
		}
	}
	return found
}

// anchorAt returns the anchor of words at a byte offset of a row. ok is false without a label.
func (s *documentLayout) anchorAt(field string, r *row, words []*word, from int) (domain.Anchor, bool) {
	if len(words) == 0 || r.pageWidth == 0 {
		return domain.Anchor{}, false
	}
	anchor := domain.Anchor{Field: field, Label: labelLetters(r.text[:from]),
		X: words[0].Box.X * 1000 / r.pageWidth}
	if anchor.Label == "" {
		anchor.Label, anchor.Above = labelLetters(s.headingAbove(r, words)), true
	}
	return anchor, utf8.RuneCountInString(anchor.Label) > 2
}

// labelLetters returns the last letters of a label in upper case.
func labelLetters(text string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text))
	return string(letters[max(0, len(letters)-40):])
}

// isAnchored reports whether the words are at a place of the field on an earlier document: after
// the same label, of which one letter in six may be misread, in the same third of the page.
func (s *documentLayout) isAnchored(anchors []domain.Anchor, field string, r *row, words []*word, from int) bool {
	if len(anchors) == 0 {
		return false
	}
	here, ok := s.anchorAt(field, r, words, from)
	return ok && slices.ContainsFunc(anchors, func(a domain.Anchor) bool {
		return a.Field == field && a.Above == here.Above && max(a.X-here.X, here.X-a.X) < 333 &&
			isNear(here.Label, a.Label, utf8.RuneCountInString(a.Label)/6)
	})
}
