package extraction

import (
	"testing"

	"countersign/domain"
)

// Invoices after instalments state their sum in several rows, and the rest under other names.
func TestInstalments(t *testing.T) {
	t.Parallel()
	total, paid, due := domain.FieldTotal, domain.FieldPrepaid, domain.FieldAmountDue
	expectForms(t, []form{
		{"final invoice", []string{"Schlussrechnung Nr. SR-2026-0417", "Auftragssumme netto 20.000,00 €",
			"zzgl. 19 % MwSt. 3.800,00 €", "Rechnungsbetrag brutto 23.800,00 €",
			"abzgl. 1. Abschlag vom 02.09.2026 -8.330,00 €", "abzgl. 2. Abschlag vom 05.10.2026 -9.520,00 €",
			"Noch zu zahlen 5.950,00 €"},
			map[string]string{total: "23800.00", paid: "17850.00", due: "5950.00"}},
		{"electricity", []string{"Rechnung Nr. 8005521", "Summe netto 1.292,52 €", "Umsatzsteuer 19 % 245,58 €",
			"Rechnungsbetrag 1.538,10 €", "Geleistete Abschläge -1.440,00 €", "Nachzahlung 98,10 €"},
			map[string]string{total: "1538.10", paid: "1440.00", due: "98.10"}},
		{"instalments that do not add up", []string{"Rechnung Nr. 8005521", "Rechnungsbetrag 1.538,10 €",
			"1. Abschlag -440,00 €", "2. Abschlag -400,00 €", "Noch zu zahlen 98,10 €"},
			map[string]string{paid: "", due: ""}},
	})
}

// Several rates of tax have a net amount each.
func TestSumsOfSeveralRates(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"in rows", []string{"Rechnung Nr. 4711", "Netto 7% 60,00", "MwSt 7% 4,20", "Netto 19% 490,80",
			"MwSt 19% 93,25", "Gesamt EUR 648,25"}, map[string]string{domain.FieldTotal: "648.25",
			domain.FieldNet: "550.80", domain.FieldTax: "97.45"}},
		{"another total", []string{"Rechnung Nr. 4711", "Netto 7% 60,00", "MwSt 7% 4,20", "Netto 19% 490,80",
			"MwSt 19% 93,25", "Gesamt EUR 700,00"}, map[string]string{domain.FieldTotal: "700.00"}},
		{"Swiss", []string{"Rechnung Nr. 1126", "Total exkl. MWST 4'152.20", "MWST 8.1% 336.33",
			"Rechnungsbetrag CHF 4'488.55"}, map[string]string{domain.FieldTotal: "4488.55",
			domain.FieldNet: "4152.20", domain.FieldTax: "336.33"}},
		{"two taxes", []string{"Tax invoice 4711", "Taxable value 10,45,000.00", "CGST 9% 94,050.00", "SGST 9% 94,050.00",
			"Grand Total ₹ 12,33,100.00"}, map[string]string{domain.FieldTax: "188100.00"}},
		{"two taxes of a receipt", []string{"Cafe Laurier", "SUBTOTAL 15.25", "GST 5% 0.76", "QST 9.975% 1.52",
			"TOTAL CAD 17.53"}, map[string]string{domain.FieldNet: "15.25", domain.FieldTax: "2.28"}},
		{"the base of a tax", []string{"Rechnung 11408", "Gesamt € 780,50", "inkl. 10% USt aus 672,00  61,09"},
			map[string]string{domain.FieldTotal: "780.50", domain.FieldTax: "61.09"}},
		{"a demand", []string{"2. Mahnung", "Summe offene Rechnungen 1.598,53 €", "Mahngebühr 12,00 €",
			"Verzugszinsen 9,87 €", "Gesamtforderung 1.620,40 €"},
			map[string]string{domain.FieldTotal: "1620.40"}},
	})
}

// What a guest adds is paid too.
func TestTips(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"Tip", "Gratuity", "Trinkgeld", "Pourboire", "Propina", "Mancia", "Fooi"} {
		lines := []string{"Pine Street Grill", "Subtotal 61.50", "Tax 6.37", "Amount 67.87", word + " 12.00",
			"Total $79.87"}
		if got := read(domain.FieldTotal, lines...); got.Normalised != "79.87" {
			t.Errorf("%s: the total is %s", word, got.Normalised)
		}
	}
	// A suggestion is no payment.
	expectForms(t, []form{{"suggested", []string{"Pine Street Grill", "Subtotal 61.50", "Tax 6.37",
		"Total $67.87", "Suggested tip 18% 11.07", "20% 12.30"}, map[string]string{domain.FieldTotal: "67.87"}}})
}

// Of several taxes that do not add up with anything, none is the tax of the document.
func TestOneOfSeveralTaxesIsNoSum(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"two taxes", []string{"Rechnung 11408", "Gesamt € 780,50", "inkl. 10% USt 61,09", "inkl. 20% USt 15,75"},
			map[string]string{domain.FieldTotal: "780.50", domain.FieldTax: ""}},
		{"one tax", []string{"Rechnung 11408", "Gesamt € 780,50", "inkl. 10% USt 61,09"},
			map[string]string{domain.FieldTax: "61.09"}},
	})
}
