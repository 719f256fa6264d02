package domain_test

import (
	"testing"

	"countersign/domain"
)

func TestSharesInPercent(t *testing.T) {
	t.Parallel()
	for text, millionths := range map[string]int{"0": 0, "2": 20_000, "0.5": 5_000,
		"100": 1_000_000, "0.0001": 1, " 12.25 ": 122_500} {
		got, err := domain.ParseShare(text)
		if err != nil || got != millionths {
			t.Errorf("%q: %d, %v", text, got, err)
		}
		if again, err := domain.ParseShare(domain.ShareText(got)); err != nil || again != got {
			t.Errorf("%q is written as %q", text, domain.ShareText(got))
		}
	}
	for _, text := range []string{"", ".5", "-1", "+1", "100.1", "101", "1.00001", "2%", "1e2",
		"0.-1", "NaN", "1000"} {
		if got, err := domain.ParseShare(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
