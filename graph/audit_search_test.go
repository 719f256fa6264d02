package graph

import (
	"fmt"
	"testing"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
)

const searchAudit = `query($f: AuditSearchFilter, $first: Int!, $after: Cursor) { auditSearch(filter: $f, first: $first, after: $after) {
	nodes { caseId reference entry { kind type body actor { name } code sentence } } pageInfo { hasNextPage endCursor } } }`

// found returns the types of the found entries with their references.
func found(answer result) []string {
	var all []string
	nodes, _ := answer.at("auditSearch", "nodes").([]any)
	for i := range nodes {
		all = append(all, answer.text("auditSearch", "nodes", i, "reference")+" "+
			answer.text("auditSearch", "nodes", i, "entry", "type"))
	}
	return all
}

// The search finds entries by person, type, period, amount, rule and outcome, and nothing that its reader
// may not see.
func TestAuditSearch(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	lea := w.person("lea", domain.RoleL1)
	w.person("mia", domain.RoleManager)
	w.person("aud", domain.RoleAuditor)
	small, large := w.submit("sam", "90000.00"), w.submit("sam", "400000.00")
	w.runPending()
	for _, id := range []string{small, large} {
		review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
		claim(w, "lea", review)
		decide(w, "lea", review, "", map[string]string{small: "APPROVE", large: "REJECT"}[id], "no")
		w.runPending()
	}
	reference := func(id string) string {
		return w.mustExecute("aud", `query($id: ID!) { case(id: $id) { reference } }`, "id", id).text("case", "reference")
	}
	one, two := reference(small), reference(large)
	decided := map[string]any{"types": []string{"review.decided"}}
	with := func(more ...any) map[string]any {
		filter := map[string]any{"types": []string{"review.decided"}}
		for i := 0; i < len(more); i += 2 {
			filter[more[i].(string)] = more[i+1]
		}
		return filter
	}
	both := []string{two + " review.decided", one + " review.decided"}
	person := scalar.GlobalID(scalar.KindPerson, lea.UserID)
	for name, tc := range map[string]struct {
		filter map[string]any
		want   []string
	}{
		"type":              {decided, both},
		"person":            {with("personId", person), both},
		"another person":    {with("personId", scalar.GlobalID(scalar.KindPerson, domain.NewID())), nil},
		"amount from":       {with("minBaseMinor", "20000000"), both[:1]},
		"amount up to":      {with("maxBaseMinor", "20000000"), both[1:]},
		"outcome":           {with("outcome", "ARCHIVED"), both[1:]},
		"rule":              {with("rule", "high_amount"), both[:1]},
		"an unknown rule":   {with("rule", "x' OR true --"), nil},
		"period":            {with("from", time.Now().Add(-time.Hour).Format(time.RFC3339)), both},
		"an earlier period": {with("to", time.Now().Add(-time.Hour).Format(time.RFC3339)), nil},
	} {
		got := found(w.mustExecute("aud", searchAudit, "f", tc.filter, "first", 50))
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	// In pages.
	var walked []string
	after := any(nil)
	for more := true; more; {
		page := w.mustExecute("aud", searchAudit, "f", decided, "first", 1, "after", after)
		walked = append(walked, found(page)...)
		more, after = page.at("auditSearch", "pageInfo", "hasNextPage") == true,
			page.at("auditSearch", "pageInfo", "endCursor")
	}
	if fmt.Sprint(walked) != fmt.Sprint(both) {
		t.Errorf("walked %v", walked)
	}
	// Accesses, refusals among them.
	w.execute("lea", reviewOfCase, "id", small)
	w.service.Close(t.Context()) // writes the queued access log entries
	if got := found(w.mustExecute("aud", searchAudit, "f", map[string]any{"kind": "ACCESS",
		"personId": person}, "first", 50)); len(got) == 0 {
		t.Error("no accesses")
	}
	// What is about no case has no values, and managers do not find it.
	people := map[string]any{"types": []string{"user.created"}}
	created := w.mustExecute("aud", searchAudit, "f", people, "first", 50)
	if nodes := found(created); len(nodes) < 4 {
		t.Errorf("auditors find %v", nodes)
	}
	if created.at("auditSearch", "nodes", 0, "entry", "body") != nil ||
		created.at("auditSearch", "nodes", 0, "caseId") != nil {
		t.Errorf("%+v", created.Data)
	}
	if nodes := found(w.execute("mia", searchAudit, "f", people, "first", 50)); len(nodes) > 0 {
		t.Errorf("a manager finds %v", nodes)
	}
	for _, by := range []string{"sam", "lea"} {
		if got := w.execute(by, searchAudit, "f", decided, "first", 50); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["code"] != "NotPermitted" {
			t.Errorf("%s: %+v", by, got)
		}
	}
	for _, cursor := range []string{"x", "cDEuMg", scalar.EventCursor(1)} {
		if got := w.execute("aud", searchAudit, "first", 50, "after", cursor); len(got.Errors) != 1 {
			t.Errorf("the cursor %q: %+v", cursor, got)
		}
	}
}
