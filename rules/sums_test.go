package rules

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// sumsOf is a submitter's sums before a document of 600,000 USD: of today, and of 30 days with today.
func sumsOf(today, month int64) []DocumentSum {
	const below = 60_000_000
	return []DocumentSum{
		{By: BySubmitter, Hours: 24, Band: domain.SumBand(below), BaseMinor: today, Documents: 2},
		{By: BySubmitter, Hours: 30 * 24, Band: domain.SumBand(below), BaseMinor: month, Documents: 9},
	}
}

// A clerk whose documents usually reach the mark has no warning for it; one who reaches it for the
// first time has. What was submitted today is not usual.
func TestUsualSumsOfASubmitter(t *testing.T) {
	t.Parallel()
	const million = 100_000_000
	for name, row := range map[string]struct {
		today, month int64
		want         bool
	}{
		"the first day":                   {million, million, true},
		"a busy month":                    {million, 22 * million, false},
		"exactly four times before":       {million, 5 * million, false},
		"nearly four times before":        {million, 5*million - 1, true},
		"all of the month is of today":    {30 * million, 30 * million, true},
		"a usual clerk on a small day":    {1, 30 * million, false},
		"more than an amount can be held": {1 << 62, 1<<63 - 1, false},
	} {
		for _, documentType := range []string{"invoice", "receipt", "remittance"} {
			input := cleanInvoiceInput()
			input.DocumentType, input.Sums = documentType, sumsOf(row.today, row.month)
			input.BaseMinor = 60_000_000
			found, _ := validateAndAssess(t, input)
			if got := findRaised(found, "split_payments") != nil; got != row.want {
				t.Errorf("%s, %s: the finding is %v", name, documentType, got)
			}
		}
	}
}

// The split attack of a usual clerk is found by its counterparty.
func TestSplitOfAUsualSubmitter(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.BaseMinor, input.Sums = 99_000, append(sumsOf(495_000, 4_000_000_000), DocumentSum{
		By: ByCounterparty, Hours: 24, Band: domain.SumBand(99_000), BaseMinor: 495_000, Documents: 5})
	if found, _ := validateAndAssess(t, input); findRaised(found, "split_small") == nil {
		t.Errorf("found %+v", found)
	}
}

// The values of usual are checked when a set is proposed.
func TestUsualSumsAreChecked(t *testing.T) {
	t.Parallel()
	whole := `key: mine
title: {en: Mine, zh: 我的}
document_types: [invoice]
rules:
  - id: split
    title: {en: Split, zh: 拆分}
    phase: risk
    severity: info
    score: 5
    asks: {en: "Is it split?", zh: "是否拆分？"}
    sums: [{by: submitter, within: [24h], marks: [1000000], usual: {within: 14d, times: 8}}]
    when: amount_known
    message: {en: "It is split.", zh: "已拆分。"}
`
	set, problems := CheckSet([]byte(whole))
	if len(problems) > 0 || !slices.Equal(set.Windows(), []int{24, 14 * 24}) {
		t.Fatalf("%v %+v", problems, set)
	}
	for _, change := range [][2]string{{"14d", "24h"}, {"14d", "32d"}, {"14d", "12h"}, {"times: 8", "times: 0"},
		{"times: 8", "times: 1001"}, {"{within: 14d, times: 8}", "{times: 8}"}} {
		_, problems := CheckSet([]byte(strings.Replace(whole, change[0], change[1], 1)))
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Check == "sums" }) {
			t.Errorf("%v: %v", change, problems)
		}
	}
}
