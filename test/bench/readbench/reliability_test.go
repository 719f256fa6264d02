package main

import (
	"strings"
	"testing"

	"countersign/domain"
)

func TestReliabilityTable(t *testing.T) {
	t.Parallel()
	list := judgements{{"total", 0.95, true}, {"total", 0.97, false}, {"total", 0.6, true},
		{"date", 0.59, false}, {"date", 1, true}}
	var out strings.Builder
	list.print(&out)
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"sure, all fields: 4 of 5 (80.0 %); wrong 1 (25.00 %), at most 75.14 % with 95 %",
		"total: 3 of 3 (100.0 %); wrong 1 (33.33 %)", "date: 1 of 2 (50.0 %); wrong 0 (0.00 %)",
		"0.50-0.60 1 0.59 0 0.0", "0.60-0.70 1 0.60 1 100.0", "0.93-0.98 2 0.96 1 50.0",
		"0.98-1.00 1 1.00 1 100.0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

// A vendor counts only with all its letters and digits.
func TestAVendorIsRightToTheLetter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"Acme (North) Sdn. Bhd.": true,
		"ACME NORTH SDN BHD": true, "ACME NORTH SDN BHO": false, "ACME NORTH": false} {
		got := right(domain.FieldVendor, domain.Field{Name: domain.FieldVendor, Normalised: value},
			[]string{"ACME (NORTH) SDN BHD"})
		if got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

// A wrong entity costs precision and recall, a missing one only recall; fields outside the task and
// differences in blanks and letter case do not count, marks do.
func TestProtocolOfTask3(t *testing.T) {
	t.Parallel()
	known := truth{"vendor": {"ACME  SDN BHD"}, "date": {"2018-12-25"}, "total": {"9.00"},
		"vendor_address": {"1 ROAD, TOWN"}, "iban": {"X"}}
	o := newOutcome("receipts", nil)
	o.addJudgements([]domain.Field{{Name: "vendor", Normalised: "ACME SDN BHD"},
		{Name: "date", Normalised: "2018-12-26"}, {Name: "total", Normalised: "9"},
		{Name: "iban", Normalised: "Y"}}, known)
	o.addJudgements(nil, truth{"total": {"1.00"}})
	if want := (protocol{known: 5, returned: 3, matched: 2, matchedOf: [4]int{1, 0, 0, 1}}); o.task3 != want {
		t.Errorf("%+v, want %+v", o.task3, want)
	}
	if f1 := o.task3.f1(); f1 != 50 {
		t.Errorf("F1 %f", f1)
	}
	for _, text := range []struct {
		printed, truth string
		same           bool
	}{{"Acme Sdn Bhd", "ACME SDN BHD", true}, {"Acme Sdn. Bhd", "ACME SDN BHD", false}} {
		if same := isSameText(text.printed, []string{text.truth}); same != text.same {
			t.Errorf("%q and %q: %t", text.printed, text.truth, same)
		}
	}
	address := protocol{}
	address.add("vendor_address", []domain.Field{{Name: "vendor_address",
		Raw: "1 Road\nTown", Normalised: "1 Road, Town"}}, []string{"1 ROAD TOWN"})
	if address.matched != 1 {
		t.Errorf("an address as printed: %+v", address)
	}
}
