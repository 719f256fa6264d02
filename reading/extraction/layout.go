package extraction

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// word is a word with data for the search.
type word struct {
	domain.Word
	page   int
	source domain.FieldSource
	row    *row
	at     int // offset of its first byte in the row's text
	// compared says that two engines read the page.
	compared bool
}

// twoEngines is the engine of a page that two engines read, whose readings were compared.
const twoEngines = "both"

// minAgreed is the confidence from which a word of a compared page without an alternative was read alike
// by both engines. A word that could not be compared has less.
const minAgreed = 0.75

// isAgreed reports whether two engines read the word alike.
func (w *word) isAgreed() bool {
	return w.compared && w.Alternative == "" && w.Confidence >= minAgreed
}

// row holds the words at one height of a page, from left to right.
type row struct {
	page   int
	index  int // over all pages
	words  []*word
	text   string // words joined by a space, Chinese ones without
	folded string // text in lower case; same length as text
	box    domain.Box
	// pageWidth and pageHeight are the size of the page.
	pageWidth, pageHeight int
	// unrepaired says that letters and digits stay as the engine read them.
	unrepaired bool
}

// documentLayout is a document as rows of words.
type documentLayout struct {
	rows  []*row
	words []*word
	text  string // all rows, for marks at any position
	// announces says whether the pages announce another account; nil until it is asked.
	announces *bool
	// without are the parts of the extraction that a measurement leaves out.
	without Ablation
}

// maxWords limits the work for a document. Further words are ignored.
const maxWords = 60_000

// newDocumentLayout groups the words of each page into rows. It keeps the lines of an OCR engine,
// because they follow a skewed page, and joins the lines of a text layer across columns by height.
func newDocumentLayout(pages []domain.Page) *documentLayout {
	s := &documentLayout{}
	for _, page := range pages {
		var words []*word
		for _, w := range page.Words {
			text := strings.Join(strings.Fields(w.Text), "")
			if text == "" || !utf8.ValidString(text) || w.Box.W < 1 || w.Box.H < 1 ||
				len(text) > 200 {
				continue
			}
			w.Text = text
			words = append(words, &word{Word: w, page: page.Number, source: page.Source,
				compared: page.Engine == twoEngines})
		}
		if len(s.words)+len(words) > maxWords {
			break
		}
		s.words = append(s.words, words...)
		for _, line := range lines(words, page.Source) {
			s.rows = append(s.rows, newRow(line, len(s.rows), page))
		}
	}
	texts := make([]string, len(s.rows))
	for i, r := range s.rows {
		texts[i] = r.text
	}
	s.text = strings.Join(texts, "\n")
	return s
}

func lines(words []*word, source domain.FieldSource) [][]*word {
	if source == domain.SourceOCR {
		byLine := map[int][]*word{}
		var order []int
		for _, w := range words {
			if _, ok := byLine[w.Line]; !ok {
				order = append(order, w.Line)
			}
			byLine[w.Line] = append(byLine[w.Line], w)
		}
		result := make([][]*word, 0, len(order))
		for _, line := range order {
			result = append(result, byLine[line])
		}
		return result
	}
	slices.SortStableFunc(
		words, func(a, b *word) int { return cmp.Compare(doubleMiddle(a), doubleMiddle(b)) },
	)
	var result [][]*word
	for _, w := range words {
		last := len(result) - 1
		if last >= 0 && sameHeight(result[last], w) {
			result[last] = append(result[last], w)
			continue
		}
		result = append(result, []*word{w})
	}
	return result
}

func doubleMiddle(w *word) int { return 2*w.Box.Y + w.Box.H }

// sameHeight reports whether the vertical centres of the word and of the row's first word lie
// within each other, or nearly.
func sameHeight(line []*word, w *word) bool {
	first := line[0]
	distance := doubleMiddle(first) - doubleMiddle(w)
	if distance < 0 {
		distance = -distance
	}
	return distance <= min(first.Box.H, w.Box.H)*8/10
}

func newRow(words []*word, index int, page domain.Page) *row {
	slices.SortStableFunc(words, func(a, b *word) int { return cmp.Compare(a.Box.X, b.Box.X) })
	r := &row{
		page: page.Number, index: index, words: words, box: words[0].Box,
		pageWidth: page.Width, pageHeight: page.Height,
	}
	var text strings.Builder
	for i, w := range words {
		if i > 0 &&
			!(endsHan(words[i-1].Text) && beginsHan(w.Text)) { // engines split Chinese into single characters
			text.WriteByte(' ')
		}
		w.row, w.at = r, text.Len()
		text.WriteString(w.Text)
		r.box = unionBox(r.box, w.Box)
	}
	r.text = text.String()
	r.folded = foldForSearch(r.text)
	return r
}

func beginsHan(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.Is(unicode.Han, first)
}

func endsHan(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.Han, last)
}

// wordsBetween returns the words that overlap the bytes [from, to) of the row's text.
func (r *row) wordsBetween(from, to int) []*word {
	var touched []*word
	for _, w := range r.words {
		if w.at < to && w.at+len(w.Text) > from {
			touched = append(touched, w)
		}
	}
	return touched
}

// meanConfidence returns the mean confidence of the words.
func meanConfidence(words []*word) float64 {
	if len(words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range words {
		sum += w.Confidence
	}
	return sum / float64(len(words))
}

func unionBox(a, b domain.Box) domain.Box {
	left, top := min(a.X, b.X), min(a.Y, b.Y)
	return domain.Box{
		X: left, Y: top, W: max(a.X+a.W, b.X+b.W) - left, H: max(a.Y+a.H, b.Y+b.H) - top,
	}
}

// foldForSearch converts ASCII letters to lower case and keeps all other bytes, so that offsets do
// not change.
func foldForSearch(text string) string {
	out := []byte(text)
	for i, b := range out {
		if b >= 'A' && b <= 'Z' {
			out[i] = b + 'a' - 'A'
		}
	}
	return string(out)
}
