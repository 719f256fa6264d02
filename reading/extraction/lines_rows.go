package extraction

import (
	"math/big"
	"regexp"
	"strings"

	"countersign/domain"
)

// draft is an item while its rows are read.
type draft struct {
	numbers    map[columnKind]*cellNumber
	lines      [][]*word // of the description, a printed line each
	unit       []*word
	rows       []*tableRow
	allowance  int64 // of rows below the item
	lastText   *tableRow
	lastNumber *tableRow
}

// itemReader reads the items of the rows below a header.
type itemReader struct {
	header   tableHeader
	currency string
	point    string
	items    []domain.LineItem
	current  *draft
	pending  []rowCells // rows of text above an item
	textLeft int
	closed   bool // by a row of the net, the tax or the total
	// strict says that only rows whose numbers add up are items: below a subtotal, where discounts and
	// charges on the whole document are, and on a further page without a header.
	strict bool
	// unplaced counts rows with an amount that belong to no item.
	unplaced int
}

// read reads one row; it returns false after the last row of the table.
func (t *itemReader) read(r *tableRow) bool {
	cells := t.header.cellsOf(r, t.point, t.textLeft)
	if role, sums := t.sumRole(cells); sums {
		t.finish()
		t.pending = nil
		if role == roleSub {
			t.strict = t.strict || !carried.MatchString(cells.label)
			return true
		}
		t.closed = true
		return false
	}
	switch amount := cells.numbers[columnAmount]; {
	case t.strict && amount != nil && (cells.values() < 3 || !t.addsUp(cells)):
		t.finish()
	case t.isAllowance(cells):
		t.applyAllowance(cells)
	case t.fills(cells):
		t.merge(cells)
	case amount != nil && !t.isMoney(amount) && (cells.values() < 3 || !t.addsUp(cells)):
		t.continueText(cells)
	case amount != nil && (cells.values() > 1 || len(cells.text) > 0),
		cells.numbers[columnQuantity] != nil && cells.numbers[columnPrice] != nil:
		t.begin(cells)
	case amount != nil:
		t.unplaced++
	default:
		t.continueText(cells)
	}
	return true
}

// isMoney reports whether a number is written like an amount of money. Page numbers are not.
func (t *itemReader) isMoney(n *cellNumber) bool {
	return currencyDigits(t.currency) == 0 || strings.ContainsAny(n.raw, ".,€$£¥￥")
}

// sumRole returns the role of a row that sums up and is no item. A row whose quantity and price give
// its amount is an item, whatever its text says.
func (t *itemReader) sumRole(cells rowCells) (role, bool) {
	label := cells.label
	if !hasMeaning(label) {
		return roleNone, false
	}
	found := labelRole(label)
	if found == roleNone || found == roleOther || found == rolePaid && cells.values() == 0 {
		return found, false
	}
	if cells.values() == 0 && !hasMoney(cells.row, t.currency) {
		return found, false
	}
	if cells.values() == 3 && t.addsUp(cells) {
		return found, false
	}
	if found == rolePaid || found == roleTax && cells.values() > 1 && len(cells.text) > 0 &&
		cells.numbers[columnQuantity] != nil && cells.numbers[columnPrice] != nil {
		return found, false
	}
	return found, true
}

func (t *itemReader) addsUp(cells rowCells) bool {
	item := domain.LineItem{}
	agree(&item, cells.numbers[columnQuantity], cells.numbers[columnPrice],
		cells.numbers[columnAmount], t.currency)
	return item.CheckRow(currencyDigits(t.currency)) == domain.RowAddsUp
}

// hasMoney reports whether a word of the row is an amount with the decimals of the currency.
func hasMoney(r *tableRow, currency string) bool {
	for _, w := range r.words {
		if a, ok := parseAmount(w.Text, currency); ok && !a.uncertain {
			return true
		}
	}
	return false
}

// fills reports whether the row states what the item above it lacks: printed lines of one item can
// have their numbers at different heights.
func (t *itemReader) fills(cells rowCells) bool {
	if t.current == nil || cells.values() == 0 || t.current.lastNumber == nil ||
		!near(t.current.lastNumber, cells.row, 3) {
		return false
	}
	lacks := t.current.numbers[columnAmount] == nil
	for kind, n := range cells.numbers {
		if n != nil && t.current.numbers[kind] != nil {
			return false
		}
	}
	return lacks && cells.numbers[columnAmount] != nil
}

