package extraction_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/reading/extraction"
)

// invoiceText is the text of an invoice; changes replace parts of it, pairwise.
func invoiceText(changes ...string) string {
	return strings.NewReplacer(changes...).Replace(`Muster Werke GmbH
Hafenstrasse 12, 20457 Hamburg
VAT ID: DE123456789

INVOICE
Invoice number: RE-1001
Invoice date: 14.10.2026

Steel brackets        2   50,00
Delivery              1   20,00

Net                     100,00
VAT 20 %                 20,00
Total EUR               120,00`)
}

func otherInvoice(changes ...string) string {
	return invoiceText(append([]string{"Muster Werke GmbH", "Nordlicht Handels AG",
		"Hafenstrasse 12, 20457 Hamburg", "Seeweg 3, 8001 Bern", "DE123456789", "DE987654321",
		"RE-1001", "A-55-2026", "14.10.2026", "02.09.2026", "100,00", "300,00", "120,00", "360,00",
		" 20,00", " 60,00"}, changes...)...)
}

func receiptText(vendor, id, number, date, total string) string {
	return fmt.Sprintf(`%s
12 Jalan Besar
GST No: %s
TAX INVOICE
Invoice No: %s
Date: %s 12:14
Paper         %s
Pens          2.00
Total         %s
Cash        500.00`, vendor, id, number, date, total, total)
}

const termsText = `General terms and conditions of delivery
the buyer accepts these terms when it orders goods from the seller and confirms them
all prices are stated without the cost of transport and are valid for thirty days
the seller remains the owner of the goods until the invoice is paid in full by the buyer
claims about defects must be raised within eight days after the goods were received
the place of jurisdiction for both parties is the place of the registered office`

// pagesOf lays out texts as the pages of one file.
func pagesOf(source domain.FieldSource, texts ...string) []domain.Page {
	pages := make([]domain.Page, len(texts))
	for i, text := range texts {
		pages[i] = pageOfText(text, source)
		pages[i].Number = i + 1
	}
	return pages
}

// placedOn returns one page with texts at offsets in pixels. Words at one height are on one line, as
// an engine returns them that knows no columns.
func placedOn(offsets [][2]int, texts ...string) domain.Page {
	page := domain.Page{Number: 1, Width: 2400, Height: 2400, DPI: 150, Source: domain.SourceOCR}
	for i, text := range texts {
		for _, word := range pageOfText(text, domain.SourceOCR).Words {
			word.Box.X, word.Box.Y = word.Box.X+offsets[i][0], word.Box.Y+offsets[i][1]
			word.Line = word.Box.Y / 30
			page.Words = append(page.Words, word)
		}
	}
	return page
}

// The labels of a utility bill are at the left, and its amounts at the right below the number and the date.
func TestColumnsOfOneDocument(t *testing.T) {
	t.Parallel()
	labels := "Stadtwerke Musterfluss AöR\nUfer 1, 85649 Musterfluss\nHerrn Karl Beispiel\nWiesenweg 14\n" +
		"Ihre Jahresabrechnung Strom\nAbrechnungszeitraum 01.11.2025 bis 31.10.2026\nArbeitspreis\nGrundpreis\nSumme netto\n" +
		"Umsatzsteuer 19 %\nRechnungsbetrag\nGeleistete Abschläge\nNachzahlung\n" +
		"Den Betrag von 98,10 € buchen wir am 04.12.2026 ab\nUSt-IdNr. DE123456789\nNeuer Abschlag Gesamt 129,00 €"
	amounts := "Kundennummer 100448231\nVerbrauchsstelle Wiesenweg\nZählernummer 9938122\nRechnungsnummer 20268005521\n" +
		"Datum 19.11.2026\n\n1.149,72 €\n142,80 €\n1.292,52 €\n245,58 €\n1.538,10 €\n-1.440,00 €\n98,10 €"
	page := placedOn([][2]int{{0, 0}, {1400, 0}}, labels, amounts)
	if parts := extraction.Parts([]domain.Page{page}); parts != nil {
		t.Errorf("the columns are documents: %s", partsText(parts))
	}
}

func partsText(parts []domain.DocumentPart) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprintf("%d-%d%s", part.First, part.Last, part.Place)
	}
	return strings.Join(texts, " ")
}

