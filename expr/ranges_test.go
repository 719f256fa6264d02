package expr

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// numeric draws a condition over two numbers and a boolean.
func numeric(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op")
	value := rapid.IntRange(-1, 12).Draw(t, "value")
	switch kind {
	case 0:
		return fmt.Sprintf("risk %s %d", op, value)
	case 1:
		return fmt.Sprintf("%d %s blocking", value, op)
	case 2:
		return rapid.SampledFrom([]string{"has_structured_data", "has_structured_data == false",
			"true", `country == "DE"`}).Draw(t, "truth")
	case 3:
		return "!(" + numeric(t, depth-1) + ")"
	case 4, 5:
		return "(" + numeric(t, depth-1) + " && " + numeric(t, depth-1) + ")"
	}
	return "(" + numeric(t, depth-1) + " || " + numeric(t, depth-1) + ")"
}

func (b Intervals) contains(facts domain.ProcessFacts) bool {
	truth := int64(0)
	if facts.HasStructuredData {
		truth = 1
	}
	for name, value := range map[string]int64{"risk": int64(facts.Risk),
		"blocking": int64(len(facts.Findings)), "has_structured_data": truth} {
		if found := b.Range(name); value < found.Min || value > found.Max {
			return false
		}
	}
	return true
}

// TestSatisfiableRangesContainEveryMatch checks that the ranges contain every match, that exact
// ranges contain nothing else, and that Subtract does not lose or add facts.
func TestSatisfiableRangesContainEveryMatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		condition, err := Compile(numeric(t, 3), ProcessFacts())
		if err != nil {
			t.Fatal(err)
		}
		other, err := Compile(numeric(t, 2), ProcessFacts())
		if err != nil {
			t.Fatal(err)
		}
		var outside []Intervals
		for _, intervals := range condition.SatisfiableRanges().Alternatives {
			parts := []Intervals{intervals}
			for _, cut := range other.SatisfiableRanges().Alternatives {
				var next []Intervals
				for _, part := range parts {
					next = append(next, part.Subtract(cut)...)
				}
				parts = next
			}
			outside = append(outside, parts...)
		}
		in := func(alternatives []Intervals, facts domain.ProcessFacts) bool {
			for _, intervals := range alternatives {
				if intervals.contains(facts) {
					return true
				}
			}
			return false
		}
		for range 20 {
			facts := domain.ProcessFacts{Risk: rapid.IntRange(0, 12).Draw(t, "risk"),
				HasStructuredData: rapid.Bool().Draw(t, "structured"),
				Country:           rapid.SampledFrom([]string{"", "DE"}).Draw(t, "country")}
			for range rapid.IntRange(0, 12).Draw(t, "blocking") {
				facts.Findings = append(facts.Findings,
					domain.Finding{Severity: domain.SeverityBlocking})
			}
			is, err := condition.Eval(facts)
			if err != nil {
				t.Fatal(err)
			}
			ranges := condition.SatisfiableRanges()
			if inside := in(ranges.Alternatives, facts); is && !inside ||
				!is && inside && ranges.Exact {
				t.Fatalf("%s is %v for %+v, its ranges are %+v", condition.Source(), is,
					facts, ranges)
			}
			if in(outside, facts) != (in(ranges.Alternatives, facts) &&
				!in(other.SatisfiableRanges().Alternatives, facts)) {
				t.Fatalf("%s without %s: %+v", condition.Source(), other.Source(), outside)
			}
		}
	})
}
