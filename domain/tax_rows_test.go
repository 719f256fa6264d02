package domain

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestTaxRowsAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	rows, err := ParseTaxRows(" 19.00%: 64.46 + 12.25;7%: 113.03 + 7.91", "EUR")
	if err != nil {
		t.Fatal(err)
	}
	const want = "7%: 113.03 + 7.91; 19%: 64.46 + 12.25"
	if got := FormatTaxRows(rows, "EUR"); got != want {
		t.Errorf("got %q", got)
	}
	if net, tax := SumTaxRows(rows); net != 17749 || tax != 2016 {
		t.Errorf("sums %d, %d", net, tax)
	}
	for _, row := range rows {
		if !row.AddsUp(1) {
			t.Errorf("%+v does not add up", row)
		}
	}
	if (TaxRow{Rate: "7", Net: 11303, Tax: 2000}).AddsUp(3) {
		t.Error("a tax of 20.00 is 7 % of 113.03")
	}
	if got := FormatTaxRows([]TaxRow{{Rate: "10", Net: 500, Tax: 50}}, "JPY"); got !=
		"10%: 500 + 50" {
		t.Errorf("yen: %q", got)
	}
}

func TestOtherTextsAreNoTaxRows(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "19%", "19%: 1.00", "19: 1.00 + 0.19", "-19%: 1.00 + 0.19",
		"1e3%: 1.00 + 0.19", "19%: 1.00 + 0.195", "1/3%: 1.00 + 0.19", "1001%: 1.00 + 0.19",
		"19%: 1.00 + 0.19;", "19%: 9999999999999999999 + 0.19", "19%: 1.00 + 0.19\n; x"} {
		if rows, err := ParseTaxRows(text, "EUR"); !HasCode(err, InvalidInput) {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
}

func TestTaxRowsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, maxTaxRows).Draw(t, "count")
		rows := make([]TaxRow, count)
		for i := range rows {
			rows[i] = TaxRow{Rate: strconv.Itoa(rapid.IntRange(0, 1000).Draw(t, "rate")),
				Net: rapid.Int64Range(-1e12, 1e12).Draw(t, "net"),
				Tax: rapid.Int64Range(-1e12, 1e12).Draw(t, "tax")}
		}
		text := FormatTaxRows(rows, "EUR")
		if len(text) > MaxFieldValue*2 {
			t.Fatalf("%d characters", len(text))
		}
		again, err := ParseTaxRows(text, "EUR")
		if err != nil || FormatTaxRows(again, "EUR") != text {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
