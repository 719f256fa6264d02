package extraction

import (
	"testing"

	"countersign/domain"
)

// Polish and Swedish invoices, with the labels and forms of numbers that they have.
func TestPolishAndSwedishInvoices(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"Polish", []string{"Data wystawienia: 2026-11-13", "Faktura VAT nr FV/482/11/2026", "Sprzedawca",
			"Przykład Druk Sp. z o.o.", "ul. Długa 20", "30-701 Kraków", "NIP: 1234563218",
			"Razem netto 1 990,00", "Kwota VAT 457,70", "Do zapłaty: 2 447,70 PLN", "Termin płatności 2026-11-27"},
			map[string]string{domain.FieldVendor: "Przykład Druk Sp. z o.o.", domain.FieldNumber: "FV/482/11/2026",
				domain.FieldDate: "2026-11-13", domain.FieldDueDate: "2026-11-27", domain.FieldNet: "1990.00",
				domain.FieldTax: "457.70", domain.FieldTotal: "2447.70", domain.FieldCurrency: "PLN"}},
		{"Swedish", []string{"Exempel Bygg AB", "Storgatan 12", "852 30 Sundsvall", "FAKTURA", "Fakturanummer: 20455",
			"Fakturadatum: 2026-11-11", "Förfallodatum: 2026-12-11", "Netto 41 600,00", "Moms 25% 10 400,00",
			"Att betala SEK 52 000,00"},
			map[string]string{domain.FieldVendor: "Exempel Bygg AB", domain.FieldNumber: "20455",
				domain.FieldDate: "2026-11-11", domain.FieldDueDate: "2026-12-11", domain.FieldNet: "41600.00",
				domain.FieldTax: "10400.00", domain.FieldTotal: "52000.00", domain.FieldCurrency: "SEK"}},
	})
}