// carried matches the label of a sum that is carried from page to page.
var carried = regexp.MustCompile(`carried|b\/f|c\/f|brought|.bertrag|report|transport|overdracht|riporto|suma y sigue`)

// near reports whether the second row begins at most so many heights below the first one.
func near(above, below *tableRow, heights int) bool {
	return above.page == below.page &&
		below.box.Y-above.box.Y <= heights*max(above.height, below.height)
}

func (t *itemReader) merge(cells rowCells) {
	for kind, n := range cells.numbers {
		t.current.numbers[kind] = n
	}
	t.current.lastNumber = cells.row
	t.current.rows = append(t.current.rows, cells.row)
	if len(cells.text) > 0 {
		t.addLine(cells)
	}
}

// begin starts an item. Rows of text above it are its description only if its own row has none;
// otherwise they introduce the table.
func (t *itemReader) begin(cells rowCells) {
	pending := t.pending
	t.finish()
	t.pending = nil
	t.current = &draft{numbers: cells.numbers, unit: cells.unit, lastNumber: cells.row}
	if len(cells.text) == 0 {
		for i, p := range pending {
			next := cells.row
			if i+1 < len(pending) {
				next = pending[i+1].row
			}
			if near(p.row, next, 3) {
				t.current.rows = append(t.current.rows, p.row)
				t.addLine(p)
			}
		}
	}
	t.current.rows = append(t.current.rows, cells.row)
	if len(cells.text) > 0 {
		t.addLine(cells)
	}
}

// addLine adds a line to the description of the item.
func (t *itemReader) addLine(cells rowCells) {
	d := t.current
	d.lines = append(d.lines, cells.text)
	d.lastText = cells.row
	if cells.text[0].Box.X > 0 && len(d.lines) == 1 {
		t.textLeft = cells.text[0].Box.X
	}
}

// continueText adds a row of text to the description of the item above, unless a gap separates them.
func (t *itemReader) continueText(cells rowCells) {
	if len(cells.text) == 0 {
		return
	}
	if d := t.current; d != nil {
		last := d.lastText
		if last == nil {
			last = d.lastNumber
		}
		if nextLine(last, cells.row) && len(d.lines) < 40 {
			d.rows = append(d.rows, cells.row)
			t.addLine(cells)
			return
		}
	}
	if len(t.pending) > 10 {
		t.pending = t.pending[1:]
	}
	t.pending = append(t.pending, cells)
}

// nextLine reports whether the second row is the printed line directly below the first one. Boxes of
// words can be as high as capitals or as whole lines, and lines are up to twice as high as capitals.
func nextLine(above, below *tableRow) bool {
	pitch := doubleMiddle(below.words[0]) - doubleMiddle(above.words[0])
	return above.page == below.page && pitch*10 <= 2*21*max(above.height, below.height)
}

// isAllowance reports whether the row is a discount on the item above: a negative amount that its
// percentage gives.
func (t *itemReader) isAllowance(cells rowCells) bool {
	amount := cells.numbers[columnAmount]
	if t.current == nil || amount == nil || cells.numbers[columnQuantity] != nil ||
		labelRole(cells.label+" ") != roleOther && labelRole(foldForSearch(cells.row.text())) != roleOther {
		return false
	}
	minor, ok := amount.minorReading(t.currency)
	whole := t.current.numbers[columnAmount]
	if !ok || minor >= 0 || whole == nil {
		return false
	}
	base, ok := whole.minorReading(t.currency)
	percent := percentOf(cells.row, t.point)
	return ok && percent != nil && isShare(-minor, base, percent)
}

// percentOf returns the percentage in a row, nil without one.
func percentOf(r *tableRow, point string) *big.Rat {
	for i := range r.words {
		if n, used := numberAt(r.words, i, point, false); used > 0 && n.percent {
			value, ok := new(big.Rat).SetString(n.readings[0])
			if ok {
				return value
			}
		}
	}
	return nil
}

// isShare reports whether part is the percentage of the base, rounded, or rounded in the percentage
// to a tenth.
func isShare(part, base int64, percent *big.Rat) bool {
	due := new(big.Rat).Mul(percent, big.NewRat(base, 100))
	due.Sub(due, new(big.Rat).SetInt64(part))
	slack := new(big.Rat).SetFrac64(max(base, -base), 2000)
	slack.Add(slack, big.NewRat(1, 1))
	return due.Abs(due).Cmp(slack) <= 0
}

