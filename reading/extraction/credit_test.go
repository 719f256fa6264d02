package extraction

import (
	"testing"

	"countersign/domain"
)

// A document that credits its amounts has a negative total, net amount and tax.
func TestCreditsAreNegative(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"rows": {"Muster GmbH", "Rechnungskorrektur Nr. RK17 vom 03.04.2024", "Nettobetrag EUR -100,00",
			"MwSt 19% EUR -19,00", "Gesamtbetrag EUR -119,00"},
		"a table of sums": {"Muster GmbH", "RECHNUNGS-KORREKTUR", "Artikel Menge -5,0000 -5,00",
			"Warenwert     Nettobetrag   MwSt-Betrag     Endbetrag",
			"-110,00           -60,00        -11,40          -71,40",
			"-40,00            -40,00         -7,60          -47,60",
			"-150,00          -100,00        -19,00 EUR     -119,00"},
		"French": {"Moulin SARL", "Avoir n° A17", "Total HT -100,00 EUR", "TVA 19 % -19,00 EUR",
			"Total TTC -119,00 EUR"},
		"Dutch, with a minus behind": {"Bakker BV", "Creditnota 17 EUR", "Totaal excl. BTW 100,00-",
			"BTW 19% 19,00-", "Totaal incl. BTW 119,00-"},
	} {
		for field, want := range map[string]string{domain.FieldTotal: "-119.00",
			domain.FieldNet: "-100.00", domain.FieldTax: "-19.00"} {
			if got := read(field, lines...); got.Normalised != want {
				t.Errorf("%s: %s: %+v, want %s", name, field, got, want)
			}
		}
	}
}

// Attack: a speck before one amount, or one negative row, must not turn the sign of a document.
func TestOneMinusIsNoCredit(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"a speck before the net amount": {"Net amount EUR -100.00", "VAT 20% EUR 20.00",
			"Grand total EUR 120.00"},
		"a speck before the total": {"Net amount EUR 100.00", "VAT 20% EUR 20.00",
			"Grand total EUR -120.00", "Amount due EUR 120.00"},
		"a speck before a subtotal": {"Subtotal EUR -100.00", "Grand total EUR 120.00"},
		"a discount":                {"Discount EUR -5.00", "Net amount EUR 100.00", "Grand total EUR 120.00"},
	} {
		if got := read(domain.FieldTotal, lines...); got.Normalised != "120.00" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
