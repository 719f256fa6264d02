package main

import (
	"strings"
	"testing"

	"countersign/domain"
)

func TestReasonsOfWrongFields(t *testing.T) {
	t.Parallel()
	text := lettersOf([]domain.Page{{Words: []domain.Word{{Text: "Musterfirna"}, {Text: "GmbH"},
		{Text: "17.03.2024"}, {Text: "1.234,50"}, {Text: "0,00"}}}})
	for _, row := range []struct {
		name, wanted string
		want         missReason
	}{
		{domain.FieldVendor, "Musterfirma GmbH", misread},
		{domain.FieldVendor, "Andere AG", notPrinted},
		{domain.FieldDate, "2024-03-17", notChosen},
		{domain.FieldDate, "2023-11-25", notPrinted},
		{domain.FieldTotal, "1234.5", notChosen},
		{domain.FieldTotal, "99.99", notPrinted},
		{domain.FieldPrepaid, "0.00", notPrinted},
		{domain.FieldNumber, "GMBH", notChosen},
	} {
		if got := reasonFor(row.name, []string{row.wanted}, text); got != row.want {
			t.Errorf("%s %s: %s, want %s", row.name, row.wanted, got, row.want)
		}
	}
}

// The document with the most wrong fields is first, and one without any is not printed.
func TestWorstDocuments(t *testing.T) {
	t.Parallel()
	o := newOutcome("made", nil)
	known := truth{domain.FieldNumber: {"17"}, domain.FieldTotal: {"5.00"}}
	total := domain.Field{Name: domain.FieldTotal, Normalised: "5.00"}
	o.addWorst("fine.pdf", nil, []domain.Field{total, {Name: domain.FieldNumber, Normalised: "17"}}, known)
	o.addWorst("one.pdf", nil, []domain.Field{total}, known)
	o.addWorst("two.pdf", nil, []domain.Field{{Name: domain.FieldTotal, Normalised: "6.00",
		Confidence: 0.5}}, known)
	var to strings.Builder
	printWorst(&to, []*outcome{o}, 1)
	for _, want := range []string{"3 not on the pages as read", "two.pdf: 2 of 2 fields wrong",
		`total: "6.00" (0.50), wanted 5.00`, "number: nothing, wanted 17"} {
		if !strings.Contains(to.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &to)
		}
	}
	if strings.Contains(to.String(), "fine.pdf") || strings.Contains(to.String(), "one.pdf") {
		t.Errorf("more than one document:\n%s", &to)
	}
}
