package extraction

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// numericKinds are the kinds of columns whose cells are numbers.
var numericKinds = []columnKind{columnQuantity, columnPrice, columnAmount, columnRate,
	columnDiscount}

// rowCells are the cells of a row by column.
type rowCells struct {
	row     *tableRow
	numbers map[columnKind]*cellNumber
	text    []*word // of the description
	unit    []*word
	label   string // all text before the last number, folded
}

// values returns how many of quantity, price and amount the row has.
func (c rowCells) values() int {
	count := 0
	for _, kind := range []columnKind{columnQuantity, columnPrice, columnAmount} {
		if c.numbers[kind] != nil {
			count++
		}
	}
	return count
}

// cellsOf assigns the words of a row to the columns. textLeft is the left edge of the descriptions so
// far, 0 if unknown.
func (h tableHeader) cellsOf(r *tableRow, point string, textLeft int) rowCells {
	found := rowCells{row: r, numbers: map[columnKind]*cellNumber{}}
	for _, cell := range r.cells() {
		var text []*word
		for i := 0; i < len(cell); {
			n, used := numberAt(cell, i, point, r.source == domain.SourceOCR)
			kind, overlaps := columnNone, false
			if used > 0 {
				kind, overlaps = h.columnOfNumber(n)
			}
			alone := len(text) == 0 || i+used == len(cell) && overlaps
			if used > 0 && alone && slices.Contains(numericKinds, kind) &&
				found.numbers[kind] == nil {
				h.addText(&found, text, textLeft)
				text = nil
				found.numbers[kind] = n
				i += used
				continue
			}
			text = append(text, cell[i])
			i++
		}
		h.addText(&found, text, textLeft)
	}
	found.label = labelBeforeLast(r)
	return found
}

// labelBeforeLast returns the text of the row before its last number, folded.
func labelBeforeLast(r *tableRow) string {
	text := r.text()
	if at := strings.LastIndexFunc(text, unicode.IsLetter); at >= 0 {
		for i, b := range text[at:] {
			if unicode.IsDigit(b) {
				text = text[:at+i]
				break
			}
		}
	}
	return foldForSearch(text)
}

// numberAt parses the number that starts at the i-th word of a cell, with the words that belong to
// it: its currency, percent sign or unit, or the groups of its digits.
func numberAt(cell []*word, i int, point string, mayRepair bool) (*cellNumber, int) {
	for count := min(3, len(cell)-i); count > 0; count-- {
		words := cell[i : i+count]
		withDigits := 0
		for _, w := range words {
			if strings.ContainsFunc(w.Text, unicode.IsDigit) {
				withDigits++
			}
		}
		text := joinWords(words)
		if withDigits > 1 {
			joined, ok := joinAmountWords(words, false)
			if !ok {
				continue
			}
			text = joined
		}
		if withDigits == 0 {
			continue
		}
		n, ok := numberOf(text, point)
		if !ok && mayRepair && count == 1 {
			n, ok = repairedNumber(text, point)
		}
		if ok {
			n.words = words
			return &n, count
		}
	}
	return nil, 0
}

// columnOfNumber returns the column that a number belongs to: the one whose label is nearest.
// overlaps says that the label is above it.
func (h tableHeader) columnOfNumber(n *cellNumber) (kind columnKind, overlaps bool) {
	from := n.words[0].Box.X
	last := n.words[len(n.words)-1].Box
	to := last.X + last.W
	best := 0
	for i, c := range h.columns {
		isRate := c.kind == columnRate || c.kind == columnDiscount
		if n.percent && !isRate {
			continue
		}
		distance := distanceBetween(from, to, c)
		// Numbers are as a rule set to the right end of their column, texts to the left.
		if i == 0 || kind == columnNone || distance < best {
			kind, best = c.kind, distance
		}
	}
	if best > 8*n.words[0].Box.H {
		return columnNone, false
	}
	return kind, best <= 0
}

// distanceBetween returns the gap between an extent and a column; below 0 the width of the overlap.
func distanceBetween(from, to int, c tableColumn) int { return max(c.from-to, from-c.to) }

// addText adds words that are no numbers: to the description, or to the unit if they are in its
// column or next to a quantity.
func (h tableHeader) addText(found *rowCells, words []*word, textLeft int) {
	for len(words) > 0 {
		cut := len(words)
		for i := 1; i < len(words) && textLeft > 0; i++ {
			distance := words[i].Box.X - textLeft
			if max(distance, -distance)*10 <= 4*words[i].Box.H && words[0].Box.X < textLeft {
				cut = i
				break
			}
		}
		part := words[:cut]
		words = words[cut:]
		switch h.columnOfText(part, textLeft) {
		case columnText:
			found.text = append(found.text, part...)
		case columnUnit:
			found.unit = append(found.unit, part...)
		}
	}
}

// columnOfText returns the column that a text belongs to by its left edge, because texts can be wider
// than their column.
func (h tableHeader) columnOfText(words []*word, textLeft int) columnKind {
	first, last := words[0].Box, words[len(words)-1].Box
	if distance := first.X - textLeft; textLeft > 0 && max(distance, -distance)*10 <= 6*first.H {
		return columnText
	}
	kind, best := columnNone, 0
	for _, c := range h.columns {
		distance := distanceBetween(first.X, last.X+last.W, c)
		if distance < 0 && slices.Contains(numericKinds, c.kind) {
			distance = 0 // a text can reach below the labels of numbers
		}
		if kind == columnNone || distance < best {
			kind, best = c.kind, distance
		}
	}
	if isUnit(words) {
		return columnUnit
	}
	if slices.Contains(numericKinds, kind) && h.isBehindDescription(first.X) {
		return columnText
	}
	return kind
}

// isBehindDescription reports whether the description is the last column that begins before a
// horizontal position.
func (h tableHeader) isBehindDescription(x int) bool {
	kind := columnNone
	for _, c := range h.columns {
		if c.from <= x || kind == columnNone {
			kind = c.kind
		}
	}
	return kind == columnText
}

func isUnit(words []*word) bool {
	return len(words) == 1 && unitWords[strings.ToLower(strings.Trim(words[0].Text, ",;:"))]
}
