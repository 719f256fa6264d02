package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// withoutRule removes one rule from a rule set's text.
func withoutRule(t *testing.T, document, rule string) string {
	t.Helper()
	before, after, found := strings.Cut(document, "  - id: "+rule+"\n")
	if !found {
		t.Fatalf("the set has no rule %s", rule)
	}
	if next := strings.Index(after, "\n  - id: "); next >= 0 {
		return before + after[next+1:]
	}
	return before
}

func warningsOf(report casework.ValidationReport, check string) []map[string]string {
	var values []map[string]string
	for _, warning := range report.Warnings {
		if warning.Rule == check {
			values = append(values, warning.Values)
		}
	}
	return values
}

// A rule set without the rule that routes remittances to the anti-money-laundering officers is
// valid, but its author is warned. The author of a set that takes over the document type without
// the rule is warned too. Findings that a process merely tolerates cause no warning.
func TestRuleSetWithoutReferencedRuleWarns(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.person("ada", domain.RoleAdmin), env.person("abe", domain.RoleAdmin)
	complete := env.ruleSet("remittance")
	check := func(document string) casework.ValidationReport {
		_, report, err := env.svc.CheckRuleSet(env.ctx, ada, document)
		must(t, err)
		if len(report.Problems) > 0 {
			t.Fatalf("%+v", report.Problems)
		}
		return report
	}
	if got := warningsOf(check(complete), "finding_awaited"); len(got) > 0 {
		t.Errorf("the complete set: %v", got)
	}
	if got := warningsOf(check(withoutRule(t, complete, "high_amount")),
		"finding_awaited"); len(got) > 0 {
		t.Errorf("a tolerated finding: %v", got)
	}
	reduced := withoutRule(t, complete, "high_risk_country")
	want := map[string]string{"process": "cross_border_remittance", "node": "destination",
		"rule": "high_risk_country", "set": "remittance", "documentType": "remittance"}
	if got := warningsOf(check(reduced), "finding_awaited"); len(got) != 1 ||
		fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("without the rule: %v", got)
	}
	renamed := strings.Replace(reduced, "document_types: [remittance]",
		"document_types: [transfer]", 1)
	// Remittances would then have the set of invoices, which defines that rule, but not those about orders.
	want["rule"], want["set"] = "countries_differ", "invoice"
	if got := warningsOf(check(renamed), "finding_awaited"); len(got) != 3 ||
		fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("without a set of its own: %v", got)
	}

	proposed, err := env.svc.ProposeRuleSet(env.ctx, ada, casework.Propose{Document: reduced})
	must(t, err)
	published, err := env.svc.PublishRuleSet(env.ctx, abe,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	for name, report := range map[string]casework.ValidationReport{"proposing": proposed.Report,
		"publishing": published.Report} {
		if len(warningsOf(report, "finding_awaited")) != 1 {
			t.Errorf("%s: %+v", name, report.Warnings)
		}
	}
	// Another rule set gets no warning for a rule that this one lacks.
	if got := warningsOf(check(env.ruleSet("invoice")), "finding_awaited"); len(got) > 0 {
		t.Errorf("invoices: %v", got)
	}
}

// The author of a process is warned of rules that no rule set of its document types defines, at the
// gateway that references them.
func TestProcessWithUnknownRuleWarns(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	version, err := env.db.Reader().NewestDefinition(env.ctx, "cross_border_remittance")
	must(t, err)
	row, err := env.db.Reader().Definition(env.ctx, "cross_border_remittance", version)
	must(t, err)
	unknown := func(document string) []workflow.Problem {
		checked, err := env.svc.CheckProcess(env.ctx, ada, document)
		must(t, err)
		if len(checked.Report.Problems) > 0 {
			t.Fatalf("%+v", checked.Report.Problems)
		}
		return slices.DeleteFunc(checked.Report.Warnings,
			func(p workflow.Problem) bool { return p.Rule != "finding_unknown" })
	}
	if got := unknown(row.Document); len(got) > 0 {
		t.Errorf("the built-in process: %v", got)
	}
	misspelt := strings.Replace(row.Document, `f.rule == "high_risk_country"`,
		`f.rule == "high_risk_land"`, 1)
	if got := unknown(misspelt); len(got) != 1 || got[0].Node != "destination" ||
		got[0].Line == 0 || got[0].Values["rule"] != "high_risk_land" {
		t.Errorf("misspelt: %+v", got)
	}
	anything := strings.Replace(misspelt, "document_types: [remittance]", "document_types: []", 1)
	sets := map[string]bool{}
	for _, warning := range unknown(anything) {
		sets[warning.Values["set"]] = true
	}
	if len(sets) < 3 || !sets["invoice"] || !sets["remittance"] {
		t.Errorf("for any document: %v", sets)
	}
}
