package domain

import (
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"
)

// LineItem is one row of the table of goods and services on an invoice or receipt. Texts that the
// source does not state are "".
type LineItem struct {
	// Description is as printed, one line per printed line, at most MaxLineDescription characters.
	Description string `json:"description"`
	// Quantity, UnitPrice and TaxRate (percent) are plain decimals such as "-5" and "0.0105". A unit
	// price can have more decimals than the currency.
	Quantity  string `json:"quantity,omitempty"`
	Unit      string `json:"unit,omitempty"` // as written, or the code of the e-invoice
	UnitPrice string `json:"unitPrice,omitempty"`
	// PriceQuantity is the quantity that the unit price is for; "" means 1.
	PriceQuantity string `json:"priceQuantity,omitempty"`
	TaxRate       string `json:"taxRate,omitempty"`
	// Minor is the amount of the row in minor units of the document's currency, nil if unknown.
	// Allowance is what was subtracted from quantity times price to get it; a charge is negative.
	Minor      *int64      `json:"minor,omitempty"`
	Allowance  int64       `json:"allowance,omitempty"`
	Page       int         `json:"page,omitempty"` // from 1; 0 if not on a page
	Boxes      []Box       `json:"boxes,omitempty"`
	Confidence float64     `json:"confidence"` // 0..1; low if the row does not add up
	Source     FieldSource `json:"source"`
	// Check says whether quantity times unit price less the allowance is the amount.
	Check RowCheck `json:"check,omitempty"`
}

// RowCheck is the result of the sum of one row.
type RowCheck string

// The results of the sum of a row.
const (
	RowUnchecked RowCheck = "" // a number is missing
	RowAddsUp    RowCheck = "adds_up"
	RowDiffers   RowCheck = "differs"
)

// LineCheck says what the sum of all rows equals.
type LineCheck string

// The results of the sum of all rows. LinesDiffer needs all amounts and something to compare with.
const (
	LinesUnchecked     LineCheck = ""
	LinesEqualNet      LineCheck = "net"
	LinesEqualTotal    LineCheck = "total"
	LinesEqualSubtotal LineCheck = "subtotal"
	LinesDiffer        LineCheck = "differs"
)

// Bounds of line items. A document can state more; their number and sum are known then.
const (
	MaxLineItems       = 5000
	MaxLineDescription = 1000
)

// FieldLineItems is the name under which the hash of corrected line items is asserted. No document type
// can have a field of this name.
const FieldLineItems = "line-items"

// LineItems are the line items of one reading of a document, or of one correction by a person. Both are
// append-only.
type LineItems struct {
	CaseID           ID
	Revision         int64 // facts revision of the case that the reading or correction led to
	DocumentRevision int
	At               time.Time
	Currency         string     // of all amounts, "" if unknown
	Items            []LineItem // the first MaxLineItems, in the order of the source
	// XMLCount and PageCount are the numbers of items in the e-invoice and on the pages. They differ
	// if one of them hides items or could not be read completely.
	XMLCount, PageCount int
	// Sum is that of all items in minor units, nil if an amount is missing or they are too large.
	Sum *int64
	// Adjustment is what the e-invoice adds to the sum of its items for the whole document: charges
	// less allowances.
	Adjustment int64
	Check      LineCheck
	// Certain says that the source states all items and their amounts, so that a sum that differs is
	// a fault of the document and not of the reading.
	Certain bool
	// By is the person who corrected the items; NoID for a reading.
	By ID
}

// Found returns the number of items that the source of Items states; more than len(Items) if the
// list was cut.
func (l LineItems) Found() int {
	if l.By != NoID {
		return len(l.Items)
	}
	if l.XMLCount > 0 {
		return l.XMLCount
	}
	return l.PageCount
}

// CertainSum returns the sum of the items with the adjustment; ok is false if it is not certain.
func (l LineItems) CertainSum() (minor int64, ok bool) {
	if !l.Certain || l.Sum == nil {
		return 0, false
	}
	return *l.Sum + l.Adjustment, true
}

