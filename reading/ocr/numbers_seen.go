package ocr

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

const (
	// minSeenDigits is the number of digits from which a word of a text layer is compared with the pixels.
	minSeenDigits = 2
	// maxSeenWords limits the words of a page that are compared, the longest first. The others count as unseen.
	maxSeenWords = 400
	// unseenMost limits the confidence of a number that the engine does not see on the page.
	unseenMost = 0.3
	// seenTwice is the confidence of another number that the engine saw.
	seenTwice = 0.9
)

// comparedPages is the number of pages at the beginning and at the end of a file whose numbers are compared,
// so that a long file does not take minutes. The numbers of the others count as unseen.
const comparedPages = 15

// looks are the ways in which numbers are looked at, each for those that the one before did not see: all
// together, and then enlarged, each in a row of its own.
var looks = []look{{scale: 1, packed: true}, {scale: 3}, {scale: 2}}

type look struct {
	scale  int
	packed bool
}

// compareNumbers compares the numbers of a text layer with what the engine sees at their places on the
// rendered page, because letters that are drawn as lines or as a small image may show another amount than
// the text over them. A number that the engine reads in another way each time gets its reading as alternative,
// like that of a second engine; one that it does not see gets a low confidence.
func (t *task) compareNumbers(ctx context.Context, layer textWords, pic picture, number int) (textWords, error) {
	if !t.recognises {
		return layer, nil
	}
	if number > comparedPages && number <= len(t.pdfPages)-comparedPages {
		return layer.unseen(), nil
	}
	file, err := t.job.Open(pic.pixels, 4*maxDrawnPixels)
	if err != nil {
		return layer, err
	}
	defer func() { _ = file.Close() }()
	sheet, err := newSheet(file, layer, pic.dpi)
	if err != nil {
		return layer, err
	}
	layer.words = slices.Clone(layer.words)
	for _, i := range sheet.turned {
		layer.words[i].unseen = true
	}
	languages := t.languagesFor(layer.toPage(pic).Words, []string{"eng"})
	for round, look := range looks {
		if len(sheet.places) == 0 {
			return layer, nil
		}
		name := fmt.Sprintf("numbers-%d-%d.pgm", number, round)
		read, err := t.readSheet(ctx, sheet, look, name, languages)
		if ctx.Err() != nil {
			return layer, ctx.Err()
		}
		if err != nil {
			read = nil // nothing is seen
		}
		sheet.places = slices.DeleteFunc(sheet.places, func(p sheetPlace) bool {
			return sameNumber(layer.words[p.word].text, textIn(read, p.shown))
		})
		if round < len(looks)-1 {
			continue
		}
		for _, p := range sheet.places {
			layer.words[p.word].dispute(textIn(read, p.shown))
		}
	}
	return layer, nil
}

// unseen returns the layer with no number seen.
func (l textWords) unseen() textWords {
	l.words = slices.Clone(l.words)
	for i := range l.words {
		l.words[i].unseen = len(onlyDigits(l.words[i].text)) >= minSeenDigits
	}
	return l
}

// dispute records that the engine read something else at the place of the word, or nothing, which means
// nothing of two digits alone.
func (w *layerWord) dispute(read string) {
	_, tail := digitsAndTail(read)
	switch {
	case onlyDigits(read) == "":
		w.unseen = len(onlyDigits(w.text)) > minSeenDigits
	case onlyDigits(read) == onlyDigits(w.text) && tail < 0: // the engine often misses a point
		w.unseen = true
	default:
		w.unseen, w.other = true, read
	}
}

// seenConfidence is the confidence of what the engine saw instead of a number: enough to count.
func seenConfidence(read string) float64 {
	if read == "" {
		return 0
	}
	return seenTwice
}

// readSheet reads the places of a sheet with the engine.
func (t *task) readSheet(
	ctx context.Context, s *sheet, look look, name string, languages []string,
) ([]domain.Word, error) {
	pixels, width, height, err := s.draw(look)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("P5\n%d %d\n255\n", width, height)
	if _, err := t.job.Put(name, io.MultiReader(strings.NewReader(head), bytes.NewReader(pixels)), 0); err != nil {
		return nil, err
	}
	return t.engine.Recognise(ctx, t.job, Image{File: "../in/" + name, Width: width, Height: height,
		DPI: s.dpi * look.scale, Languages: languages, CorrelationID: t.req.CorrelationID})
}

