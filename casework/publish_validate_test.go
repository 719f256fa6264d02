package casework_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// A text with characters that are not shown, or change the order in which it is shown, is not proposed: the second
// administrator would publish another text than they read. An escape sequence in JSON is no way around.
func TestTextsWithInvisibleCharactersAreNotProposed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	env.person("adam", domain.RoleAdmin)
	row, err := env.db.Reader().Definition(env.ctx, "document_approval", 1)
	must(t, err)
	text := regexp.MustCompile(`(?m)^version: .*\n`).ReplaceAllString(row.Document, "")
	for name, char := range map[string]string{"zero-width space": "\u200b", "override": "\u202e",
		"isolate": "\u2066", "soft hyphen": "\u00ad", "selector": "\ufe0f", "filler": "\u3164", "joiner": "\u2060"} {
		condition := `review.country != "I` + char + `R"`
		for _, policy := range []string{
			policyText(t, func(d *authz.Document) {
				d.Rules = append(d.Rules, addedRule(domain.RoleL1, domain.ActDecide, authz.AnyReview, condition))
			}),
			strings.Replace(policyText(t, func(d *authz.Document) {
				d.Rules = append(d.Rules, addedRule(domain.RoleL1, domain.ActDecide, authz.AnyReview, `review.country != "I@R"`))
			}), "@", `\u`+fmt.Sprintf("%04x", []rune(char)[0]), 1),
		} {
			_, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: policy})
			if domain.CodeOf(err) != domain.InvalidInput || !strings.Contains(err.Error(), "which is not shown") {
				t.Errorf("%s in the policy: %v", name, err)
			}
		}
		process := strings.Replace(text, "default: review_l1", "default: review_l1 # "+char, 1)
		_, err := env.svc.ProposeProcess(env.ctx, ada, casework.Propose{Document: process})
		if domain.CodeOf(err) != domain.InvalidInput || !strings.Contains(err.Error(), "which is not shown") {
			t.Errorf("%s in a process: %v", name, err)
		}
	}
	_, err = env.svc.ProposeProcess(env.ctx, ada, casework.Propose{Document: text + "# 审批 – “ok”\n"})
	must(t, err)
}
