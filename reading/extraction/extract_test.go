package extraction_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/internal/golden"
	"countersign/reading/extraction"
)

// pageOfText lays out a text in a monospaced font: every character has 12 by 20 pixels, Chinese
// ones are twice as wide.
func pageOfText(text string, source domain.FieldSource) domain.Page {
	page := domain.Page{Number: 1, Width: 1200, Height: 1700, DPI: 150, Source: source, Text: text}
	for y, line := range strings.Split(text, "\n") {
		x, start, word := 40, 0, ""
		flush := func() {
			if word != "" {
				page.Words = append(
					page.Words,
					domain.Word{Text: word, Confidence: 0.96, Line: y + 1,
						Box: domain.Box{X: start, Y: 60 + 30*y, W: x - start, H: 20}},
				)
			}
			word = ""
		}
		for _, r := range line {
			if r == ' ' {
				flush()
			} else {
				if word == "" {
					start = x
				}
				word += string(r)
			}
			x += 12
			if unicode.Is(unicode.Han, r) {
				x += 12
			}
		}
		flush()
	}
	return page
}

func rendered(t *testing.T, fields []domain.Field) []byte {
	t.Helper()
	type line struct {
		Name, Raw, Normalised, Source string
		Page                          int
		Box                           *domain.Box `json:",omitempty"`
		Confidence                    float64
		Grounded                      bool
	}
	var lines []line
	for _, f := range fields {
		lines = append(
			lines,
			line{
				f.Name, f.Raw, f.Normalised, string(f.Source), f.Page, f.Box,
				float64(int(f.Confidence*100)) / 100, f.Grounded,
			},
		)
	}
	text, err := json.MarshalIndent(lines, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestPages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/pages/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no pages", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range []domain.FieldSource{domain.SourceText, domain.SourceOCR} {
			fields := extraction.Extract(
				[]domain.Page{pageOfText(string(text), source)}, extraction.Hints{},
			)
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			golden.Equal(t, "pages/"+name+"."+string(source)+".json", rendered(t, fields))
		}
	}
}

func TestXML(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/xml/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatal("no XML", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := extraction.FromXML(text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		golden.Equal(
			t, "xml/"+strings.TrimSuffix(filepath.Base(file), ".xml")+".json", rendered(t, fields),
		)
	}
}

func TestXMLRefusals(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]domain.Code{
		"":                     domain.DamagedFile,
		"<a><b></a>":           domain.DamagedFile,
		"<Order/>":             domain.UnsupportedFile,
		"<svg xmlns='x'/>":     domain.UnsupportedFile,
		"<?xml encoding='x'?>": domain.DamagedFile,
		`<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>`: domain.DamagedFile,
		strings.Repeat("<a>", 200) + strings.Repeat("</a>", 200):           domain.DamagedFile,
	} {
		if _, err := extraction.FromXML([]byte(text)); !domain.HasCode(err, code) {
			t.Errorf("%.40q: got %v, want %s", text, err, code)
		}
	}
}

func TestXMLBeatsTextBeatsOCR(t *testing.T) {
	t.Parallel()
	box := domain.Box{X: 1, Y: 2, W: 3, H: 4}
	field := func(source domain.FieldSource, value string, confidence float64, at *domain.Box) domain.Field {
		page := 0
		if at != nil {
			page = 1
		}
		return domain.Field{
			Name: domain.FieldTotal, Raw: value, Normalised: value, Source: source,
			Confidence: confidence, Box: at, Page: page,
		}
	}
	ocr, text, xml := field(
		domain.SourceOCR, "1.00", 1, &box,
	), field(
		domain.SourceText, "2.00", 0.5, &box,
	), field(
		domain.SourceXML, "2.00", 1, nil,
	)
	for name, c := range map[string]struct {
		lists [][]domain.Field
		want  domain.Field
	}{
		"text over OCR": {[][]domain.Field{{ocr}, {text}}, text},
		"more confident": {[][]domain.Field{{field(domain.SourceOCR, "3.00", 0.2, &box)},
			{ocr}}, ocr},
		"a value over none": {[][]domain.Field{{field(domain.SourceXML, "", 1, nil)}, {ocr}},
			ocr},
		"place of equal text": {[][]domain.Field{{ocr}, {xml}, {text}},
			field(domain.SourceXML, "2.00", 1, &box)},
	} {
		merged := extraction.Merge(c.lists...)
		if len(merged) != 1 || !reflect.DeepEqual(merged[0], c.want) {
			t.Errorf("%s: got %+v", name, merged)
		}
	}
}

func value(fields []domain.Field, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Normalised
		}
	}
	return ""
}

