package graph

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
)

// A delegation is created on the account page; the delegate finds the review, claims it and decides
// it on behalf of the delegator.
func TestDelegationOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	rita, lars := w.person("rita", domain.RoleL1), w.person("lars", domain.RoleL2)
	w.person("ada", domain.RoleAdmin)
	w.submit("sam", "120000.00")
	w.runPending()
	const create = `mutation($in: CreateDelegationInput!) { createDelegation(input: $in) { reviewsWithoutReviewer
		delegation { id active delegator { name } delegate { name } queues limit { amount } } userErrors { ... on Refusal { code message field } } } }`
	input := map[string]any{"delegateId": scalar.GlobalID(scalar.KindPerson, lars.UserID),
		"validUntil": time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339),
		"queues":     []string{"L1"}, "limit": map[string]any{"amount": "400000.00",
			"currency": "USD"},
		"idempotencyKey": "d1"}
	first, again := w.mustExecute("rita", create, "in", input),
		w.mustExecute("rita", create, "in", input)
	id := first.text("createDelegation", "delegation", "id")
	if id == "" || again.text("createDelegation", "delegation", "id") != id ||
		first.at("createDelegation", "delegation", "active") != true {
		t.Fatalf("created %+v, then %+v", first, again)
	}
	input["limit"] = map[string]any{"amount": "400000.00", "currency": "EUR"}
	if refusal := w.mustExecute("rita", create, "in", input); refusal.text("createDelegation",
		"userErrors", 0, "field") != "limit" {
		t.Errorf("a limit in another currency: %+v", refusal)
	}
	found := w.mustExecute("lars", `{ reviews(first: 5) { nodes { id delegators { name } }
		totalCount } viewer { delegations { delegator { name } } } }`)
	review := found.text("reviews", "nodes", 0, "id")
	if found.text("reviews", "nodes", 0, "delegators", 0, "name") != "rita" ||
		found.text("viewer", "delegations", 0, "delegator", "name") != "rita" {
		t.Fatalf("the delegate sees %+v", found)
	}
	behalf := scalar.GlobalID(scalar.KindPerson, rita.UserID)
	const claim = `mutation($id: ID!, $for: ID) { claimReview(input: {reviewId: $id, onBehalfOf:
		$for}) { review { status } userErrors { ... on Refusal { code } } } }`
	if own := w.mustExecute("lars", claim, "id", review); own.text("claimReview", "userErrors", 0,
		"code") != "NotPermitted" {
		t.Errorf("in their own name: %+v", own)
	}
	if got := w.mustExecute("lars", claim, "id", review, "for", behalf); got.text("claimReview",
		"review", "status") != "CLAIMED" {
		t.Fatalf("claimed %+v", got)
	}
	event := w.mustExecute("lars", `query($id: ID!) { colleagues { name email roles } review(id:
		$id) { case { lastEvents(last: 1) { actor { name } onBehalfOf { name } } } } }`, "id", review)
	if event.text("review", "case", "lastEvents", 0, "onBehalfOf", "name") != "rita" ||
		event.text("review", "case", "lastEvents", 0, "actor", "name") != "lars" {
		t.Errorf("the event names %+v", event)
	}
	colleagues := event.at("colleagues").([]any)
	if len(colleagues) != 1 || event.text("colleagues", 0, "name") != "rita" ||
		event.at("colleagues", 0, "email") != nil ||
		len(event.at("colleagues", 0, "roles").([]any)) != 0 {
		t.Errorf("colleagues: %+v", colleagues)
	}
	if refusal := w.execute("sam", `{ colleagues { name } }`); len(refusal.Errors) == 0 {
		t.Errorf("a submitter sees who decides: %+v", refusal)
	}
	decided := w.mustExecute("lars", `mutation($id: ID!, $for: ID) { decideReview(input: {reviewId: $id, decision: APPROVE, onBehalfOf: $for}) {
		review { decision { actor { name } onBehalfOf { name } } } userErrors { ... on Refusal { code message } } } }`, "id", review, "for", behalf)
	if decided.text("decideReview", "review", "decision", "actor", "name") != "lars" ||
		decided.text("decideReview", "review", "decision", "onBehalfOf", "name") != "rita" {
		t.Errorf("decided %+v", decided)
	}
	all := w.mustExecute("ada", `{ delegations(first: 5) { nodes { id } edges { cursor } pageInfo
		{ hasNextPage } } }`)
	if all.text("delegations", "nodes", 0, "id") != id {
		t.Errorf("the administrator sees %+v", all)
	}
	if refusal := w.execute("lars", `{ delegations(first: 5) { nodes { id } } }`); len(
		refusal.Errors) == 0 {
		t.Errorf("everyone's are shown: %+v", refusal)
	}
	const end = `mutation($id: ID!) { endDelegation(input: {delegationId: $id}) { userErrors { ...
		on Refusal { code } } } }`
	for _, want := range []string{"", "StateMismatch"} {
		if got := w.mustExecute("rita", end, "id", id); got.text("endDelegation", "userErrors", 0,
			"code") != want {
			t.Errorf("ended: %+v, want %q", got, want)
		}
	}
}

func TestOutOfOfficeOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("rita", domain.RoleL1)
	rolf := w.person("rolf", domain.RoleL1)
	w.person("mia", domain.RoleManager)
	until := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
	const set = `mutation($in: SetOutOfOfficeInput!) { setOutOfOffice(input: $in) {
		reviewsWithoutReviewer absence { id active substitute { name } reason } userErrors { ...
		on Refusal { code } } } }`
	made := w.mustExecute("rita", set, "in", map[string]any{"substituteId": scalar.GlobalID(
		scalar.KindPerson, rolf.UserID), "validUntil": until, "reason": "private"})
	id := made.text("setOutOfOffice", "absence", "id")
	if id == "" || made.at("setOutOfOffice", "absence", "active") != true {
		t.Fatalf("set %+v", made)
	}
	people := w.mustExecute("mia", `{ people(text: "rita") { outOfOffice { substitute { name }
		reason } } absences { person { name } reason } }`)
	if people.text("people", 0, "outOfOffice", "substitute", "name") != "rolf" ||
		people.text("people", 0, "outOfOffice", "reason") != "" {
		t.Errorf("seen by others: %+v", people)
	}
	if mine := w.mustExecute("rita", `{ viewer { absences { reason } person { outOfOffice { id } }
		} }`); mine.text("viewer", "absences", 0, "reason") != "private" {
		t.Errorf("one's own: %+v", mine)
	}
	if refusal := w.execute("rolf", `{ absences { id } }`); len(refusal.Errors) == 0 {
		t.Errorf("everyone's are shown: %+v", refusal)
	}
	const end = `mutation($id: ID!) { endOutOfOffice(input: {absenceId: $id}) { userErrors { ...
		on Refusal { code } } } }`
	for _, step := range []struct{ by, code string }{{"rolf", "NotFound"}, {"rita", ""},
		{"rita", "StateMismatch"}, {"rolf", "NotFound"}} {
		if got := w.mustExecute(step.by, end, "id", id); got.text("endOutOfOffice", "userErrors", 0,
			"code") != step.code {
			t.Errorf("%s ends: %+v, want %q", step.by, got, step.code)
		}
	}
}

// A delegation between two other people, and a substitute of another person, wait for another administrator.
func TestDelegationBetweenOthersOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	rita, lars := w.person("rita", domain.RoleL1), w.person("lars", domain.RoleL2)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	until := time.Now().Add(48 * time.Hour).UTC()
	created := w.mustExecute("ada", `mutation($in: CreateDelegationInput!) { createDelegation(input: $in) {
		delegation { id } proposal { id kind subject before after person { name } } userErrors { __typename } } }`,
		"in", map[string]any{"delegatorId": scalar.GlobalID(scalar.KindPerson, rita.UserID),
			"delegateId": scalar.GlobalID(scalar.KindPerson, lars.UserID),
			"validUntil": until.Format(time.RFC3339), "queues": []string{"L1"},
			"limit": map[string]any{"amount": "4000.00", "currency": "USD"}})
	after := "lars; – " + until.Format("2006-01-02 15:04 UTC") + "; L1; <= 4000.00 USD"
	if created.at("createDelegation", "delegation") != nil ||
		created.text("createDelegation", "proposal", "subject") != "rita" ||
		created.text("createDelegation", "proposal", "kind") != "DELEGATION" ||
		created.text("createDelegation", "proposal", "person", "name") != "lars" ||
		created.text("createDelegation", "proposal", "after") != after {
		t.Fatalf("%+v, want %q", created.Data, after)
	}
	w.confirmControl("adam", created.text("createDelegation", "proposal", "id"))
	found := w.mustExecute("lars", `{ viewer { delegations { delegator { name } } } }`)
	if found.text("viewer", "delegations", 0, "delegator", "name") != "rita" {
		t.Errorf("confirmed: %+v", found.Data)
	}
	away := w.mustExecute("ma", `mutation($in: SetOutOfOfficeInput!) { setOutOfOffice(input: $in) {
		absence { substitute { name } } proposal { id kind subject after } userErrors { __typename } } }`,
		"in", map[string]any{"personId": scalar.GlobalID(scalar.KindPerson, rita.UserID),
			"substituteId": scalar.GlobalID(scalar.KindPerson, lars.UserID),
			"validUntil":   until.Format(time.RFC3339)})
	if away.at("setOutOfOffice", "absence") == nil || away.at("setOutOfOffice", "absence", "substitute") != nil ||
		away.text("setOutOfOffice", "proposal", "kind") != "ABSENCE" ||
		away.text("setOutOfOffice", "proposal", "subject") != "rita" {
		t.Fatalf("%+v", away.Data)
	}
	w.confirmControl("ada", away.text("setOutOfOffice", "proposal", "id"))
	all := w.mustExecute("ma", `{ absences { substitute { name } } }`)
	if all.text("absences", 0, "substitute", "name") != "lars" {
		t.Errorf("confirmed: %+v", all.Data)
	}
}
