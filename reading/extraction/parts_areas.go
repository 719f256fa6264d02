package extraction

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// area is a part of a page with a document of its own, or the whole page.
type area struct {
	words []domain.Word
	marks marks
	whole bool
	place domain.PartPlace
	sign  sign
}

func (a area) part(page int, before sign) domain.DocumentPart {
	part := domain.DocumentPart{First: page, Last: page, Reason: before.reason,
		Confidence: before.confidence}
	if !a.whole {
		box := a.words[0].Box
		for _, w := range a.words[1:] {
			box = unionBox(box, w.Box)
		}
		part.Box, part.Place = &box, a.place
		part.Reason, part.Confidence = a.sign.reason, a.sign.confidence
	}
	return part
}

const (
	// maxAreas limits the documents on one page, maxCuts the places at which a page is divided, and
	// maxGaps the gaps from which these are chosen.
	maxAreas = 9
	maxCuts  = 5
	maxGaps  = 60
	// maxPageWords is the number of words of a page among which several documents are looked for.
	maxPageWords = 3000
	// minAreaWords is the number of words that an area must have.
	minAreaWords = 12
)

// pageAreas returns the documents on a page in reading order; one area if there is only one, without
// marks if the page is the only one of its file, and none for a page without words. mayDivide says
// whether it looks for several.
func pageAreas(page domain.Page, only, mayDivide bool) []area {
	layout := newDocumentLayout([]domain.Page{page})
	if len(layout.words) == 0 {
		return nil
	}
	whole := area{words: page.Words, whole: true}
	var areas []area
	if mayDivide {
		page.Words = page.Words[:min(len(page.Words), maxPageWords)]
		areas = divide(page, area{words: page.Words, whole: true}, layout.labelBoxes(), 0)
	}
	if len(areas) < 2 {
		if !only {
			whole.marks = layout.marksOf(page)
		}
		return []area{whole}
	}
	for i := range areas {
		areas[i].whole = false
		if len(areas) > 2 {
			areas[i].place = domain.PlaceArea
		}
	}
	return areas
}

// labelBoxes are the places of labels on a page, from which the sides of a gap can be judged quickly.
type labelBoxes struct {
	totals  []domain.Box
	headers []domain.Box // words for the type, legal forms, tax and register numbers
}

// labelBoxes returns where the page has labels of totals and headers.
func (s *documentLayout) labelBoxes() labelBoxes {
	var found labelBoxes
	for _, r := range s.rows {
		add := func(to *[]domain.Box, all [][]int) {
			for _, at := range all {
				if words := r.wordsBetween(at[0], at[1]); len(words) > 0 {
					*to = append(*to, words[0].Box)
				}
			}
		}
		const most = 4 // in a row
		add(&found.totals, plainLabel.FindAllStringIndex(r.folded, most))
		add(&found.totals, grandLabel.FindAllStringIndex(r.folded, most))
		add(&found.headers, typeWord.FindAllStringIndex(r.text, most))
		add(&found.headers, strongForm.FindAllStringIndex(r.text, most))
		add(&found.headers, partyMark.FindAllStringIndex(r.text, most))
	}
	return found
}

// mayDivide reports whether documents could lie on both sides of the gap: both have a header, and one
// has a total. Beside a wide vertical gap the labels of one side may be unreadable.
func (l labelBoxes) mayDivide(at cut) bool {
	if len(l.totals) == 0 || at.vertical && at.gap >= wideGap {
		return len(l.totals) > 0
	}
	before := func(box domain.Box) bool { return at.position(box) < 0 }
	return slices.ContainsFunc(l.headers, before) &&
		slices.ContainsFunc(l.headers, func(box domain.Box) bool { return !before(box) })
}

// divide divides an area where both sides are documents of their own, and these again.
func divide(page domain.Page, whole area, labels labelBoxes, depth int) []area {
	if depth > 3 {
		return []area{whole}
	}
	var best [2]area
	found := sign{}
	for _, vertical := range []bool{true, false} {
		for _, at := range cuts(whole.words, vertical) {
			if !labels.mayDivide(at) {
				continue
			}
			first, second := at.sides(whole.words)
			a, b := newArea(page, first), newArea(page, second)
			if says := separate(at, a.marks, b.marks); says.begins &&
				says.confidence > found.confidence {
				a.sign, b.sign, found = says, says, says
				a.place, b.place = domain.PlaceTop, domain.PlaceBottom
				if vertical {
					a.place, b.place = domain.PlaceLeft, domain.PlaceRight
				}
				best = [2]area{a, b}
			}
		}
	}
	if !found.begins {
		return []area{whole}
	}
	all := append(divide(page, best[0], labels, depth+1),
		divide(page, best[1], labels, depth+1)...)
	return all[:min(len(all), maxAreas)]
}

func newArea(page domain.Page, words []domain.Word) area {
	page.Words = words
	layout := newDocumentLayout([]domain.Page{page})
	return area{words: words, marks: layout.marksOf(page)}
}

const (
	// minGap is the width of a gap that is looked at, in heights of the text.
	minGap = 1.0
	// clearGap and wideGap are widths of a gap in heights of the text.
	clearGap, wideGap = 2.5, 3
	// minFacts is the number of facts of a document that both sides of a clear gap must show together,
	// of four each, and minSideFacts that of each side.
	minFacts, minSideFacts = 5, 2
)