func TestHintsDecideOnlyWhatThePageLeavesOpen(t *testing.T) {
	t.Parallel()
	page := pageOfText("ACME LTD\nDate 03/04/2025\nTotal 1.500", domain.SourceText)
	for _, test := range []struct {
		hints extraction.Hints
		want  [3]string
	}{
		{extraction.Hints{}, [3]string{"2025-04-03", "", "1500.00"}},
		{extraction.Hints{Country: "US"}, [3]string{"2025-03-04", "", "1500.00"}},
		{extraction.Hints{Country: "JP", Currency: "JPY"}, [3]string{"2025-04-03", "JPY", "1500"}},
		{extraction.Hints{Currency: "XXX-no"}, [3]string{"2025-04-03", "", "1500.00"}},
	} {
		fields := extraction.Extract([]domain.Page{page}, test.hints)
		got := [3]string{
			value(fields, domain.FieldDate), value(fields, domain.FieldCurrency),
			value(fields, domain.FieldTotal),
		}
		if got != test.want {
			t.Errorf("%+v: got %v, want %v", test.hints, got, test.want)
		}
	}
	plain := pageOfText("ACME LTD\nDate 21/04/2025\nTotal RM 15.00", domain.SourceText)
	fields := extraction.Extract(
		[]domain.Page{plain}, extraction.Hints{Country: "US", Currency: "USD"},
	)
	if value(fields, domain.FieldDate) != "2025-04-21" ||
		value(fields, domain.FieldCurrency) != "MYR" {
		t.Errorf("the page says otherwise: %+v", fields)
	}
}

// drawPage generates a page of arbitrary words at arbitrary positions.
func drawPage(t *rapid.T) domain.Page {
	pieces := rapid.SampledFrom(
		[]string{
			"Total", "TOTAL:", "12.50", "1.234,56", "RM8.60", "GST", "6%", "0.75", "Date",
			"03/04/2025", "Invoice", "No:", "INV-1", "Cash", "20.00", "Change", "7.50", "ACME",
			"GmbH", "DE89370400440532013000", "IBAN", "€", "合计", "-", "", "\x00",
			"999999999999999999999",
		},
	)
	words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) domain.Word {
		text := pieces.Draw(t, "piece")
		if rapid.IntRange(0, 4).Draw(t, "wild") == 0 {
			text = rapid.String().Draw(t, "text")
		}
		return domain.Word{
			Text: text, Confidence: rapid.Float64Range(-1, 2).Draw(t, "confidence"),
			Line: rapid.IntRange(0, 9).Draw(t, "line"),
			Box: domain.Box{
				X: rapid.IntRange(-5, 900).Draw(t, "x"), Y: rapid.IntRange(-5, 900).Draw(t, "y"),
				W: rapid.IntRange(-1, 90).Draw(t, "w"), H: rapid.IntRange(-1, 40).Draw(t, "h"),
			},
		}
	}), 0, 60).Draw(t, "words")
	return domain.Page{Number: 1, Width: 1000, Height: 1000, Words: words,
		Source: rapid.SampledFrom([]domain.FieldSource{domain.SourceText, domain.SourceOCR}).
			Draw(t, "source"),
	}
}

// checkFields checks invariants of every extraction.
func checkFields(
	t interface{ Errorf(string, ...any) }, pages []domain.Page, fields []domain.Field,
) {
	order := -1
	for _, f := range fields {
		at := slices.Index(domain.FieldNames(), f.Name)
		if at <= order {
			t.Errorf("%s out of order or twice", f.Name)
		}
		order = at
		if !(f.Confidence >= 0 && f.Confidence <= 1) {
			t.Errorf("%s: confidence %v", f.Name, f.Confidence)
		}
		if f.Grounded != (f.Box != nil) || f.Grounded != (f.Page > 0) {
			t.Errorf("%s: grounded %v, page %d, box %v", f.Name, f.Grounded, f.Page, f.Box)
		}
		if f.Box == nil {
			continue
		}
		inside := false
		for _, w := range pages[f.Page-1].Words {
			inside = inside ||
				w.Box.X >= f.Box.X && w.Box.Y >= f.Box.Y && w.Box.X+w.Box.W <= f.Box.X+f.Box.W &&
					w.Box.Y+w.Box.H <= f.Box.Y+f.Box.H
		}
		if !inside {
			t.Errorf("%s: no word in its box %+v", f.Name, f.Box)
		}
	}
}

func TestEveryFieldIsOnThePage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pages := []domain.Page{drawPage(t)}
		before, err := json.Marshal(pages)
		if err != nil {
			t.Fatal(err)
		}
		first := extraction.Extract(pages, extraction.Hints{})
		checkFields(t, pages, first)
		if second := extraction.Extract(pages, extraction.Hints{}); !reflect.DeepEqual(
			first, second,
		) {
			t.Errorf("not the same twice: %+v %+v", first, second)
		}
		if after, err := json.Marshal(pages); err != nil || string(after) != string(before) {
			t.Errorf("the pages were changed: %v", err)
		}
	})
}
