package extraction

import (
	"testing"

	"countersign/domain"
)

func TestMisread(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		field, text, value string
		want               bool
	}{
		"a letter of a name":         {domain.FieldVendor, "Hafen L0gistik GmbH", "Hafen Logistik GmbH", true},
		"two of a long name":         {domain.FieldVendor, "Hafen L0g1stik GmbH", "Hafen Logistik GmbH", true},
		"three of it":                {domain.FieldVendor, "Hafen L0g1st1k GmbH", "Hafen Logistik GmbH", false},
		"a letter less":              {domain.FieldVendor, "Kiefr Bakery", "Kiefer Bakery", true},
		"spaces and case":            {domain.FieldVendor, "KIEFER  BAKERY,", "Kiefer Bakery", true},
		"a short name":               {domain.FieldVendor, "Bcme", "Acme", false},
		"another name":               {domain.FieldVendor, "Kontor Nord GmbH", "Hafen Logistik GmbH", false},
		"a digit of a number":        {domain.FieldNumber, "INV-47118", "INV-47110", true},
		"two of it":                  {domain.FieldNumber, "INV-47128", "INV-47110", false},
		"a short number":             {domain.FieldNumber, "4711", "4712", false},
		"a digit of a date":          {domain.FieldDate, "13.11.2026", "2026-11-18", true},
		"another day and month":      {domain.FieldDate, "13.12.2026", "2026-11-18", false},
		"letters for digits":         {domain.FieldNumber, "RE-6OO3", "RE-6003", true},
		"letters and a digit":        {domain.FieldNumber, "I63O6", "16305", true},
		"letters and two digits":     {domain.FieldNumber, "I63O6", "16215", false},
		"a digit, month first":       {domain.FieldDate, "04/10/2026", "2026-04-18", true},
		"a digit, day first":         {domain.FieldDate, "04/10/2026", "2026-10-09", true},
		"another field":              {domain.FieldTotal, "1589.80", "1589.81", false},
		"a text that is no date":     {domain.FieldDate, "Invoice date", "2026-11-02", false},
		"nothing where a name is":    {domain.FieldVendor, "", "Acme Ltd", false},
		"an empty value is not near": {domain.FieldVendor, "Acme Ltd", "", false},
	} {
		if got := Misread(row.field, row.text, row.value); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
