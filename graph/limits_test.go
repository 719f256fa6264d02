package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

func TestCostlyDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ma", domain.RoleManager)
	for name, query := range map[string]string{
		"all events of a hundred cases": `{ cases(first: 100) { nodes { lastEvents(last: 100) {
			sentence } } } }`,
		"all words of fifty cases": `{ cases(first: 50) { nodes { documents { pages { words {
			text confidence box { x y w h } } } } } } }`,
		"verifying over and over": `query($id: ID) { ` +
			strings.Repeat("verifyAudit(caseId: $id) { ok } ", 21) + ` }`,
	} {
		got := w.execute("ma", query)
		if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "QueryTooComplex" {
			t.Errorf("%s: %+v", name, got.Errors)
		}
	}
	for name, query := range map[string]string{
		"the longest board": strings.Replace(boardQuery, "$first: Int!", "$first: Int = 50",
			1),
		"a case with its pages": `{ cases(first: 1) { nodes { document { pages { number words {
			text confidence line box { x y w h } } } } } } }`,
		"a hundred bare cases": `{ cases(first: 100) { edges { cursor node { id reference
			status } } } }`,
		"the queue with its case": `{ reviews(first: 50) { nodes { id version status decideBy
			assignee { name } case { reference counterparty amount { amount currency } findings {
			message } } } } }`,
	} {
		if got := w.execute("ma", query); len(got.Errors) != 0 {
			t.Errorf("%s: %+v", name, got.Errors)
		}
	}
	for _, query := range []string{`{ cases(first: 101) { nodes { id } } }`,
		`{ reviews(first: 0) { nodes { id } } }`,
		`{ cases(first: 1, after: "x") { nodes { id } } }`,
		`{ reviews(first: 1, after: "x") { nodes { id } } }`} {
		if got := w.execute("ma", query); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != "InvalidInput" {
			t.Errorf("%s: %+v", query, got.Errors)
		}
	}
}

func TestPagesFollowOneAnother(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	for _, total := range []string{"90001.00", "90002.00", "90003.00", "90004.00", "90005.00"} {
		w.submit("sam", total)
	}
	w.runPending()
	for by, list := range map[string]string{"sam": "cases", "lea": "reviews"} {
		listed, after := map[string]bool{}, any(nil)
		for pages := 0; ; pages++ {
			got := w.mustExecute(by, `query($after: Cursor) { list: `+list+
				`(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } }`, "after", after)
			for _, node := range got.at("list", "nodes").([]any) {
				id := node.(map[string]any)["id"].(string)
				if listed[id] {
					t.Errorf("%s shows %s twice", list, id)
				}
				listed[id] = true
			}
			if got.at("list", "pageInfo", "hasPreviousPage") != (pages > 0) {
				t.Errorf("%s page %d: %+v", list, pages, got.at("list", "pageInfo"))
			}
			if got.at("list", "pageInfo", "hasNextPage") != true {
				break
			}
			after = got.text("list", "pageInfo", "endCursor")
		}
		if len(listed) != 5 {
			t.Errorf("%s shows %d of 5", list, len(listed))
		}
	}
}

func TestCommandWithIdempotencyKeyIsRepeatable(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	send := func(key, total string) result {
		return w.upload("sam", submitMutation, map[string]any{"idempotencyKey": key},
			"%PDF-1.7\n"+total+"\n")
	}
	first, again := send("k", "120.00"), send("k", "120.00")
	id := first.text("submitDocument", "case", "id")
	if id == "" || again.text("submitDocument", "case", "id") != id {
		t.Errorf("%+v, then %+v", first, again)
	}
	if other := send("k", "130.00"); other.text("submitDocument", "userErrors", 0,
		"__typename") != "IdempotencyMismatch" {
		t.Errorf("another body under the same key: %+v", other)
	}
	if bad := w.upload("sam", submitMutation, map[string]any{},
		"MZ\x90\x00 not a document"); bad.text("submitDocument", "userErrors", 0,
		"__typename") != "FileRefused" {
		t.Errorf("no document: %+v", bad)
	}
	if none := w.execute("sam", submitMutation, "input",
		map[string]any{"file": "x"}); len(none.Errors) != 1 ||
		none.Errors[0].Extensions["code"] != "InvalidInput" {
		t.Errorf("a file as text: %+v", none)
	}
	if wrong := w.upload("sam", submitMutation,
		map[string]any{"amount": map[string]any{"amount": "1.234", "currency": "EUR"}},
		"%PDF-1.7\n1\n"); wrong.text("submitDocument", "userErrors", 0,
		"__typename") != "ValidationFailed" {
		t.Errorf("an ambiguous amount: %+v", wrong)
	}
}
