package extraction_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Errors name the field, so that a form can show them next to it.
func TestNormaliseNamesTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, value string }{
		{domain.FieldTotal, "1190.555"}, {domain.FieldNet, "about five"},
		{domain.FieldTax, "1.234"}, {domain.FieldDate, "soon"},
		{domain.FieldCurrency, "QQQ"}, {domain.FieldCountry, "Atlantis"},
		{domain.FieldCountry, "ZZ"},
	} {
		_, err := extraction.Normalise(c.field, c.value, "EUR")
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput ||
			refusal.Field != c.field {
			t.Errorf("%s %q: %v, want InvalidInput about the field", c.field, c.value, err)
		}
	}
}

// Spanish and Italian dates have prepositions; English ones can.
func TestDatesWithPrepositions(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"30 de noviembre de 2026", "30 novembre 2026", "30th of November, 2026",
		"30 November 2026", "30.11.2026"} {
		if dates := extraction.DatesOf(text); len(dates) != 1 || dates[0] != "2026-11-30" {
			t.Errorf("%q: %v", text, dates)
		}
	}
	for month := time.January; month <= time.December; month++ { // December begins like a preposition
		for _, between := range []string{" ", " of ", "-", ". "} {
			text := "17" + between + month.String() + " 2019"
			want := fmt.Sprintf("2019-%02d-17", month)
			if dates := extraction.DatesOf(text); len(dates) != 1 || dates[0] != want {
				t.Errorf("%q: %v", text, dates)
			}
		}
	}
	for _, text := range []string{"17 de dez. de 2019", "17 décembre 2019",
		"17 Dez. 2019", "17 Dec 2019"} {
		if dates := extraction.DatesOf(text); len(dates) != 1 || dates[0] != "2019-12-17" {
			t.Errorf("%q: %v", text, dates)
		}
	}
}
