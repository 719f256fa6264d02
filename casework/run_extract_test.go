package casework

import (
	"testing"

	"countersign/domain"
	"countersign/internal/einvoice"
)

// pageWith returns a page with one line of words.
func pageWith(words ...string) domain.Page {
	page := domain.Page{Number: 1, Width: 1200, Height: 1700, DPI: 150, Source: domain.SourceText}
	for i, word := range words {
		page.Words = append(page.Words,
			domain.Word{Text: word, Confidence: 1, Line: 1,
				Box: domain.Box{X: 40 + 300*i, Y: 60, W: 280, H: 20}})
	}
	return page
}

// TestDamagedInvoiceFallsBackToPages checks that the e-invoice takes precedence over the pages. A
// damaged one is ignored if there are pages, and is an error without pages, also when parsed again.
func TestDamagedInvoiceFallsBackToPages(t *testing.T) {
	t.Parallel()
	whole := einvoice.Invoice{Number: "R-1", Seller: "Muster GmbH", Total: 12_000}.XML()
	pages := []domain.Page{pageWith("IBAN", "DE02120300000000202051")}
	for _, test := range []struct {
		name  string
		xml   *invoice
		pages []domain.Page
		iban  string
		code  domain.Code
	}{
		{"whole", &invoice{xml: whole}, pages, "DE89370400440532013000", ""},
		{"whole, no pages", &invoice{xml: whole}, nil, "DE89370400440532013000", ""},
		{"none", &invoice{}, pages, "DE02120300000000202051", ""},
		{"damaged", &invoice{xml: whole[:len(whole)/2]}, pages, "DE02120300000000202051", ""},
		{"damaged, no pages", &invoice{xml: whole[:len(whole)/2]}, nil, "", domain.DamagedFile},
		{"another XML", &invoice{xml: []byte("<other/>")}, nil, "", domain.UnsupportedFile},
	} {
		for range 2 {
			fields, _, err := extractFields(test.pages, test.xml, domain.Case{},
				domain.UndefinedDocumentType("invoice"), nil)
			if fieldValue(fields, domain.FieldIBAN) != test.iban ||
				(test.code != "") != domain.HasCode(err, test.code) {
				t.Errorf("%s: %+v %v", test.name, fields, err)
			}
		}
	}
}
