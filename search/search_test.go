package search_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/domain"
	"countersign/search"
)

func tokensOf(text string) map[string]bool {
	tokens := map[string]bool{}
	search.Scan(text, func(token search.Token) { tokens[token.Text] = true })
	return tokens
}

// matches reports whether every term of the query has an alternative of which the text has all tokens.
func matches(q search.Query, text string) bool {
	tokens := tokensOf(text)
	return len(q.Terms) > 0 && !slices.ContainsFunc(q.Terms, func(term search.Term) bool {
		return !slices.ContainsFunc(term.Alternatives, func(alternative []string) bool {
			return !slices.ContainsFunc(alternative, func(token string) bool { return !tokens[token] })
		})
	})
}

// What people write finds what documents write.
func TestQueriesFindTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		query, text string
		found       bool
	}{
		{"gothenburg", "Port of GOTHENBURG, Sweden", true},
		{"Goteborg", "Göteborg", true},
		{"strasse", "Straße 5", true},
		{"1032210", "Total: 1,032,210.00 EUR", true},
		{"1.032.210,00", "1 032 210.00", true},
		{"1 032 210,00", "sum 1032210", true},
		{"1’032’210.50", "1.032.210,50", true},
		{"1032210", "1.032.210,50", true},
		{"1032210.50", "1032210.00", false},
		{"1032210.50", "1032210", false},
		{"£1,500", "1500.00", true},
		{"DE89370400440532013000", "IBAN DE89 3704 0044 0532 0130 00", true},
		{"de89 3704 0044 0532 0130 00", "DE89370400440532013000", true},
		{"DE89370400440532013001", "DE89 3704 0044 0532 0130 00", false},
		{"CS-2026-000007", "CS-2026-000007", true},
		{"CS2026000007", "CS-2026-000007", true},
		{"cs-2026-000008", "CS-2026-000007", false},
		{"freight-invoice", "freight-invoice.pdf", true},
		{"invoice", search.SplitName("FreightInvoice2024.pdf"), true},
		{"发票", "增值税发票", true},
		{"增值税", "增值税发票", true},
		{"税", "增值税发票", true},
		{"票税", "增值税发票", false},
		{"ﬁnance", "finance", true},
		{"ＡＢＣ１２３", "abc123", true},
		{"٣٤٥", "345", true},
		{"שלום", "חשבונית שלום עולם", true},
		{"\u202egothenburg\u202c", "Gothenburg", true},
		{"sara AND lind", "Sara Lind", false}, // AND is a word like others
		{`"sara lind"`, "Sara Lind", true},
		{"sara | !lind & (x:*", "sara lind x", true},
		{"lind:*", "lindberg", false},
		{"l'avoine", "LAvoine", true},
	} {
		query, err := search.Parse(tc.query)
		if err != nil {
			t.Fatalf("%q: %v", tc.query, err)
		}
		if matches(query, tc.text) != tc.found {
			t.Errorf("%q in %q: found %v; %v, %v", tc.query, tc.text, !tc.found, query.Terms, tokensOf(tc.text))
		}
	}
}

// The last word that a person types is found as the beginning of longer words, other words only as a whole. A
// beginning of few characters, which too many words have, and one of CJK characters are words like others.
func TestUnfinishedQueries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ query, text, want string }{
		{"sieg", "Siegburg Logistik", "[Siegburg] Logistik"},
		{"SIÉG", "Siegburg Logistik", "[Siegburg] Logistik"},
		{"logistik sieg", "Siegburg Logistik", "[Siegburg] [Logistik]"},
		{"sieg logistik", "Logistik Siegburg", "[Logistik] Siegburg"},
		{"burg", "Siegburg Logistik", ""},
		{"si", "Siegburg si", "Siegburg [si]"},
		{"123", "1234", ""},
		{"1234", "12345", "[12345]"},
		{"inv-2024-00", "INV-2024-0017", "[INV-2024-0017]"},
		{"r-20", "R-2024-7 and R-1-20", "[R-2024-7] and [R]-1-[20]"},
		{"1,032", "1,032,210.50", "[1,032,210.50]"},
		{"DE89 3704", "DE89 3704 0044", "[DE89] [3704] 0044"},
		{"增值", "增值税", "[增值]税"},
		{"值增", "增值税", ""},
		{"sieg:*", "Siegburg", "[Siegburg]"},
	} {
		query, err := search.Parse(tc.query)
		if err != nil {
			t.Fatal(err)
		}
		got := marked(search.Cut(tc.text, query.Unfinished().Find(tc.text, false)))
		if got != tc.want {
			t.Errorf("%q: %q, want %q", tc.query, got, tc.want)
		}
		if query.Unfinished().Whole().Literal(true) != query.Literal(true) {
			t.Errorf("%q: the whole words are others", tc.query)
		}
	}
	query, _ := search.Parse("freight sieg")
	if got := query.Unfinished().Literal(true); got != "('freight':ABC) & ('sieg':*ABC)" {
		t.Error(got)
	}
	if got := query.Unfinished().Literal(false); got != "('freight') & ('sieg':*)" {
		t.Error(got)
	}
}

