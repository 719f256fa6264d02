package domain_test

import (
	"encoding/json"
	"os"
	"testing"

	"countersign/domain"
)

// The forms of the pages convert amounts to minor units as the server does. Browsers know other decimals for
// some currencies, so the pages have a list of those that have not two.
func TestDecimalsOfTheForms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../frontend/src/lib/currency-digits.json")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	if err := json.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	for _, code := range domain.Currencies() {
		want, _ := domain.Exponent(code)
		digits, ok := listed[code]
		if !ok {
			digits = 2
		}
		if digits != want {
			t.Errorf("%s has %d decimals in the forms, and %d in the program", code, digits, want)
		}
	}
}
