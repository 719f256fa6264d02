package ocr

import (
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"pgregory.net/rapid"
)

// wordsAt returns the words of lines, 10 pixels for each character, all with the confidence.
func wordsAt(confidence float64, lines ...string) []domain.Word {
	var words []domain.Word
	for i, line := range lines {
		x := 0
		for _, text := range strings.Fields(line) {
			width := 10 * len([]rune(text))
			words = append(words, domain.Word{Text: text, Confidence: confidence, Line: i + 1,
				Box: domain.Box{X: x, Y: 30 * i, W: width, H: 20}})
			x += width + 10
		}
	}
	return words
}

func mergeOf(first, second []domain.Word) []domain.Word {
	return mergeReadings(pageReading{"ppocr", first}, pageReading{"tesseract", second})
}

func TestMergeOfOneLine(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first, second string
		sure          float64 // of the second engine
		text, other   string
	}{
		"the same":                        {"Total 12.50", "Total 12.50", 0.9, "Total 12.50", ""},
		"a digit":                         {"Total 12.50", "Total 17.50", 0.9, "Total 12.50", "17.50"},
		"a digit, hardly read":            {"Total 12.50", "Total 17.50", 0.1, "Total 12.50", "17.50"},
		"a euro that looks like a letter": {"E12.50", "€12.50", 0.9, "€12.50", ""},
		"a euro that is missing":          {"12.50", "€12.50", 0.9, "€12.50", ""},
		"a letter with dots":              {"Muller GmbH", "Müller GmbH", 0.9, "Müller GmbH", ""},
		"a sharp s":                       {"StraBe 5", "Straße 5", 0.9, "Straße 5", ""},
		"a letter with dots and a digit":  {"Munchen 81", "München 87", 0.9, "München 81", "87"},
		"letters, well read":              {"Hakket", "Market", 0.95, "Market", "Hakket"},
		"letters, poorly read":            {"Market", "Hakket", 0.6, "Market", "Hakket"},
		"a zero in a word":                {"INV0ICE", "INVOICE", 0.7, "INVOICE", "INV0ICE"},
		"a letter in a number":            {"433O0", "43300", 0.7, "43300", "433O0"},
		"wide brackets":                   {"（GST）", "(GST)", 0.9, "(GST)", ""},
		"only marks":                      {"Cashier!", "Cashier:", 0.9, "Cashier!", ""},
		"a comma read as a full stop":     {"23/9. Cheras", "23/9, Cheras", 0.9, "23/9, Cheras", ""},
		"a lost comma":                    {"18 Johor", "18, Johor", 0.9, "18, Johor", ""},
		"a lost comma after a currency":   {"RM29 30", "RM29, 30", 0.9, "RM29 30", "RM29,"},
		"a comma that only PP-OCR reads":  {"18, Johor", "18 Johor", 0.9, "18, Johor", "18"},
		"a point in an amount":            {"1250", "12.50", 0.9, "1250", "12.50"},
		"an accent hardly read":           {"cafe", "café", 0.1, "cafe", "café"},
		"Chinese":                         {"发票（一）", "发票（一）", 0.9, "发票（一）", ""},
	} {
		words := mergeOf(wordsAt(0.9, row.first), wordsAt(row.sure, row.second))
		other := ""
		for _, word := range words {
			other += word.Alternative
			if (word.Alternative == "") != (word.Engine == "") {
				t.Errorf("%s: %+v", name, word)
			}
		}
		if got := textOf(words); got != row.text || other != row.other {
			t.Errorf("%s: %q and %q, want %q and %q", name, got, other, row.text, row.other)
		}
	}
}

