package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

// Rule sets can be read, tried on a case, and published by two administrators; findings are
// rendered in Chinese for Chinese readers.
func TestRuleSetsAreTriedAndPublishedByTwo(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "abe"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("lea", domain.RoleL1)
	w.person("sam", domain.RoleSubmitter)
	id := w.submit("sam", "90000.00")
	w.runPending()
	sets := w.mustExecute("ada",
		`{ ruleSets(first: 10, filter: {newest: true}) { nodes { key version newest document documentTypes rules { id titles { name value } phase severity score questions { name value } when messages { name value } line } } } }`)
	if sets.text("ruleSets", "nodes", 0, "key") != "invoice" ||
		len(sets.at("ruleSets", "nodes").([]any)) != 3 {
		t.Fatalf("the sets: %+v", sets.Data)
	}
	document := sets.text("ruleSets", "nodes", 0, "document")
	if got := w.mustExecute("lea", `{ ruleSets { nodes { document rules { id } } } }`); got.at(
		"ruleSets", "nodes", 0, "document") != nil {
		t.Errorf("a reviewer sees the text: %+v", got.Data)
	}
	if got := w.execute("sam", `{ ruleSets { nodes { key } } }`); len(got.Errors) != 1 ||
		got.Errors[0].Extensions["code"] != "NotPermitted" {
		t.Errorf("a submitter sees the rules: %+v", got)
	}
	found := w.mustExecute("lea",
		`query($id: ID!) { case(id: $id) { findings { rule ruleSet ruleVersion title titleZh: title(locale: "zh") message zh: message(locale: "zh") } } }`, "id", id)
	if found.text("case", "findings", 0, "ruleSet") != "invoice" ||
		!strings.HasSuffix(found.text("case", "findings", 0, "zh"), "。") ||
		!strings.HasSuffix(found.text("case", "findings", 0, "message"), ".") {
		t.Errorf("the findings: %+v", found.Data)
	}
	for _, one := range found.at("case", "findings").([]any) {
		finding := one.(map[string]any)
		for _, title := range []string{finding["title"].(string), finding["titleZh"].(string)} {
			if title == "" || title == finding["rule"] || strings.Contains(title, "_") {
				t.Errorf("the title of %+v", finding)
			}
		}
		if finding["title"] == finding["titleZh"] {
			t.Errorf("the titles of %+v are equal", finding)
		}
	}
	stricter := strings.Replace(document, "    score: 10\n", "    score: 11\n", 1)
	tried := w.mustExecute("ada", `query($d: String!, $id: ID!) { tryRuleSet(document: $d, caseId: $id) { nowScore thenScore problem now { rule titles { name value } messages { name value } } then { rule titles { name value } score evidence { name value } } }
		checkRuleSet(document: $d) { key milliseconds report { sound } rules { id } } }`, "d", stricter, "id", id)
	if tried.text("tryRuleSet", "now", 0, "titles", 0, "value") != tried.text("tryRuleSet", "then",
		0, "titles", 0, "value") {
		t.Errorf("the titles of a trial: %+v", tried.Data)
	}
	if tried.text("checkRuleSet", "key") != "invoice" ||
		len(tried.at("tryRuleSet", "then").([]any)) == 0 {
		t.Errorf("tried: %+v", tried.Data)
	}
	compared := w.mustExecute("ada", `query($d: String!) { compareRuleSet(document: $d) { cases same
		different { caseId reference found lost before after problem } } }`, "d",
		strings.Replace(document, "when: date_known", "when: amount_known || date_known", 1))
	if compared.text("compareRuleSet", "different", 0, "caseId") != id ||
		compared.text("compareRuleSet", "different", 0, "found", 0) != "date_future" {
		t.Errorf("compared: %+v", compared.Data)
	}
	broken := w.mustExecute("ada", `query($d: String!) { checkRuleSet(document: $d) { report {
		sound problems { rule node line message } } } }`, "d", strings.Replace(document, "when: date_known", "when: date_unknown", 1))
	if broken.text("checkRuleSet", "report", "problems", 0, "rule") != "condition" ||
		broken.text("checkRuleSet", "report", "problems", 0, "node") != "date_future" {
		t.Errorf("broken: %+v", broken.Data)
	}
	made := w.mustExecute("ada", `mutation($d: String!) { done: proposeRuleSet(input: {document:
		$d}) { `+proposalShown+` } }`, "d", stricter)
	proposal := made.text("done", "proposal", "id")
	if made.text("done", "proposal", "kind") != "RULE_SET" {
		t.Fatalf("proposed: %+v", made.Data)
	}
	publish := `mutation($id: ID!) { done: publishRuleSet(input: {proposalId: $id}) { ` +
		proposalShown + ` } }`
	if got := w.mustExecute("ada", publish, "id", proposal); got.text("done", "userErrors", 0,
		"__typename") != "FourEyes" {
		t.Errorf("published by the proposer: %+v", got.Data)
	}
	if got := w.mustExecute("abe", publish, "id", proposal); got.text("done", "proposal",
		"status") != "PUBLISHED" {
		t.Errorf("published: %+v", got.Data)
	}
	after := w.mustExecute("ada",
		`{ ruleSets(filter: {key: "invoice"}) { nodes { version newest publishedBy { name } proposal { key } } } }`)
	if after.text("ruleSets", "nodes", 0, "publishedBy", "name") != "abe" ||
		after.at("ruleSets", "nodes", 0, "version").(float64) !=
			after.at("ruleSets", "nodes", 1, "version").(float64)+1 {
		t.Errorf("after: %+v", after.Data)
	}
}
