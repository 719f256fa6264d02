package ocr

import (
	"slices"
	"strings"
	"testing"
)

// A page is read again in the language of its words, which PP-OCR reads without marks, if the request
// allows it. Pages in English and names in another language need none.
func TestLanguageOfASecondReading(t *testing.T) {
	t.Parallel()
	const german = "Rechnung Nr. 17 Datum 03.04.2024 Kunde Muller Menge Betrag zahlbar bis"
	const french = "Facture N 17 Reglement par virement Montant TVA Total TTC 12,00"
	for _, row := range []struct {
		name, text string
		requested  []string
		want       string
	}{
		{"German", german, nil, "deu"},
		{"German as another engine reads it", strings.ReplaceAll(german, "Rechnung", "RECHNUNG:"), nil, "deu"},
		{"French", french, nil, "fra"},
		{"French with marks", "Facture Règlement Quantité Désignation Montant", nil, "fra"},
		{"English", "Invoice number 17 date 2024-04-03 amount due please pay to Acme", nil, "eng"},
		{"a receipt", "KEDAI SDN BHD TOTAL 12.00 CASH 20.00 CHANGE 8.00 THANK YOU", nil, "eng"},
		{"an English invoice from Germany", "Invoice number date amount due the of and Rechnung Datum " +
			"Menge Betrag", nil, "eng"},
		{"few words", "Rechnung Datum Betrag", nil, "eng"},
		{"not allowed", german, []string{"eng"}, "eng"},
		{"allowed", german, []string{"eng", "deu"}, "deu"},
		{"as asked for", german, []string{"deu"}, "deu"},
		{"nothing", "", nil, "eng"},
	} {
		languages := row.requested
		if len(languages) == 0 {
			languages = []string{"eng"}
		}
		asked := &task{req: Request{Languages: row.requested}}
		got := asked.languagesFor(wordsAt(0.9, row.text), languages[:1])
		if !slices.Equal(got, []string{row.want}) {
			t.Errorf("%s: %v, want %s", row.name, got, row.want)
		}
	}
}
