package extraction

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// tableRow holds the words at one height of a page, from left to right.
type tableRow struct {
	page   int
	source domain.FieldSource
	words  []*word
	box    domain.Box
	height int // of a typical word
}

// tableColumn is a column with the horizontal extent of its label.
type tableColumn struct {
	kind     columnKind
	from, to int
	// codeAbove says that the first printed line of an item in this column is a code, because the
	// label of a code is above that of the description.
	codeAbove bool
}

// tableHeader is the header of a table: its columns from left to right, and the index of the last of
// its rows.
type tableHeader struct {
	columns []tableColumn
	last    int
}

// tableRows returns the rows of a document. Lines of an OCR engine at the same height are one row,
// because engines take columns apart. Upright words are left out.
func (s *documentLayout) tableRows() []*tableRow {
	var rows []*tableRow
	for _, r := range s.rows {
		words := slices.DeleteFunc(slices.Clone(r.words), func(w *word) bool {
			return len([]rune(w.Text)) > 2 && w.Box.H > w.Box.W
		})
		if len(words) == 0 {
			continue
		}
		row := newTableRow(words)
		if row.source == domain.SourceOCR {
			if at := slices.IndexFunc(rows[max(0, len(rows)-60):], row.continues); at >= 0 {
				other := rows[max(0, len(rows)-60)+at]
				*other = *newTableRow(append(other.words, row.words...))
				continue
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b *tableRow) int {
		return cmp.Or(cmp.Compare(a.page, b.page),
			cmp.Compare(2*a.box.Y+a.box.H, 2*b.box.Y+b.box.H))
	})
	return rows
}

func newTableRow(words []*word) *tableRow {
	slices.SortStableFunc(words, func(a, b *word) int { return cmp.Compare(a.Box.X, b.Box.X) })
	r := &tableRow{page: words[0].page, source: words[0].source, words: words, box: words[0].Box}
	heights := make([]int, len(words))
	for i, w := range words {
		heights[i] = w.Box.H
		r.box = unionBox(r.box, w.Box)
	}
	slices.Sort(heights)
	r.height = max(heights[len(heights)/2], 1)
	return r
}

// continues reports whether the row lies beside another one at the same height, where their nearest
// words are compared, because a page can be skewed.
func (r *tableRow) continues(other *tableRow) bool {
	left, right := other, r
	if r.box.X < other.box.X {
		left, right = r, other
	}
	if left.page != right.page || left.box.X+left.box.W > right.box.X {
		return false
	}
	a, b := left.words[len(left.words)-1], right.words[0]
	distance := doubleMiddle(a) - doubleMiddle(b)
	return max(distance, -distance) <= min(left.height, right.height)*9/10
}

// cells splits the row where the gap between words is wider than between the words of a text.
func (r *tableRow) cells() [][]*word {
	var cells [][]*word
	for i, w := range r.words {
		if i == 0 || gapBetween(r.words[i-1], w)*10 > 7*r.height {
			cells = append(cells, nil)
		}
		cells[len(cells)-1] = append(cells[len(cells)-1], w)
	}
	return cells
}

func gapBetween(a, b *word) int { return b.Box.X - (a.Box.X + a.Box.W) }

func (r *tableRow) text() string { return joinWords(r.words) }

func (r *tableRow) hasDigits() bool {
	return strings.ContainsFunc(r.text(), unicode.IsDigit)
}

// joinWords joins words by spaces, Chinese ones without, and those of a right-to-left script in their
// order of reading.
func joinWords(words []*word) string {
	var text strings.Builder
	ordered := words
	if isRightToLeft(words) {
		ordered = slices.Clone(words)
		slices.Reverse(ordered)
	}
	for i, w := range ordered {
		if i > 0 && !(endsHan(ordered[i-1].Text) && beginsHan(w.Text)) {
			text.WriteByte(' ')
		}
		text.WriteString(w.Text)
	}
	return text.String()
}

func isRightToLeft(words []*word) bool {
	right, other := 0, 0
	for _, w := range words {
		for _, r := range w.Text {
			switch {
			case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana):
				right++
			case unicode.IsLetter(r):
				other++
			}
		}
	}
	return right > other
}

// labels returns the columns that the words of a cell name, the longest label first. whole demands
// that every word belongs to a label.
func labels(cell []*word, whole bool) []tableColumn {
	var found []tableColumn
	for i := 0; i < len(cell); {
		used := 0
		for count := min(maxLabelWords, len(cell)-i); count > 0 && used == 0; count-- {
			kind := columnLabels[labelText(joinWords(cell[i:i+count]))]
			if kind == columnNone {
				continue
			}
			last := cell[i+count-1].Box
			found = append(found, tableColumn{kind: kind, from: cell[i].Box.X, to: last.X + last.W})
			used = count
		}
		if used == 0 && whole {
			return nil
		}
		i += max(used, 1)
	}
	return found
}

