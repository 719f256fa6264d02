package rules

import (
	"slices"
	"testing"
)

// What a rule depends on besides its case is the cause of a finding that appears without a change of the case.
func TestWhatRulesDependOn(t *testing.T) {
	t.Parallel()
	for id, want := range map[string][]Outside{
		"submitted_again": {OtherCases}, "duplicate_number": {OtherCases}, "account_shared": {OtherCases},
		"split_payments": {OtherCases}, "new_vendor": {OtherCases}, "high_risk_country": {Countries},
		"high_amount": {Rates}, "date_old": {Today}, "arithmetic": nil,
	} {
		rule, ok := setFor(t, "invoice").Rule(id)
		if !ok {
			t.Fatalf("no rule %s", id)
		}
		if got := rule.Outside(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
}
