package rules

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// pair is a document that raises a rule and one that does not.
type pair struct{ Raises, Quiet variant }

// pairs returns the documents by rule id, or by "set/rule" where a set differs from that of
// invoices.
func pairs(t *testing.T) map[string]pair {
	t.Helper()
	text, err := os.ReadFile("testdata/documents.json")
	if err != nil {
		t.Fatal(err)
	}
	var documents map[string]pair
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&documents); err != nil {
		t.Fatal(err)
	}
	return documents
}

func TestEveryRuleHasADocumentThatRaisesItAndOneThatDoesNot(t *testing.T) {
	t.Parallel()
	documents, named := pairs(t), map[string]bool{}
	for _, set := range builtinSets() {
		for _, rule := range set.Rules {
			name := set.Key + "/" + rule.ID
			if _, own := documents[name]; !own {
				name = rule.ID
			}
			of, ok := documents[name]
			named[name] = true
			t.Run(set.Key+"/"+rule.ID, func(t *testing.T) {
				t.Parallel()
				if !ok {
					t.Fatal("no document")
				}
				of.Raises.DocumentType, of.Quiet.DocumentType = set.DocumentTypes[0],
					set.DocumentTypes[0]
				of.check(t, set, rule)
			})
		}
	}
	for name := range documents {
		if !named[name] {
			t.Errorf("the documents of %s belong to no rule", name)
		}
	}
}

// check requires that the rule is raised by the first document and not by the second.
func (p pair) check(t *testing.T, set *Set, rule *Rule) {
	t.Helper()
	findings, result := evaluated(t, set, p.Raises.input(t))
	finding := findRaised(findings, rule.ID)
	if finding == nil {
		t.Fatalf("not raised: %+v", findings)
	}
	if finding.Severity != rule.Severity || finding.Score != rule.Points ||
		finding.RuleVersion != set.Version ||
		finding.RuleSet != set.Key {
		t.Errorf("differs from the rule: %+v", finding)
	}
	chinese := rule.Render("zh", finding.Evidence)
	if !strings.HasSuffix(finding.Message, ".") || !strings.HasSuffix(chinese, "。") ||
		strings.ContainsAny(finding.Message+chinese, "{}") {
		t.Errorf("not a sentence: %q, %q", finding.Message, chinese)
	}
	if result.Score < rule.Points ||
		!slices.ContainsFunc(result.Reasons, func(r Reason) bool { return r.Rule == rule.ID }) {
		t.Errorf("not among the reasons of the score: %+v", result)
	}
	if findings, _ := evaluated(t, set, p.Quiet.input(t)); findRaised(findings, rule.ID) != nil {
		t.Errorf("raised for the quiet document: %+v", findings)
	}
}

// The account on a receipt is ignored, because a receipt is already paid.
func TestReceiptAccountIsIgnored(t *testing.T) {
	t.Parallel()
	input := pairs(t)["iban_check"].Raises.input(t)
	input.DocumentType = "receipt"
	if findings, _ := validateAndAssess(t, input); findRaised(findings, "iban_check") != nil {
		t.Errorf("%+v", findings)
	}
}
