package graph

import (
	"fmt"
	"testing"

	"countersign/domain"
)

// Administrators list conflicts, import them with a preview, and end them with a reason.
func TestConflictsOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("rita", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	const declare = `mutation($key: String) { declareConflict(input: {counterparty: "Acme", reason: "cousin", idempotencyKey: $key}) {
		conflictId conflict { person { name } counterparty reach source } userErrors { ... on Refusal { code } } } }`
	first := w.mustExecute("rita", declare, "key", "k1")
	again := w.mustExecute("rita", declare, "key", "k1")
	id := first.text("declareConflict", "conflictId")
	if id == "" || id != again.text("declareConflict", "conflictId") ||
		first.text("declareConflict", "conflict", "person", "name") != "rita" {
		t.Fatalf("declared %+v, then %+v", first, again)
	}
	w.joinAcme()
	const list = `query($after: Cursor) { conflicts(first: 1, after: $after, filter: {text: "acme"}) {
		nodes { id reach person { name } } edges { cursor } pageInfo { hasNextPage endCursor } } }`
	page := w.mustExecute("ada", list)
	if reach, _ := page.at("conflicts", "nodes", 0, "reach").([]any); len(reach) != 2 ||
		page.at("conflicts", "pageInfo", "hasNextPage") != false {
		t.Errorf("listed %+v", page)
	}
	next := w.mustExecute("ada", list, "after", page.text("conflicts", "pageInfo", "endCursor"))
	if rest, _ := next.at("conflicts", "nodes").([]any); len(rest) != 0 {
		t.Errorf("after the last: %+v", next)
	}
	if refusal := w.execute("rita", list); len(refusal.Errors) == 0 {
		t.Errorf("a reviewer reads all conflicts: %+v", refusal)
	}
	people := w.mustExecute("ada", `{ people(text: "rita") { conflicts { counterparty } } viewer {
		conflicts { id } ownAccounts } }`)
	if people.text("people", 0, "conflicts", 0, "counterparty") != "Acme" {
		t.Errorf("the person's: %+v", people)
	}
	preview := w.mustExecute("ada", `{ previewConflictImport(csv:
		"email,counterparty\nrita@example.com,Acme\nx@example.com,Acme") { line result message }
		}`)
	if preview.text("previewConflictImport", 0, "result") != "EXISTING" ||
		preview.text("previewConflictImport", 1, "result") != "REFUSED" {
		t.Errorf("preview %+v", preview)
	}
	done := w.mustExecute("ada", `mutation { importConflicts(input: {csv:
		"email,counterparty\nrita@example.com,Beta"}) { lines { result } userErrors { ... on
		Refusal { code message } } } }`)
	if done.text("importConflicts", "lines", 0, "result") != "DECLARED" {
		t.Errorf("imported %+v", done)
	}
	const end = `mutation($id: ID!, $reason: String) { endConflict(input: {conflictId: $id,
		reason: $reason}) { conflictId userErrors { ... on Refusal { code } } } }`
	for _, tc := range []struct{ by, reason, code string }{{"rita", "over", "NotPermitted"},
		{"ada", "", "InvalidInput"}, {"ada", "over", ""}, {"ada", "over", "StateMismatch"}} {
		answer := w.mustExecute(tc.by, end, "id", id, "reason", tc.reason)
		if got := answer.text("endConflict", "userErrors", 0, "code"); got != tc.code {
			t.Errorf("%s ends with %q: %q, want %q", tc.by, tc.reason, got, tc.code)
		}
	}
	const changes = `{ controlChanges(first: 5) { nodes { id kind subject status reason
		person { name } proposedBy { name } decidedBy { name } } } }`
	change := w.mustExecute("adam", changes)
	proposal := change.text("controlChanges", "nodes", 0, "id")
	const confirm = `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { kind applied } userErrors { ... on Refusal { code } } } }`
	for _, tc := range []struct{ by, code string }{{"rita", "NotPermitted"}, {"ada", "FourEyes"},
		{"adam", ""}, {"adam", "StateMismatch"}} {
		answer := w.mustExecute(tc.by, confirm, "id", proposal)
		if got := answer.text("confirmControlChange", "userErrors", 0, "code"); got != tc.code {
			t.Errorf("%s confirms: %q, want %q", tc.by, got, tc.code)
		}
	}
	change = w.mustExecute("adam", changes)
	if change.text("controlChanges", "nodes", 0, "decidedBy", "name") != "adam" ||
		change.text("controlChanges", "nodes", 0, "proposedBy", "name") != "ada" ||
		change.text("controlChanges", "nodes", 0, "person", "name") != "rita" ||
		change.text("controlChanges", "nodes", 0, "subject") != "Acme" {
		t.Errorf("changes %+v", change)
	}
	if answer := w.mustExecute("ada", end, "id", id, "reason", "over"); answer.text("endConflict",
		"userErrors", 0, "code") != "NotFound" {
		t.Errorf("an ended conflict ends again: %+v", answer)
	}
	account := w.mustExecute("rita", `mutation { declareOwnAccount(input: {account:
		"DE89 3704 0044 0532 0130 00"}) { person { name } userErrors { ... on Refusal { code } } }
		}`)
	mine := w.mustExecute("rita", `{ viewer { ownAccounts conflicts { counterparty } } }`)
	if account.text("declareOwnAccount", "person", "name") != "rita" ||
		mine.text("viewer", "ownAccounts", 0) != "DE89370400440532013000" {
		t.Errorf("own account %+v, %+v", account, mine)
	}
}