// separate compares two sides of a page. Without a clear gap both must be complete. Beside a wide
// vertical gap two blocks that both have text and amounts are enough, because the columns of one
// receipt have text on one side and amounts on the other. For the same reason a column of amounts is no
// document, unless both sides have numbers of their own.
func separate(between cut, a, b marks) sign {
	if hasCommon(a.numbers, b.numbers) || a.hasTotal() && a.total == b.total {
		return sign{}
	}
	if between.vertical && (a.isColumnOf(b) || b.isColumnOf(a)) && !differ(a.numbers, b.numbers) {
		return sign{}
	}
	one := a.hasTotal() || b.hasTotal()
	totals := a.hasTotal() && b.hasTotal() || one && between.vertical ||
		one && a.isBlock() && b.isBlock() && conflict(a.ids, b.ids) && a.date != "" && b.date != "" && a.date != b.date
	clear := between.gap >= clearGap && totals &&
		min(a.facts(), b.facts()) >= minSideFacts && a.facts()+b.facts() >= minFacts
	wide := between.vertical && between.gap >= wideGap
	blocks := wide && a.isBlock() && b.isBlock()
	numbers := wide && differ(a.numbers, b.numbers)
	if !clear && !blocks && !numbers && !(a.complete() && b.complete()) {
		return sign{}
	}
	w := compare(a, b)
	switch {
	case blocks:
		w.add(threshold, domain.PartFormat)
	case between.gap >= wideGap:
		w.add(2.5, domain.PartFormat)
	case between.gap >= clearGap:
		w.add(1.5, domain.PartFormat)
	}
	return w.sign()
}

// cut is a line through a page that no words cross: x, or y, at the middle of the page's other
// dimension, with its slope.
type cut struct {
	vertical bool
	at       float64
	slope    float64
	width    int     // of the gap, in pixels
	gap      float64 // the same in heights of the text
}

// position returns the distance of the middle of a box from the line, negative before it.
func (c cut) position(box domain.Box) float64 {
	x, y := float64(box.X)+float64(box.W)/2, float64(box.Y)+float64(box.H)/2
	if c.vertical {
		return x - c.slope*y - c.at
	}
	return y - c.slope*x - c.at
}

func (c cut) sides(words []domain.Word) (first, second []domain.Word) {
	for _, w := range words {
		if c.position(w.Box) < 0 {
			first = append(first, w)
		} else {
			second = append(second, w)
		}
	}
	return first, second
}

// slopes are the slopes at which gaps are searched, for pages that lie askew.
var slopes = []float64{0, 0.02, -0.02, 0.05, -0.05}

// cuts returns the widest gaps between words in one direction.
func cuts(words []domain.Word, vertical bool) []cut {
	solid := solidWords(words)
	if len(solid) < 2*minAreaWords {
		return nil
	}
	var found []cut
	for _, slope := range slopes {
		found = append(found, gaps(solid, vertical, slope)...)
	}
	slices.SortStableFunc(found, func(a, b cut) int { return cmp.Compare(b.width, a.width) })
	height := float64(max(1, medianWordHeight(solid)))
	var chosen []cut
	var before []int // numbers of words before the chosen gaps
	for _, c := range found[:min(len(found), maxGaps)] {
		c.gap = float64(c.width) / height
		if c.gap < minGap || len(chosen) == maxCuts {
			break
		}
		first, second := c.sides(solid)
		if min(len(first), len(second)) >= minAreaWords && !slices.Contains(before, len(first)) {
			chosen, before = append(chosen, c), append(before, len(first))
		}
	}
	return chosen
}

// solidWords returns the words that are not marks of an edge or a shadow.
func solidWords(words []domain.Word) []domain.Word {
	if len(words) == 0 {
		return nil
	}
	tall := 4 * medianWordHeight(words)
	return slices.DeleteFunc(slices.Clone(words), func(w domain.Word) bool {
		return w.Box.H > tall || w.Confidence < 0.3 || !strings.ContainsFunc(w.Text,
			func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
}

// medianWordHeight returns the median height of the words, of which there is at least one.
func medianWordHeight(words []domain.Word) int {
	heights := make([]int, len(words))
	for i, w := range words {
		heights[i] = w.Box.H
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// gaps returns the gaps between the words along one slope that at most one word in a hundred crosses.
func gaps(words []domain.Word, vertical bool, slope float64) []cut {
	type edge struct {
		at   float64
		step int
	}
	line := cut{vertical: vertical, slope: slope}
	edges := make([]edge, 0, 2*len(words))
	for _, w := range words {
		middle, half := line.position(w.Box), float64(w.Box.W)/2
		if !vertical {
			half = float64(w.Box.H) / 2
		}
		edges = append(edges, edge{middle - half, 1}, edge{middle + half, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.step, a.step))
	})
	var found []cut
	crossing, allowed := 0, len(words)/100
	for i := range len(edges) - 1 {
		crossing += edges[i].step
		if width := edges[i+1].at - edges[i].at; crossing <= allowed && width > 0 {
			found = append(found, cut{vertical: vertical,
				at: edges[i].at + width/2, slope: slope, width: int(width)})
		}
	}
	return found
}
