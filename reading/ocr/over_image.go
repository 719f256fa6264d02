package ocr

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

const (
	// coveringShare is the share of a page that its images cover, from which its text may be drawn over what
	// an image shows.
	coveringShare = 0.3
	// maxMisread is the share of the characters of a word that the engine may read in another way, if the word
	// has no digits.
	maxMisread = 0.5
)

// imageRow matches the columns page, width, height, horizontal and vertical resolution of a list of images.
var imageRow = regexp.MustCompile(
	`(?m)^\s*(\d+)\s+\d+\s+(?:image|smask|mask|stencil)\s+(\d+)\s+(\d+)\s.*?\s(\d+)\s+(\d+)\s+\S+\s+\S+$`)

// isOverImage reports whether images cover so much of the page that its text layer may say something else
// than the pixels below it, as an altered text layer of a scan does. If poppler fails, every page may.
func (t *task) isOverImage(ctx context.Context, number int) bool {
	t.imagesOnce.Do(func() {
		t.covered = make([]float64, len(t.pdfPages))
		result, err := t.pdf(ctx, t.programs.PDFImages,
			sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall}, "-list", inputPath)
		if err != nil || !result.OK() {
			for i := range t.covered {
				t.covered[i] = 1
			}
			return
		}
		addCovered(t.covered, t.pdfPages, string(result.Stdout))
	})
	return t.covered[number-1] >= coveringShare
}

// addCovered adds the shares of the pages that the listed images cover.
func addCovered(covered []float64, pages []pdfPage, list string) {
	for _, found := range imageRow.FindAllStringSubmatch(list, -1) {
		var n [5]float64
		for i := range n {
			n[i], _ = strconv.ParseFloat(found[i+1], 64)
		}
		at := int(n[0]) - 1
		if at < 0 || at >= len(covered) {
			continue
		}
		if n[3] < 1 || n[4] < 1 { // a resolution below one is no picture of text, but its place is unknown
			covered[at] = 1
			continue
		}
		covered[at] += n[1] / n[3] * n[2] / n[4] * pointsInch * pointsInch / (pages[at].width * pages[at].height)
	}
}

// isConfirmed reports whether the engine read at the places of the words of a text layer what they say: no
// word is contradicted, and at least half of those with digits or several letters are confirmed.
func isConfirmed(layer, read []domain.Word) bool {
	known, confirmed := 0, 0
	for _, word := range layer {
		text := lettersAndDigits(word.Text)
		if len(text) < 2 {
			continue
		}
		known++
		there := textAt(read, word.Box)
		switch {
		case len(there) == 0:
		case contradicts(text, there):
			return false
		default:
			confirmed++
		}
	}
	return 2*confirmed >= known
}

// contradicts reports whether the engine read something else than a word says: other digits, or mostly other
// letters.
func contradicts(word, read []rune) bool {
	isDigit := func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}
	if digits := strings.Map(isDigit, string(word)); digits != "" {
		return digits != strings.Map(isDigit, string(read))
	}
	longer := max(len(word), len(read))
	return longer >= 4 && float64(longer-common(word, read)) > maxMisread*float64(longer)
}

// textAt returns the letters and digits of the words that are at the place for the most part, from left to
// right as they were read.
func textAt(words []domain.Word, box domain.Box) []rune {
	var text []rune
	for _, w := range words {
		wide := min(w.Box.X+w.Box.W, box.X+box.W) - max(w.Box.X, box.X)
		high := min(w.Box.Y+w.Box.H, box.Y+box.H) - max(w.Box.Y, box.Y)
		if wide > 0 && high > 0 && 2*high >= min(w.Box.H, box.H) && 2*wide >= min(w.Box.W, box.W) {
			text = append(text, lettersAndDigits(w.Text)...)
		}
	}
	return text
}

func lettersAndDigits(text string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text))
}

// common returns the length of the longest common subsequence.
func common(a, b []rune) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		before := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(b)]
}
