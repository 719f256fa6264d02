package workflow

import (
	"os"
	"strings"
	"testing"

	"countersign/domain"
)

// withHeader returns a small definition with further header lines.
func withHeader(lines string) []byte {
	return []byte(strings.Replace(definitionOf("  - {id: a, kind: stage, on: {done: seal, bad: seal_no}}"),
		"nodes:", lines+"\nnodes:", 1))
}

func TestOrderRuleIsParsed(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]domain.OrderRule{
		"":                               domain.OrderRuleOptional,
		"order: required":                domain.OrderRuleRequired,
		"order: optional":                domain.OrderRuleOptional,
		"order: none":                    domain.OrderRuleNone,
		"has_amount: false":              domain.OrderRuleNone,
		"has_amount: false\norder: none": domain.OrderRuleNone,
	} {
		def, problems := Check(withHeader(header))
		if len(problems) > 0 || def.Order != want {
			t.Errorf("%q: %v", header, problems)
		}
	}
	for _, header := range []string{"order: always", "order: Required",
		"has_amount: false\norder: required", "has_amount: false\norder: optional"} {
		_, problems := Check(withHeader(header))
		if len(problems) != 1 || problems[0].Rule != "order" {
			t.Errorf("%q: %v", header, problems)
		}
	}
	if def := builtin(t, "cross_border_remittance"); def.Order != domain.OrderRuleRequired {
		t.Errorf("the built-in remittance: %q", def.Order)
	}
	if def := builtin(t, "document_approval"); def.Order != domain.OrderRuleNone {
		t.Errorf("the built-in approval: %q", def.Order)
	}
}

// A saga that can pay without an order is a warning, with the node and its line.
func TestSagaWithoutRequiredOrderIsAWarning(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/definitions/supplier_payment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for header, warned := range map[string]bool{"": true, "order: none\n": true,
		"order: optional\n": true, "order: required\n": false} {
		def := mustParse(t, strings.Replace(string(text), "nodes:\n", header+"nodes:\n", 1))
		found := Warnings(def)
		if (len(found) == 1) != warned || warned && (found[0].Rule != "order_not_required" ||
			found[0].Node != "pay" || found[0].Line == 0 || found[0].Values["node"] != "pay") {
			t.Errorf("%q: %+v", header, found)
		}
	}
}

// An approval passes a case if it starts a saga or the stage that archives it, and not if a review, a
// timer or a rejection follows.
func TestStepsThatLetACasePass(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		effects []Effect
		want    bool
	}{
		"nothing":     {nil, false},
		"a review":    {[]Effect{OpenReview{Node: "r"}}, false},
		"a timer":     {[]Effect{StartTimer{Node: "t"}}, false},
		"rejection":   {[]Effect{StartStage{Node: "s", Outcome: domain.Rejected}}, false},
		"archive":     {[]Effect{SetStatus{}, StartStage{Node: "s", Outcome: domain.Archived}}, true},
		"saga":        {[]Effect{StartStep{Node: "s", Step: 1}}, true},
		"second call": {[]Effect{StartStep{Node: "s", Step: 2}}, false},
		"undoing":     {[]Effect{StartStep{Node: "s", Step: 1, Undo: true}}, false},
	} {
		if got := LetsPass(row.effects); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