var (
	paper   = receiptText("GREEN HILL STATIONERY SDN BHD", "000123456789", "CS-10023", "14/10/2026", "174.90")
	kitchen = receiptText("RESTORAN SELERA SDN BHD", "001998877665", "R-77120", "02/10/2026", "38.20")
	// again is a receipt of the vendor of paper.
	again = receiptText("GREEN HILL STATIONERY SDN BHD", "000123456789", "CS-10951", "19/10/2026", "61.00")
	fuel  = receiptText("BINTANG SERVICE STATION SDN BHD", "002223334445", "88-4410", "11/10/2026", "95.50")
)

func TestSeveralDocumentsInOneFile(t *testing.T) {
	t.Parallel()
	text, scanned := domain.SourceText, domain.SourceOCR
	beside, below := [][2]int{{0, 0}, {1100, 0}}, [][2]int{{0, 0}, {0, 600}}
	grid := [][2]int{{0, 0}, {1100, 0}, {0, 700}, {1100, 700}}
	mixed := pagesOf(text, invoiceText(), paper)
	mixed[1].Source, mixed[1].Height = scanned, 2600
	for name, c := range map[string]struct {
		pages []domain.Page
		want  string
	}{
		"two invoices":                        {pagesOf(text, invoiceText(), otherInvoice()), "1-1 2-2"},
		"two of one vendor":                   {pagesOf(text, invoiceText(), invoiceText("RE-1001", "RE-1002", "120,00", "90,00", "100,00", "70,00")), "1-1 2-2"},
		"invoice and its terms, then another": {pagesOf(text, invoiceText(), termsText, otherInvoice()), "1-2 3-3"},
		"second of two pages": {pagesOf(text, invoiceText()+"\nPage 1 of 1",
			otherInvoice("Total EUR               360,00", "")+"\nPage 1 of 2",
			"Nordlicht Handels AG\nTotal EUR   360,00\nPage 2 of 2"), "1-1 2-3"},
		"first of two pages": {pagesOf(text, invoiceText("Total EUR               120,00", "")+"\nSeite 1 von 2",
			"Invoice number: RE-1001\nTotal EUR   120,00\nSeite 2 von 2",
			otherInvoice()+"\nSeite 1 von 1"), "1-2 3-3"},
		"no numbers":               {pagesOf(scanned, strings.Replace(paper, "Invoice No: CS-10023", "", 1), strings.Replace(kitchen, "Invoice No: R-77120", "", 1)), "1-1 2-2"},
		"three receipts":           {pagesOf(scanned, paper, kitchen, fuel), "1-1 2-2 3-3"},
		"three of one vendor":      {pagesOf(scanned, paper, again, strings.NewReplacer("CS-10951", "CS-11200", "61.00", "7.10").Replace(again)), "1-1 2-2 3-3"},
		"invoice with receipt":     {mixed, "1-1 2-2"},
		"a blank page between":     {pagesOf(scanned, paper, "", kitchen), "1-1 3-3"},
		"side by side":             {[]domain.Page{placedOn(beside, paper, kitchen)}, "1-1left 1-1right"},
		"side by side, one vendor": {[]domain.Page{placedOn(beside, paper, again)}, "1-1left 1-1right"},
		"one above the other":      {[]domain.Page{placedOn(below, paper, kitchen)}, "1-1top 1-1bottom"},
		"four on a page":           {[]domain.Page{placedOn(grid, paper, kitchen, again, fuel)}, "1-1area 1-1area 1-1area 1-1area"},
		"askew":                    {[]domain.Page{placedOn([][2]int{{0, 0}, {1100, 17}}, paper, kitchen)}, "1-1left 1-1right"},
		"two on the first page": {append([]domain.Page{placedOn(beside, paper, kitchen)},
			pagesOf(scanned, "", fuel)[1]), "1-1left 1-1right 2-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parts := extraction.Parts(c.pages)
			if got := partsText(parts); got != c.want {
				t.Errorf("found %q, want %q: %+v", got, c.want, parts)
			}
			for _, part := range parts {
				if part.Reason == "" || part.Confidence < 0.5 || part.Confidence > 1 {
					t.Errorf("a part without a reason or confidence: %+v", part)
				}
			}
		})
	}
}

