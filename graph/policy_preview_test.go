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
		limits { role documentType before { amount { amount } } after { amount { amount currency } } lowers }
		together { newAccount person { name } } effect
		people { person { id name } newAccount amounts { documentType before { amount { amount } unknown
		credits } after { amount { amount } } } gains { action object partly queues } loses { action object
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

// One text changes a rule and a limit. Its matrix and its effect are what takes effect when the effect that
// was read is published, and another effect is refused.
func TestPolicyMatrixAndLimits(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "adam"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("rita", domain.RoleL1)
	text := w.mustExecute("ada", `{ policy { document } }`).text("policy", "document")
	text = strings.Replace(text, `"rules": [`, `"limits": [{"role": "reviewer_l1", "documentType": "invoice",
		"before": "none", "after": "600000.00 USD"}], "rules": [`, 1)
	text = strings.Replace(text, `"version": 1`, `"version": 2`, 1)
	const matrix = `query($d: String) { policyMatrix(document: $d) { types { name taken } cells { role action
		limited others { documentType verdict grants { object conditional } limit { documentType amount { amount
		currency } } } types { documentType verdict limit { documentType amount { amount } } } } } }`
	cell := func(got result) (string, any) {
		for i := 0; got.at("policyMatrix", "cells", i) != nil; i++ {
			if got.text("policyMatrix", "cells", i, "role") == "reviewer_l1" &&
				got.text("policyMatrix", "cells", i, "action") == "decide" {
				return got.text("policyMatrix", "cells", i, "others", "limit", "amount", "amount"),
					got.at("policyMatrix", "cells", i, "types", 0, "limit", "amount", "amount")
			}
		}
		return "", nil
	}
	if general, special := cell(w.mustExecute("ada", matrix)); general != "500000.00" || special != nil {
		t.Errorf("in force: %s, %v", general, special)
	}
	if general, special := cell(w.mustExecute("ada", matrix, "d", text)); general != "500000.00" ||
		special != "600000.00" {
		t.Errorf("proposed: %s, %v", general, special)
	}
	if got := w.mustExecute("ada", matrix, "d", "{"); got.at("policyMatrix") != nil {
		t.Errorf("a faulty text: %+v", got.Data)
	}
	if refused := w.execute("rita", matrix); len(refused.Errors) != 1 ||
		refused.Errors[0].Extensions["code"] != "NotPermitted" {
		t.Errorf("a reviewer: %+v", refused)
	}
	preview := w.mustExecute("adam", `query($d: String!) { previewPolicy(document: $d) { effect people { person {
		name } amounts { documentType before { amount { amount } } after { amount { amount } } } } } }`, "d", text)
	if preview.text("previewPolicy", "people", 0, "person", "name") != "rita" ||
		preview.text("previewPolicy", "people", 0, "amounts", 0, "after", "amount", "amount") != "600000.00" {
		t.Fatalf("preview: %+v", preview.Data)
	}
	id := w.mustExecute("ada", `mutation($d: String!) { proposePolicy(input: {document: $d}) { proposal { id } } }`,
		"d", text).text("proposePolicy", "proposal", "id")
	const publish = `mutation($id: ID!, $e: String) { publishPolicy(input: {proposalId: $id, expectedEffect: $e}) {
		proposal { status } userErrors { ... on Refusal { code } } } }`
	if got := w.mustExecute("adam", publish, "id", id, "e", "another"); got.text("publishPolicy", "userErrors", 0,
		"code") != "StaleVersion" {
		t.Errorf("another effect: %+v", got.Data)
	}
	if got := w.mustExecute("adam", publish, "id", id, "e", preview.text("previewPolicy", "effect")); got.text(
		"publishPolicy", "proposal", "status") != "PUBLISHED" {
		t.Errorf("the effect that was read: %+v", got.Data)
	}
	if _, special := cell(w.mustExecute("ada", matrix)); special != "600000.00" {
		t.Errorf("published: %v", special)
	}
}

// The effect of a limit that a program proposes names the people and amounts, and is confirmed as it was read.
func TestTheEffectOfAProposedLimitOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("rita", domain.RoleL1)
	id := w.mustExecute("ada", `mutation { setLimit(input: {role: "reviewer_l1",
		amount: {amount: "600000.00", currency: "USD"}}) { proposal { id } } }`).text("setLimit", "proposal", "id")
	const query = `query($id: ID!) { proposedEffect(proposalId: $id) { effect changedPeople limits { role lowers }
		people { person { name } amounts { after { amount { amount } } } } } }`
	read := w.mustExecute("adam", query, "id", id)
	if read.text("proposedEffect", "people", 0, "person", "name") != "rita" ||
		read.text("proposedEffect", "people", 0, "amounts", 0, "after", "amount", "amount") != "600000.00" ||
		read.at("proposedEffect", "limits", 0, "lowers") != false {
		t.Errorf("the effect is %+v", read.Data)
	}
	if got := w.execute("rita", query, "id", id); len(got.Errors) != 1 {
		t.Errorf("a reviewer reads %+v", got.Data)
	}
	const confirm = `mutation($id: ID!, $e: String) { confirmControlChange(input: {proposalId: $id, expectedEffect: $e}) {
		results { applied } userErrors { ... on Refusal { code } ... on StaleVersion { code } } } }`
	if got := w.mustExecute("adam", confirm, "id", id, "e", "0000"); got.text(
		"confirmControlChange", "userErrors", 0, "code") != "StaleVersion" {
		t.Errorf("another effect: %+v", got.Data)
	}
	if got := w.mustExecute("adam", confirm, "id", id, "e", read.text("proposedEffect", "effect")); got.at(
		"confirmControlChange", "results", 0, "applied") != true {
		t.Errorf("confirmed: %+v", got.Data)
	}
}
