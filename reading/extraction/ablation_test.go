package extraction_test

import (
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Each part that a measurement leaves out changes the reading of a document that needs it, and the
// product leaves out none.
func TestAblations(t *testing.T) {
	t.Parallel()
	page := pageOfText("PERABOT HIJAU 5DN BHD (345678-X)\nL0T 7, Jalan Kenanga\n81100 Johor Bahru\n"+
		"Date 1O/05/2018\nTotal 11.98\nTotal rounded 12.00\nCash 20.00\nChange 8.00", domain.SourceOCR)
	read := func(parts extraction.Ablation) map[string]domain.Field {
		fields := map[string]domain.Field{}
		for _, f := range extraction.Extract([]domain.Page{page}, extraction.Hints{Without: parts}) {
			fields[f.Name] = f
		}
		return fields
	}
	whole := read(extraction.Ablation{})
	for name, want := range map[string]string{domain.FieldVendor: "PERABOT HIJAU SDN BHD",
		domain.FieldVendorAddress: "LOT 7, Jalan Kenanga, 81100 Johor Bahru",
		domain.FieldDate:          "2018-05-10", domain.FieldTotal: "12.00"} {
		if got := whole[name].Normalised; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, c := range map[string]struct {
		parts extraction.Ablation
		field string
		value bool // the value changes, otherwise only its confidence
	}{
		"repairs of a name":     {extraction.Ablation{Repairs: true}, domain.FieldVendor, true},
		"repairs of an address": {extraction.Ablation{Repairs: true}, domain.FieldVendorAddress, true},
		"repairs of a date":     {extraction.Ablation{Repairs: true}, domain.FieldDate, true},
		"sums":                  {extraction.Ablation{Sums: true}, domain.FieldTotal, false},
		"clean-up":              {extraction.Ablation{CleanUp: true}, domain.FieldVendor, true},
		"rules of names":        {extraction.Ablation{NameRules: true}, domain.FieldVendor, false},
	} {
		was, is := whole[c.field], read(c.parts)[c.field]
		if c.value && was.Normalised == is.Normalised {
			t.Errorf("without %s, %s is still %q", name, c.field, is.Normalised)
		}
	}
}
