package archivecopy

import (
	"fmt"
	"strings"
	"unicode"

	"countersign/domain"
)

// textLayer is the text of one page, in the operators of a content stream.
type textLayer struct {
	content strings.Builder
	set     *fontSet
	fonts   []*font // that the page uses
	current *font
	size    int
}

// placedWord is a word whose visible part is known.
type placedWord struct {
	runes                    []rune
	line                     int
	left, top, width, height int
}

// textLayer returns the words of a page as invisible text, in their order. Words outside of the image
// are left out, because the image does not show them.
func (w *Writer) textLayer(p *Page) *textLayer {
	layer := &textLayer{set: &w.fonts}
	var placed []placedWord
	for i := range p.Words {
		if word, ok := place(&p.Words[i], p.Width, p.Height); ok {
			placed = append(placed, word)
		}
	}
	if len(placed) == 0 {
		return layer
	}
	const invisible = 3
	fmt.Fprintf(&layer.content, "BT\n%d Tr\n", invisible)
	for i := range placed {
		layer.show(&placed[i], p.Height)
		if i+1 < len(placed) {
			layer.showSpace(&placed[i], &placed[i+1], p.Height)
		}
		layer.content.WriteByte('\n')
	}
	layer.content.WriteString("ET\n")
	for _, font := range layer.fonts {
		if font.object == 0 {
			font.object = w.newObject()
		}
	}
	return layer
}

// place returns the part of a word on the image; false if there is none.
func place(word *domain.Word, width, height int) (placedWord, bool) {
	left, right, wide := visible(word.Box.X, word.Box.W, width)
	top, bottom, high := visible(word.Box.Y, word.Box.H, height)
	placed := placedWord{runes: mappable(word.Text), line: word.Line, left: left, top: top,
		width: right - left, height: bottom - top}
	return placed, wide && high && len(placed.runes) > 0
}

// visible returns the part of a side within the image. A side of no length has one pixel.
func visible(at, size, limit int) (from, to int, ok bool) {
	const most = 1 << 24 // far outside of every image
	at, size = min(max(at, -most), most), min(max(size, 1), most)
	from, to = max(at, 0), min(at+size, limit)
	return from, to, from < to
}

// mappable returns the characters of a text that a file may map to: no controls, no marks of the byte
// order and no values that are no characters (ISO 19005-2, 6.2.11.7.2). Bytes that are no text become
// U+FFFD.
func mappable(text string) []rune {
	runes := make([]rune, 0, len(text))
	for _, r := range text {
		const byteOrderMark, lastOfPlane = 0xfeff, 0xfffe
		if !unicode.IsControl(r) && r != byteOrderMark && r&lastOfPlane != lastOfPlane {
			runes = append(runes, r)
		}
	}
	return runes
}

// show writes a word so that it fills its box.
func (l *textLayer) show(p *placedWord, pageHeight int) {
	l.size = p.height
	l.current = nil // the size may differ
	l.stretch(p.width, len(p.runes))
	l.moveTo(p.left, pageHeight-p.top-p.height)
	l.showRunes(visualOrder(p.runes))
}

// showSpace writes a space between two words of a line, as wide as the gap. Characters of Chinese and
// Japanese that touch each other are one text.
func (l *textLayer) showSpace(p, next *placedWord, pageHeight int) {
	if p.line != next.line {
		return
	}
	rightToLeft := firstStrong(p.runes)
	gap := next.left - p.left - p.width
	if rightToLeft {
		gap = p.left - next.left - next.width
	}
	if gap < p.height/4 && writtenWithoutSpaces(p.runes[len(p.runes)-1]) &&
		writtenWithoutSpaces(next.runes[0]) {
		return
	}
	gap = max(gap, 1)
	l.stretch(gap, 1)
	if rightToLeft {
		l.moveTo(p.left-gap, pageHeight-p.top-p.height)
	}
	l.showRunes([]rune{' '})
}

func (l *textLayer) moveTo(x, y int) { fmt.Fprintf(&l.content, "1 0 0 1 %d %d Tm ", x, y) }

func writtenWithoutSpaces(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// stretch sets the horizontal scale by which so many characters are so wide.
func (l *textLayer) stretch(width, characters int) {
	const percent, fraction = 100, 1_000_000
	scale := int64(width) * glyphUnits / glyphWidth * percent * fraction / (int64(characters) * int64(l.size))
	fmt.Fprintf(&l.content, "%s Tz ", decimal(max(scale, 1), fraction))
}

// maxShown is the number of characters in one string, which may have up to 32,767 bytes.
const maxShown = 8000

// showRunes writes characters, with a change of the font where one is in another font.
func (l *textLayer) showRunes(runes []rune) {
	codes := 0
	end := func() {
		if codes > 0 {
			l.content.WriteString("> Tj ")
		}
		codes = 0
	}
	for _, r := range runes {
		font, code := l.set.code(r)
		if font != l.current {
			end()
			l.current = font
			l.use(font)
			fmt.Fprintf(&l.content, "/%s %d Tf ", font.name, l.size)
		}
		if codes == maxShown {
			end()
		}
		if codes == 0 {
			l.content.WriteByte('<')
		}
		codes++
		fmt.Fprintf(&l.content, "%04X", code)
	}
	end()
}

func (l *textLayer) use(wanted *font) {
	for _, f := range l.fonts {
		if f == wanted {
			return
		}
	}
	l.fonts = append(l.fonts, wanted)
}
