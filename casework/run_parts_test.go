package casework_test

import (
	"regexp"
	"strings"
	"testing"

	"countersign/domain"
)

// withSecondReceipt puts another receipt beside the one on the page, as on a photo of two.
func withSecondReceipt(page *domain.Page) {
	other := recognisedPage([]string{"SELERA CORNER SDN BHD", "3 Lorong Barat", "TAX INVOICE",
		"Date: 02/10/2026 19:40", "Noodles RM 38.20", "Total RM 38.20", "Cash RM 50.00",
		"Change RM 11.80"})
	right := 0
	for _, word := range page.Words {
		right = max(right, word.Box.X+word.Box.W)
	}
	for _, word := range other.Words {
		word.Box.X += right + 200
		page.Words = append(page.Words, word)
	}
	page.Width = 2*right + 400
}

// A photo of two receipts waits for a person, who sees why, and passes only for a reason. Each of the
// receipts alone would pass.
func TestSeveralDocumentsWaitForAPerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	single := env.submitPages(sam, "receipt", receiptLines("RM"), nil)
	env.requireState(single, domain.Archived)
	lines := receiptLines("RM")
	lines[3] = "Date: 15/10/2026 12:14"
	id := env.submitPages(sam, "receipt", lines, withSecondReceipt)
	env.requireState(id, domain.InReview, "review_l1")
	finding := env.finding(id, domain.RuleSeveralDocuments)
	if finding == nil || finding.Severity != domain.SeverityBlocking || !strings.HasPrefix(finding.Message,
		"This file seems to contain 2 documents: the left of page 1 and the right of page 1.") {
		t.Fatalf("found %v: %+v", env.findingRules(id), finding)
	}
	document, err := env.db.Reader().Document(env.ctx, id)
	must(t, err)
	if len(document.Parts) != 2 || document.Parts[0].Box == nil ||
		document.Parts[1].Place != domain.PlaceRight {
		t.Errorf("stored %+v", document.Parts)
	}
	env.claim(rita, id)
	wantCode(t, env.approve(rita, id, ""), domain.ValidationFailed)
	must(t, env.approve(rita, id, "the second receipt is a copy of another case"))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// No published rule set lets such a file pass, neither one without the rule nor one that disables it.
func TestNoRuleSetLetsSeveralDocumentsPass(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	text := env.ruleSet("receipt")
	rule := regexp.MustCompile(`(?s)  - id: several_documents\n.*?(?:  #|  - id:)`).FindString(text)
	if rule == "" {
		t.Fatal("the built-in set has no such rule")
	}
	end := rule[strings.LastIndex(rule, "\n")+1:]
	for name, replaced := range map[string]string{
		"without":  end,
		"disabled": strings.Replace(rule, "size(parts) > 1", "size(parts) > 1000", 1)} {
		env.publishRules(ada, abe, strings.Replace(text, rule, replaced, 1))
		id := env.submitPages(sam, "receipt", receiptLines("RM"), withSecondReceipt)
		env.requireState(id, domain.InReview, "review_l1")
		if env.finding(id, domain.RuleSeveralDocuments) == nil {
			t.Errorf("%s: found %v", name, env.findingRules(id))
		}
	}
}
