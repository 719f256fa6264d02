package domain

import (
	"testing"

	"pgregory.net/rapid"
)

func TestUsesFindsAColumnAnywhereInTheFilter(t *testing.T) {
	t.Parallel()
	country := Where(ColCountry, "==", "DE")
	other := Where(ColQueue, "==", QueueL1)
	for name, tc := range map[string]struct {
		filter Filter
		want   bool
	}{
		"the zero filter":            {Filter{}, false},
		"a constant":                 {Constant(true), false},
		"another column":             {other, false},
		"the column":                 {country, true},
		"in a conjunction":           {All(other, country), true},
		"in a disjunction":           {Any(other, country), true},
		"in neither part":            {All(other, Any(other)), false},
		"in a negation":              {Filter{Not: &country}, true},
		"not in a negation":          {Filter{Not: &other}, false},
		"for every country":          {Filter{EveryCountry: &country}, true},
		"another for every country":  {Filter{EveryCountry: &other}, false},
		"deep inside":                {All(Any(other, Filter{Not: &Filter{And: []Filter{country}}})), true},
		"an anti-join has no column": {Without(AntiVote, NewID()), false},
		"a review of a queue":        {HasReviewIn(QueueL1), false},
		"a decision of a person":     {HasDecisionOf(NewID()), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.filter.Uses(ColCountry); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// Any of nothing admits no row. If it were an empty Or it would be the zero filter, which admits
// every row.
func TestAnyOfNothingIsFalse(t *testing.T) {
	t.Parallel()
	if none := Any(); none.Const == nil || *none.Const {
		t.Errorf("Any() is %+v", none)
	}
	if all := All(); all.Const != nil || len(all.And) != 0 {
		t.Errorf("All() is %+v", all)
	}
}

// filterOf draws a filter and reports whether it compares the column.
func filterOf(t *rapid.T, depth int, column Column) (Filter, bool) {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return Where(column, "==", "x"), true
	case 1:
		return Where(ColLevel, "<=", int64(2)), false
	case 2:
		return Constant(rapid.Bool().Draw(t, "constant")), false
	case 3:
		part, uses := filterOf(t, depth-1, column)
		return Filter{Not: &part}, uses
	}
	var parts []Filter
	found := false
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		part, uses := filterOf(t, depth-1, column)
		parts, found = append(parts, part), found || uses
	}
	if kind == 4 {
		return All(parts...), found
	}
	return Any(parts...), found
}

func TestUsesAgreesWithTheConstruction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		filter, want := filterOf(t, 3, ColStatus)
		if filter.Uses(ColStatus) != want {
			t.Fatalf("uses is %t of %+v", !want, filter)
		}
	})
}
