package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Range is a part of a text, in bytes.
type Range struct{ From, To int }

// Snippet is a part of a text in which words were found.
type Snippet struct {
	Text  string
	Marks []Mark
}

// Mark is a found word in a snippet, in UTF-16 code units.
type Mark struct{ From, To int }

// Find returns the places of a text in which terms of the query occur, in order and without overlaps.
// fileName also finds the parts of a file name.
func (q Query) Find(text string, fileName bool) []Range {
	tokens := map[string][]Range{}
	Scan(text, func(token Token) {
		tokens[token.Text] = append(tokens[token.Text], Range{token.From, token.To})
	})
	if fileName {
		addParts(tokens, text)
	}
	var found []Range
	for _, term := range q.Terms {
		for _, alternative := range term.Alternatives {
			places, all := []Range{}, true
			for i, token := range alternative {
				of := tokens[token]
				if term.begins(alternative, i) {
					of = beginning(tokens, token)
				}
				places = append(places, of...)
				all = all && len(of) > 0
			}
			if all {
				found = append(found, places...)
			}
		}
	}
	return merged(found)
}

// beginning returns the places of the tokens that begin with one.
func beginning(tokens map[string][]Range, with string) []Range {
	var places []Range
	for token, of := range tokens {
		if strings.HasPrefix(token, with) {
			places = append(places, of...)
		}
	}
	return places
}

// addParts adds the parts of a file name, whose blanks SplitName inserted.
func addParts(tokens map[string][]Range, name string) {
	split := SplitName(name)
	Scan(split, func(token Token) {
		from := token.From - inserted(name, split, token.From)
		to := token.To - inserted(name, split, token.To)
		tokens[token.Text] = append(tokens[token.Text], Range{from, to})
	})
}

// inserted returns how many of the first n bytes of split are not in name.
func inserted(name, split string, n int) int {
	at := 0
	for i := range n {
		if at < len(name) && name[at] == split[i] {
			at++
		}
	}
	return n - at
}

// merged sorts ranges and joins those that overlap or are neighbours.
func merged(ranges []Range) []Range {
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	var joined []Range
	for _, r := range ranges {
		if n := len(joined); n > 0 && r.From <= joined[n-1].To {
			joined[n-1].To = max(joined[n-1].To, r.To)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// The lengths of a snippet, in characters.
const (
	snippetBefore = 40
	snippetLength = 160
)

// Cut returns the part of a text around the first of the ranges, which Find returned. Line breaks and
// invisible characters become blanks, so that a text cannot turn the direction of a page.
func Cut(text string, ranges []Range) Snippet {
	if len(ranges) == 0 {
		return Snippet{}
	}
	from := back(text, ranges[0].From, snippetBefore)
	to := from + len(cutRunes(text[from:], snippetLength))
	var snippet Snippet
	var shown strings.Builder
	units := 0
	write := func(part string) {
		for _, r := range part {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) || r == utf8.RuneError {
				r = ' '
			}
			shown.WriteRune(r)
			units += utf16.RuneLen(r)
		}
	}
	at := from
	for _, r := range ranges {
		if r.From >= to {
			break
		}
		write(text[at:r.From])
		mark := Mark{From: units}
		at = min(r.To, to)
		write(text[r.From:at])
		mark.To = units
		snippet.Marks = append(snippet.Marks, mark)
	}
	write(text[at:to])
	snippet.Text = shown.String()
	return snippet
}

// back returns the place n characters before another one, at the beginning of a word.
func back(text string, at, n int) int {
	from := at
	for ; n > 0 && from > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if from == 0 {
		return 0
	}
	if blank := strings.IndexFunc(text[from:at], unicode.IsSpace); blank >= 0 {
		_, size := utf8.DecodeRuneInString(text[from+blank:])
		return from + blank + size
	}
	return from
}
