package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

// xmlLines are the paths of line items in one format of e-invoice. Paths with alternatives fit all
// versions of the format.
type xmlLines struct {
	lines, state                       []string
	name, description                  []string
	quantity, price, priceQuantity     []string
	rate, amount, allowances, isCharge []string
	sumOfAllowances, sumOfCharges      []string
}

var (
	ciiLines = func() xmlLines {
		const trade = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction"
		const agreement = "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement"
		const settlement = "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement"
		const sums = "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
		const whole = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement"
		const net = "NetPriceProductTradePrice"
		return xmlLines{
			lines:       []string{trade, "IncludedSupplyChainTradeLineItem"},
			state:       []string{"AssociatedDocumentLineDocument", "LineStatusReasonCode"},
			name:        []string{"SpecifiedTradeProduct", "Name"},
			description: []string{"SpecifiedTradeProduct", "Description"},
			quantity: []string{"SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery",
				"BilledQuantity"},
			price:         []string{agreement, net, "ChargeAmount"},
			priceQuantity: []string{agreement, net, "BasisQuantity"},
			rate: []string{settlement, "ApplicableTradeTax",
				"RateApplicablePercent|ApplicablePercent"},
			amount: []string{settlement,
				"SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation",
				"LineTotalAmount"},
			allowances:      []string{settlement, "SpecifiedTradeAllowanceCharge"},
			isCharge:        []string{"ChargeIndicator", "Indicator"},
			sumOfAllowances: []string{trade, whole, sums, "AllowanceTotalAmount"},
			sumOfCharges:    []string{trade, whole, sums, "ChargeTotalAmount"},
		}
	}()
	ublLines = xmlLines{
		lines:           []string{"InvoiceLine|CreditNoteLine"},
		name:            []string{"Item", "Name"},
		description:     []string{"Item", "Description"},
		quantity:        []string{"InvoicedQuantity|CreditedQuantity"},
		price:           []string{"Price", "PriceAmount"},
		priceQuantity:   []string{"Price", "BaseQuantity"},
		rate:            []string{"Item", "ClassifiedTaxCategory", "Percent"},
		amount:          []string{"LineExtensionAmount"},
		allowances:      []string{"AllowanceCharge"},
		isCharge:        []string{"ChargeIndicator"},
		sumOfAllowances: []string{"LegalMonetaryTotal", "AllowanceTotalAmount"},
		sumOfCharges:    []string{"LegalMonetaryTotal", "ChargeTotalAmount"},
	}
)

// notBilled are the states of lines of a CII invoice that group or explain other lines. Their amounts
// are not part of the sum.
var notBilled = []string{"GROUP", "INFORMATION"}

// read returns the line items of an e-invoice. A line that states neither a product nor an amount is
// a remark and no item.
func (p xmlLines) read(root *element, currency string, fields []domain.Field) domain.LineItems {
	lines := domain.LineItems{Currency: currency}
	var all []domain.LineItem
	for _, line := range root.findAll(p.lines...) {
		if p.state != nil && slices.Contains(notBilled, line.firstText(p.state...)) {
			continue
		}
		if item, ok := p.item(line, currency); ok {
			all = append(all, item)
		}
	}
	lines.XMLCount = len(all)
	charges, known := minorOf(root.firstText(p.sumOfCharges...), currency)
	allowances, alsoKnown := minorOf(root.firstText(p.sumOfAllowances...), currency)
	lines.Adjustment = charges - allowances
	lines.Sum = domain.AddLines(all)
	lines.Certain = known && alsoKnown && lines.Sum != nil
	lines.Items = all[:min(len(all), domain.MaxLineItems)]
	lines.Check = checkSum(lines, amountsOf(fields, currency), nil)
	return lines
}

func (p xmlLines) item(line *element, currency string) (domain.LineItem, bool) {
	item := domain.LineItem{Source: domain.SourceXML, Confidence: 1}
	name, more := line.firstText(p.name...), line.firstText(p.description...)
	if more != name {
		name += "\n" + more
	}
	item.Description = domain.LineText(name)
	if quantities := line.findAll(p.quantity...); len(quantities) > 0 {
		item.Quantity = plainDecimal(quantities[0].text)
		item.Unit = domain.LineText(quantities[0].attrs["unitCode"])
	}
	item.UnitPrice = plainDecimal(line.firstText(p.price...))
	if item.PriceQuantity = plainDecimal(line.firstText(p.priceQuantity...)); item.PriceQuantity == "1" {
		item.PriceQuantity = ""
	}
	item.TaxRate = plainDecimal(line.firstText(p.rate...))
	if text := line.firstText(p.amount...); text != "" {
		if minor, ok := minorOf(text, currency); ok {
			item.Minor = &minor
		}
	}
	if item.Description == "" && item.Minor == nil {
		return item, false
	}
	for _, allowance := range line.findAll(p.allowances...) {
		minor, ok := minorOf(allowance.firstText("ActualAmount|Amount"), currency)
		if !ok {
			continue
		}
		if allowance.firstText(p.isCharge...) == "true" {
			minor = -minor
		}
		if sum := item.Allowance + minor; sum < domain.MaxMinor && sum > -domain.MaxMinor {
			item.Allowance = sum
		}
	}
	finishRow(&item, currency)
	return item, true
}

