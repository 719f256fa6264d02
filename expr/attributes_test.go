package expr_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/expr"
)

func attributeEnvironment(t *testing.T) expr.Environment {
	t.Helper()
	declared, err := expr.WithAttributes([]domain.AttributeRule{
		{Name: "department", Type: domain.AttributeChoice, Required: true,
			Choices: []domain.AttributeOption{{Key: "sales"}, {Key: "finance"}, {Key: "it"}}},
		{Name: "region", Type: domain.AttributeChoice, Choices: []domain.AttributeOption{{Key: "eu"}}},
		{Name: "budget", Type: domain.AttributeMoney, Currency: "EUR", Required: true},
		{Name: "people", Type: domain.AttributeInteger}, // optional: no value
		{Name: "urgent", Type: domain.AttributeYesNo, Required: true},
		{Name: "amount_known", Type: domain.AttributeYesNo, Required: true},
		{Name: "start", Type: domain.AttributeDate},
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared
}

func TestConditionsUseAttributes(t *testing.T) {
	t.Parallel()
	declared := attributeEnvironment(t)
	facts := domain.ProcessFacts{AmountKnown: true, Attributes: map[string]any{"department": "sales",
		"region": "", "budget": int64(500), "urgent": true, "amount_known": false,
		"start": "2026-05-01"}}
	for source, want := range map[string]bool{
		`attributes.department == "sales"`:                true,
		`attributes.department in ["it", "finance"]`:      false,
		`attributes.region == ""`:                         true,
		`attributes.budget >= 500 && attributes.urgent`:   true,
		`attributes.start < "2026-06-01"`:                 true,
		`amount_known && !attributes.amount_known`:        true, // an attribute hides no fact
		`attributes.department.startsWith("s") && risk<1`: true,
	} {
		condition, err := expr.Compile(source, declared)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := condition.Eval(facts); err != nil || got != want {
			t.Errorf("%s: %v %v", source, got, err)
		}
	}
	// A case without the attribute fails instead of taking another route.
	condition, err := expr.Compile(`attributes.department == "sales"`, declared)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := condition.Eval(domain.ProcessFacts{}); !domain.HasCode(err, domain.ExpressionFailed) {
		t.Errorf("absent attribute: %v", err)
	}
}

func TestConditionsRefuseAttributes(t *testing.T) {
	t.Parallel()
	declared := attributeEnvironment(t)
	for source, part := range map[string]string{
		`attributes.salary == "x"`:             "undeclared reference",
		`attributes.people > 3`:                "undeclared reference", // optional, without a value
		`attributes.budget == "5"`:             "no matching overload",
		`attributes.department == "slaes"`:     `never "slaes"`,
		`"hr" != attributes.department`:        `never "hr"`,
		`attributes.department in ["it", "x"]`: `never "x"`,
		`attributes["department"] == "it"`:     "undeclared reference",
	} {
		if _, err := expr.Compile(source, declared); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := expr.Compile(`attributes.department == "it"`, expr.ProcessFacts()); err == nil {
		t.Error("a process without attributes accepts a condition about one")
	}
}

// The closed list makes ranges of a choice exact, so that all its branches cover every case.
func TestChoicesAreEnumerated(t *testing.T) {
	t.Parallel()
	declared := attributeEnvironment(t)
	rest := []expr.Intervals{declared.Bounds()}
	for _, source := range []string{`attributes.department == "sales"`,
		`attributes.department in ["it"]`, `!(attributes.department != "finance")`} {
		condition, err := expr.Compile(source, declared)
		if err != nil {
			t.Fatal(err)
		}
		ranges := condition.SatisfiableRanges()
		if !ranges.Exact || len(rest) == 0 {
			t.Errorf("%s: %+v, rest %v", source, ranges, rest)
		}
		for _, taken := range ranges.Alternatives {
			var left []expr.Intervals
			for _, part := range rest {
				left = append(left, part.Subtract(taken)...)
			}
			rest = left
		}
	}
	if len(rest) != 0 {
		t.Errorf("left: %v", rest)
	}
}
