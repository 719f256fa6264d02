package extraction

import (
	"testing"

	"countersign/domain"
)

// form is a made page and the values that it must lead to; "" = none.
type form struct {
	name  string
	lines []string
	want  map[string]string
}

func expectForms(t *testing.T, forms []form) {
	t.Helper()
	for _, f := range forms {
		for field, want := range f.want {
			if got := read(field, f.lines...); got.Normalised != want {
				t.Errorf("%s: %s is %q (%.2f), want %q", f.name, field, got.Normalised, got.Confidence,
					want)
			}
		}
	}
}

// The title of an invoice has its number and its date, with words between.
func TestTitlesOfInvoices(t *testing.T) {
	t.Parallel()
	number, date := domain.FieldNumber, domain.FieldDate
	expectForms(t, []form{
		{"German", []string{"Rechnung des Versicherers (575) Nr. 00.123.456.7-2018-1 vom 18.04.2018",
			"Behandlung vom 05.03.2018, 11.03.2018"},
			map[string]string{number: "00.123.456.7-2018-1", date: "2018-04-18"}},
		{"German, other words", []string{"Handelsrechnung (380) Nr. R18-31 vom 03.10.2018",
			"Verordnung vom", "05.09.2018 an folgenden Terminen: 11.09.2018"},
			map[string]string{number: "R18-31", date: "2018-10-03"}},
		{"French", []string{"Facture n° FA-0017 du 03/10/2018", "Prestation du 05/09/2018"},
			map[string]string{number: "FA-0017", date: "2018-10-03"}},
		{"English", []string{"Invoice of the insurer no. A-4711 dated 3 October 2018",
			"Work of 5 September 2018, 11.30 hours"},
			map[string]string{number: "A-4711", date: "2018-10-03"}},
		{"an order in the title", []string{"Rechnung gemäß Bestellung Nr. 2013-471331 vom 01.03.2013",
			"Rechnungsdatum: 05.06.2013"}, map[string]string{date: "2013-06-05"}},
		{"another document, German", []string{"Beleg-Nr : RK21012345", "Ursprungsbeleg-Nr : R87654321012345"},
			map[string]string{number: "RK21012345"}},
		{"another document first", []string{"Original invoice no: R8765", "Invoice no: RK2101"},
			map[string]string{number: "RK2101"}},
		{"another document, Dutch", []string{"Oorspronkelijke factuur nr: R8765", "Factuur nr: RK2101"},
			map[string]string{number: "RK2101"}},
	})
}

// A label names the currency of a document; other signs of currencies can mean something else.
func TestNamedCurrency(t *testing.T) {
	t.Parallel()
	currency := domain.FieldCurrency
	hours := []string{"Mo.-Fr. 08.30 - 12.30 Uhr", "Mo.-Fr. 14.00 - 17.00 Uhr"}
	expectForms(t, []form{
		{"opening hours", append([]string{"Gesamtbetrag 12,50 EUR"}, hours...), map[string]string{currency: "EUR"}},
		{"only opening hours", hours, map[string]string{currency: ""}},
		{"francs", []string{"Gesamtbetrag Fr. 12.50"}, map[string]string{currency: "CHF"}},
		{"two labels", []string{"Currency: EUR", "Currency: USD", "Total USD 5.00"},
			map[string]string{currency: "USD"}},
		{"a label without a code", []string{"Currency: see below", "Total USD 5.00"},
			map[string]string{currency: "USD"}},
	})
	for _, l := range languages {
		for _, phrase := range l.currency {
			printed := titleCase(printedForm(phrase))
			lines := []string{"ACME", printed + ": PLN", "Exchange rates: 1 USD, 1 EUR, 1 GBP", "USD 1.00"}
			if got := read(currency, lines...); got.Normalised != "PLN" {
				t.Errorf("%s: %q: %+v", l.name, printed, got)
			}
		}
	}
}

