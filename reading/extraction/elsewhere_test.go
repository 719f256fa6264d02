package extraction_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

func elsewhereText(fields []domain.Field) string {
	var texts []string
	for _, field := range fields {
		texts = append(texts, field.Name+" "+field.Normalised)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// Attack: further pages that state something else are written so that they are no document of their own.
func TestFurtherPagesDoubtWhatTheyStateOtherwise(t *testing.T) {
	t.Parallel()
	text := domain.SourceText
	const total = "total 4000.00"
	for name, c := range map[string]struct {
		pages []domain.Page
		want  string
	}{
		"same number": {pagesOf(text, invoiceText(),
			"Muster Werke GmbH\nInvoice number: RE-1001\nTotal EUR   4.000,00"), total},
		"inside the document": {pagesOf(text, invoiceText()+"\nPage 1 of 2",
			"Total EUR   4.000,00\nPage 2 of 2"), total},
		"carried over": {pagesOf(text, invoiceText(), "Brought forward 120,00\nTotal EUR   4.000,00"), total},
		"another account": {pagesOf(text, invoiceText()+"\nIBAN DE89 3704 0044 0532 0130 00",
			"Our account is now\nGB29 NWBK 6016 1331 9268 19"), "iban GB29NWBK60161331926819"},
		"below thousands of words": {pagesOf(text, invoiceText(),
			strings.Repeat("lorem ipsum dolor sit amet\n", 700)+"Total EUR   4.000,00"), total},
		"two accounts of one bank": {pagesOf(text, invoiceText()+
			"\nIBAN DE89 3704 0044 0532 0130 00\nIBAN DE75 5121 0800 1245 1261 99"), "iban DE75512108001245126199"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for order := range 2 {
				pages := slices.Clone(c.pages)
				if order == 1 && name != "another account" {
					slices.Reverse(pages)
					for i := range pages {
						pages[i].Number = i + 1
					}
				}
				examined := extraction.Examine(pages, extraction.Hints{}, nil)
				got := elsewhereText(examined.Elsewhere)
				if order == 0 && got != c.want || got == "" && examined.Parts == nil {
					t.Errorf("order %d: %q, want %q; parts %+v", order, got, c.want, examined.Parts)
				}
				for _, other := range examined.Elsewhere {
					at := slices.IndexFunc(examined.Fields, func(f domain.Field) bool { return f.Name == other.Name })
					if other.Name == domain.FieldTotal && examined.Fields[at].Confidence >= 0.6 || other.Confidence >= 0.6 {
						t.Errorf("%s is certain: %+v, %+v", other.Name, examined.Fields[at], other)
					}
				}
			}
		})
	}
}

// What two documents state differently is found beside the values in force, also in areas of one page.
func TestEachDocumentOfAFileStatesItsValues(t *testing.T) {
	t.Parallel()
	const want = "date 2026-09-02, number A-55-2026, total 360.00, vendor Nordlicht Handels AG"
	examined := extraction.Examine(pagesOf(domain.SourceText, invoiceText(), termsText, otherInvoice()),
		extraction.Hints{}, nil)
	values := elsewhereText(append(slices.Clone(examined.Elsewhere), examined.Fields...))
	for part := range strings.SplitSeq(want+", number RE-1001, total 120.00, date 2026-10-14", ", ") {
		if !strings.Contains(values, part) {
			t.Errorf("%s is missing in %s", part, values)
		}
	}
	if len(examined.Parts) != 2 || examined.Parts[0].Number != "RE-1001" || examined.Parts[0].Last != 2 ||
		examined.Parts[1].Number != "A-55-2026" || examined.Parts[1].Total != "360.00" ||
		!slices.Equal(examined.Parts[1].Differs,
			[]string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldTotal}) {
		t.Errorf("parts %+v", examined.Parts)
	}
	page := placedOn([][2]int{{0, 0}, {1100, 0}}, paper, kitchen)
	beside := extraction.Examine([]domain.Page{page}, extraction.Hints{}, nil)
	if len(beside.Parts) != 2 || beside.Parts[0].Total != "174.90" || beside.Parts[1].Total != "38.20" {
		t.Errorf("areas %+v", beside.Parts)
	}
}

// Pages of one document state nothing else: sums that are carried over or of single pages, counts, the same
// values again, and the number of another document that a row names.
func TestPagesOfOneDocumentDoubtNothing(t *testing.T) {
	t.Parallel()
	text := domain.SourceText
	first := invoiceText("Net                     100,00\nVAT 20 %                 20,00\nTotal EUR               120,00",
		"Total EUR 70,00")
	for name, pages := range map[string][]domain.Page{
		"carried":     pagesOf(text, strings.Replace(first, "Total EUR", "Carried forward", 1), "Brought forward 70,00\nDelivery 50,00\nNet 100,00\nVAT 20 % 20,00\nTotal EUR 120,00"),
		"page sums":   pagesOf(text, first, "Delivery 50,00\nTotal EUR 50,00", "Net 100,00\nVAT 20 % 20,00\nGrand total EUR 120,00"),
		"time sheet":  pagesOf(text, invoiceText(), "Muster Werke GmbH\nTime sheet\nTotal hours 15,50"),
		"weight":      pagesOf(text, invoiceText(), "Delivery note LS-4411\nTotal weight 1.250,00 kg"),
		"same values": pagesOf(text, invoiceText()+"\nIBAN DE89 3704 0044 0532 0130 00", "Pay EUR 120,00 to DE89 3704 0044 0532 0130 00"),
		"statement":   pagesOf(text, invoiceText(), "Muster Werke GmbH\nOpen items\nInvoice RE-0990 of 01.09.2026\nInvoice RE-0991 of 02.09.2026"),
		"terms":       pagesOf(text, invoiceText(), termsText),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			examined := extraction.Examine(pages, extraction.Hints{}, nil)
			if len(examined.Elsewhere) > 0 || examined.Parts != nil {
				t.Errorf("%s, parts %+v", elsewhereText(examined.Elsewhere), examined.Parts)
			}
		})
	}
}

// The values of an e-invoice are certain, so that a further document doubts them, and what its pages show
// instead of one.
func TestAppendedInvoiceDoubtsAnEInvoice(t *testing.T) {
	t.Parallel()
	structured := []domain.Field{{Name: domain.FieldNumber, Normalised: "RE-1001", Source: domain.SourceXML},
		{Name: domain.FieldTotal, Normalised: "120.00", Source: domain.SourceXML}}
	for want, pages := range map[string][]domain.Page{
		"number A-55-2026, total 360.00": pagesOf(domain.SourceText, invoiceText(), otherInvoice()),
		"total 121.00":                   pagesOf(domain.SourceText, invoiceText("120,00", "121,00"), termsText),
		"":                               pagesOf(domain.SourceText, invoiceText(), termsText),
	} {
		examined := extraction.Examine(pages, extraction.Hints{}, structured)
		if got := elsewhereText(examined.Elsewhere); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
