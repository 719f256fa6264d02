package extraction

import (
	"slices"

	"countersign/domain"
)

// lineItems finds the items on the pages: in a table below a header, otherwise in rows of numbers
// that add up. candidates are the amounts of the document with their roles, sums its total, net and
// tax.
func (s *documentLayout) lineItems(
	currency string, candidates []*candidate, sums map[string]scored,
) domain.LineItems {
	rows := s.tableRows()
	table := readTables(rows, currency)
	lines := domain.LineItems{Currency: currency}
	amounts := map[string]int64{}
	for name, sum := range sums {
		if minor, ok := sum.minor(currency); ok {
			amounts[name] = minor
		}
	}
	var subtotals []int64
	for _, c := range candidates {
		if minor, ok := c.minor(currency); ok && c.role == roleSub {
			subtotals = append(subtotals, minor)
		}
	}
	finishLines(&lines, table.items, amounts, subtotals)
	if len(table.items) == 0 {
		if plain := plainItems(rows, currency, amounts, subtotals); len(plain) > 0 {
			other := domain.LineItems{Currency: currency}
			finishLines(&other, plain, amounts, subtotals)
			return other
		}
	}
	// Below a subtotal the page has discounts and charges on the document, which are not read.
	lines.Certain = table.closed && table.unplaced == 0 && lines.Sum != nil &&
		lines.Check != domain.LinesEqualSubtotal && !table.strict &&
		!slices.ContainsFunc(table.items, func(item domain.LineItem) bool {
			return item.Check != domain.RowAddsUp || item.Confidence < certainRow
		})
	return lines
}

// certainRow is the confidence from which a row that adds up was read with certainty.
const certainRow = 0.95

// minor returns the amount in minor units of the currency; ok is false if it is not exact.
func (a *amount) minor(currency string) (int64, bool) {
	value := a.finding(currency, 1).value
	minor, ok := minorOf(value, currency)
	return minor, ok && value != ""
}

// finishLines sets the items of the pages and what follows from them. If their sum is not one of the
// document, each of them is doubtful, because any may be wrong or missing.
func finishLines(lines *domain.LineItems, items []domain.LineItem, amounts map[string]int64,
	subtotals []int64) {
	lines.PageCount = len(items)
	lines.Sum = domain.AddLines(items)
	lines.Items = items[:min(len(items), domain.MaxLineItems)]
	lines.Check = checkSum(*lines, amounts, subtotals)
	if lines.Check != domain.LinesDiffer && lines.Sum != nil {
		return
	}
	for i := range lines.Items {
		if item := &lines.Items[i]; item.Confidence > doubtfulSum {
			item.Confidence = doubtfulSum
		}
	}
}

// doubtfulSum is the highest confidence of a row of a document that does not add up.
const doubtfulSum = 0.5

// MergeLines returns the items of the e-invoice, if it has any, otherwise those of the pages, with
// the numbers of both.
func MergeLines(structured, pages domain.LineItems) domain.LineItems {
	if structured.XMLCount == 0 {
		return pages
	}
	structured.PageCount = pages.PageCount
	return structured
}

// readTables reads the tables of items: the first one with items, and its continuation on the pages
// that follow, with or without a header of their own, until the sums of the document.
func readTables(rows []*tableRow, currency string) itemReader {
	point := decimalMark(rows)
	for start := 0; start < len(rows); start++ {
		header, ok := bestHeader(rows, start)
		if !ok {
			continue
		}
		table := itemReader{header: header, currency: currency, point: point}
		table.readRows(rows, header.last+1)
		if len(table.items) > 0 {
			return table
		}
	}
	return itemReader{}
}

// readRows reads the rows from an index to the end of the table.
func (t *itemReader) readRows(rows []*tableRow, from int) {
	for i := from; i < len(rows); i++ {
		r := rows[i]
		newPage := r.page != rows[i-1].page
		if newPage {
			t.finish()
			t.pending, t.strict = nil, true
		}
		header, ok := bestHeader(rows, i)
		switch {
		case ok && t.sameTable(header):
			t.finish()
			t.header, t.textLeft, t.pending, t.strict = header, 0, nil, false
			i = header.last
			continue
		case isOtherHeader(r) && (len(t.items) > 0 || t.current != nil):
			t.finish()
			return
		}
		if !t.read(r) {
			return
		}
	}
	t.finish()
}

// bestHeader returns the header at a row, or that of a row directly below which names more columns.
func bestHeader(rows []*tableRow, i int) (tableHeader, bool) {
	best, ok := headerAt(rows, i)
	for j := i + 1; ok && j < min(len(rows), i+5) && near(rows[i], rows[j], 3); j++ {
		if other, found := headerAt(rows, j); found && len(other.columns) > len(best.columns) {
			best = other
		}
	}
	return best, ok
}

// sameTable reports whether a header has the same columns, as that of the next page has.
func (t *itemReader) sameTable(other tableHeader) bool {
	return slices.EqualFunc(t.header.columns, other.columns,
		func(a, b tableColumn) bool { return a.kind == b.kind })
}

// isOtherHeader reports whether the row is the header of any table, such as that of the taxes.
func isOtherHeader(r *tableRow) bool {
	if r.hasDigits() {
		return false
	}
	cells, numeric := 0, 0
	for _, cell := range r.cells() {
		named := labels(cell, false)
		if len(named) > 0 {
			cells++
		}
		if slices.ContainsFunc(named, func(c tableColumn) bool {
			return slices.Contains(numericKinds, c.kind)
		}) {
			numeric++
		}
	}
	return cells > 1 && numeric > 0
}
