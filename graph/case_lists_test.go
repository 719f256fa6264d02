package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// listQueries are filters and orders of cases that must not tell what a case does not show.
func listQueries() []string {
	var queries []string
	for _, queue := range []string{domain.QueueAML, domain.QueueL1, domain.QueueL2} {
		queries = append(queries, `filter: {queue: "`+queue+`"}`)
	}
	for _, rule := range []string{"high_risk_country", "elevated_risk_country", "different_countries",
		"differing_fields", "new_vendor", "amount_limit"} {
		queries = append(queries, `filter: {rule: "`+rule+`"}`)
	}
	for risk := 0; risk <= 100; risk += 5 {
		queries = append(queries, fmt.Sprintf(`filter: {minRisk: %d}`, risk),
			fmt.Sprintf(`filter: {maxRisk: %d}`, risk))
	}
	for _, sort := range []string{"NEWEST", "OLDEST", "AMOUNT_HIGHEST", "AMOUNT_LOWEST", "RISK_HIGHEST",
		"RISK_LOWEST", "DEADLINE"} {
		queries = append(queries, `sort: `+sort)
	}
	return append(queries, `filter: {amount: {currency: "EUR", from: "1", to: "99999"}}`,
		`filter: {process: "cross_border_remittance"}`, `filter: {statuses: [IN_REVIEW]}`,
		`filter: {channel: API}`, `filter: {queue: "L1", minRisk: 0}`, `filter: {rule: "x", queue: "AML"}`)
}

// listAnswers returns how many cases each query finds, or the code of its refusal.
func (w *amlWorld) listAnswers(by string) []string {
	w.t.Helper()
	var all []string
	for _, query := range listQueries() {
		got := w.execute(by, `{ cases(first: 5, `+query+`) { nodes { reference } pageInfo { hasNextPage
			endCursor } } }`)
		text := "refused"
		if len(got.Errors) == 0 {
			nodes, _ := got.at("cases", "nodes").([]any)
			text = fmt.Sprint(len(nodes))
		}
		all = append(all, query+": "+text)
	}
	return all
}

// No filter and no order of cases tells those who may not see AML reviews whether a case is in one.
func TestFiltersOfCasesDoNotTellOfAMLReviews(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorld(t, true), newAMLWorld(t, false)
	with.openReview(domain.QueueAML)
	without.openReview(domain.QueueL1)
	compare := func(when string) {
		for _, by := range uncleared {
			got, want := with.listAnswers(by), without.listAnswers(by)
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s, %s with an AML review: %s, without: %s", when, by, got[i], want[i])
				}
			}
		}
	}
	// Before the AML review ends, only managers without a queue, administrators and the submitter read
	// the case in both worlds; a reviewer of L1 is excluded by the list itself.
	for _, by := range []string{"sam", "meg", "ada"} {
		got, want := with.listAnswers(by), without.listAnswers(by)
		if !slices.Equal(got, want) {
			t.Errorf("%s with an AML review:\n%s\nwithout:\n%s", by, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
	with.decide("amy", domain.QueueAML, "APPROVE")
	with.openReview(domain.QueueL1)
	compare("in review of L1")
	if got, want := with.listAnswers("aud"), without.listAnswers("aud"); slices.Equal(got, want) {
		t.Error("the auditor sees no difference, so the test proves nothing")
	}
}

// Questions about the review work are refused to people who see none, and to others a case that they
// submitted is not found by them.
func TestSubmittersDoNotFilterByReviewWork(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("bo", domain.RoleSubmitter, domain.RoleL1)
	w.submit("sam", "90000.00")
	w.submit("bo", "90000.00")
	w.runPending()
	count := func(by, query string) int {
		t.Helper()
		nodes, _ := w.mustExecute(by, `{ cases(`+query+`) { nodes { id } } }`).at("cases", "nodes").([]any)
		return len(nodes)
	}
	for _, query := range []string{`filter: {minRisk: 0}`, `filter: {maxRisk: 100}`, `filter: {queue: "L1"}`,
		`filter: {rule: "new_vendor"}`, `sort: RISK_HIGHEST`, `sort: RISK_LOWEST`, `sort: DEADLINE`} {
		got := w.execute("sam", `{ cases(`+query+`) { nodes { id } } }`)
		if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != string(domain.NotPermitted) {
			t.Errorf("sam, %s: %+v", query, got)
		}
		if query == `filter: {rule: "new_vendor"}` {
			continue
		}
		if n := count("bo", query); n != 1 {
			t.Errorf("bo, %s: %d cases, want only that of sam", query, n)
		}
	}
	if n := count("bo", `sort: AMOUNT_HIGHEST`); n != 2 {
		t.Errorf("bo reads %d cases", n)
	}
	for _, query := range []string{`filter: {minRisk: 101}`, `filter: {amount: {currency: "X"}}`,
		`filter: {amount: {currency: "EUR", from: "much"}}`, `filter: {submitterId: "x"}`,
		`after: "Yzox", sort: OLDEST`} {
		if got := w.execute("bo", `{ cases(`+query+`) { nodes { id } } }`); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != string(domain.InvalidInput) {
			t.Errorf("%s: %+v", query, got)
		}
	}
	first := w.mustExecute("bo", `{ cases(first: 1, sort: AMOUNT_LOWEST) { pageInfo { endCursor } } }`).
		text("cases", "pageInfo", "endCursor")
	const after = `query($a: Cursor!, $s: CaseSort!) { cases(first: 1, after: $a, sort: $s) { nodes { id } } }`
	if got := w.execute("bo", after, "a", first, "s", "RISK_LOWEST"); len(got.Errors) != 1 {
		t.Errorf("a cursor of another order is accepted: %+v", got)
	}
	if got := w.execute("bo", after, "a", first, "s", "AMOUNT_LOWEST"); len(got.Errors) > 0 {
		t.Errorf("a cursor: %+v", got)
	}
}