// joinAcme joins two companies over GraphQL: ada proposes it, and only adam can confirm it.
func (w *testEnv) joinAcme() {
	w.t.Helper()
	w.person("adam", domain.RoleAdmin)
	w.person("mia", domain.RoleManager)
	const propose = `mutation { groupParty(input: {counterparty: "Acme Deutschland", with: "Acme",
		reason: "the register"}) { group proposal { id kind subject before after reason status }
		userErrors { ... on Refusal { code } } } }`
	if answer := w.mustExecute("mia", propose); answer.text("groupParty", "userErrors", 0,
		"code") != "NotPermitted" {
		w.t.Errorf("a manager proposes: %+v", answer)
	}
	proposed := w.mustExecute("ada", propose)
	if names, _ := proposed.at("groupParty", "group").([]any); len(names) != 1 ||
		proposed.text("groupParty", "proposal", "kind") != "PARTY_JOIN" ||
		proposed.text("groupParty", "proposal", "subject") != "Acme Deutschland" ||
		proposed.text("groupParty", "proposal", "after") != "Acme Deutschland; Acme" {
		w.t.Errorf("proposed %+v", proposed)
	}
	const confirm = `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { kind applied } userErrors { ... on Refusal { code } } } }`
	for _, tc := range []struct{ by, code string }{{"ada", "FourEyes"}, {"mia", "NotPermitted"},
		{"adam", ""}} {
		answer := w.mustExecute(tc.by, confirm, "id", proposed.text("groupParty", "proposal", "id"))
		if got := answer.text("confirmControlChange", "userErrors", 0, "code"); got != tc.code {
			w.t.Errorf("%s confirms: %q, want %q", tc.by, got, tc.code)
		}
	}
	group := w.mustExecute("ada", `{ partyGroup(counterparty: "Acme") }`)
	if names, _ := group.at("partyGroup").([]any); len(names) != 2 {
		w.t.Errorf("the group is %+v", group)
	}
}

// A conflict excludes the user however the party is spelled in the declaration and in the document:
// the review is neither offered nor claimable, and a claim from before the declaration cannot be
// decided.
func TestConflictAppliesToEverySpelling(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("rolf", domain.RoleL1)
	const claim = `mutation($id: ID!) { claimReview(input: {reviewId: $id}) { userErrors { ... on
		Refusal { code } } } }`
	for i, spelling := range []struct{ declared, printed string }{
		{"Muster Werke G.m.b.H.", "MUSTER WERKE GMBH"},
		{"MUSTER WERKE GMBH", "Muster Werke G.m.b.H."}, {"Alpha Limited", "ALPHA LTD."},
		{"Alpha Ltd", "Alpha  Limited"},
		{"Müller & Söhne AG", "MUELLER UND SOEHNE A.G."},
		{"Mueller und Soehne AG", "Müller & Söhne Aktiengesellschaft"},
		{"Ｏｒｉｅｎｔ Co., Ltd.", "Orient Company Limited"},
		{"Gamma S.à r.l.", "GAMMA SARL"}, {"Оmеga Inc", "Omega Incorporated"},
	} {
		name := fmt.Sprint("rita", i)
		w.person(name, domain.RoleL1)
		total := fmt.Sprintf("%d.00", 120_000+i)
		id := w.upload("sam", submitMutation, map[string]any{},
			"%PDF-1.7\n"+total+"\n"+spelling.printed+"\n").text("submitDocument", "case", "id")
		w.runPending()
		review := w.mustExecute("rolf", `query($id: ID!) { case(id: $id) { openReview { id } } }`,
			"id", id).text("case", "openReview", "id")
		if got := w.mustExecute(name, claim, "id", review); got.text("claimReview", "userErrors", 0,
			"code") != "" {
			t.Fatalf("%+v: not claimed before: %+v", spelling, got)
		}
		w.mustExecute(name, `mutation($party: String!) { declareConflict(input: {counterparty:
			$party, reason: "cousin"}) { conflictId userErrors { ... on Refusal { code } } } }`, "party", spelling.declared)
		decided := w.mustExecute(name, `mutation($id: ID!) { decideReview(input: {reviewId: $id,
			decision: APPROVE}) { userErrors { ... on Refusal { code } } } }`, "id", review)
		if code := decided.text("decideReview", "userErrors", 0,
			"code"); code != "ConflictOfInterest" {
			t.Errorf("%+v decides: %q", spelling, code)
		}
		if code := w.mustExecute(name, claim, "id", review).
			text("claimReview", "userErrors", 0, "code"); code != "ConflictOfInterest" {
			t.Errorf("%+v claims: %q", spelling, code)
		}
		offered := w.mustExecute(name, `{ reviews(first: 50) { nodes { id } } }`)
		for _, node := range offered.at("reviews", "nodes").([]any) {
			if node.(map[string]any)["id"] == review {
				t.Errorf("%+v is offered", spelling)
			}
		}
		if code := w.mustExecute("rolf", claim, "id", review).
			text("claimReview", "userErrors", 0, "code"); code != "" {
			t.Errorf("%+v excludes another party: %q", spelling, code)
		}
	}
	// A company with the same name but another legal form is another party.
	w.person("nina", domain.RoleL1)
	w.mustExecute("nina", `mutation { declareConflict(input: {counterparty: "Beta AG", reason:
		"cousin"}) { conflictId userErrors { ... on Refusal { code } } } }`)
	id := w.upload("sam", submitMutation, map[string]any{}, "%PDF-1.7\n130000.00\nBeta GmbH\n").
		text("submitDocument", "case", "id")
	w.runPending()
	review := w.mustExecute("rolf", `query($id: ID!) { case(id: $id) { openReview { id } } }`, "id",
		id).text("case", "openReview", "id")
	if code := w.mustExecute("nina", claim, "id", review).
		text("claimReview", "userErrors", 0, "code"); code != "" {
		t.Errorf("Beta GmbH is excluded by Beta AG: %q", code)
	}
}