// The VAT number that a label gives to the buyer is not that of the seller, whose country it decides.
func TestVATNumberOfTheBuyer(t *testing.T) {
	t.Parallel()
	seller, buyer := domain.FieldVATID, domain.FieldBuyerVATID
	expectForms(t, []form{
		{"English", []string{"TVA : FR11999999998 - SIRET 99999999800010", "Customer VAT Number ESA12345674"},
			map[string]string{seller: "FR11999999998", buyer: "ESA12345674", domain.FieldCountry: "FR"}},
		{"French", []string{"N° TVA client FR90343434346", "TVA : FR11999999998"},
			map[string]string{seller: "FR11999999998", buyer: "FR90343434346"}},
		{"German, in one row", []string{"Ihre USt-IdNr: DE234567890   Unsere USt-IdNr: DE123456789"},
			map[string]string{seller: "DE123456789", buyer: "DE234567890"}},
		{"only the buyer's", []string{"Customer VAT Number ESA12345674"},
			map[string]string{seller: "", buyer: "ESA12345674"}},
	})
}

// What was paid before is known from a list of payments, or from a zero beside its label.
func TestPaymentsBefore(t *testing.T) {
	t.Parallel()
	prepaid, due := domain.FieldPrepaid, domain.FieldAmountDue
	expectForms(t, []form{
		{"nothing paid", []string{"Rechnung 17 EUR", "Bruttosumme 1.163,40", "Erhaltene Anzahlungen -0,00",
			"Zahlbetrag 1.163,40"}, map[string]string{prepaid: "0.00", due: "1163.40"}},
		{"a zero that explains nothing", []string{"Rechnung 17 EUR", "Bruttosumme 1.163,40",
			"Erhaltene Anzahlungen 0,00", "Zahlbetrag 1.000,00"}, map[string]string{prepaid: ""}},
		{"French", []string{"Facture 17 EUR", "Total HT 530,75", "Total taxes 0,00",
			"Règlement   Date         Montant        Total TTC 530,75",
			"Vir SEPA    31/10/2017   147,00         Solde à payer 383,75"},
			map[string]string{prepaid: "147.00", due: "383.75", domain.FieldTotal: "530.75"}},
		{"English", []string{"Invoice 17 EUR", "Total 2,076.76", "Residual 1,453.76",
			"SEPA Wire transfer 11/17/2017 623.00"},
			map[string]string{prepaid: "623.00", due: "1453.76", domain.FieldTotal: "2076.76"}},
		{"German", []string{"Rechnung 17 EUR", "Gesamtbetrag 200,00", "Zahlung vom 03.04.2024 50,00",
			"Restbetrag 150,00"}, map[string]string{prepaid: "50.00", due: "150.00"}},
		{"an item between the amounts", []string{"Invoice 17 EUR", "Widgets 623.00", "Total 2,076.76",
			"Residual 1,453.76"}, map[string]string{prepaid: ""}},
	})
	for _, l := range languages {
		for _, phrase := range l.payment {
			if !paymentWords.MatchString(foldForSearch(printedForm(phrase))) {
				t.Errorf("%s: %q is no word of a payment", l.name, phrase)
			}
		}
	}
}

func TestRepairedDescriptions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Nougat de I'Abbaye 250g": "Nougat de l'Abbaye 250g", "I’huile d'olive": "l’huile d'olive",
		"I'll pay, I've paid, I'm": "I'll pay, I've paid, I'm", "Säure 1o0ml": "Säure 100ml",
		"Hot air ,heiBe Luft": "Hot air ,heiße Luft", "AuBen, groB, StraBe": "Außen, groß, Straße",
		"eBay YouBe AirBnb MaBuc": "eBay YouBe AirBnb MaBuc", "Huile d'olive a l'ancienne": "Huile d'olive à l'ancienne",
		"Pollo a la plancha": "Pollo a la plancha",
		"Model A1O0":         "Model A1O0", "MI'Abc": "MI'Abc", "2o": "2o",
	} {
		if got := repairText(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
