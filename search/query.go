package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// The bounds of a query.
const (
	MaxQuery = 200 // characters
	MaxWords = 8
)

// Term is one word of a query. It occurs in a case if all tokens of one of its alternatives do.
type Term struct {
	Text         string // as it was written
	Alternatives [][]string
	// Begins says that the last token of an alternative is also the beginning of longer words, if it is
	// long enough.
	Begins bool
}

// Query is what a person searches for: every term must occur.
type Query struct{ Terms []Term }

// Parse reads a query. Operators, quotes and other punctuation are only text, and a query without
// letters and digits finds nothing.
func Parse(text string) (Query, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return Query{}, domain.Invalid("query", "A search has at most %d characters.", MaxQuery).
			WithRemedy("Search for fewer words.")
	}
	s := &scanner{text: text, runs: appendRuns(nil, text)}
	var query Query
	for i := 0; i < len(s.runs); {
		term, next := s.term(i)
		if len(term.Alternatives) > 0 && !query.has(term) {
			query.Terms = append(query.Terms, term)
		}
		i = next
	}
	if len(query.Terms) > MaxWords {
		return Query{}, domain.Invalid("query", "A search has at most %d words.", MaxWords).
			WithRemedy("Search for fewer words.")
	}
	return query, nil
}

// minBeginning is the length from which a token is the beginning of other words, and minDigits that of a
// number. Shorter ones begin too many words.
const (
	minBeginning = 3
	minDigits    = 4
)

// Unfinished returns the query with its last word also as the beginning of longer words: what a person has
// typed so far.
func (q Query) Unfinished() Query {
	if n := len(q.Terms); n > 0 {
		q.Terms = slices.Clone(q.Terms)
		q.Terms[n-1].Begins = true
	}
	return q
}

// Whole returns the query with whole words only.
func (q Query) Whole() Query {
	q.Terms = slices.Clone(q.Terms)
	for i := range q.Terms {
		q.Terms[i].Begins = false
	}
	return q
}

// begins reports whether the token at a place of an alternative is the beginning of longer words.
func (t Term) begins(alternative []string, at int) bool {
	if !t.Begins || at < len(alternative)-1 {
		return false
	}
	length, least := 0, minDigits
	for _, r := range alternative[at] {
		if _, cjk, digit, _ := classOf(r); cjk {
			return false // CJK words are found by the pairs of their characters
		} else if !digit {
			least = minBeginning
		}
		length++
	}
	return length >= least
}

func (q Query) has(term Term) bool {
	for _, other := range q.Terms {
		if other.Text == term.Text {
			return true
		}
	}
	return false
}

// Words returns the terms as they were written.
func (q Query) Words() []string {
	words := make([]string, 0, len(q.Terms))
	for _, term := range q.Terms {
		words = append(words, term.Text)
	}
	return words
}

// term reads the term that begins with the run: an IBAN or an amount, also with blanks, or everything
// up to the next blank. It returns the run after it.
func (s *scanner) term(i int) (Term, int) {
	from := s.runs[i].from
	if code, to, ok := s.ibanAt(i); ok {
		return Term{Text: s.text[from:to], Alternatives: [][]string{{code}}}, s.runAfter(i, to)
	}
	if a, ok := s.amountAt(i); ok {
		next := s.runAfter(i, a.to)
		term := Term{Text: s.text[from:a.to], Alternatives: [][]string{{a.form()}}}
		if parts := s.tokens(i, next); len(parts) > 1 {
			term.Alternatives = append(term.Alternatives, parts)
		}
		return term, next
	}
	next := i + 1
	for next < len(s.runs) && !strings.ContainsFunc(s.text[s.runs[next-1].to:s.runs[next].from], unicode.IsSpace) {
		next++
	}
	term := Term{Text: s.text[from:s.runs[next-1].to]}
	if parts := s.tokens(i, next); len(parts) > 0 {
		term.Alternatives = append(term.Alternatives, parts)
	}
	joins := scanner{text: s.text, runs: s.runs[i:next], emit: func(token Token) {
		term.Alternatives = append(term.Alternatives, []string{token.Text})
	}}
	joins.compounds()
	return term, next
}

func (s *scanner) runAfter(i, to int) int {
	for i < len(s.runs) && s.runs[i].from < to {
		i++
	}
	return i
}

// tokens returns the tokens of runs that must all occur: words, pairs of CJK characters, and a CJK
// character without neighbours.
func (s *scanner) tokens(from, to int) []string {
	var tokens []string
	for i := from; i < to; i++ {
		alone := ""
		pairs := 0
		words := scanner{text: s.text, runs: s.runs[i : i+1], emit: func(token Token) {
			switch {
			case token.Text == "":
			case s.runs[i].cjk && utf8.RuneCountInString(token.Text) == 1:
				alone = token.Text
			default:
				pairs++
				tokens = append(tokens, token.Text)
			}
		}}
		words.words(0)
		if pairs == 0 && alone != "" {
			tokens = append(tokens, alone)
		}
	}
	return tokens
}

// minMended is the length from which a word may have a typo. Shorter ones resemble too many others.
const minMended = 4

// Mendable returns the word of the term in which a typo may be, and false for numbers, CJK words and
// compounds.
func (t Term) Mendable() (string, bool) {
	if len(t.Alternatives) != 1 || len(t.Alternatives[0]) != 1 {
		return "", false
	}
	word := t.Alternatives[0][0]
	return word, IsWord(word)
}

// IsWord reports whether a token is kept in the table of words for typos: letters only, no CJK.
func IsWord(token string) bool {
	n := 0
	for _, r := range token {
		if _, cjk, _, _ := classOf(r); cjk || !unicode.IsLetter(r) {
			return false
		}
		n++
	}
	return n >= minMended && n < maxToken
}

// Replace returns the query with other words for a term.
func (q Query) Replace(text string, words []string) Query {
	replaced := Query{Terms: append([]Term{}, q.Terms...)}
	for i, term := range replaced.Terms {
		if term.Text != text {
			continue
		}
		replaced.Terms[i].Alternatives = nil
		for _, word := range words {
			replaced.Terms[i].Alternatives = append(replaced.Terms[i].Alternatives, []string{word})
		}
	}
	return replaced
}

// Literal returns the query as Postgres reads a tsquery. With public, words that only staff may see do
// not match. It is "" for an empty query.
func (q Query) Literal(public bool) string {
	weights := map[bool]string{false: "", true: ":*"} // by whether the token begins words
	if public {
		weights = map[bool]string{false: ":ABC", true: ":*ABC"}
	}
	var text strings.Builder
	for i, term := range q.Terms {
		if i > 0 {
			text.WriteString(" & ")
		}
		text.WriteByte('(')
		for j, alternative := range term.Alternatives {
			if j > 0 {
				text.WriteString(" | ")
			}
			for k, token := range alternative {
				if k > 0 {
					text.WriteString(" & ")
				}
				text.WriteString("'" + token + "'" + weights[term.begins(alternative, k)])
			}
		}
		text.WriteByte(')')
	}
	return text.String()
}
