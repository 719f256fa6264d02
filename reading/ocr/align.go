package ocr

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// group holds the words of both engines that cover the same place of a page, each in reading order.
type group struct{ first, second []int }

// groupWords groups the words of two readings of one page by their boxes. Words that only one engine
// read are groups of their own. The result is in the order of the first reading, followed by the
// groups without a word of it.
func groupWords(first, second []domain.Word) []group {
	parents := make([]int, len(first)+len(second))
	for i := range parents {
		parents[i] = i
	}
	root := func(i int) int {
		for parents[i] != i {
			parents[i] = parents[parents[i]]
			i = parents[i]
		}
		return i
	}
	byTop := make([]int, len(second))
	tallest := 0
	for i, word := range second {
		byTop[i] = i
		tallest = max(tallest, word.Box.H)
	}
	slices.SortFunc(byTop,
		func(a, b int) int { return cmp.Compare(second[a].Box.Y, second[b].Box.Y) })
	for i, word := range first {
		from, _ := slices.BinarySearchFunc(byTop, word.Box.Y-tallest,
			func(at, top int) int { return cmp.Compare(second[at].Box.Y, top) })
		for _, j := range byTop[from:] {
			if second[j].Box.Y >= word.Box.Y+word.Box.H {
				break
			}
			if samePlace(word.Box, second[j].Box) {
				parents[root(len(first)+j)] = root(i)
			}
		}
	}
	return collectGroups(len(first), len(second), root)
}

func collectGroups(first, second int, root func(int) int) []group {
	var groups []group
	at := map[int]int{}
	find := func(i int) *group {
		key := root(i)
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, group{})
		}
		return &groups[at[key]]
	}
	for i := range first {
		g := find(i)
		g.first = append(g.first, i)
	}
	for j := range second {
		g := find(first + j)
		g.second = append(g.second, j)
	}
	return groups
}

// samePlace reports whether two boxes overlap by half of the lower height and by three tenths of the
// smaller width, and are of similar height: a speck or a logo beside lines of text is no word of
// them.
func samePlace(a, b domain.Box) bool {
	wide := min(a.X+a.W, b.X+b.W) - max(a.X, b.X)
	high := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return 2*high >= min(a.H, b.H) && 10*wide >= 3*min(a.W, b.W) &&
		max(a.H, b.H) <= 4*min(a.H, b.H)
}

// letter is a character of a reading with the index of its word.
type letter struct {
	char rune
	word int
}

// lettersOf returns the characters of the words, in order, in words that are not Chinese the narrow
// forms.
func lettersOf(words []domain.Word, order []int) []letter {
	var letters []letter
	for _, i := range order {
		han := strings.ContainsFunc(words[i].Text, isHan)
		for _, char := range words[i].Text {
			if !han {
				char = narrow(char)
			}
			letters = append(letters, letter{char, i})
		}
	}
	return letters
}

// pair is a step of an alignment: an index into each text, -1 where one has no character.
type pair struct{ first, second int }

// align returns the alignment of two texts with the fewest differences, in order.
func align(first, second []letter) []pair {
	wide := len(second) + 1
	costs := make([]int, (len(first)+1)*wide)
	for i := range len(first) + 1 {
		for j := range wide {
			switch {
			case i == 0 || j == 0:
				costs[i*wide+j] = i + j
			case first[i-1].char == second[j-1].char:
				costs[i*wide+j] = costs[(i-1)*wide+j-1]
			default:
				costs[i*wide+j] = 1 + min(costs[(i-1)*wide+j-1], costs[(i-1)*wide+j],
					costs[i*wide+j-1])
			}
		}
	}
	var pairs []pair
	for i, j := len(first), len(second); i > 0 || j > 0; {
		here := costs[i*wide+j]
		same := i > 0 && j > 0 && first[i-1].char == second[j-1].char
		switch {
		case same || i > 0 && j > 0 && here == 1+costs[(i-1)*wide+j-1]:
			i, j = i-1, j-1
			pairs = append(pairs, pair{i, j})
		case i > 0 && here == 1+costs[(i-1)*wide+j]:
			i--
			pairs = append(pairs, pair{i, -1})
		default:
			j--
			pairs = append(pairs, pair{-1, j})
		}
	}
	slices.Reverse(pairs)
	return pairs
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
