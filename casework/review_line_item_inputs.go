package casework

import (
	"regexp"
	"strings"

	"countersign/domain"
)

// LineItemInput is one line item as a person entered it. Numbers are plain decimals; "" is unknown.
type LineItemInput struct {
	// From is the index of the item in force that it replaces, whose place on the page, allowance and
	// quantity of the price it keeps; nil for a new item.
	From *int
	// Kept says that it is that item as it is; the values below are not read then.
	Kept                                                    bool
	Description, Quantity, Unit, UnitPrice, TaxRate, Amount string
}

// Bounds of the texts of an entered line item, in characters.
const (
	maxLineUnit   = 40
	maxLineNumber = 30
)

// plainDecimal is a decimal of at most 15 digits before and 10 after the point.
var plainDecimal = regexp.MustCompile(`^-?[0-9]{1,15}(?:\.[0-9]{1,10})?$`)

// parseLineItems returns the items in the given currency, and how many are new or differ from those that
// they replace.
func parseLineItems(
	inputs []LineItemInput, present domain.LineItems, currency string,
) (items []domain.LineItem, changed int, err error) {
	if len(inputs) > domain.MaxLineItems {
		return nil, 0, domain.Invalid("items", "There can be at most %d line items.",
			domain.MaxLineItems).WithDetail("reason", "too_many")
	}
	digits, known := domain.Exponent(currency)
	if !known {
		return nil, 0, domain.Invalid("items", "The document has no currency for its line items.").
			WithRemedy("Enter the currency of the document first.").
			WithDetail("reason", "currency_missing")
	}
	items = make([]domain.LineItem, 0, len(inputs))
	replaced := map[int]bool{}
	for row, input := range inputs {
		var before *domain.LineItem
		if from := input.From; from != nil {
			if *from < 0 || *from >= len(present.Items) || replaced[*from] {
				return nil, 0, rowError(row, "from", "Row %d replaces no item of this document, "+
					"or one that another row replaces.", row+1)
			}
			replaced[*from], before = true, &present.Items[*from]
		}
		if input.Kept {
			if before == nil {
				return nil, 0, rowError(row, "from", "Row %d keeps no item of this document.", row+1)
			}
			input = inputOfItem(before, present.Currency)
		}
		item, err := parseLineItem(row, input, before, currency)
		if err != nil {
			return nil, 0, err
		}
		if before != nil && currency == present.Currency && item.StatesAs(before) {
			items = append(items, *before)
			continue
		}
		item.Check = item.CheckRow(digits)
		items = append(items, item)
		changed++
	}
	return items, changed, nil
}

// parseLineItem returns the item that a person entered in place of the earlier one, nil if it is new.
func parseLineItem(
	row int, input LineItemInput, before *domain.LineItem, currency string,
) (domain.LineItem, error) {
	var item domain.LineItem
	if before != nil {
		item = *before
	}
	item.Source, item.Confidence = domain.SourceHuman, 1
	if domain.Longer(input.Description, domain.MaxLineDescription) {
		return item, rowError(row, "too_long", "The description in row %d is longer than %d characters.",
			row+1, domain.MaxLineDescription)
	}
	if domain.Longer(input.Unit, maxLineUnit) {
		return item, rowError(row, "too_long", "The unit in row %d is longer than %d characters.",
			row+1, maxLineUnit)
	}
	item.Description, item.Unit = domain.LineText(input.Description), domain.LineText(input.Unit)
	numbers := []struct {
		entered string
		into    *string
	}{{input.Quantity, &item.Quantity}, {input.UnitPrice, &item.UnitPrice},
		{input.TaxRate, &item.TaxRate}}
	for _, number := range numbers {
		text := strings.TrimSpace(number.entered)
		if text != "" && !plainDecimal.MatchString(text) {
			return item, rowError(row, "number", "%q in row %d is not a number such as 12.5.",
				shortened(text, maxLineNumber), row+1)
		}
		*number.into = text
	}
	item.Minor = nil
	if text := strings.TrimSpace(input.Amount); text != "" {
		amount, err := domain.ParseDecimal(text, currency)
		if err != nil {
			return item, rowError(row, "amount", "%q in row %d is not an amount in %s such as 12.50.",
				shortened(text, maxLineNumber), row+1, currency)
		}
		item.Minor = &amount.Minor
	}
	if item.Description == "" && item.Quantity == "" && item.UnitPrice == "" && item.Minor == nil {
		return item, rowError(row, "empty", "Row %d is empty.", row+1)
	}
	return item, nil
}

// inputOfItem returns an item in force as a person would enter it.
func inputOfItem(item *domain.LineItem, currency string) LineItemInput {
	input := LineItemInput{Description: item.Description, Quantity: item.Quantity, Unit: item.Unit,
		UnitPrice: item.UnitPrice, TaxRate: item.TaxRate}
	if item.Minor != nil {
		input.Amount = domain.Money{Minor: *item.Minor, Currency: currency}.Decimal()
	}
	return input
}

// shortened returns the first characters of a text.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