// A document with everything that belongs to it stays one.
func TestOneDocumentIsNotDivided(t *testing.T) {
	t.Parallel()
	text, scanned := domain.SourceText, domain.SourceOCR
	slip := "MAYBANK\nTerminal 88120031\nDate: 14/10/2026 12:15\nVISA ************1234\nApproval code 551200\nTotal   174.90\nCustomer copy"
	for name, pages := range map[string][]domain.Page{
		"one page":               pagesOf(text, invoiceText()),
		"terms":                  pagesOf(text, invoiceText(), termsText),
		"repeated header":        pagesOf(text, invoiceText("Total EUR               120,00", "Carried forward 120,00"), invoiceText("Delivery              1   20,00", "Brought forward 120,00", "Total EUR               120,00", "Total EUR 240,00")),
		"numbered pages":         pagesOf(text, invoiceText("Total EUR               120,00", "")+"\nPage 1 of 2", "Muster Werke GmbH\nTotal EUR   120,00\nPage 2 of 2"),
		"copy":                   pagesOf(text, invoiceText(), invoiceText("INVOICE", "INVOICE - COPY")),
		"time sheet":             pagesOf(text, invoiceText(), "Muster Werke GmbH\nTime sheet October 2026\n01.10.2026 Fischer   8,00\n02.10.2026 Fischer   7,50\nTotal hours 15,50"),
		"delivery note":          pagesOf(text, invoiceText(), "Muster Werke GmbH\nVAT ID: DE123456789\nDelivery note LS-4411\nDate: 10.10.2026\nSteel brackets   2 pcs\nReceived in good order"),
		"cover letter":           pagesOf(text, "Muster Werke GmbH\nDear Sir or Madam,\nplease find our invoice enclosed.\nKind regards", invoiceText()),
		"card slip":              pagesOf(scanned, paper, slip),
		"card slip below":        {placedOn([][2]int{{0, 0}, {0, 500}}, paper, slip)},
		"both copies":            {placedOn([][2]int{{0, 0}, {1100, 0}}, paper, paper)},
		"receipt with a summary": pagesOf(scanned, paper+"\n\n\nGST Summary   Amount   Tax\nSR 6 %   165.00   9.90\nTotal   165.00   9.90"),
		"seller and buyer": pagesOf(text, invoiceText("Muster Werke GmbH", "Muster Werke GmbH                              Bill to: Kunden AG",
			"VAT ID: DE123456789", "VAT ID: DE123456789                            VAT ID: DE555666777")),
		"blank": pagesOf(scanned, "", ""),
		"none":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if parts := extraction.Parts(pages); parts != nil {
				t.Errorf("divided: %+v", parts)
			}
		})
	}
}

// Pages of an e-invoice's file that were not recognised may be another document.
func TestUnreadPagesOfAnEInvoiceAreAPart(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"":            {invoiceText(), termsText},
		"1-1 2-2":     {invoiceText(), ""},
		"1-2 3-4":     {invoiceText(), termsText, "", ""},
		"1-1 2-2 3-3": {invoiceText(), "", termsText},
	} {
		pages := pagesOf(domain.SourceText, texts...)
		if got := partsText(extraction.PartsOfInvoice(pages)); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	if parts := extraction.PartsOfInvoice(pagesOf(domain.SourceOCR, "", "")); parts != nil {
		t.Errorf("divided: %+v", parts)
	}
}

// The parts of any file are in order, do not overlap, and lie on its pages.
func TestPartsAreOnThePages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var pages []domain.Page
		for i := range rapid.IntRange(1, 4).Draw(t, "pages") {
			page := drawPage(t)
			if rapid.Bool().Draw(t, "with a receipt") {
				words := pageOfText(paper, page.Source).Words
				page.Words = append(words, page.Words...)
			}
			page.Number = i + 1
			pages = append(pages, page)
		}
		parts := extraction.Parts(pages)
		if len(parts) == 1 {
			t.Fatalf("one part: %+v", parts)
		}
		last := 0
		for _, part := range parts {
			if part.First < last || part.First == last && part.Box == nil || part.Last < part.First ||
				part.Last > len(pages) {
				t.Fatalf("out of order: %+v", parts)
			}
			last = part.Last
		}
	})
}
