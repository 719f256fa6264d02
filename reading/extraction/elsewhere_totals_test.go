package extraction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Attack: the file has so many other values that the one that matters is beyond a limit. Small totals on the
// first further pages do not hide a large one, and no vendor or number of a further document is left out.
func TestManyOtherValuesHideNone(t *testing.T) {
	t.Parallel()
	texts := []string{invoiceText()}
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("Muster Werke GmbH\nInvoice number: RE-1001\nTotal EUR   %d,10", 121+i))
	}
	texts = append(texts, "Muster Werke GmbH\nInvoice number: RE-1001\nTotal EUR   1.000.000,00")
	examined := extraction.Examine(pagesOf(domain.SourceText, texts...), extraction.Hints{}, nil)
	var totals []string
	for _, other := range examined.Elsewhere {
		totals = append(totals, other.Normalised)
	}
	if len(totals) != 50 || totals[49] != "1000000.00" || totals[48] != "180.10" {
		t.Errorf("%d totals, the largest must be the newest: %v; parts %v", len(totals), totals, examined.Parts)
	}
	names := []string{"Nordlicht Handels AG", "Bergmann Papier GmbH", "Celler Stahlbau GmbH", "Dorfer Elektro GmbH",
		"Eckstein Reisen GmbH", "Falkner Transport GmbH", "Gerlach Medizin GmbH"}
	texts = []string{invoiceText()}
	for i, name := range names {
		texts = append(texts, strings.NewReplacer("Nordlicht Handels AG", name,
			"A-55-2026", fmt.Sprintf("A-%d-2026", 71+i), "DE987654321", fmt.Sprintf("DE98765%d", 4000+i*111),
			"360,00", fmt.Sprintf("%d,00", 360+i)).Replace(otherInvoice()))
	}
	examined = extraction.Examine(pagesOf(domain.SourceText, texts...), extraction.Hints{}, nil)
	values := elsewhereText(append(slices.Clone(examined.Elsewhere), examined.Fields...))
	for i, name := range names {
		for _, want := range []string{"vendor " + name, fmt.Sprintf("number A-%d-2026", 71+i)} {
			if !strings.Contains(values, want) {
				t.Errorf("%s is missing in %s", want, values)
			}
		}
	}
}

// Attack: the larger total of a further page is written so that it looks like a count.
func TestLargerTotalsOfFurtherPagesCount(t *testing.T) {
	t.Parallel()
	page := func(row string) []domain.Page {
		return pagesOf(domain.SourceText, invoiceText(), "Muster Werke GmbH\nInvoice number: RE-1001\n"+row)
	}
	for row, want := range map[string]string{
		"Total EUR   95000":                               "total 95000.00",
		"Total EUR   95.000":                              "total 95000.00",
		"Total   95.000 €":                                "total 95000.00",
		"Total   95000 EUR":                               "total 95000.00",
		"Total EUR ....   95000":                          "total 95000.00",
		"Total amount of EUR   95000.5":                   "total 95000.50",
		"Amount in EUR\nTotal   95000":                    "total 95000.00",
		"Total   95000":                                   "total 95000.00",
		"Amount due   95000":                              "total 95000.00",
		"Qty   Price\nAmount due   95000":                 "total 95000.00",
		"Total RM   9175":                                 "currency MYR, total 9175.00",
		"Total JPY   95000":                               "currency JPY, total 95000",
		"Total KRW   95,000":                              "currency KRW, total 95000",
		"Total IDR   95.000":                              "currency IDR, total 95000.00",
		"Total KWD   50.500":                              "currency KWD, total 50.500",
		"Total KWD   1,500":                               "currency KWD, total 1500.000",
		"Total for all items EUR   95,000.00":             "total 95000.00",
		"Total for all items   95,000.00":                 "total 95000.00",
		"Total payable within 30 days EUR   95,000.00":    "total 95000.00",
		"Total payable within 30 days   95,000.00":        "total 95000.00",
		"Total hours 1250   EUR   95,000.00":              "total 95000.00",
		"Grand total   120,00\nTotal   95.000,00":         "total 95000.00",
		"Grand total   50,00\nAdvance\nTotal EUR   95000": "total 50.00, total 95000.00",
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			if got := elsewhereText(extraction.Examine(page(row), extraction.Hints{}, nil).Elsewhere); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

// What a further page counts, identifies or dates is no total.
func TestCountsOfFurtherPagesAreNoTotals(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		"Total hours   1.250,00", "Total weight   1.250,00 kg", "Total net weight   1.250,00", "Total   1250 kg",
		"Qty   Article\nTotal   1250", "Total   3.450 kWh   EUR   81,00", "Total   1250   EUR   110,00",
		"Please transfer the total amount to the account 1234567890",
		"Please state the invoice total and the number 20261014", "Total amount due by 14.10.2026",
		"The total is payable within 30 days without deduction", "Page 2   Total pages 130",
	} {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			examined := extraction.Examine(pagesOf(domain.SourceText, invoiceText("Total EUR", "Total in EUR"),
				"Delivery note LS-4411\n"+row), extraction.Hints{}, nil)
			if got := elsewhereText(examined.Elsewhere); strings.Contains(got, "1250") || strings.Contains(got, "3450") ||
				row != "Total   3.450 kWh   EUR   81,00" && row != "Total   1250   EUR   110,00" && got != "" {
				t.Errorf("found %q", got)
			}
		})
	}
}

// Attack: a document in a file states a smaller total more clearly than the one on its second page.
func TestLargerTotalOnThePageOfAPartCounts(t *testing.T) {
	t.Parallel()
	text := domain.SourceText
	other := otherInvoice("Total EUR", "Grand total EUR")
	const further = "Nordlicht Handels AG\nInvoice number: A-55-2026\nTotal   95.000,00"
	for name, pages := range map[string][]domain.Page{
		"of the first":  pagesOf(text, other, further, invoiceText()),
		"of the second": pagesOf(text, invoiceText(), other, further),
	} {
		examined := extraction.Examine(pages, extraction.Hints{}, nil)
		if got := elsewhereText(examined.Elsewhere); len(examined.Parts) != 2 || !strings.Contains(got, "total 95000.00") {
			t.Errorf("%s: %s; parts %+v", name, got, examined.Parts)
		}
	}
	structured := []domain.Field{{Name: domain.FieldNumber, Normalised: "RE-1001", Source: domain.SourceXML},
		{Name: domain.FieldTotal, Normalised: "120.00", Source: domain.SourceXML}}
	examined := extraction.Examine(pagesOf(text, invoiceText(), other, further), extraction.Hints{}, structured)
	if got := elsewhereText(examined.Elsewhere); !strings.Contains(got, "total 95000.00") {
		t.Errorf("beside an e-invoice: %s", got)
	}
}