func (t *itemReader) applyAllowance(cells rowCells) {
	minor, _ := cells.numbers[columnAmount].minorReading(t.currency)
	t.current.allowance -= minor
	t.current.rows = append(t.current.rows, cells.row)
}

// finish adds the item that was read.
func (t *itemReader) finish() {
	d := t.current
	if t.current = nil; d == nil {
		return
	}
	if _, ok := t.header.column(columnAmount); ok && d.numbers[columnAmount] == nil {
		return
	}
	text, _ := t.header.column(columnText)
	if text.codeAbove && len(d.lines) > 1 {
		d.lines = d.lines[1:]
	}
	t.items = append(t.items, d.item(t.currency))
}

// item returns the line item of the draft.
func (d *draft) item(currency string) domain.LineItem {
	item := domain.LineItem{Source: d.rows[0].source, Page: d.rows[0].page}
	quantity, price := d.numbers[columnQuantity], d.numbers[columnPrice]
	amount := d.numbers[columnAmount]
	agree(&item, quantity, price, amount, currency)
	lines := make([]string, len(d.lines))
	var words []*word
	for i, line := range d.lines {
		lines[i] = joinWords(line)
		if line[0].source == domain.SourceOCR {
			lines[i] = repairText(lines[i])
		}
		words = append(words, line...)
	}
	item.Description = domain.LineText(strings.Join(lines, "\n"))
	for _, n := range []*cellNumber{quantity, price, amount, d.numbers[columnRate]} {
		if n != nil {
			words = append(words, n.words...)
		}
	}
	if item.Unit = domain.LineText(joinWords(d.unit)); item.Unit == "" && quantity != nil {
		item.Unit = quantity.unit
	}
	if rate := d.numbers[columnRate]; rate != nil && isRate(rate.readings[0]) {
		item.TaxRate = rate.readings[0]
	}
	if item.Minor != nil && d.allowance != 0 {
		less := *item.Minor - d.allowance
		item.Minor, item.Allowance = &less, d.allowance
	}
	d.discount(&item, currency)
	for _, r := range d.rows {
		if r.page == item.Page {
			item.Boxes = append(item.Boxes, r.box)
		}
	}
	finishRow(&item, currency)
	item.Confidence = rowConfidence(item.Check, words)
	return item
}

// isRate reports whether a number can be a tax rate in percent.
func isRate(text string) bool {
	rate, ok := new(big.Rat).SetString(text)
	return ok && rate.Sign() >= 0 && rate.Cmp(big.NewRat(60, 1)) <= 0
}

// discount subtracts the discount column of the row, if the row adds up with it: a percentage of
// quantity times price, or an amount.
func (d *draft) discount(item *domain.LineItem, currency string) {
	n := d.numbers[columnDiscount]
	quantity, ok := new(big.Rat).SetString(item.Quantity)
	price, alsoOK := new(big.Rat).SetString(item.UnitPrice)
	if n == nil || !ok || !alsoOK || item.Minor == nil {
		return
	}
	whole := quantity.Mul(quantity, price)
	for range currencyDigits(currency) {
		whole.Mul(whole, big.NewRat(10, 1))
	}
	allowance := roundRat(whole) - *item.Minor
	for _, reading := range n.readings {
		value, ok := new(big.Rat).SetString(strings.TrimPrefix(reading, "-"))
		if !ok {
			continue
		}
		minor, exact := minorOf(strings.TrimPrefix(reading, "-"), currency)
		if allowance != 0 && (isShare(allowance, roundRat(whole), value) ||
			exact && !n.percent && minor == allowance) {
			item.Allowance += allowance
			return
		}
	}
}

// roundRat rounds to an integer; 0 if it is too large.
func roundRat(value *big.Rat) int64 {
	doubled := new(big.Int).Mul(value.Num(), big.NewInt(2))
	doubled.Add(doubled, value.Denom())
	rounded := new(big.Int).Div(doubled, new(big.Int).Mul(value.Denom(), big.NewInt(2)))
	if !rounded.IsInt64() || rounded.CmpAbs(big.NewInt(domain.MaxMinor)) > 0 {
		return 0
	}
	return rounded.Int64()
}

// rowConfidence returns the confidence of a row: that of its words, more if it adds up.
func rowConfidence(check domain.RowCheck, words []*word) float64 {
	seen := meanConfidence(words)
	switch check {
	case domain.RowAddsUp:
		return clamp(0.6 + 0.4*seen)
	case domain.RowDiffers:
		return clamp(doubtful * seen)
	case domain.RowUnchecked:
	}
	return clamp(0.65 * seen)
}
