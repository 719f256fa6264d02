package graph

import (
	"testing"

	"countersign/domain"
)

// The people's page: conflicts are listed for administrators, imported with a preview, ended with a reason.
func TestConflictsAtTheDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("rita", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	const declare = `mutation($key: String) { declareConflict(input: {counterparty: "Acme", reason: "cousin", idempotencyKey: $key}) {
		conflictId conflict { person { name } counterparty reach source } userErrors { ... on Refusal { code } } } }`
	first := w.ask("rita", declare, "key", "k1")
	again := w.ask("rita", declare, "key", "k1")
	id := first.text("declareConflict", "conflictId")
	if id == "" || id != again.text("declareConflict", "conflictId") || first.text("declareConflict", "conflict", "person", "name") != "rita" {
		t.Fatalf("declared %+v, then %+v", first, again)
	}
	group := w.ask("ada", `mutation { groupParty(input: {counterparty: "Acme Deutschland", with: "Acme"}) { group userErrors { ... on Refusal { code } } } }`)
	if names, _ := group.at("groupParty", "group").([]any); len(names) != 2 {
		t.Errorf("the group is %+v", group)
	}
	const list = `query($after: Cursor) { conflicts(first: 1, after: $after, filter: {text: "acme"}) {
		nodes { id reach person { name } } edges { cursor } pageInfo { hasNextPage endCursor } } }`
	page := w.ask("ada", list)
	if reach, _ := page.at("conflicts", "nodes", 0, "reach").([]any); len(reach) != 2 || page.at("conflicts", "pageInfo", "hasNextPage") != false {
		t.Errorf("listed %+v", page)
	}
	next := w.ask("ada", list, "after", page.text("conflicts", "pageInfo", "endCursor"))
	if rest, _ := next.at("conflicts", "nodes").([]any); len(rest) != 0 {
		t.Errorf("after the last: %+v", next)
	}
	if refusal := w.try("rita", list); len(refusal.Errors) == 0 {
		t.Errorf("a reviewer reads everyone's: %+v", refusal)
	}
	people := w.ask("ada", `{ people(text: "rita") { conflicts { counterparty } } viewer { conflicts { id } ownAccounts } }`)
	if people.text("people", 0, "conflicts", 0, "counterparty") != "Acme" {
		t.Errorf("the person's: %+v", people)
	}
	preview := w.ask("ada", `{ previewConflictImport(csv: "email,counterparty\nrita@example.com,Acme\nx@example.com,Acme") { line outcome message } }`)
	if preview.text("previewConflictImport", 0, "outcome") != "STANDS" || preview.text("previewConflictImport", 1, "outcome") != "REFUSED" {
		t.Errorf("preview %+v", preview)
	}
	done := w.ask("ada", `mutation { importConflicts(input: {csv: "email,counterparty\nrita@example.com,Beta"}) { lines { outcome } userErrors { ... on Refusal { code message } } } }`)
	if done.text("importConflicts", "lines", 0, "outcome") != "DECLARED" {
		t.Errorf("imported %+v", done)
	}
	const end = `mutation($id: ID!, $reason: String) { endConflict(input: {conflictId: $id, reason: $reason}) { conflictId userErrors { ... on Refusal { code } } } }`
	for _, tc := range []struct{ by, reason, code string }{{"rita", "over", "NotPermitted"}, {"ada", "", "InvalidInput"}, {"ada", "over", ""}, {"ada", "over", "NotFound"}} {
		answer := w.ask(tc.by, end, "id", id, "reason", tc.reason)
		if got := answer.text("endConflict", "userErrors", 0, "code"); got != tc.code {
			t.Errorf("%s ends with %q: %q, want %q", tc.by, tc.reason, got, tc.code)
		}
	}
	account := w.ask("rita", `mutation { declareOwnAccount(input: {account: "DE89 3704 0044 0532 0130 00"}) { person { name } userErrors { ... on Refusal { code } } } }`)
	mine := w.ask("rita", `{ viewer { ownAccounts conflicts { counterparty } } }`)
	if account.text("declareOwnAccount", "person", "name") != "rita" || mine.text("viewer", "ownAccounts", 0) != "DE89370400440532013000" {
		t.Errorf("own account %+v, %+v", account, mine)
	}
}