// AddLines returns the sum of the amounts of items in minor units, nil if there is none, if one has
// no amount or if the sum is beyond MaxMinor.
func AddLines(items []LineItem) *int64 {
	sum := int64(0)
	for i := range items {
		minor := items[i].Minor
		if minor == nil || *minor > MaxMinor || *minor < -MaxMinor {
			return nil
		}
		if sum += *minor; sum > MaxMinor || sum < -MaxMinor {
			return nil
		}
	}
	if len(items) == 0 {
		return nil
	}
	return &sum
}

// CheckRow compares the amount with quantity times unit price less the allowance, in a currency with
// the given digits. A difference by rounding of the amount, or of a unit price that is rounded to its
// last decimal, is allowed up to one minor unit per row and a half of the last decimal per piece, but
// never more than 0.1 % of the amount beyond the first unit.
func (l *LineItem) CheckRow(digits int) RowCheck {
	quantity, okQuantity := decimalOf(l.Quantity)
	price, okPrice := decimalOf(l.UnitPrice)
	if !okQuantity || !okPrice || l.Minor == nil {
		return RowUnchecked
	}
	due := new(big.Rat).Mul(quantity, price)
	if per, ok := decimalOf(l.PriceQuantity); ok && per.Sign() != 0 {
		due.Quo(due, per)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	due.Mul(due, scale)
	due.Sub(due, new(big.Rat).SetInt64(l.Allowance))
	difference := due.Sub(due, new(big.Rat).SetInt64(*l.Minor))
	difference.Abs(difference)
	slack := big.NewRat(1, 1)
	slack.Add(slack, l.priceRounding(quantity, scale))
	if difference.Cmp(slack) <= 0 {
		return RowAddsUp
	}
	return RowDiffers
}

// priceRounding returns what rounding of the unit price to its last decimal can change, in minor
// units, at most 0.1 % of the amount.
func (l *LineItem) priceRounding(quantity, scale *big.Rat) *big.Rat {
	decimals := 0
	if at := strings.IndexByte(l.UnitPrice, '.'); at >= 0 {
		decimals = len(l.UnitPrice) - at - 1
	}
	last := new(big.Rat).SetInt(
		new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil))
	rounding := new(big.Rat).Abs(quantity)
	rounding.Mul(rounding, scale)
	rounding.Quo(rounding, last.Mul(last, big.NewRat(2, 1)))
	most := big.NewRat(max(*l.Minor, -*l.Minor), 1000)
	if rounding.Cmp(most) > 0 {
		return most
	}
	return rounding
}

// decimalOf parses a plain decimal of limited length.
func decimalOf(text string) (*big.Rat, bool) {
	if text == "" || len(text) > 40 || strings.ContainsAny(text, "eE/xXpPbBoO_") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// LineText returns a text as it is kept for a line item: without control and direction characters,
// without spaces around its lines, and at most MaxLineDescription characters long.
func LineText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.Map(func(r rune) rune {
			switch {
			case unicode.IsSpace(r):
				return ' '
			case unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r == unicode.ReplacementChar:
				return -1
			}
			return r
		}, line)
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	runes := []rune(strings.Join(lines, "\n"))
	if len(runes) > MaxLineDescription {
		runes = append(runes[:MaxLineDescription-1], '…')
	}
	return string(runes)
}

// StatesAs reports whether both items state the same texts and numbers.
func (l *LineItem) StatesAs(other *LineItem) bool {
	same := l.Minor == other.Minor ||
		l.Minor != nil && other.Minor != nil && *l.Minor == *other.Minor
	return same && l.Description == other.Description && l.Quantity == other.Quantity &&
		l.Unit == other.Unit && l.UnitPrice == other.UnitPrice && l.TaxRate == other.TaxRate
}
