package search

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Similar returns the words of which the given one may be a misspelling or the beginning, in the same
// order, at most n.
func Similar(word string, words []string, n int) []string {
	length := utf8.RuneCountInString(word)
	edits := 2
	if length <= 5 {
		edits = 1
	}
	var similar []string
	for _, other := range words {
		if len(similar) == n {
			break
		}
		if other != word && (strings.HasPrefix(other, word) || levenshtein.ComputeDistance(word, other) <= edits) {
			similar = append(similar, other)
		}
	}
	return similar
}
