package ocr_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
)

// glyph is a character as lines: points in a box of width 0.5 and height 0.7.
type glyph [][2]float64

// ring returns points on an ellipse.
func ring(x, y, w, h float64) (points glyph) {
	for i := range 25 {
		a := 2 * math.Pi * float64(i) / 24
		points = append(points, [2]float64{x + w*math.Cos(a), y + h*math.Sin(a)})
	}
	return points
}

var glyphs = map[rune][]glyph{
	'0': {ring(0.25, 0.35, 0.2, 0.35)},
	'1': {{{0.1, 0.55}, {0.27, 0.7}, {0.27, 0}}},
	'4': {{{0.36, 0}, {0.36, 0.7}, {0.03, 0.2}, {0.48, 0.2}}},
	'8': {ring(0.25, 0.53, 0.16, 0.17), ring(0.25, 0.18, 0.2, 0.18)},
	'9': {ring(0.25, 0.48, 0.2, 0.21), {{0.45, 0.48}, {0.44, 0.25}, {0.35, 0.05}, {0.2, 0}, {0.08, 0.05}}},
	'7': {{{0.04, 0.7}, {0.46, 0.7}, {0.18, 0}}},
	'.': {{{0.1, 0.01}, {0.1, 0.03}}},
	',': {{{0.12, 0.05}, {0.06, -0.1}}},
}

// asLines draws a number as lines and not as text.
func asLines(number string, x, y, size float64) string {
	var content strings.Builder
	fmt.Fprintf(&content, "\nq 0 G %f w 1 J 1 j\n", 0.09*size)
	for _, r := range number {
		for _, line := range glyphs[r] {
			for i, p := range line {
				fmt.Fprintf(&content, "%f %f %s ", x+p[0]*size, y+p[1]*size, [2]string{"l", "m"}[max(0, 1-i)])
			}
			content.WriteString("S\n")
		}
		if x += 0.6 * size; strings.ContainsRune(".,", r) {
			x -= 0.32 * size
		}
	}
	return content.String() + "Q\n"
}

// hiddenText is text that is not drawn.
func hiddenText(text string, x, y, size float64) string {
	return fmt.Sprintf("\nq BT 3 Tr /F %f Tf %f %f Td (%s) Tj ET Q\n", size, x, y, text)
}

// wordsLike returns the words of a page that have the digits, or an alternative with them.
func wordsLike(page domain.Page, digits string) (words []domain.Word) {
	for _, w := range page.Words {
		if strings.Contains(strings.NewReplacer(".", "", ",", "").Replace(w.Text+" "+w.Alternative), digits) {
			words = append(words, w)
		}
	}
	return words
}

// Attack: the letters that a person sees are lines, and the text over them, which is not drawn, states a
// smaller amount. The amount of the lines is read beside it, and the text is not certain. The ink below
// the hidden word is that of the lines, so that the word counts as visible.
func TestNumbersThatThePageDoesNotShow(t *testing.T) {
	t.Parallel()
	var long []string // so that the layer is not sparse
	for i := range 14 {
		long = append(long, fmt.Sprintf("Item %d of many at 147.80", 140+i))
	}
	for name, c := range map[string]struct {
		shown, hidden, other string
		digits               bool // the digits are equal
	}{
		"a smaller amount":  {"9840.70", "98.40", "984070", false},
		"of the same width": {"9840.70", "1840.70", "984070", false},
		"one digit":         {"9840.70", "9840.10", "984070", false},
		"another point":     {"98,400", "984.00", "98400", true},
		"no point":          {"98400", "984.00", "98400", true},
		"another date":      {"11.1.1990", "1.11.1990", "1111990", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := lineOperators(long, 842) +
				"\nq BT /F 12 Tf 60 420 Td (Total GBP) Tj ET Q\n" + asLines(c.shown, 150, 420, 14) +
				hiddenText(c.hidden, 150, 420, 14)
			page := testPage{width: 595, height: 842, content: content}
			for many, pages := range map[string][]testPage{"alone": {page}, "in a batch": {page, page}} {
				reading := read(t, newReader(t, ocr.Options{}), asPDF(t, pages, nil))
				for _, got := range reading.Pages {
					words := wordsLike(got.Page, c.other)
					certain := got.Source == domain.SourceText && slices.ContainsFunc(got.Page.Words, func(w domain.Word) bool {
						return w.Text == c.hidden && w.Confidence > 0.5
					})
					unsure := slices.ContainsFunc(words, func(w domain.Word) bool {
						return got.Source == domain.SourceOCR || w.Alternative != "" || c.digits && w.Confidence < 0.5
					})
					if certain || !unsure {
						t.Errorf("%s: read by %s with %+v:\n%s", many, got.Source, words, got.Text)
					}
					if got.Source == domain.SourceText {
						for _, w := range wordsLike(got.Page, "14780") {
							if w.Confidence < 1 || w.Alternative != "" {
								t.Errorf("%s: a number that the page shows is disputed: %+v", many, w)
							}
						}
					}
				}
			}
		})
	}
}

// A failed engine makes no number surer than one that it contradicts, and the words stay.
func TestNumbersOfAnEngineThatFails(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 14 {
		lines = append(lines, fmt.Sprintf("Item %d of many", 140+i))
	}
	page := testPage{width: 595, height: 842, content: lineOperators(lines, 842)}
	reading := read(t, newReader(t, ocr.Options{Engine: seeingEngine{}}), asPDF(t, []testPage{page}, nil))
	got := reading.Pages[0]
	if got.Source != domain.SourceText || !strings.Contains(got.Text, "Item 140 of many") {
		t.Fatalf("read by %s: %s", got.Source, got.Text)
	}
	for _, w := range got.Page.Words {
		if isNumber := strings.HasPrefix(w.Text, "1"); isNumber != (w.Confidence < 0.5) || w.Alternative != "" {
			t.Errorf("%+v", w)
		}
	}
}

// In a long file the numbers of the first and the last pages are compared. Attack: an altered page between
// them; its numbers are not certain.
func TestNumbersOfALongFile(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 14 {
		lines = append(lines, fmt.Sprintf("Item %d of many", 140+i))
	}
	pages := make([]testPage, 34)
	for i := range pages {
		pages[i] = testPage{width: 595, height: 842, content: lineOperators(lines, 842)}
	}
	reading := read(t, newReader(t, ocr.Options{}), asPDF(t, pages, nil))
	for i, got := range reading.Pages {
		for _, w := range wordsLike(got.Page, "145") {
			if sure := w.Confidence == 1; sure != (i < 15 || i >= len(pages)-15) {
				t.Errorf("page %d: %+v", i+1, w)
			}
		}
	}
}
