package extraction

import (
	"slices"
	"strings"

	"countersign/domain"
)

// readCurrency reads the currency of all amounts. Two different ones are none, because an amount
// could be judged in the cheaper one.
func (v *invoice) readCurrency(found []*element) {
	codes := distinctTexts(found)
	if len(codes) == 1 {
		v.currency = strings.ToUpper(codes[0])
		v.add(domain.FieldCurrency, v.currency, knownCurrency(v.currency))
		return
	}
	v.add(domain.FieldCurrency, joinLimited(codes, " / "), "")
}

// distinctTexts returns the different texts of elements that are not empty.
func distinctTexts(found []*element) []string {
	var texts []string
	for _, e := range found {
		text := strings.Join(strings.Fields(e.text), " ")
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// amount adds the amount in the currency of the invoice. An amount that is stated in another currency
// alone, or twice with different values, keeps its text but has no normalised value: a person decides
// what is paid.
func (v *invoice) amount(name string, found []*element) {
	var own, values, foreign []string
	for _, e := range found {
		text := strings.TrimSpace(e.text)
		code := strings.TrimSpace(e.attrs["currencyID"])
		switch {
		case text == "":
		case code != "" && !strings.EqualFold(code, v.currency):
			foreign = append(foreign, text+" "+code)
		default:
			if value := exactDecimal(text, v.currency); !slices.Contains(values, value) {
				own, values = append(own, text), append(values, value)
			}
		}
	}
	switch {
	case len(values) == 1:
		v.add(name, own[0], values[0])
	case len(values) > 1:
		v.add(name, joinLimited(own, " / "), "")
	default:
		v.add(name, joinLimited(foreign, " / "), "")
	}
}

// value returns a field that was added, and its text.
func (v *invoice) value(name string) (normalised, raw string) {
	at := slices.IndexFunc(v.fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 {
		return "", ""
	}
	return v.fields[at].Normalised, v.fields[at].Raw
}

// totalOfPayable takes the payable amount for the total if the invoice states no total, but only if
// nothing was paid before: an amount paid before must not make the invoice a small one.
func (v *invoice) totalOfPayable(root *element) {
	_, stated := v.value(domain.FieldTotal)
	prepaid, paid := v.value(domain.FieldPrepaid)
	if stated != "" || paid != "" && strings.Trim(prepaid, "0.") != "" || paid != "" && prepaid == "" {
		return
	}
	v.amount(domain.FieldTotal, root.findAll("LegalMonetaryTotal", "PayableAmount"))
}

// accountPaths are the paths from a means of payment to the account and to the bank.
type accountPaths struct {
	account []string
	bank    [][]string
}

// account adds the first account, and the bank of the same means of payment.
func (v *invoice) account(means []*element, paths accountPaths) {
	var bank string
	for _, m := range means {
		iban := m.firstText(paths.account...)
		for _, path := range paths.bank {
			if iban != "" || bank == "" {
				bank = m.firstText(path...)
			}
			if bank != "" {
				break
			}
		}
		if iban != "" {
			v.add(domain.FieldIBAN, iban, compact(iban))
			break
		}
	}
	code, err := normaliseBIC(bank)
	if err != nil {
		code = ""
	}
	v.add(domain.FieldBIC, limited(bank), code)
}

// taxRow is the tax at one rate as an e-invoice states it.
type taxRow struct{ rate, net, tax string }

// taxes adds the tax by rate. A row without a rate and without a tax is exempt.
func (v *invoice) taxes(rows []taxRow) {
	var exact []domain.TaxRow
	var texts []string
	for _, row := range rows {
		rate := plainDecimal(row.rate)
		net, netOK := minorOf(row.net, v.currency)
		tax, taxOK := minorOf(row.tax, v.currency)
		if row.rate == "" && tax == 0 {
			rate = "0"
		}
		if rate != "" && netOK && taxOK && row.net != "" {
			exact = append(exact, domain.TaxRow{Rate: rate, Net: net, Tax: tax})
		}
		texts = append(texts, row.rate+"%: "+row.net+" + "+row.tax)
	}
	if len(rows) == 0 {
		return
	}
	normalised := ""
	if len(exact) == len(rows) && knownCurrency(v.currency) != "" {
		text := domain.FormatTaxRows(exact, v.currency)
		if again, err := normaliseTaxes(text, v.currency); err == nil && len(again) <=
			domain.MaxFieldValue {
			normalised = again
		}
	}
	v.add(domain.FieldTaxBreakdown, joinLimited(texts, "; "), normalised)
}

// ordered returns the invoice with its fields in display order.
func (v *invoice) ordered() *invoice {
	order := domain.FieldNames()
	slices.SortStableFunc(v.fields, func(a, b domain.Field) int {
		return orderIndex(order, a.Name) - orderIndex(order, b.Name)
	})
	return v
}

// limited returns a text without control characters that a person could also enter.
func limited(text string) string {
	text = strings.Join(strings.Fields(domain.LineText(text)), " ")
	if runes := []rune(text); len(runes) > domain.MaxFieldValue {
		return string(runes[:domain.MaxFieldValue-1]) + "…"
	}
	return text
}

func joinLimited(texts []string, separator string) string {
	return limited(strings.Join(texts[:min(len(texts), 100)], separator))
}
