package extraction_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// A table with a quantity beside the mark of the next column.
const columnsInvoice = `FACTUUR                                 Blauwhuis B.V.

Factuurnummer: 77120045
Factuurdatum: 29 maart 2026
Artikel                      Aantal   Prijs per stuk   BTW   Prijs
Leren hoes                        2          € 99,99   21%   € 199,98
Muis                              1           € 4,02   21%     € 4,02

Subtotaal                     € 168,60
BTW 21%                        € 35,40
Totaal                        € 204,00`

// A share capital in the head, and a net total with the same digits as the total.
const netTotalInvoice = `Moulin Neuf SARL - SARL au capital de 120 000,00 €
Invoice FA-2026-0008
Invoice Date 2026-03-11
Description                  Quantity   Unit Price   Price
Oil                                20        19.80   396.00 €

Net total                                            396.00 €
Tax Total                                              0.00 €
Total                                                396.00 €
Residual after transfer                              196.00 €`

// The frame of a value is around the value where people look for it, and around nothing else.
func TestFrameIsAtTheValue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, field, row, words string }{
		"mark beside a quantity": {columnsInvoice, domain.FieldCurrency, "Totaal", "€"},
		"total, not the line":    {columnsInvoice, domain.FieldTotal, "Totaal", "204,00"},
		"mark in the head":       {netTotalInvoice, domain.FieldCurrency, "Total", "€"},
		"total, not net total":   {netTotalInvoice, domain.FieldTotal, "Total", "396.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, source := range []domain.FieldSource{domain.SourceText, domain.SourceOCR} {
				page := pageOfText(test.text, source)
				fields := extraction.Extract([]domain.Page{page}, extraction.Hints{})
				at := slices.IndexFunc(fields,
					func(f domain.Field) bool { return f.Name == test.field })
				if at < 0 || fields[at].Box == nil {
					t.Fatalf("%s has no place: %+v", test.field, fields)
				}
				lines, framed := strings.Split(test.text, "\n"), []string{}
				for _, w := range page.Words {
					box := *fields[at].Box
					if w.Box.X < box.X+box.W && box.X < w.Box.X+w.Box.W &&
						w.Box.Y < box.Y+box.H && box.Y < w.Box.Y+w.Box.H {
						framed = append(framed, w.Text)
						if line := lines[w.Line-1]; strings.Fields(line)[0] != test.row {
							t.Errorf("%s: framed in the row %q", source, line)
						}
					}
				}
				if got := strings.Join(framed, " "); got != test.words {
					t.Errorf("%s: framed %q, want %q", source, got, test.words)
				}
			}
		})
	}
}
