package search

import "countersign/domain"

// FindWords returns the words of a page in which terms of the query occur, in their order, and the text
// around the first of them.
func (q Query) FindWords(words []domain.Word) ([]domain.Word, Snippet) {
	var text []byte
	ends := make([]int, len(words)) // of each word in the text
	for i, word := range words {
		if i > 0 {
			blank := byte(' ')
			if word.Line != words[i-1].Line {
				blank = '\n'
			}
			text = append(text, blank)
		}
		text = append(text, word.Text...)
		ends[i] = len(text)
	}
	ranges := q.Find(string(text), false)
	var found []domain.Word
	next := 0
	for i, word := range words {
		for next < len(ranges) && ranges[next].To <= ends[i]-len(word.Text) {
			next++
		}
		if next < len(ranges) && ranges[next].From < ends[i] {
			found = append(found, word)
		}
	}
	return found, Cut(string(text), ranges)
}