// Emoji, operators and blanks alone find nothing, and too long queries are refused.
func TestQueriesWithoutWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "   ", "🙂🧾", "& | ! ( ) : * <->", `"'"`, "\u202e\u200b", "€ $"} {
		query, err := search.Parse(text)
		if err != nil || len(query.Terms) != 0 || query.Literal(true) != "" {
			t.Errorf("%q: %v %v", text, query.Terms, err)
		}
	}
	for _, text := range []string{strings.Repeat("a", 201), "a b c d e f g h i"} {
		if _, err := search.Parse(text); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, text := range []string{strings.Repeat("a", 200), "a b c d e f g h", "a a a a a a a a a a",
		"DE89 3704 0044 0532 0130 00 a b c d e f g", strings.Repeat("税", 200)} {
		if _, err := search.Parse(text); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// Found words are marked where they are, also after characters of other widths.
func TestSnippets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ query, text, want string }{
		{"gothenburg", "Port of Göthenburg, Sweden", "Port of [Göthenburg], Sweden"},
		{"1032210", "🧾 Total: 1,032,210.00 EUR", "🧾 Total: [1,032,210.00] EUR"},
		{"发票", "增值税发票号码", "增值税[发票]号码"},
		{"增值税", "增值税发票", "[增值税]发票"},
		{"invoice", "FreightInvoice2024.pdf", "Freight[Invoice]2024.pdf"},
		{"sara", "line\nSara\u202e Lind", "line [Sara]  Lind"},
		{"none", "Sara", ""},
	} {
		query, err := search.Parse(tc.query)
		if err != nil {
			t.Fatal(err)
		}
		snippet := search.Cut(tc.text, query.Find(tc.text, true))
		if got := marked(snippet); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.query, got, tc.want)
		}
	}
	long := strings.Repeat("word ", 100) + "needle" + strings.Repeat(" word", 100)
	query, _ := search.Parse("needle")
	snippet := search.Cut(long, query.Find(long, false))
	if n := utf8.RuneCountInString(snippet.Text); n > 200 || len(snippet.Marks) != 1 {
		t.Errorf("%d characters, %v", n, snippet.Marks)
	}
}

// What only staff may see has the weight D, also in a text with what everyone sees.
func TestWeights(t *testing.T) {
	t.Parallel()
	source := search.Source{Reference: "CS-1", Submitter: "Sara", Staff: []string{"Sara Secret"},
		Notes: []string{"because"}, Pages: []search.Page{{Number: 1, Text: "page"}},
		Fields: []domain.Field{{Name: domain.FieldVendor, Normalised: "Muster"}},
		Assertions: []domain.AssertionSet{{Source: domain.SourceHuman, Assertions: []domain.Assertion{
			{Field: domain.FieldVendor, Value: "Hidden"}, {Field: domain.FieldVendor, Value: "Known"}}},
			{Source: domain.SourceOCR, Assertions: []domain.Assertion{{Field: domain.FieldVendor, Value: "Known"},
				{Field: domain.FieldCountry, Value: "KP"}}},
			{Source: domain.SourceLLM, Assertions: []domain.Assertion{{Field: domain.FieldVendor,
				Value: "Invented", Suggestion: true}, {Field: domain.FieldVendor, Value: "Printed"}}}}}
	literal := " " + vectorText(t, search.NewIndex(source.Texts()).Vector())
	for token, weights := range map[string]string{"sara": "1B,2D", "secret": "2D", "because": "2D",
		"page": "1C", "muster": "1B", "hidden": "2D", "known": "1B,2D", "kp": "2D", "cs1": "1A", "printed": "1B"} {
		if !strings.Contains(literal, " '"+token+"':"+weights+" ") {
			t.Errorf("%s has not %s in %s", token, weights, literal)
		}
	}
	if strings.Contains(literal, "invented") {
		t.Errorf("what no page shows is in %s", literal)
	}
}

