package expr

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// meanings are the operators of a threshold with their meaning.
var meanings = map[string]func(a, b int64) bool{
	"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b },
	">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
	"==": func(a, b int64) bool { return a == b }, "!=": func(a, b int64) bool { return a != b },
}

// evaluated is the value of a condition that must compile and evaluate.
func evaluated(t *rapid.T, source string, known domain.ProcessFacts) bool {
	condition, err := Compile(source, ProcessFacts())
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	value, err := condition.Eval(known)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return value
}

// A limit of a process is exact at its boundary: one cent decides which review a case needs.
func TestAmountsAreComparedExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, domain.MaxMinor).Draw(t, "limit")
		known := facts()
		known.BaseMinor = max(0, limit+rapid.Int64Range(-2, 2).Draw(t, "off"))
		for operator, holds := range meanings {
			source := fmt.Sprintf("base_minor %s %d", operator, limit)
			if got := evaluated(t, source, known); got != holds(known.BaseMinor, limit) {
				t.Fatalf("%s is %t for %d", source, got, known.BaseMinor)
			}
		}
	})
}

// termOf draws a condition together with its value for the facts.
func termOf(t *rapid.T, depth int, known domain.ProcessFacts) (string, bool) {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		limit := rapid.IntRange(0, 100).Draw(t, "limit")
		return fmt.Sprintf("risk >= %d", limit), known.Risk >= limit
	case 1:
		code := rapid.SampledFrom([]string{"DE", "FR", "IR"}).Draw(t, "country")
		return fmt.Sprintf("country == %q", code), known.Country == code
	case 2:
		return "has_structured_data", known.HasStructuredData
	case 3:
		channel := rapid.SampledFrom([]string{"web", "api", "mail"}).Draw(t, "channel")
		return fmt.Sprintf("channel in [%q, \"folder\"]", channel), string(known.Channel) == channel
	case 4:
		source, value := termOf(t, depth-1, known)
		return "!(" + source + ")", !value
	}
	left, a := termOf(t, depth-1, known)
	right, b := termOf(t, depth-1, known)
	if kind == 5 {
		return "(" + left + ") && (" + right + ")", a && b
	}
	return "(" + left + ") || (" + right + ")", a || b
}

func TestConditionsFollowLogic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := facts()
		known.Risk = rapid.IntRange(0, 100).Draw(t, "risk")
		known.Country = rapid.SampledFrom([]string{"DE", "FR", "IR", ""}).Draw(t, "of")
		known.HasStructuredData = rapid.Bool().Draw(t, "structured")
		source, want := termOf(t, 3, known)
		if got := evaluated(t, source, known); got != want {
			t.Fatalf("%s is %t", source, got)
		}
	})
}

// The engine evaluates a gateway again when facts change. The same facts must always lead the same
// way, and an evaluation must leave nothing behind for the next one.
func TestEvaluationDependsOnTheFactsAlone(t *testing.T) {
	t.Parallel()
	condition, err := Compile(`risk < 30 && blocking == 0 && fields["vendor"] != ""`, ProcessFacts())
	if err != nil {
		t.Fatal(err)
	}
	calm, risky := facts(), facts()
	calm.Findings = nil
	risky.Findings, risky.Risk = nil, 31
	for range 3 {
		if value, err := condition.Eval(calm); err != nil || !value {
			t.Fatalf("without a finding: %t %v", value, err)
		}
		if value, err := condition.Eval(risky); err != nil || value {
			t.Fatalf("with a risk: %t %v", value, err)
		}
		if value, err := condition.Eval(facts()); err != nil || value {
			t.Fatalf("with a blocking finding: %t %v", value, err)
		}
	}
}

// A text of a document is data. It is compared and never read as a part of a condition.
func TestTextsOfDocumentsAreData(t *testing.T) {
	t.Parallel()
	for _, vendor := range []string{`" || true || "`, `Acme" == "Acme`, "${risk}", "'; true //",
		"true", "\\", "\x00", "中文", ""} {
		known := facts()
		known.Fields = map[string]string{"vendor": vendor}
		for source, want := range map[string]bool{
			`fields["vendor"] == "Acme"`:     false,
			`fields["vendor"].size() > 1000`: false,
			`"vendor" in fields`:             true,
		} {
			condition, err := Compile(source, ProcessFacts())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := condition.Eval(known); err != nil || got != want {
				t.Errorf("%s of %q is %t, %v", source, vendor, got, err)
			}
		}
	}
}

// A missing field must not let a case pass: the evaluation fails with a code, and the case gets an
// incident.
func TestAMissingFieldIsAnErrorUnlessItIsAskedFor(t *testing.T) {
	t.Parallel()
	for source, fails := range map[string]bool{
		`fields["vat_id"] == "DE1"`:                           true,
		`fields.vat_id.startsWith("DE")`:                      true,
		`!("vat_id" in fields)`:                               false,
		`"vat_id" in fields && fields["vat_id"] == "DE1"`:     false,
		`!("vat_id" in fields) || fields["vat_id"] == "DE1"`:  false,
		`has(fields.vat_id) && fields.vat_id.startsWith("D")`: false,
	} {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if _, err := condition.Eval(facts()); (err != nil) != fails ||
			fails && !domain.HasCode(err, domain.ExpressionFailed) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// Between two thresholds no comparison changes, so each amount is decided by its nearest lower one.
func TestThresholdsAreWhereAComparisonChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Int64Range(1, 1_000_000).Draw(t, "value")
		for operator, holds := range meanings {
			found := addThresholds(nil, operator, value)
			for amount := value - 2; amount <= value+2; amount++ {
				changes := holds(amount, value) != holds(amount-1, value)
				listed := false
				for _, threshold := range found {
					listed = listed || threshold == amount
				}
				if changes != listed {
					t.Fatalf("%s %d changes at %d: %t, listed: %t", operator, value, amount, changes,
						listed)
				}
			}
		}
	})
}
