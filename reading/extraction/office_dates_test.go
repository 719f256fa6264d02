package extraction

import (
	"testing"

	"countersign/domain"
)

// The date of a letter follows its place. The dates of a list of earlier invoices, and those of a stay, are
// of other events.
func TestDatesOfLetters(t *testing.T) {
	t.Parallel()
	date := domain.FieldDate
	expectForms(t, []form{
		{"a reminder", []string{"Elektro Brandl e.K.", "Passau, 20.11.2026", "2. Mahnung",
			"Rechnung     Datum        fällig       offen", "RE-26-2210   24.09.2026   08.10.2026   1.186,43 €",
			"RE-26-2298   02.10.2026   16.10.2026   412,10 €", "Gesamtforderung 1.598,53 €"},
			map[string]string{date: "2026-11-20"}},
		{"with an article", []string{"Muster GmbH", "Stuttgart, den 16. November 2026",
			"Ihr Schreiben vom 12.11.2026"}, map[string]string{date: "2026-11-16"}},
		{"French", []string{"Menuiserie Le Goff", "Quimper, le 16/11/2026", "Travaux du 03/10/2026"},
			map[string]string{date: "2026-11-16"}},
		{"a statement", []string{"STATEMENT", "Portway Merchants Ltd", "Statement date 30 November 2026 · Account RB118",
			"Date         Ref         Debit      Balance", "04/11/2026   INV 55810   812.40     812.40",
			"11/11/2026   INV 55902   1,203.10   2,015.50"}, map[string]string{date: "2026-11-30"}},
		{"a stay", []string{"Hotel Alpenrose", "Rechnung 11408 Zimmer 214 Anreise 08.11.2026 Abreise 12.11.2026",
			"Sölden, 13.11.2026"}, map[string]string{date: "2026-11-13"}},
		{"an account below an invoice", []string{"INVOICE", "Fenland Seeds Ltd", "Invoice No. 77120",
			"Date 16 November 2026", "Invoice total £2,532.00", "Date          Invoice   Open",
			"02/09/2026   76201   1,908.00", "16/11/2026   77120   2,532.00"}, map[string]string{date: "2026-11-16"}},
	})
}

// 11/08 is November in the United States and August elsewhere. A page in dollars without either sign is no
// reason to be sure.
func TestDatesOfAmericanReceipts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want  string
		sure  bool
		lines []string
	}{
		{"2026-11-08", true, []string{"Pine Street Grill", "1804 Pine St, Seattle WA", "(206) 555-0148", "11/08/26 7:42 PM",
			"Total $79.87"}},
		{"2026-11-08", true, []string{"Pine Street Grill", "Seattle, WA 98101", "11/08/26", "Total $79.87"}},
		{"2026-08-11", false, []string{"Pine Street Grill", "11/08/26", "Total $79.87"}},
		{"2026-08-11", true, []string{"Pine Street Grill", "11/08/26", "Total £79.87"}},
	} {
		got := read(domain.FieldDate, c.lines...)
		if got.Normalised != c.want || got.Confidence >= unsure != c.sure {
			t.Errorf("%q: %s (%.2f), want %s, sure %v", c.lines, got.Normalised, got.Confidence, c.want, c.sure)
		}
	}
}

// A date alone in its line is that of the letter; one in a sentence is that of what it speaks of.
func TestDateAloneInItsLine(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{{"a reminder", []string{"Brightwell Cleaning Ltd", "Payment reminder", "20 November 2026",
		"Invoice 4711 of 1 October 2026 over £360.00 is overdue.", "Total due £372.50"},
		map[string]string{domain.FieldDate: "2026-11-20"}}})
}
