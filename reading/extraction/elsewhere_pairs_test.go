package extraction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// pairsText lists the totals and currencies of an examination: "900.00 EUR" is a total whose page states its
// currency, "900.00" one without, "EUR*" a currency of totals alone and "EUR" one that may be that of any. The
// value in force has a ! before it.
func pairsText(examined extraction.Examination) string {
	var texts []string
	list := func(fields []domain.Field, mark string) {
		for _, field := range fields {
			switch {
			case field.Name == domain.FieldTotal:
				texts = append(texts, strings.TrimSpace(mark+field.Normalised+" "+field.Currency))
			case field.Name == domain.FieldCurrency && field.OfTotals:
				texts = append(texts, mark+field.Normalised+"*")
			case field.Name == domain.FieldCurrency:
				texts = append(texts, mark+field.Normalised)
			}
		}
	}
	list(examined.Fields, "!")
	list(examined.Elsewhere, "")
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func inYen(text string) string {
	return strings.NewReplacer("Total EUR               360,00", "Total JPY   50,000").Replace(text)
}

// A total keeps the currency of its own document or page, also the one in force, whichever has more marks.
// Attacks: where the currency of a total is not certain, it may be any.
func TestTotalsWithTheCurrencyOfTheirPage(t *testing.T) {
	t.Parallel()
	const yen = "Nordlicht Handels AG\nTotal JPY   50,000"
	for name, c := range map[string]struct {
		texts []string
		want  string
	}{
		"two documents":          {[]string{invoiceText(), inYen(otherInvoice())}, "!120.00 EUR, !EUR*, 50000 JPY, JPY*"},
		"two in the other order": {[]string{inYen(otherInvoice()), invoiceText()}, "!120.00 EUR, !EUR*, 50000 JPY, JPY*"},
		"a page":                 {[]string{invoiceText(), yen}, "!120.00 EUR, !EUR*, 50000 JPY, JPY*"},
		"one currency":           {[]string{invoiceText(), otherInvoice()}, "!360.00, !EUR, 120.00"},
		"a page without a currency": {[]string{invoiceText(), yen, "Muster Werke GmbH\nTotal   95.000,00"},
			"!120.00 EUR, !EUR*, 50000 JPY, 95000.00, JPY*"},
		"the same total in another currency": {[]string{invoiceText(), "Muster Werke GmbH\nTotal GBP   120,00",
			"Muster Werke GmbH\nTotal GBP   110,00"}, "!120.00 GBP, !GBP*, 110.00 GBP, 120.00 EUR, EUR*"},
		"two currencies in the row": {[]string{invoiceText(), "Muster Werke GmbH\nTotal JPY   50,000 in EUR"},
			"!120.00 EUR, !EUR*, 50000, JPY"},
		"a sign of several currencies": {[]string{invoiceText(), "Muster Werke GmbH\nTotal   ¥ 50,000"},
			"!120.00, !EUR, 50000.00"},
		"a currency in the footer": {[]string{invoiceText(), yen,
			"Muster Werke GmbH\nTotal   95.000,00\nJPY is accepted by our bank"},
			"!120.00 EUR, !EUR*, 50000 JPY, 95000, JPY*"},
		"a word that is a code": {[]string{invoiceText(), yen, "Muster Werke GmbH\nTotal CAD services   95.000,00"},
			"!120.00 EUR, !EUR*, 50000 JPY, 95000.00, JPY*"},
		"words that are codes": {[]string{invoiceText(), yen, "Muster Werke GmbH\nTotal EUR   95.000,00 ALL"},
			"!120.00 EUR, !EUR*, 50000 JPY, 95000.00, JPY*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := pairsText(extraction.Examine(pagesOf(domain.SourceText, c.texts...), extraction.Hints{}, nil))
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// A currency that was read with doubt, or differently by another engine, is not that of the total for
// certain; a mark that is no code is not either on a scan, and neither is one in another row.
func TestDoubtfulCurrenciesPairNothing(t *testing.T) {
	t.Parallel()
	read := func(change func(*domain.Word)) string {
		pages := pagesOf(domain.SourceOCR, invoiceText(), inYen(otherInvoice()))
		for i := range pages[1].Words {
			if pages[1].Words[i].Text == "JPY" {
				change(&pages[1].Words[i])
			}
		}
		return pairsText(extraction.Examine(pages, extraction.Hints{}, nil))
	}
	if got := read(func(*domain.Word) {}); !strings.Contains(got, "50000 JPY, JPY*") {
		t.Errorf("read with certainty: %s", got)
	}
	for name, change := range map[string]func(*domain.Word){
		"doubt":    func(w *domain.Word) { w.Confidence = 0.7 },
		"disputed": func(w *domain.Word) { w.Alternative, w.AlternativeConfidence = "EUR", 0.6 },
		"no code":  func(w *domain.Word) { w.Text = "円" },
	} {
		if got := read(change); strings.Contains(got, "JPY*") || strings.Contains(got, "50000 JPY") {
			t.Errorf("%s: %s", name, got)
		}
	}
	heading := strings.NewReplacer("Total JPY", "Amounts in JPY\nTotal").Replace(inYen(otherInvoice()))
	for source, paired := range map[domain.FieldSource]bool{domain.SourceText: true, domain.SourceOCR: false} {
		examined := extraction.Examine(pagesOf(source, invoiceText(), heading), extraction.Hints{}, nil)
		if got := pairsText(examined); strings.Contains(got, "50000 JPY") != paired {
			t.Errorf("%s: %s", source, got)
		}
	}
}

// The total in force keeps its currency although the rest of the file names another one more often.
func TestTheTotalInForceHasItsOwnCurrency(t *testing.T) {
	t.Parallel()
	euro := invoiceText("Net  ", "Net EUR  ", "VAT 20 %", "VAT EUR 20 %", "2   50,00", "2 EUR  50,00")
	yen := inYen(otherInvoice("Total EUR", "Grand total EUR"))
	yen = strings.Replace(yen, "Grand total EUR               360,00", "Grand total JPY   50,000", 1)
	for _, texts := range [][]string{{euro, yen}, {yen, euro}} {
		examined := extraction.Examine(pagesOf(domain.SourceText, texts...), extraction.Hints{}, nil)
		got := pairsText(examined)
		if !strings.Contains(got, "!50000.00 JPY, !JPY*") && !strings.Contains(got, "!120.00 EUR, !EUR*") ||
			!strings.Contains(got, "120.00 EUR") || !strings.Contains(got, "JPY") {
			t.Errorf("%s", got)
		}
		for _, field := range examined.Fields {
			if field.Name == domain.FieldCurrency && field.Confidence >= domain.LowConfidence {
				t.Errorf("the currency is certain: %+v", field)
			}
		}
	}
}

// Attack: more large numbers of a weak currency than values are kept hide none of a strong one.
func TestManyTotalsOfAWeakCurrencyHideNone(t *testing.T) {
	t.Parallel()
	texts := []string{invoiceText()}
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("Muster Werke GmbH\nTotal IDR   5,%03d,000.00", i+100))
	}
	texts = append(texts, "Muster Werke GmbH\nTotal KWD   95,000.000", "Muster Werke GmbH\nTotal   70,000.00")
	got := pairsText(extraction.Examine(pagesOf(domain.SourceText, texts...), extraction.Hints{}, nil))
	for _, want := range []string{"95000.000 KWD", "5159000.00 IDR", "KWD*", "70000.00,"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
}

// The values of an e-invoice are those of the XML. A further document that states the same total in another
// currency counts.
func TestPairsBesideAnEInvoice(t *testing.T) {
	t.Parallel()
	structured := []domain.Field{{Name: domain.FieldNumber, Normalised: "RE-1001", Source: domain.SourceXML},
		{Name: domain.FieldTotal, Normalised: "120.00", Source: domain.SourceXML},
		{Name: domain.FieldCurrency, Normalised: "EUR", Source: domain.SourceXML}}
	other := otherInvoice("Total EUR               360,00", "Total GBP   120,00")
	for name, c := range map[string][]string{
		"another":  {inYen(otherInvoice()), "50000 JPY, JPY*"},
		"the same": {strings.Replace(other, "Total EUR               360,00", "Total GBP   120,00", 1), "120.00 GBP, GBP*"},
	} {
		examined := extraction.Examine(pagesOf(domain.SourceText, invoiceText(), c[0]), extraction.Hints{}, structured)
		examined.Fields = nil
		if got := pairsText(examined); got != c[1] {
			t.Errorf("%s: %s, want %s", name, got, c[1])
		}
	}
}
