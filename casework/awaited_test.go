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

// without is a rule set's text without one rule.
func without(t *testing.T, document, rule string) string {
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

func warned(report casework.Report, check string) []map[string]string {
	var values []map[string]string
	for _, warning := range report.Warnings {
		if warning.Rule == check {
			values = append(values, warning.Values)
		}
	}
	return values
}

// A set without the rule that sends remittances to the money-laundering officers is sound, but its author is told; so is
// who gives the documents to a set that never had it. What a process only lets pass is not asked for.
func TestARuleSetThatAProcessWaitsForInVain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, abe := w.person("ada", domain.RoleAdmin), w.person("abe", domain.RoleAdmin)
	whole := w.ruleSet("remittance")
	check := func(document string) casework.Report {
		_, report, err := w.hall.CheckRuleSet(w.ctx, ada, document)
		must(t, err)
		if len(report.Problems) > 0 {
			t.Fatalf("%+v", report.Problems)
		}
		return report
	}
	if got := warned(check(whole), "finding_awaited"); len(got) > 0 {
		t.Errorf("the whole set: %v", got)
	}
	if got := warned(check(without(t, whole, "high_amount")), "finding_awaited"); len(got) > 0 {
		t.Errorf("a rule that is only let pass: %v", got)
	}
	bare := without(t, whole, "high_risk_country")
	want := map[string]string{"process": "cross_border_remittance", "node": "destination", "rule": "high_risk_country", "set": "remittance", "documentType": "remittance"}
	if got := warned(check(bare), "finding_awaited"); len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("without the rule: %v", got)
	}
	renamed := strings.Replace(bare, "document_types: [remittance]", "document_types: [transfer]", 1)
	if got := warned(check(renamed), "finding_awaited"); len(got) > 0 {
		t.Errorf("documents that no set judges are told by an incident: %v", got)
	}

	proposed, err := w.hall.ProposeRuleSet(w.ctx, ada, casework.Propose{Document: bare})
	must(t, err)
	published, err := w.hall.PublishRuleSet(w.ctx, abe, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	for name, report := range map[string]casework.Report{"proposing": proposed.Report, "publishing": published.Report} {
		if len(warned(report, "finding_awaited")) != 1 {
			t.Errorf("%s: %+v", name, report.Warnings)
		}
	}
	// Another set is not warned of what this one lacks.
	if got := warned(check(w.ruleSet("invoice")), "finding_awaited"); len(got) > 0 {
		t.Errorf("invoices: %v", got)
	}
}

// The author of a process is told of rules that no set of its documents has, at the gateway that asks.
func TestAProcessThatWaitsForAnUnknownRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada", domain.RoleAdmin)
	version, err := w.db.Reader().NewestDefinition(w.ctx, "cross_border_remittance")
	must(t, err)
	row, err := w.db.Reader().Definition(w.ctx, "cross_border_remittance", version)
	must(t, err)
	ask := func(document string) []workflow.Problem {
		checked, err := w.hall.CheckProcess(w.ctx, ada, document)
		must(t, err)
		if len(checked.Report.Problems) > 0 {
			t.Fatalf("%+v", checked.Report.Problems)
		}
		return slices.DeleteFunc(checked.Report.Warnings, func(p workflow.Problem) bool { return p.Rule != "finding_unknown" })
	}
	if got := ask(row.Document); len(got) > 0 {
		t.Errorf("the built-in process: %v", got)
	}
	misspelt := strings.Replace(row.Document, `f.rule == "high_risk_country"`, `f.rule == "high_risk_land"`, 1)
	if got := ask(misspelt); len(got) != 1 || got[0].Node != "destination" || got[0].Line == 0 || got[0].Values["rule"] != "high_risk_land" {
		t.Errorf("misspelt: %+v", got)
	}
	anything := strings.Replace(misspelt, "document_types: [remittance]", "document_types: []", 1)
	sets := map[string]bool{}
	for _, warning := range ask(anything) {
		sets[warning.Values["set"]] = true
	}
	if len(sets) < 3 || !sets["invoice"] || !sets["remittance"] {
		t.Errorf("for any document: %v", sets)
	}
}