// sheet is an image of nothing but the numbers of a page, which costs the engine less than the page.
type sheet struct {
	drawing
	dpi    int
	places []sheetPlace
	turned []int // words on their side, which the engine does not read
}

type sheetPlace struct {
	word  int        // of the layer
	from  domain.Box // on the page
	shown domain.Box // on the sheet
}

// newSheet returns the places of the numbers of a layer on a page. Each place reaches to the words beside
// it, at most three times its height, so that digits that the word leaves out are seen too.
func newSheet(file io.ReaderAt, layer textWords, dpi int) (*sheet, error) {
	head := make([]byte, 64)
	if n, err := file.ReadAt(head, 0); err != nil && n == 0 {
		return nil, err
	}
	shape, err := parsePNMHead(head)
	if err != nil {
		return nil, err
	}
	s := &sheet{drawing: drawing{file, shape, make([]byte, shape.width*shape.channels)}, dpi: dpi}
	scale := float64(dpi) / pointsInch
	boxes := make([]domain.Box, len(layer.words))
	for i, w := range layer.words {
		boxes[i] = w.box(scale)
	}
	for i, w := range layer.words {
		if len(onlyDigits(w.text)) < minSeenDigits {
			continue
		}
		if boxes[i].H > boxes[i].W && utf8.RuneCountInString(w.text) > minSeenDigits {
			s.turned = append(s.turned, i)
			continue
		}
		if from, ok := clip(withSpace(boxes, i), shape.width, shape.height); ok {
			s.places = append(s.places, sheetPlace{word: i, from: from})
		}
	}
	slices.SortStableFunc(s.places, func(a, b sheetPlace) int { return cmp.Compare(b.from.W, a.from.W) })
	s.places = s.places[:min(len(s.places), maxSeenWords)]
	slices.SortStableFunc(s.places, func(a, b sheetPlace) int { return cmp.Compare(a.from.H, b.from.H) })
	return s, nil
}

// withSpace returns the box of a word with the space around it that no other word of its row has.
func withSpace(boxes []domain.Box, at int) domain.Box {
	box := boxes[at]
	left, right := box.X-3*box.H, box.X+box.W+3*box.H
	for i, other := range boxes {
		high := min(box.Y+box.H, other.Y+other.H) - max(box.Y, other.Y)
		if i == at || 3*high < box.H {
			continue
		}
		if end := other.X + other.W; end <= box.X+box.H/4 {
			left = max(left, min(end, box.X))
		}
		if other.X >= box.X+box.W-box.H/4 {
			right = min(right, max(other.X, box.X+box.W))
		}
	}
	return domain.Box{X: left, Y: box.Y - box.H/12, W: right - left, H: box.H + box.H/6}
}

const (
	sheetWidth = 1400 // of a sheet that is not enlarged
	sheetGap   = 30
)

// draw returns the sheet in grey, enlarged: dark letters on white, in rows of places of nearly the same height.
func (s *sheet) draw(look look) (pixels []byte, width, height int, err error) {
	scale := look.scale
	x, y, row := sheetGap, sheetGap, 0
	widest := 0
	if look.packed {
		widest = sheetWidth
	}
	for _, p := range s.places {
		widest = max(widest, p.from.W+2*sheetGap)
	}
	for i := range s.places {
		p := &s.places[i]
		if x > sheetGap && (!look.packed || x+p.from.W+sheetGap > widest) {
			x, y, row = sheetGap, y+row+sheetGap/2, 0
		}
		p.shown = domain.Box{X: x * scale, Y: y * scale, W: p.from.W * scale, H: p.from.H * scale}
		x, row = x+p.from.W+sheetGap, max(row, p.from.H)
	}
	width, height = widest*scale, (y+row+sheetGap)*scale
	pixels = bytes.Repeat([]byte{255}, width*height)
	for _, p := range s.places {
		grey, err := s.grey(p.from)
		if err != nil {
			return nil, 0, 0, err
		}
		for at := range p.shown.W * p.shown.H {
			dx, dy := at%p.shown.W, at/p.shown.W
			pixels[(p.shown.Y+dy)*width+p.shown.X+dx] = between(grey, p.from.W, p.from.H, dx, dy, scale)
		}
	}
	return pixels, width, height, nil
}

