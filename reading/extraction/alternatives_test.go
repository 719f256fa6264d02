package extraction_test

import (
	"reflect"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// replaceWord gives a word of the page an alternative.
func replaceWord(t *testing.T, page *domain.Page, text, other string, confidence float64) {
	t.Helper()
	for i := range page.Words {
		if word := &page.Words[i]; word.Text == text {
			word.Alternative, word.AlternativeConfidence, word.Engine = other, confidence, "tesseract"
			return
		}
	}
	t.Fatalf("%q is not on the page", text)
}

// Attack: whatever the other engine reads in place of the value, or of the words that confirm it, the
// value is not sure, however sure the words are.
func TestADisputedValueIsNeverSure(t *testing.T) {
	t.Parallel()
	const iban = "DE89370400440532013000"
	invoice := []string{"Hafen Logistik GmbH", "Invoice number: R-2041", "Invoice date: 2026-11-02",
		"IBAN " + iban, "Net EUR 100.00", "VAT 19% EUR 19.00", "Total EUR 119.00"}
	for _, row := range []struct {
		field, word, other string
		confidence         float64
	}{
		{domain.FieldTotal, "119.00", "179.00", 0.9}, {domain.FieldTotal, "119.00", "179.00", 0},
		{domain.FieldTotal, "119.00", "1l9.oo", 0.1}, {domain.FieldTotal, "119.00", "~", 0.01},
		{domain.FieldNumber, "R-2041", "R-2047", 0.2}, {domain.FieldDate, "2026-11-02", "2026-11-07", 0},
		{domain.FieldIBAN, iban, "DE89370400440532013001", 0.1},
		{domain.FieldVendor, "Hafen", "Haken", 0.9},
	} {
		page := pageOf(domain.SourceOCR, 1, invoice...)
		if field := fieldOf(row.field, page); field.Confidence < enough {
			t.Fatalf("%s is not sure before: %+v", row.field, field)
		}
		replaceWord(t, &page, row.word, row.other, row.confidence)
		before := pageOf(domain.SourceOCR, 1, invoice...)
		replaceWord(t, &before, row.word, row.other, row.confidence)
		if field := fieldOf(row.field, page); field.Confidence >= enough || field.Normalised == "" {
			t.Errorf("%+v: %+v", row, field)
		}
		if !reflect.DeepEqual(page, before) {
			t.Errorf("%+v: the page was changed", row)
		}
	}
}

// A digit or a sign in place of a letter that it looks like is no other reading of a name. Another letter
// is, and so is a digit that looks like none.
func TestSignsThatLookLikeLettersInANameAreNoDispute(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		word, other string
		sure        bool
	}{
		{"MOONSIDE", "M00NSIDE", true}, {"MOONSIDE", "MOON$IDE", true}, {"TOYBOX", "TO¥BOX", true},
		{"MOONSIDE", "MOONSIDF", false}, {"MOONSIDE", "M0ONS1DF", false},
		{"MOONSIDE", "MOON7IDE", false}, {"TOYBOX", "TOBOX", false},
	} {
		page := pageOf(domain.SourceOCR, 1, row.word+" TRADING SDN BHD", "Invoice number: R-2041",
			"Invoice date: 2026-11-02", "Total EUR 119.00")
		replaceWord(t, &page, row.word, row.other, 0.3)
		field := fieldOf(domain.FieldVendor, page)
		if sure := field.Confidence >= enough; sure != row.sure ||
			field.Normalised != row.word+" TRADING SDN BHD" {
			t.Errorf("%s and %s: %+v", row.word, row.other, field)
		}
	}
}

// The value that its check digits or the other amounts confirm is taken; the other one is reported.
func TestTheConfirmedReadingIsTaken(t *testing.T) {
	t.Parallel()
	const right, wrong = "DE89370400440532013000", "DE89370400440532073000"
	for _, row := range []struct{ field, read, other, want, rest string }{
		{domain.FieldIBAN, wrong, right, right, wrong},
		{domain.FieldIBAN, right, wrong, right, wrong},
		{domain.FieldTotal, "179.00", "119.00", "119.00", "179.00"},
		{domain.FieldTotal, "119.00", "179.00", "119.00", "179.00"},
	} {
		lines := []string{"Hafen Logistik GmbH", "Invoice date: 2026-11-02", "IBAN " + right,
			"Net EUR 100.00", "VAT 19% EUR 19.00", "Total EUR 119.00"}
		if row.field == domain.FieldIBAN {
			lines[2] = "IBAN " + row.read
		} else {
			lines[5] = "Total EUR " + row.read
		}
		page := pageOf(domain.SourceOCR, 0.95, lines...)
		replaceWord(t, &page, row.read, row.other, 0.9)
		examined := extraction.Examine([]domain.Page{page}, extraction.Hints{}, nil)
		value := func(fields []domain.Field) string {
			for _, field := range fields {
				if field.Name == row.field {
					return field.Normalised
				}
			}
			return ""
		}
		if got, rest := value(examined.Fields), value(examined.Other); got != row.want || rest != row.rest {
			t.Errorf("%+v: %s, and %s", row, got, rest)
		}
	}
}

// Garbage of an engine that is not sure of its letters disputes no word, and changes nothing outside of the
// name.
func TestPoorlyReadLettersDisputeNothing(t *testing.T) {
	t.Parallel()
	page := pageOf(domain.SourceOCR, 0.95, "Hafen Logistik GmbH", "Total EUR 119.00", "Herzlichen Dank")
	want := extraction.Examine([]domain.Page{page}, extraction.Hints{}, nil)
	replaceWord(t, &page, "Herzlichen", "~Herzljchen", 0.3)
	if got := extraction.Examine([]domain.Page{page}, extraction.Hints{}, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
