package ocr

import (
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// Bounds of what a person can see on a page.
const (
	seenContrast  = 24 // of 255, in one colour, between letters and what is around them
	minTextHeight = 3  // in points; letters below it have fewer than 4 pixels on the raster
	sampledRows   = 12 // of the raster, for each word
	maxCells      = 8  // of a word, each of which may have a letter
	// maxCovering is how many times larger a word may be than one that it covers. A larger one is a
	// watermark.
	maxCovering = 100
)

// visible returns the words of the layer that a person sees on the rendered page. Text in the colour of
// its background, behind an image, in render mode 3 or too small to read is in the text layer, but a
// document must not say to programs what it does not show to reviewers.
func (t *task) visible(layer textWords, pic picture) (textWords, error) {
	file, err := t.job.Open(pic.pixels, 4*maxDrawnPixels)
	if err != nil {
		return layer, err
	}
	defer func() { _ = file.Close() }()
	return layer.visibleOn(file, pic.dpi)
}

// visibleOn is visible for a PNM with the resolution.
func (l textWords) visibleOn(file io.ReaderAt, dpi int) (textWords, error) {
	head := make([]byte, 64)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return l, err
	}
	shape, err := parsePNMHead(head[:n])
	if err != nil {
		return l, err
	}
	drawn := drawing{file, shape, make([]byte, shape.width*shape.channels)}
	scale := float64(dpi) / pointsInch
	seen := make([]layerWord, 0, len(l.words))
	for _, word := range l.words {
		box, ok := clip(word.box(scale), shape.width, shape.height)
		if !ok || word.isTiny() {
			continue
		}
		shows, err := drawn.shows(box, word.text)
		if err != nil {
			return l, err
		}
		if shows {
			seen = append(seen, word)
		}
	}
	return textWords{seen}, nil
}

// box returns the place of the word on a raster.
func (w layerWord) box(scale float64) domain.Box {
	left, top := int(w.left*scale), int(w.top*scale)
	return domain.Box{X: left, Y: top, W: int(w.right*scale+0.999) - left, H: int(w.down*scale+0.999) - top}
}

// isTiny reports whether a word is too small to read, upright or turned.
func (w layerWord) isTiny() bool {
	return w.down-w.top < minTextHeight ||
		w.right-w.left < minTextHeight && utf8.RuneCountInString(w.text) >= 3
}

// drawing is a rendered page, of which single rows are read.
type drawing struct {
	file  io.ReaderAt
	shape pnmShape
	row   []byte
}

// shows reports whether the raster has letters in the box: in at least half of the places of letters the
// colour changes along a row, which a ruled line does not do.
func (d drawing) shows(box domain.Box, text string) (bool, error) {
	if !hasLetters(text) {
		return true, nil
	}
	letters := utf8.RuneCountInString(text)
	turned := box.H > 2*box.W && letters >= 3 // its letters are below each other
	inked := make([]bool, min(letters, maxCells, max(1, box.W/2)))
	if turned {
		inked = make([]bool, 1)
	}
	places, rows := 0, rowsOf(box)
	for _, y := range rows {
		row := d.row[:box.W*d.shape.channels]
		at := int64(d.shape.offset) + int64(y*d.shape.width+box.X)*int64(d.shape.channels)
		if _, err := d.file.ReadAt(row, at); err != nil {
			return false, err
		}
		for i := range inked {
			from, to := i*box.W/len(inked), (i+1)*box.W/len(inked)
			if (turned || !inked[i]) && d.changes(row[from*d.shape.channels:to*d.shape.channels]) {
				inked[i] = true
				places++
			}
		}
		if turned && 2*places >= len(rows) || !turned && 2*places >= len(inked) {
			return true, nil
		}
	}
	return false, nil
}

// rowsOf returns the rows of a word to look at, those in its middle first.
func rowsOf(box domain.Box) []int {
	count := min(box.H, sampledRows)
	rows := make([]int, 0, count)
	for i := range count {
		rows = append(rows, box.Y+(2*i+1)*box.H/(2*count))
	}
	middle := box.Y + box.H/2
	slices.SortStableFunc(rows, func(a, b int) int { return max(a-middle, middle-a) - max(b-middle, middle-b) })
	return rows
}

// changes reports whether pixels of a row differ enough in one colour for a person to see it.
func (d drawing) changes(pixels []byte) bool {
	for channel := range d.shape.channels {
		low, high := byte(255), byte(0)
		for at := channel; at < len(pixels); at += d.shape.channels {
			low, high = min(low, pixels[at]), max(high, pixels[at])
		}
		if int(high)-int(low) >= seenContrast {
			return true
		}
	}
	return false
}

// cell is a square of a page with sides of cellSize points.
type cell struct{ x, y int }

const (
	cellSize      = 10
	maxCellsOfBox = 1000 // of one word; a larger one is no word of a line
	maxInCell     = 100  // words with their centre in one cell
)

// overlaps reports whether words with different texts are at the same place. A person sees one of them
// at most, and nothing but the pixels says which.
func (l textWords) overlaps() bool {
	centres := map[cell][]int{}
	cellOf := func(x, y float64) cell { return cell{int(x) / cellSize, int(y) / cellSize} }
	for i, word := range l.words {
		at := cellOf((word.left+word.right)/2, (word.top+word.down)/2)
		if centres[at] = append(centres[at], i); len(centres[at]) > maxInCell {
			return true
		}
	}
	for i, word := range l.words {
		first, last := cellOf(word.left, word.top), cellOf(word.right, word.down)
		if (last.x-first.x+1)*(last.y-first.y+1) > maxCellsOfBox {
			continue
		}
		for x := first.x; x <= last.x; x++ {
			for y := first.y; y <= last.y; y++ {
				for _, other := range centres[cell{x, y}] {
					if other != i && word.covers(l.words[other]) {
						return true
					}
				}
			}
		}
	}
	return false
}

// covers reports whether a smaller word with another text is at the place of the word.
func (w layerWord) covers(other layerWord) bool {
	area := func(w layerWord) float64 { return (w.right - w.left) * (w.down - w.top) }
	if w.text == other.text || area(other) > area(w) || area(w) > maxCovering*area(other) ||
		!hasLetters(w.text) || !hasDigit(other.text) && utf8.RuneCountInString(other.text) < 2 {
		return false // a single letter is part of a logo or a formula
	}
	wide := min(w.right, other.right) - max(w.left, other.left)
	high := min(w.down, other.down) - max(w.top, other.top)
	return wide > 0 && high > 0 && 2*wide*high >= area(other)
}

// hasLetters reports whether a text says anything.
func hasLetters(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