// doubtful is the highest confidence of a row that does not add up.
const doubtful = 0.3

// finishRow checks the sum of the row.
func finishRow(item *domain.LineItem, currency string) {
	digits, ok := domain.Exponent(currency)
	if !ok {
		digits = 2
	}
	if item.Check = item.CheckRow(digits); item.Check == domain.RowDiffers {
		item.Confidence = min(item.Confidence, doubtful)
	}
}

// minorOf parses a decimal of an e-invoice as an amount in minor units: 0 for an absent one. ok is
// false if it is not exact in the currency.
func minorOf(text, currency string) (minor int64, ok bool) {
	if strings.TrimSpace(text) == "" {
		return 0, true
	}
	exact := exactDecimal(text, currency)
	if exact == "" {
		return 0, false
	}
	for _, digit := range onlyDigits(exact) {
		minor = minor*10 + int64(digit-'0')
		if minor > domain.MaxMinor {
			return 0, false
		}
	}
	if strings.HasPrefix(exact, "-") {
		minor = -minor
	}
	return minor, true
}

var longDecimal = regexp.MustCompile(`^([+-]?)0*(\d{1,15})(?:\.(\d{0,12}))?$`)

// plainDecimal returns a decimal without superfluous zeros and signs: "3" for "+3.0000". It returns
// "" for any other text and for numbers of more than 15 digits before or 12 after the separator.
func plainDecimal(text string) string {
	match := longDecimal.FindStringSubmatch(strings.TrimSpace(text))
	if match == nil {
		return ""
	}
	plain := match[2]
	if fraction := strings.TrimRight(match[3], "0"); fraction != "" {
		plain += "." + fraction
	}
	if match[1] == "-" && plain != "0" {
		plain = "-" + plain
	}
	return plain
}

// amountsOf returns the amounts of the fields in minor units, by name.
func amountsOf(fields []domain.Field, currency string) map[string]int64 {
	amounts := map[string]int64{}
	for _, field := range fields {
		if !slices.Contains(domain.FieldNamesOf(domain.FieldTypeMoney), field.Name) {
			continue
		}
		if minor, ok := minorOf(field.Normalised, currency); ok && field.Normalised != "" {
			amounts[field.Name] = minor
		}
	}
	return amounts
}

// lineTolerance is the difference, in minor units, that cash rounding can make between a sum of items
// and the total.
const lineTolerance = 5

// CheckLineSum says which amount of the document, net or total, the sum of the items equals.
func CheckLineSum(lines domain.LineItems, fields []domain.Field) domain.LineCheck {
	amounts := map[string]int64{}
	for _, field := range fields {
		if minor, ok := minorOf(field.Normalised, lines.Currency); ok && field.Normalised != "" {
			amounts[field.Name] = minor
		}
	}
	return checkSum(lines, amounts, nil)
}

// checkSum says which amount of the document the sum of its items equals: the net, the total
// including tax, or one of the printed subtotals.
func checkSum(
	lines domain.LineItems, amounts map[string]int64, subtotals []int64,
) domain.LineCheck {
	if lines.Sum == nil {
		return domain.LinesUnchecked
	}
	sum := *lines.Sum + lines.Adjustment
	equals := func(amount int64) bool {
		return sum-amount <= lineTolerance && amount-sum <= lineTolerance
	}
	net, netKnown := amounts[domain.FieldNet]
	total, totalKnown := amounts[domain.FieldTotal]
	switch {
	case netKnown && equals(net):
		return domain.LinesEqualNet
	case totalKnown && equals(total):
		return domain.LinesEqualTotal
	case slices.ContainsFunc(subtotals, equals):
		return domain.LinesEqualSubtotal
	case netKnown || totalKnown:
		return domain.LinesDiffer
	}
	return domain.LinesUnchecked
}
