package extraction

import (
	"testing"

	"countersign/domain"
)

// The window of a letter has the buyer without a label: a name, perhaps a person, and an address.
func TestBuyerInTheWindow(t *testing.T) {
	t.Parallel()
	buyer, address := domain.FieldBuyer, domain.FieldBuyerAddress
	expectForms(t, []form{
		{"German, the sender in one line", []string{"Muster Werkzeugbau GmbH - Hafenstr. 7 - 20457 Hamburg", "",
			"Kunden & Partner AG", "Frau Beispiel", "Kundenweg 88", "80331 München", "",
			"Rechnung Nr. RE-17", "Gesamtbetrag 12,50 EUR"},
			map[string]string{buyer: "Kunden & Partner AG", address: "Kundenweg 88, 80331 München"}},
		{"French, beside the address of the delivery", []string{"Moulin SARL - 12 chemin du moulin - 84340 Malaucène",
			"Facture FA-17", "Adresse de livraison",
			"Entrepôt du Sud                              Hôtel Beau Rivage",
			"3 rue de la gare                             42 rue du stade",
			"13001 Marseille                              97400 Saint Denis", "Total TTC 12,50 EUR"},
			map[string]string{buyer: "Hôtel Beau Rivage", address: "42 rue du stade, 97400 Saint Denis"}},
		{"Dutch, beside contacts", []string{"Bakker BV",
			"Jansen Techniek                              telefoon 020 7604101",
			"Dorpsstraat 5                                www.bakker.example",
			"1234 AB Utrecht", "", "Factuur 2024-17", "Totaal incl. BTW 12,50 EUR"},
			map[string]string{buyer: "Jansen Techniek", address: "Dorpsstraat 5, 1234 AB Utrecht"}},
		{"a label first", []string{"Acme Ltd", "Bill to", "Jane Roe Ltd", "5 High Street", "London SW1A 1AA",
			"Invoice no 17"}, map[string]string{buyer: "Jane Roe Ltd"}},
		{"the VAT number of a client is no name", []string{"Acme SARL", "N° TVA client FR90343434346",
			"Incoterms RENDU", "Facture n° 17"}, map[string]string{buyer: ""}},
		{"a receipt has none", []string{"RECEIPT", "Kedai Maju", "12 Jalan Besar", "50000 Kuala Lumpur",
			"Total RM 5.00"}, map[string]string{buyer: ""}},
	})
	// Attack: nothing but its place makes a name the buyer, so that it is never sure.
	got := read(buyer, "Muster GmbH - Hafenstr. 7 - 20457 Hamburg", "Kunden AG", "Kundenweg 88",
		"80331 München", "Rechnung Nr. RE-17")
	if got.Normalised != "Kunden AG" || got.Confidence >= 0.6 {
		t.Errorf("%+v", got)
	}
}

// A zero that is read twice, as O0, is found by the check digits only.
func TestAccountWithAZeroReadTwice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"IBAN DEO08 7009 0100 1234 5678 90": "DE08700901001234567890",
		"IBAN DE0O8 7009 0100 1234 5678 90": "DE08700901001234567890",
		"IBAN DE08 7009 0100 1234 5678 90":  "DE08700901001234567890",
	} {
		if got := read(domain.FieldIBAN, text); got.Normalised != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := read(domain.FieldIBAN, "IBAN DEO08 7009 0100 1234 5678 91"); got.Confidence >= 0.6 {
		t.Errorf("an account with wrong check digits: %+v", got)
	}
}
