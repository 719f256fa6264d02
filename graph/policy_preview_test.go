package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

// The page asks for the effect of a policy in one request. Only those who may propose get it, and a
// request cannot ask for it many times.
func TestPolicyPreview(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("rita", domain.RoleL1)
	w.person("audrey", domain.RoleAuditor)
	text := w.mustExecute("ada", `{ policy { document } }`).text("policy", "document")
	const fields = `{ problems { rule message node values { name value } } evaluated
		people { person { id name } gains { action object partly queues } loses { action object
		partly queues } duties { one other } } changedPeople activePeople actions { action before
		after everyone holders { id name } } fixedConditions { rule always } blockedReviews {
		reviewId reference queue } blockedCount examinedReviews understaffed { process problem {
		rule message } } complete }`
	const query = `query($d: String!) { previewPolicy(document: $d) ` + fields + ` }`
	publish := strings.Replace(text, `"rules": [`, `"rules": [{"name": "more", "role": "reviewer_l1",
		"action": "publish", "object": "house"},`, 1)
	got := w.mustExecute("ada", query, "d", publish)
	if got.at("previewPolicy", "evaluated") != true || got.at("previewPolicy", "changedPeople") != 1.0 ||
		got.text("previewPolicy", "people", 0, "person", "name") != "rita" ||
		got.text("previewPolicy", "people", 0, "gains", 0, "action") != "publish" ||
		got.text("previewPolicy", "people", 0, "duties", 0, "one") != "publish" {
		t.Errorf("preview: %+v", got.Data)
	}
	same := w.mustExecute("ada", query, "d", text)
	if same.at("previewPolicy", "changedPeople") != 0.0 || same.at("previewPolicy", "complete") != true {
		t.Errorf("the same policy: %+v", same.Data)
	}
	for _, name := range []string{"rita", "audrey"} { // an auditor reads the policy and proposes nothing
		refused := w.execute(name, query, "d", text)
		if len(refused.Errors) != 1 || refused.Errors[0].Extensions["code"] != "NotPermitted" {
			t.Errorf("%s: %+v", name, refused)
		}
	}
	many := `query($d: String!) {`
	for _, alias := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		many += ` ` + alias + `: previewPolicy(document: $d) ` + fields
	}
	if refused := w.execute("ada", many+`}`, "d", text); len(refused.Errors) == 0 {
		t.Error("twelve previews in one request are answered")
	}
}