// vectorText returns a tsvector in its binary form as Postgres writes it, and checks its order.
func vectorText(t *testing.T, vector []byte) string {
	t.Helper()
	var text strings.Builder
	n, rest, last := binary.BigEndian.Uint32(vector), vector[4:], ""
	for range n {
		word, after, found := strings.Cut(string(rest), "\x00")
		if !found || word <= last {
			t.Fatalf("%q after %q", word, last)
		}
		last, rest = word, []byte(after)
		positions := make([]string, binary.BigEndian.Uint16(rest))
		for i := range positions {
			position := binary.BigEndian.Uint16(rest[2+2*i:])
			positions[i] = fmt.Sprintf("%d%c", position&0x3fff, "DCBA"[position>>14])
		}
		rest = rest[2+2*len(positions):]
		fmt.Fprintf(&text, "'%s':%s ", word, strings.Join(positions, ","))
	}
	if len(rest) > 0 {
		t.Fatalf("%d bytes follow", len(rest))
	}
	return text.String()
}

// A document of many long words does not exceed what Postgres stores.
func TestBounds(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 60_000 {
		text.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i%200) + string(rune(0x0400+i%200)) + strings.Repeat("я", i%70))
		text.WriteByte(' ')
	}
	literal := search.NewIndex([]search.Text{{Kind: search.KindPage, Text: text.String()}}).Vector()
	if len(literal) > 1_000_000 || len(literal) < 1000 {
		t.Errorf("%d bytes", len(literal))
	}
}

func marked(snippet search.Snippet) string {
	units := []rune{}
	var out strings.Builder
	for _, r := range snippet.Text { // one entry for each UTF-16 code unit
		units = append(units, r)
		if r > 0xffff {
			units = append(units, -1)
		}
	}
	for i := 0; i <= len(units); i++ {
		for _, mark := range snippet.Marks {
			if mark.To == i {
				out.WriteByte(']')
			}
			if mark.From == i {
				out.WriteByte('[')
			}
		}
		if i < len(units) && units[i] >= 0 {
			out.WriteRune(units[i])
		}
	}
	return out.String()
}

// Whatever a document or a query contains, tokens need no quoting, places lie within the text, and a
// text that is short enough for a query finds itself.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"1 032 210,00 €", "DE89 3704 0044 0532 0130 00", "增值税发票 CS-2026-000007",
		"a'b\\c:1A", "\u202eשלום", "ｶﾞ が", "1.2.3.4,5", "İıßﬁ", "e\u0301\u0301"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		search.Scan(text, func(token search.Token) {
			if strings.ContainsAny(token.Text, "'\\\x00 ") || utf8.RuneCountInString(token.Text) > 64 ||
				token.From < 0 || token.From >= token.To || token.To > len(text) {
				t.Fatalf("token %+v of %q", token, text)
			}
		})
		search.NewIndex([]search.Text{{Kind: search.KindFileName, Text: text}}).Vector()
		query, err := search.Parse(text)
		if err != nil || len(query.Terms) == 0 {
			return
		}
		if !matches(query, text) {
			t.Fatalf("%q does not find itself: %v in %v", text, query.Terms, tokensOf(text))
		}
		snippet := search.Cut(text, query.Find(text, true))
		if !utf8.ValidString(snippet.Text) {
			t.Fatalf("%q is not valid", snippet.Text)
		}
		last := 0
		for _, mark := range snippet.Marks {
			if mark.From < last || mark.To <= mark.From {
				t.Fatalf("marks %v of %q", snippet.Marks, snippet.Text)
			}
			last = mark.To
		}
	})
}