// headerAt returns the header whose main row is rows[i]. ok is false if the row does not name at
// least a description or a quantity, and an amount or a price.
func headerAt(rows []*tableRow, i int) (tableHeader, bool) {
	main := rows[i]
	if slices.ContainsFunc(main.words, func(w *word) bool {
		return markedDecimals.MatchString(w.Text)
	}) {
		return tableHeader{}, false
	}
	var columns []tableColumn
	for _, cell := range main.cells() {
		columns = append(columns, labels(cell, false)...)
	}
	if len(columns) < 2 || len(columns)*4 < len(main.words) {
		return tableHeader{}, false
	}
	header := tableHeader{last: i}
	extra := []tableColumn{}
	for j := max(0, i-4); j < min(len(rows), i+5); j++ {
		near := rows[j]
		distance := near.box.Y - main.box.Y
		if j == i || near.page != main.page || max(distance, -distance) > 3*main.height ||
			near.hasDigits() {
			continue
		}
		var named []tableColumn
		for _, cell := range near.cells() {
			named = append(named, labels(cell, true)...)
		}
		for at := range named {
			named[at].codeAbove = j < i // only for the merge below
		}
		if extra = append(extra, named...); len(named) > 0 && j > i {
			header.last = j
		}
	}
	header.columns = mergeColumns(columns, extra)
	return header, header.isTable()
}

// mergeColumns joins the labels above and below those of the main row, and gives columns of the same
// kind their meaning by their order.
func mergeColumns(columns, extra []tableColumn) []tableColumn {
	for i := range columns {
		columns[i].codeAbove = false
	}
	for _, label := range extra {
		above := label.codeAbove
		label.codeAbove = false
		at := slices.IndexFunc(columns, func(c tableColumn) bool {
			return label.from < c.to && c.from < label.to
		})
		if at < 0 {
			columns = append(columns, label)
			continue
		}
		c := &columns[at]
		pair := [2]columnKind{c.kind, label.kind}
		if above {
			pair = [2]columnKind{label.kind, c.kind}
		}
		c.codeAbove = c.codeAbove || pair == [2]columnKind{columnCode, columnText}
		if columnRank[label.kind] > columnRank[c.kind] {
			c.kind = label.kind
		}
		c.from, c.to = min(c.from, label.from), max(c.to, label.to)
	}
	slices.SortStableFunc(columns, func(a, b tableColumn) int { return cmp.Compare(a.from, b.from) })
	return orderColumns(columns)
}

// orderColumns leaves one column of each kind of number. An amount before the description is a
// quantity if there is no other; without an amount the last of several prices is the amount; of
// several amounts the first is that without tax, of several prices the last that after discount.
func orderColumns(columns []tableColumn) []tableColumn {
	at := func(kind columnKind) (indexes []int) {
		for i, c := range columns {
			if c.kind == kind {
				indexes = append(indexes, i)
			}
		}
		return indexes
	}
	if amounts, prices := at(columnAmount), at(columnPrice); len(amounts) > 1 &&
		len(at(columnQuantity)) == 0 && amounts[0] < min(append(prices, amounts[1])[0], amounts[1]) {
		columns[amounts[0]].kind = columnQuantity
	}
	if prices := at(columnPrice); len(at(columnAmount)) == 0 && len(prices) > 1 {
		columns[prices[len(prices)-1]].kind = columnAmount
	}
	for _, kind := range []columnKind{columnAmount, columnQuantity, columnText} {
		if same := at(kind); len(same) > 1 {
			for _, i := range same[1:] {
				columns[i].kind = columnOther
			}
		}
	}
	if same := at(columnPrice); len(same) > 1 {
		for _, i := range same[:len(same)-1] {
			columns[i].kind = columnOther
		}
	}
	if texts, codes := at(columnText), at(columnCode); len(texts) == 0 && len(codes) > 0 {
		columns[codes[len(codes)-1]].kind = columnText
	}
	return columns
}

func (h tableHeader) column(kind columnKind) (tableColumn, bool) {
	at := slices.IndexFunc(h.columns, func(c tableColumn) bool { return c.kind == kind })
	if at < 0 {
		return tableColumn{}, false
	}
	return h.columns[at], true
}

// isTable reports whether the columns are those of items: an amount with a description, or an amount
// or a price with a quantity.
func (h tableHeader) isTable() bool {
	_, text := h.column(columnText)
	_, quantity := h.column(columnQuantity)
	_, price := h.column(columnPrice)
	_, amount := h.column(columnAmount)
	return amount && (text || quantity && price) || text && quantity && price
}