// The second engine splits words elsewhere: each word gets its own part.
func TestMergeAlignsDifferentWords(t *testing.T) {
	t.Parallel()
	second := []domain.Word{{Text: "TOTAL:RM112.60", Confidence: 0.9, Line: 1,
		Box: domain.Box{W: 160, H: 20}}}
	words := mergeOf(wordsAt(0.9, "TOTAL: RM 12.50"), second)
	var got []string
	for _, word := range words {
		got = append(got, word.Text+"|"+word.Alternative)
	}
	if want := []string{"TOTAL:|", "RM|", "12.50|112.60"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What only one engine read is not sure, and what only tesseract read is left out.
func TestMergeOfWordsThatOneEngineRead(t *testing.T) {
	t.Parallel()
	words := mergeOf(wordsAt(0.99, "99 SPEED NART"), nil)
	if textOf(words) != "99 SPEED NART" || words[2].Confidence > unconfirmedMost {
		t.Errorf("%+v", words)
	}
	words = mergeOf(wordsAt(0.99, "Total 12.50"), wordsAt(0.99, "Total 12.50", "Total 99.00"))
	if textOf(words) != "Total 12.50" || words[1].Confidence < 0.9 {
		t.Errorf("%+v", words)
	}
}

// Attack: whatever the second engine reads, no word becomes surer than the surer of the engines that
// read it so, and a word that it does not confirm is never surer than before.
func TestAnotherReadingMakesNothingSurer(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[A-Z0-9€ü.,]{1,8}( [A-Z0-9€ü.,]{1,8}){0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		first := wordsAt(rapid.Float64Range(0, 1).Draw(t, "a"), text.Draw(t, "first"), text.Draw(t, "line"))
		second := wordsAt(rapid.Float64Range(0, 1).Draw(t, "b"), text.Draw(t, "second"))
		for i := range second {
			second[i].Box.X += rapid.IntRange(-20, 20).Draw(t, "moved")
		}
		before := slices.Clone(first)
		for _, word := range mergeOf(first, second) {
			agrees := word.Alternative == "" && slices.ContainsFunc(second,
				func(w domain.Word) bool { return samePlace(w.Box, word.Box) })
			highest := before[0].Confidence // of all its words
			if agrees || word.Engine == "ppocr" {
				highest = max(highest, second[0].Confidence)
			}
			if word.Confidence > highest {
				t.Fatalf("%+v of %+v", word, before)
			}
			own := slices.ContainsFunc(before, func(w domain.Word) bool {
				return word.Box == w.Box && word.Line == w.Line
			})
			spaced := slices.ContainsFunc(second, func(w domain.Word) bool {
				return word.Box == w.Box && word.Line == 1 && word.Text == w.Text
			})
			if !own && !spaced || word.Text == "" {
				t.Fatalf("%+v of %+v and %+v", word, before, second)
			}
		}
		if !slices.Equal(first, before) {
			t.Fatal("the first reading was changed")
		}
	})
}

// Attack: a page of specks, or of boxes that all lie on each other, is compared in bounded time, and
// nothing of it is sure.
func TestMergeOfHostileReadings(t *testing.T) {
	t.Parallel()
	crowd := func(count int) []domain.Word {
		words := make([]domain.Word, count)
		for i := range words {
			words[i] = domain.Word{Text: "123456", Confidence: 0.99, Line: i,
				Box: domain.Box{X: i % 7, Y: i % 11, W: 500, H: 500}}
		}
		return words
	}
	begin := time.Now()
	for _, count := range []int{maxCompared, maxCompared + 1} {
		for _, word := range mergeOf(crowd(count), crowd(count)) {
			if word.Confidence > 0.99*disputedFactor {
				t.Fatalf("of %d words: %+v", count, word)
			}
		}
	}
	if took := time.Since(begin); took > 2*time.Minute {
		t.Errorf("it took %s", took)
	}
}

// wordsClose returns the words of a line without pixels between them, so that equal characters have
// equal places, whatever the spaces.
func wordsClose(confidence float64, line string) []domain.Word {
	words := wordsAt(confidence, line)
	x := 0
	for i := range words {
		words[i].Box.X = x
		x += words[i].Box.W
	}
	return words
}

// Where both engines read the same characters, the spaces are those of tesseract, except between
// digits, where a space may separate two columns.
func TestMergeOfSpaces(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ first, second, text string }{
		{"Kiefer B rewery G mbH", "Kiefer Brewery GmbH", "Kiefer Brewery GmbH"},
		{"S ubtotal", "Subtotal", "Subtotal"},
		{"foryour business", "for your business", "for your business"},
		{"date:2026-11-23", "date: 2026-11-23", "date: 2026-11-23"},
		{"Ltd,1 Market", "Ltd, 1 Market", "Ltd, 1 Market"},
		{"A BC", "AB C", "AB C"},
		{"1 2500.00", "12500.00", "1 2500.00"},
		{"12500.00", "1 2500.00", "12500.00"},
		{"Qty:1 2500.00", "Qty: 12500.00", "Qty:1 2500.00"},
		{"S ubtotai", "Subtotal", "S ubtotai"},
	} {
		words := mergeOf(wordsClose(0.9, row.first), wordsClose(0.7, row.second))
		if got := textOf(words); got != row.text {
			t.Errorf("%q and %q: %q, want %q", row.first, row.second, got, row.text)
		}
		x := 0
		for _, word := range words {
			if word.Box.X != x || word.Line != 1 {
				t.Errorf("%q and %q: %+v, want it at %d", row.first, row.second, word, x)
			}
			x += word.Box.W
		}
	}
}