// grey returns the pixels of a box in grey, dark on a light ground, and with its full contrast.
func (s *sheet) grey(box domain.Box) ([]byte, error) {
	grey := make([]byte, 0, box.W*box.H)
	low, high, sum := 255, 0, 0
	for y := range box.H {
		row := s.row[:box.W*s.shape.channels]
		at := int64(s.shape.offset) + int64((box.Y+y)*s.shape.width+box.X)*int64(s.shape.channels)
		if _, err := s.file.ReadAt(row, at); err != nil {
			return nil, err
		}
		for x := range box.W {
			value := int(row[x*s.shape.channels])
			if s.shape.channels == 3 {
				value = (30*value + 59*int(row[3*x+1]) + 11*int(row[3*x+2])) / 100
			}
			low, high, sum = min(low, value), max(high, value), sum+value
			grey = append(grey, byte(value))
		}
	}
	inverted := 2*sum < (low+high)*len(grey)
	for i, value := range grey {
		stretched := (int(value) - low) * 255 / max(1, high-low)
		if inverted {
			stretched = 255 - stretched
		}
		grey[i] = byte(stretched)
	}
	eraseRules(grey, box.W, box.H)
	return grey, nil
}

// eraseRules makes the ruled lines of a table white, because the engine takes a number at a line for a
// picture.
func eraseRules(grey []byte, width, height int) {
	erase := func(count, step, across, most int) {
		for i := range count {
			dark := 0
			for j := range most {
				if grey[i*step+j*across] < 128 {
					dark++
				}
			}
			for j := 0; 10*dark >= 9*most && j < most; j++ {
				grey[i*step+j*across] = 255
			}
		}
	}
	erase(height, width, 1, width)
	erase(width, 1, width, height)
}

// between returns a pixel of an enlarged image, interpolated between those of the image.
func between(grey []byte, width, height, x, y, scale int) byte {
	left, top := x/scale, y/scale
	right, down := min(left+1, width-1), min(top+1, height-1)
	dx, dy := x%scale, y%scale
	mix := func(a, b byte, part int) int { return int(a)*(scale-part) + int(b)*part }
	upper := mix(grey[top*width+left], grey[top*width+right], dx)
	lower := mix(grey[down*width+left], grey[down*width+right], dx)
	return byte((upper*(scale-dy) + lower*dy) / (scale * scale))
}

// textIn returns the words whose middle is in the box, from left to right.
func textIn(words []domain.Word, box domain.Box) string {
	var within []domain.Word
	for _, w := range words {
		x, y := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2
		if x >= box.X && x < box.X+box.W && y >= box.Y && y < box.Y+box.H {
			within = append(within, w)
		}
	}
	slices.SortStableFunc(within, func(a, b domain.Word) int { return cmp.Compare(a.Box.X, b.Box.X) })
	texts := make([]string, len(within))
	for i, w := range within {
		texts[i] = w.Text
	}
	return strings.Join(texts, "")
}

// alikeDigits replaces letters by the digits that they look like.
var alikeDigits = strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1", "|", "1", "S", "5", "s", "5", "Z", "2",
	"z", "2", "B", "8", "i", "1")

// sameNumber reports whether the engine read the number of a word: the same digits, where letters can be the
// digits that they look like, and as many of them after the last point or comma. Otherwise a hidden 984.00
// would be taken for a shown 98,400, and one date for another.
func sameNumber(word, read string) bool {
	if word == read {
		return true
	}
	wordDigits, wordTail := digitsAndTail(word)
	readDigits, readTail := digitsAndTail(read)
	if wordTail != readTail || otherDate(word, read) {
		return false
	}
	return wordDigits == readDigits || onlyDigits(word) == onlyDigits(read)
}

var dayMonthYear = regexp.MustCompile(`(?:^|\D)(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}(?:\D|$)`)

// otherDate reports whether both texts have a date and the days or months differ: 1.12.2026 and 11.2.2026 have the
// same digits.
func otherDate(word, read string) bool {
	is, seen := dayMonthYear.FindStringSubmatch(word), dayMonthYear.FindStringSubmatch(alikeDigits.Replace(read))
	return is != nil && seen != nil && !slices.Equal(is[1:], seen[1:])
}

// digitsAndTail returns the digits of a text, with letters as the digits that they look like, and how many
// follow its last point or comma; -1 without one.
func digitsAndTail(text string) (digits string, tail int) {
	digits, tail = onlyDigits(alikeDigits.Replace(text)), -1
	if at := strings.LastIndexAny(strings.TrimRightFunc(text, unicode.IsPunct), ".,"); at >= 0 {
		tail = len(onlyDigits(text[at:]))
	}
	return digits, tail
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
