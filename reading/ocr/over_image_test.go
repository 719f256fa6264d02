package ocr_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// seeingEngine reads fixed lines where a page has them. The resolution decides where that is.
type seeingEngine struct {
	fixedEngine
	lines []string
}

// linesOnPage are the words of lines as lineOperators draws them, at a resolution.
func linesOnPage(lines []string, dpi int) []domain.Word {
	var words []domain.Word
	at := func(points float64) int { return int(points * float64(dpi) / 72) }
	for i, line := range lines {
		x := 60.0
		for _, text := range strings.Fields(line) {
			width := helveticaWidth(text)
			words = append(words, domain.Word{Text: text, Confidence: 0.95, Line: i + 1,
				Box: domain.Box{X: at(x), Y: at(float64(60+20*i) - 10), W: at(width), H: at(12)}})
			x += width + 12*0.278
		}
	}
	return words
}

func (e seeingEngine) Recognise(
	_ context.Context, _ *sandbox.Folder, image ocr.Image,
) ([]domain.Word, error) {
	return linesOnPage(e.lines, image.DPI), nil
}

// helveticaWidth returns the width of a word in points, about.
func helveticaWidth(text string) float64 {
	width := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijltfrI.", r):
			width += 0.26
		case r >= 'A' && r <= 'Z':
			width += 0.65
		default:
			width += 0.55
		}
	}
	return 12 * width
}

// lineOperators draws lines in a font with letters of one width.
func lineOperators(lines []string, height float64) string {
	var content strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&content, "\nq BT /F 12 Tf 60 %f Td (%s) Tj ET Q\n", height-float64(60+20*i), line)
	}
	return content.String()
}

// Attack: a scan shows a large total, and the text layer over it states a small one. People see the pixels, so
// that they are read. A text layer that says what the engine sees there stays. The engine is fixed, and the ink
// of the layer is that of the scan.
func TestAlteredTextLayerOfAScanIsReadFromPixels(t *testing.T) {
	t.Parallel()
	shown := []string{"Fernhill Joinery Ltd", "Invoice 7781", "Net 8200.00", "Total 9840.00"}
	for name, c := range map[string]struct {
		layer  []string
		source domain.FieldSource
	}{
		"the same":       {shown, domain.SourceText},
		"another amount": {[]string{shown[0], shown[1], shown[2], "Total 98.40"}, domain.SourceOCR},
		"one digit":      {[]string{shown[0], shown[1], shown[2], "Total 1840.00"}, domain.SourceOCR},
		"another name":   {[]string{"Quiverton Bakery Ltd", shown[1], shown[2], shown[3]}, domain.SourceOCR},
		"elsewhere":      {append([]string{"", "", "", "", "", "", "", ""}, shown...), domain.SourceOCR},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var long []string // so that the layer is not sparse
			for i := range 12 {
				long = append(long, fmt.Sprintf("Item %d of many", 100+i))
			}
			visible, hidden := append(shown[:4:4], long...), append(c.layer[:len(c.layer):len(c.layer)], long...)
			page := testPage{width: 595, height: 842, scan: drawText(t, nil),
				content: lineOperators(hidden, 842)}
			for many, pages := range map[string][]testPage{"alone": {page}, "in a batch": {page, page}} {
				reading := read(t, newReader(t, ocr.Options{Engine: seeingEngine{lines: visible}}),
					asPDF(t, pages, nil))
				for _, got := range reading.Pages {
					if got.Source != c.source {
						t.Errorf("%s: read by %s:\n%s", many, got.Source, got.Text)
					}
				}
			}
		})
	}
}
