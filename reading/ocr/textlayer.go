package ocr

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// textWords is the text layer of a page: words with boxes in points, in reading order.
type textWords struct {
	words []layerWord
}

type layerWord struct {
	text                   string
	left, top, right, down float64
	line                   int
	// unseen says that the engine does not see the number on the page, and other is what it sees there.
	unseen bool
	other  string
}

// textLayer returns the words of the page's text layer. If poppler fails it returns no words, so that
// the engine reads the page.
func (t *task) textLayer(ctx context.Context, number int) (textWords, error) {
	if layers := t.textLayers(ctx); layers != nil {
		return layers[number-1], nil
	}
	return t.textLayerOf(ctx, number)
}

// textLayers extracts the text layers of all pages with one process, because starting one costs more
// than a page. It returns nil if there is one page only or if the process fails: then each page has a
// process, and limits, of its own.
func (t *task) textLayers(ctx context.Context) []textWords {
	t.layersOnce.Do(func() {
		if len(t.pdfPages) < 2 {
			return
		}
		result, err := t.pdf(
			ctx, t.programs.PDFToText,
			sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall},
			"-bbox-layout", inputPath, "-",
		)
		if err == nil && result.OK() {
			t.layers = splitLayers(result.Stdout, len(t.pdfPages))
		}
	})
	return t.layers
}

// splitLayers parses poppler's output for all pages; nil if it has not as many pages.
func splitLayers(text []byte, pages int) []textWords {
	var starts []int
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at - 1
		}
		if bytes.HasPrefix(bytes.TrimSpace(text[at:at+end+1]), []byte("<page ")) {
			starts = append(starts, at)
		}
		at += end + 1
	}
	if len(starts) != pages {
		return nil
	}
	layers := make([]textWords, pages)
	for i, start := range starts {
		end := len(text)
		if i+1 < pages {
			end = starts[i+1]
		}
		layers[i] = parseLayer(text[start:end])
	}
	return layers
}

func (t *task) textLayerOf(ctx context.Context, number int) (textWords, error) {
	page := strconv.Itoa(number)
	result, err := t.pdf(
		ctx, t.programs.PDFToText, sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall},
		"-bbox-layout", "-f", page, "-l", page, inputPath, "-",
	)
	if err != nil {
		return textWords{}, err
	}
	if err := limitError(ctx, "pdftotext", result); err != nil {
		return textWords{}, fmt.Errorf("text layer: %w", err)
	}
	if !result.OK() {
		return textWords{}, nil
	}
	return parseLayer(result.Stdout), nil
}

var wordTag = regexp.MustCompile(
	`<word xMin="(-?[\d.]+)" yMin="(-?[\d.]+)" xMax="(-?[\d.]+)" yMax="(-?[\d.]+)">(.*)</word>`,
)

// parseLayer parses poppler's output line by line, because it is not well-formed XML if the text
// has control characters.
func parseLayer(text []byte) textWords {
	var found textWords
	line := 0
	for row := range bytes.Lines(text) {
		row = bytes.TrimSpace(row)
		if bytes.HasPrefix(row, []byte("<line ")) {
			line++
		}
		match := wordTag.FindSubmatch(row)
		if match == nil || len(found.words) >= maxWords {
			continue
		}
		var sides [4]float64
		for i := range sides {
			sides[i], _ = strconv.ParseFloat(string(match[i+1]), 64)
		}
		word := strings.TrimSpace(html.UnescapeString(string(match[5])))
		if word == "" {
			continue
		}
		found.words = append(
			found.words,
			layerWord{text: strings.ToValidUTF8(word, "\ufffd"), left: sides[0], top: sides[1],
				right: sides[2], down: sides[3], line: line},
		)
	}
	return found
}

// isReadable reports whether most characters are ordinary text. Fonts without a Unicode mapping
// yield control, private-use and replacement characters.
func (l textWords) isReadable() bool {
	good, bad := 0, 0
	for _, word := range l.words {
		for _, r := range word.text {
			switch {
			case r == unicode.ReplacementChar,
				unicode.IsControl(r), unicode.Is(unicode.Co, r),
				!unicode.IsGraphic(r) && r != 0xad:
				bad++
			default:
				good++
			}
		}
	}
	return good >= 10 && bad*8 <= good
}

// isSparse reports whether the page has so few words that it may be a scan with a stamp or a page
// number.
func (l textWords) isSparse() bool { return len(l.words) < 25 }

// toPage converts the words to positions on the rendered page.
func (l textWords) toPage(pic picture) domain.Page {
	scale := float64(pic.dpi) / pointsInch
	page := domain.Page{
		Width: pic.width, Height: pic.height, DPI: pic.dpi, Source: domain.SourceText,
	}
	for _, word := range l.words {
		box, ok := clip(word.box(scale), pic.width, pic.height)
		if !ok { // words outside the page are invisible
			continue
		}
		shown := domain.Word{Text: word.text, Box: box, Confidence: 1, Line: word.line}
		if word.unseen {
			shown.Confidence, shown.Alternative = unseenMost, word.other
			shown.AlternativeConfidence = seenConfidence(word.other)
		}
		page.Words = append(page.Words, shown)
	}
	page.Text = textOf(page.Words)
	return page
}
