package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// plainItems finds the items of a document without a header, such as a receipt: rows that end with an
// amount, above the first sum. Because any row can end with a number, it returns them only if their
// sum is one of the document.
func plainItems(rows []*tableRow, currency string, amounts map[string]int64,
	subtotals []int64) []domain.LineItem {
	point := decimalMark(rows)
	var items []domain.LineItem
	var above *tableRow // a row of text only
	for _, r := range rows {
		numbers := numbersOf(r, point)
		amount := lastAmount(numbers, currency)
		label := labelBeforeLast(r)
		if amount != nil && hasMeaning(label) &&
			(isSum(labelRole(label)) || bareSum.MatchString(label)) {
			if len(items) > 0 {
				break
			}
			continue
		}
		if amount == nil {
			above = nil
			if hasMeaning(foldForSearch(r.text())) {
				above = r
			}
			continue
		}
		item, ok := plainItem(r, above, numbers, amount, currency)
		above = nil
		if ok {
			items = append(items, item)
		}
		if len(items) > maxPlainItems {
			return nil
		}
	}
	return confirmed(items, currency, amounts, subtotals)
}

// bareSum matches labels of sums that are too short to be distinguished from words of other texts.
var bareSum = regexp.MustCompile(`^\W*(net|gross|brutto)\W*$`)

// maxPlainItems is the maximum number of items without a header; a longer list has one.
const maxPlainItems = 200

func isSum(r role) bool {
	switch r {
	case roleSub, roleTotal, roleGrand, roleDue, roleNet, roleTax:
		return true
	case roleNone, rolePaid, roleChange, roleOther:
	}
	return false
}

// confirmed returns the items if their sum is one of the document, if need be without rows before
// them that are no items, such as numbers in an address.
func confirmed(items []domain.LineItem, currency string, amounts map[string]int64,
	subtotals []int64) []domain.LineItem {
	for len(items) > 0 {
		lines := domain.LineItems{Currency: currency, Sum: domain.AddLines(items)}
		switch checkSum(lines, amounts, subtotals) {
		case domain.LinesEqualNet, domain.LinesEqualTotal, domain.LinesEqualSubtotal:
			return items
		case domain.LinesUnchecked, domain.LinesDiffer:
		}
		items = items[1:]
	}
	return nil
}

// numbersOf returns the numbers of a row from left to right.
func numbersOf(r *tableRow, point string) []*cellNumber {
	var found []*cellNumber
	for i := 0; i < len(r.words); {
		n, used := numberAt(r.words, i, point, false)
		if used > 0 {
			found = append(found, n)
		}
		i += max(used, 1)
	}
	return found
}

// lastAmount returns the last number of a row if it is written like money.
func lastAmount(numbers []*cellNumber, currency string) *cellNumber {
	if len(numbers) == 0 {
		return nil
	}
	last := numbers[len(numbers)-1]
	text := strings.ReplaceAll(last.raw, " ", "")
	a, ok := parseAmount(text, currency)
	if !ok || a.uncertain || a.ambiguous || last.percent ||
		currencyDigits(currency) > 0 && !strings.ContainsAny(last.raw, ".,") {
		return nil
	}
	return last
}

// plainItem returns the item of a row, with the text above it if it has none of its own. Quantity and
// price are the two numbers that give the amount.
func plainItem(r, above *tableRow, numbers []*cellNumber, amount *cellNumber,
	currency string) (domain.LineItem, bool) {
	d := draft{numbers: map[columnKind]*cellNumber{columnAmount: amount}, rows: []*tableRow{r}}
	before := numbers[:len(numbers)-1]
	first := amount
	for i, a := range before {
		for _, b := range before[i+1:] {
			for _, pair := range [][2]*cellNumber{{a, b}, {b, a}} {
				item := domain.LineItem{}
				agree(&item, pair[0], pair[1], amount, currency)
				if first == amount && item.CheckRow(currencyDigits(currency)) == domain.RowAddsUp {
					d.numbers[columnQuantity], d.numbers[columnPrice] = pair[0], pair[1]
					first = a
				}
			}
		}
	}
	var text []*word
	for _, w := range r.words {
		if w == first.words[0] {
			break
		}
		text = append(text, w)
	}
	if first != amount && len(text) == 0 { // quantity first, then the description
		text = wordsBetweenNumbers(r, d.numbers)
	}
	if !hasMeaning(foldForSearch(joinWords(text))) && above != nil && near(above, r, 3) {
		d.rows = []*tableRow{above, r}
		text = above.words
	}
	if !hasMeaning(foldForSearch(joinWords(text))) {
		return domain.LineItem{}, false
	}
	d.lines = [][]*word{text}
	return d.item(currency), true
}

// wordsBetweenNumbers returns the words of a row that belong to none of the numbers.
func wordsBetweenNumbers(r *tableRow, numbers map[columnKind]*cellNumber) []*word {
	return slices.DeleteFunc(slices.Clone(r.words), func(w *word) bool {
		for _, n := range numbers {
			if slices.Contains(n.words, w) {
				return true
			}
		}
		return false
	})
}
