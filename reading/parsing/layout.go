package parsing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// token is one word of a page. folded is what two spellings of it have in common.
type token struct {
	text, folded string
	box          *domain.Box
	line         int
}

// layout is the words of a page in reading order.
type layout struct {
	page   int
	tokens []token
}

func newLayout(page *domain.Page) layout {
	made := layout{page: page.Number}
	for i := range page.Words {
		word := &page.Words[i]
		made.tokens = append(made.tokens, token{word.Text, fold(word.Text), &word.Box, word.Line})
	}
	if len(page.Words) > 0 {
		return made
	}
	for number, line := range strings.Split(page.Text, "\n") {
		for _, word := range strings.Fields(line) {
			made.tokens = append(made.tokens, token{word, fold(word), nil, number})
		}
	}
	return made
}

// fold returns the letters and digits of a text in lower case.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// text returns the page line by line.
func (l layout) text() string {
	var text strings.Builder
	for i, word := range l.tokens {
		switch {
		case i == 0:
		case word.line != l.tokens[i-1].line:
			text.WriteByte('\n')
		default:
			text.WriteByte(' ')
		}
		text.WriteString(word.text)
	}
	text.WriteByte('\n')
	return text.String()
}

// span is a run of words of a page, from the first to before the last.
type span struct{ from, to int }

func (l layout) textOf(s span) string {
	words := make([]string, 0, s.to-s.from)
	for _, word := range l.tokens[s.from:s.to] {
		words = append(words, word.text)
	}
	return strings.Join(words, " ")
}

// boxOf returns the rectangle around the words, nil if they have no places.
func (l layout) boxOf(s span) *domain.Box {
	var around *domain.Box
	for _, word := range l.tokens[s.from:s.to] {
		switch b := word.box; {
		case b == nil:
		case around == nil:
			first := *b
			around = &first
		default:
			right, bottom := max(around.X+around.W, b.X+b.W), max(around.Y+around.H, b.Y+b.H)
			around.X, around.Y = min(around.X, b.X), min(around.Y, b.Y)
			around.W, around.H = right-around.X, bottom-around.Y
		}
	}
	return around
}

// findFolded returns the runs of words whose letters and digits are those of the text, over lines too.
func (l layout) findFolded(text string) []span {
	want := fold(text)
	if want == "" {
		return nil
	}
	var found []span
	for from := range l.tokens {
		rest, to := want, from
		for to < len(l.tokens) && rest != "" && strings.HasPrefix(rest, l.tokens[to].folded) {
			rest = rest[len(l.tokens[to].folded):]
			to++
		}
		if rest == "" && l.tokens[from].folded != "" || holds(l.tokens[from].folded, want) {
			found = append(found, span{from, max(to, from+1)})
		}
	}
	return found
}

// holds reports whether a word contains a text beside its label, as Chinese documents print it without a
// space. Letters or digits of the same script must not continue beside it.
func holds(word, text string) bool {
	at := strings.Index(word, text)
	if at < 0 || len(word) == len(text) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(word[:at])
	after, _ := utf8.DecodeRuneInString(word[at+len(text):])
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	han := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	apart := func(beside, edge rune, missing bool) bool {
		return missing || han(beside) != han(edge) || han(edge) && utf8.RuneCountInString(text) >= 4
	}
	return (han(before) || han(after) || han(first)) && apart(before, first, at == 0) &&
		apart(after, last, at+len(text) == len(word))
}

// maxLineWords is the number of words of one line that one value may span.
const maxLineWords = 9

// findInLines returns the shortest runs of words of one line that are accepted.
func (l layout) findInLines(accepted func(text string, at span) bool) []span {
	for length := 1; length <= maxLineWords; length++ {
		if found := l.findRuns(length, accepted); len(found) > 0 {
			return found
		}
	}
	return nil
}

// findAllInLines returns the runs of words of one line that are accepted, of every length: a page can
// print one date as 30.11.2026 and as 30 November 2026.
func (l layout) findAllInLines(accepted func(text string, at span) bool) []span {
	var found []span
	for length := 1; length <= maxLineWords; length++ {
		found = append(found, l.findRuns(length, accepted)...)
	}
	return found
}

// findRuns returns the runs of so many words of one line that are accepted.
func (l layout) findRuns(length int, accepted func(text string, at span) bool) []span {
	var found []span
	for from := 0; from+length <= len(l.tokens); from++ {
		at := span{from, from + length}
		if l.tokens[from].line == l.tokens[at.to-1].line && accepted(l.textOf(at), at) {
			found = append(found, at)
		}
	}
	return found
}
