package rules

import (
	"strings"
	"testing"

	"countersign/domain"
)

func finding(rule string, severity domain.Severity, values ...string) domain.Finding {
	found := domain.Finding{Rule: rule, Severity: severity, Evidence: map[string]string{}}
	for i := 0; i+1 < len(values); i += 2 {
		found.Evidence[values[i]] = values[i+1]
	}
	return found
}

func TestRequirementOfAFinding(t *testing.T) {
	t.Parallel()
	ann, ben, cat := domain.NewID(), domain.NewID(), domain.NewID()
	blocking := finding("r", domain.SeverityBlocking, "total", "10")
	changed := finding("r", domain.SeverityBlocking, "total", "11")
	by := func(of domain.Finding, persons ...domain.ID) domain.FindingOverride {
		o := domain.FindingOverride{Rule: of.Rule, FindingHash: of.Hash(), Person: persons[0]}
		if len(persons) > 1 {
			o.OnBehalfOf = persons[1]
		}
		return o
	}
	given := func(all ...domain.FindingOverride) []domain.FindingOverride { return all }
	two := &Rule{ID: "r", Override: domain.OverrideSecondPerson}
	queue := &Rule{ID: "r", Override: domain.OverrideQueue, OverrideQueue: "AML"}
	for name, row := range map[string]struct {
		finding             domain.Finding
		rule                *Rule
		given               []domain.FindingOverride
		approvedIn          []string
		required, satisfied bool
	}{
		"a warning without a rule":         {finding("r", domain.SeverityWarning), nil, nil, nil, false, false},
		"a blocking one without a rule":    {blocking, nil, nil, nil, true, false},
		"with a reason":                    {blocking, nil, given(by(blocking, ann)), nil, true, true},
		"a reason for other values":        {blocking, nil, given(by(changed, ann)), nil, true, false},
		"a reason for another rule":        {blocking, nil, given(by(finding("s", domain.SeverityBlocking), ann)), nil, true, false},
		"one of two persons":               {blocking, two, given(by(blocking, ann)), nil, true, false},
		"two persons":                      {blocking, two, given(by(blocking, ann), by(blocking, ben)), nil, true, true},
		"the delegate of the first":        {blocking, two, given(by(blocking, ann), by(blocking, ben, ann)), nil, true, false},
		"two delegates of one person":      {blocking, two, given(by(blocking, ben, ann), by(blocking, cat, ann)), nil, true, false},
		"a second one for other values":    {blocking, two, given(by(blocking, ann), by(changed, ben)), nil, true, false},
		"another queue":                    {blocking, queue, given(by(blocking, ann)), []string{"L1"}, true, false},
		"the queue":                        {blocking, queue, nil, []string{"L1", "AML"}, true, true},
		"never":                            {blocking, &Rule{ID: "r", Override: domain.OverrideNever}, given(by(blocking, ann)), []string{"AML"}, true, false},
		"a blocking rule that needs none":  {blocking, &Rule{ID: "r", Override: domain.OverrideNone}, nil, nil, false, false},
		"a warning that needs a reason":    {finding("r", domain.SeverityWarning), &Rule{ID: "r", Override: domain.OverrideReason}, nil, nil, true, false},
		"an information with a second one": {finding("r", domain.SeverityInfo), two, nil, nil, true, false},
	} {
		got, required := RequirementOf(row.finding, row.rule, row.given, row.approvedIn)
		if required != row.required || got.Satisfied != row.satisfied {
			t.Errorf("%s: required %v, satisfied %v", name, required, got.Satisfied)
		}
		if required && got.Title == "" {
			t.Errorf("%s: no title", name)
		}
	}
}

// A rule that names no override has the one of its severity; one that names an unknown override, or
// a queue without its kind, is a problem of the set.
func TestOverrideOfARule(t *testing.T) {
	t.Parallel()
	text := func(severity, override string) []byte {
		return []byte(`key: mine
title: {en: Mine, zh: 我的}
document_types: [invoice]
rules:
  - id: one
    title: {en: One, zh: 一}
    phase: risk
    severity: ` + severity + "\n    score: 5\n" + override + `    asks: {en: "A?", zh: "甲？"}
    when: amount_known
    message: {en: "It is.", zh: "是。"}
`)
	}
	for _, row := range []struct {
		severity, override string
		want               domain.Override
		queue              string
	}{
		{"info", "", domain.OverrideNone, ""}, {"warning", "", domain.OverrideNone, ""},
		{"blocking", "", domain.OverrideReason, ""},
		{"warning", "    override: second_person\n", domain.OverrideSecondPerson, ""},
		{"blocking", "    override: none\n", domain.OverrideNone, ""},
		{"blocking", "    override: queue\n    override_queue: AML\n", domain.OverrideQueue, "AML"},
	} {
		set, problems := CheckSet(text(row.severity, row.override))
		if len(problems) > 0 {
			t.Errorf("%+v: %v", row, problems)
			continue
		}
		if rule := set.Rules[0]; rule.Override != row.want || rule.OverrideQueue != row.queue {
			t.Errorf("%+v: %s %q", row, rule.Override, rule.OverrideQueue)
		}
	}
	for _, wrong := range []string{"    override: maybe\n", "    override: queue\n",
		"    override: reason\n    override_queue: AML\n", "    override_queue: AML\n"} {
		if _, problems := CheckSet(text("blocking", wrong)); len(problems) != 1 ||
			problems[0].Check != "override" || !strings.Contains(problems[0].String(), "override") {
			t.Errorf("%q: %v", wrong, problems)
		}
	}
}

// In the built-in sets no user can approve a document without an amount, and a reviewer alone cannot
// approve a wrong or changed account.
func TestBuiltinOverrides(t *testing.T) {
	t.Parallel()
	for _, set := range builtinSets() {
		for id, want := range map[string]domain.Override{"amount_missing": domain.OverrideNever,
			"iban_check": domain.OverrideSecondPerson, "account_changed": domain.OverrideSecondPerson,
			"arithmetic": domain.OverrideReason, "new_vendor": domain.OverrideNone} {
			if rule, ok := set.Rule(id); ok && rule.Override != want {
				t.Errorf("%s/%s: %s, want %s", set.Key, id, rule.Override, want)
			}
		}
	}
}
