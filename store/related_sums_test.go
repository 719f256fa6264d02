package store

import (
	"math"
	"reflect"
	"testing"
	"time"
)

// A window has the sums of its span and of all later ones; a query gets its own windows only, and a
// span in which nothing is left adds nothing.
func TestWindowsAddTheirSpans(t *testing.T) {
	t.Parallel()
	all := allWindows([]RelatedQuery{{Windows: []int{24, 168}}, {Windows: []int{720, 24}}})
	if want := []int{720, 168, 24}; !reflect.DeepEqual(all, want) {
		t.Fatalf("windows %v, want %v", all, want)
	}
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	var since []time.Time
	for _, hours := range all {
		since = append(since, now.Add(-time.Duration(hours)*time.Hour))
	}
	s := spanSums{since: since,
		kinds:     []string{"counterparty", "counterparty", "counterparty", "submitter", "account"},
		spans:     []int{1, 3, 3, 2, 3},
		bands:     []int{5, 5, 7, 5, 5},
		totals:    []int64{100, 20, 3, math.MaxInt64, 0},
		documents: []int64{4, 2, 1, 1, 0}}
	want := []DocumentSum{
		{SumCounterparty, 24, since[2], 5, 20, 2}, {SumCounterparty, 24, since[2], 7, 3, 1},
		{SumCounterparty, 720, since[0], 5, 120, 6}, {SumCounterparty, 720, since[0], 7, 3, 1},
		{SumSubmitter, 720, since[0], 5, math.MaxInt64, 1}}
	if got := s.within([]int{24, 720}, all); !reflect.DeepEqual(got, want) {
		t.Errorf("sums %v, want %v", got, want)
	}
	if got := (spanSums{}).within(nil, nil); got != nil {
		t.Errorf("without windows: %v", got)
	}
}
