package graph

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// newCommitteeCase publishes the process of invoices with a committee of three, changed further, and returns an
// environment with a case before it.
func newCommitteeCase(t *testing.T, seats string, more ...string) (*testEnv, string) {
	t.Helper()
	w := newTestEnv(t)
	publishCommittee(w, seats, more...)
	caseID := w.submit("sam", "120.00")
	w.runPending()
	return w, caseID
}

// publishCommittee makes the people of a committee and publishes the process of newCommitteeCase.
func publishCommittee(w *testEnv, seats string, more ...string) {
	t := w.t
	t.Helper()
	for _, name := range []string{"rita", "rob", "rea"} {
		w.person(name, domain.RoleL1)
	}
	w.person("sam", domain.RoleSubmitter)
	w.person("max", domain.RoleManager)
	id, err := w.service.PutUser(t.Context(), domain.SystemActor(), casework.PutUser{User: domain.User{
		Name: "amy", Email: "amy@example.com", Roles: []domain.Role{domain.RoleAML},
		Queues: []string{domain.QueueAML}}})
	must(t, err)
	w.people.Store("amy", domain.Actor{UserID: id, Name: "amy", Channel: domain.ChannelAPI})
	w.person("aud", domain.RoleAuditor)
	w.person("ada", domain.RoleAdmin)
	w.person("abe", domain.RoleAdmin)
	newest := w.mustExecute("ada", newestOf, "key", "document_approval")
	document := bulkLine.ReplaceAllString(strings.Replace(newest.text("processDefinitions", "nodes", 0,
		"document"), "    duty: approval\n", "    duty: approval\n"+seats, 1), "")
	document = strings.NewReplacer(more...).Replace(document)
	proposed := propose(w, "ada", document, "")
	if published := publish(w, "abe", proposed.text("done", "proposal", "id")); published.text("done",
		"proposal", "status") != "PUBLISHED" {
		t.Fatalf("not published: %+v, %+v", proposed, published)
	}
}

const majorityOfThree = "    seats: 3\n    quorum: 2\n    decide_by: majority\n    abstain: true\n"

const committeeShown = `committee { seats cast votesHidden approvals rejections canAbstain }`

// seatOf returns a free seat of the case in the queue that the person sees; "" if they see none.
func seatOf(w *testEnv, by, queue string) string {
	w.t.Helper()
	listed := w.mustExecute(by, `{ reviews(first: 20) { nodes { id queue status } } }`)
	nodes, _ := listed.at("reviews", "nodes").([]any)
	for i := range nodes {
		if listed.text("reviews", "nodes", i, "queue") == queue &&
			listed.text("reviews", "nodes", i, "status") == "OPEN" {
			return listed.text("reviews", "nodes", i, "id")
		}
	}
	return ""
}

func inJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return string(text)
}

// vote claims a free seat and decides it.
func vote(w *testEnv, by, queue, verdict string) {
	w.t.Helper()
	id := seatOf(w, by, queue)
	if refused, _ := claim(w, by, id).at("claimReview", "userErrors").([]any); len(refused) > 0 {
		w.t.Fatalf("%s may not claim: %v", by, refused)
	}
	if refused, _ := decide(w, by, id, "", verdict, "seen").at("decideReview",
		"userErrors").([]any); len(refused) > 0 {
		w.t.Fatalf("%s may not decide: %v", by, refused)
	}
	w.runPending()
}

// A member who must not learn of a confidential review elsewhere in the process sees their own committee with its
// votes, and can abstain: without it the page had neither.
func TestMembersSeeTheirCommitteeOfARedactedCase(t *testing.T) {
	t.Parallel()
	w, _ := newCommitteeCase(t, majorityOfThree, "    escalate_to: L2\n    on:\n      repaired",
		"    escalate_to: AML\n    on:\n      repaired")
	vote(w, "rita", domain.QueueL1, "ABSTAIN")
	got := w.mustExecute("rob", `query($i: ID!) { review(id: $i) { `+committeeShown+` } }`, "i",
		seatOf(w, "rob", domain.QueueL1))
	want := `{"approvals":0,"canAbstain":true,"cast":1,"rejections":0,"seats":3,"votesHidden":false}`
	if found := inJSON(t, got.at("review", "committee")); found != want {
		t.Errorf("committee %s, want %s", found, want)
	}
}

// A committee with one seat of the AML duty does not show other members, managers and administrators how that seat
// voted, that it was claimed, or its review: neither the committee nor the case, its events and decisions do.
func TestConfidentialSeatsOfACommitteeAreHidden(t *testing.T) {
	t.Parallel()
	w, id := newCommitteeCase(t, majorityOfThree+"    veto_queue: AML\n    veto_level: 2\n")
	vote(w, "amy", domain.QueueAML, "APPROVE")
	got := w.mustExecute("rob", `query($i: ID!) { review(id: $i) { `+committeeShown+` } }`, "i",
		seatOf(w, "rob", domain.QueueL1))
	want := `{"approvals":null,"canAbstain":true,"cast":1,"rejections":null,"seats":3,"votesHidden":true}`
	if found := inJSON(t, got.at("review", "committee")); found != want {
		t.Errorf("committee %s, want %s", found, want)
	}
	const shown = `query($i: ID!) { case(id: $i) { reviews { queue } decisions { reason }
		lastEvents(last: 50) { type sentence body } } }`
	for _, by := range []string{"rob", "max", "ada"} {
		answer := inJSON(t, w.mustExecute(by, shown, "i", id).at("case"))
		if strings.Contains(answer, "AML") || strings.Contains(answer, "seen") {
			t.Errorf("%s sees the confidential seat: %s", by, answer)
		}
	}
	if answer := inJSON(t, w.mustExecute("aud", shown, "i", id).at("case")); !strings.Contains(answer, "AML") {
		t.Errorf("the auditor does not see the seat: %s", answer)
	}
}

// A decision whose vote was revoked says so: it would be read as an approval that counts. A vote that counts does
// not, and a viewer who only submitted the case sees neither.
func TestRevokedVotesAreShownAsRevoked(t *testing.T) {
	t.Parallel()
	w, id := newCommitteeCase(t, majorityOfThree)
	vote(w, "rita", domain.QueueL1, "ABSTAIN")
	vote(w, "rob", domain.QueueL1, "APPROVE")
	const shown = `query($i: ID!) { case(id: $i) { decisions { verdict revoked } } }`
	check := func(by, want string) {
		t.Helper()
		if got := inJSON(t, w.mustExecute(by, shown, "i", id).at("case", "decisions")); got != want {
			t.Errorf("%s sees %s, want %s", by, got, want)
		}
	}
	check("max", `[{"revoked":false,"verdict":"ABSTAIN"},{"revoked":false,"verdict":"APPROVE"}]`)
	seat := seatOf(w, "rea", domain.QueueL1)
	claim(w, "rea", seat)
	corrected := w.mustExecute("rea", `mutation($in: CorrectFieldsInput!) { correctFields(input: $in) { `+errorsOnly+
		` } }`, "in", map[string]any{"reviewId": seat, "confirm": true, "fields": []any{
		map[string]any{"name": "total", "value": "130.00"}}})
	if refused, _ := corrected.at("correctFields", "userErrors").([]any); len(refused) > 0 {
		t.Fatalf("not corrected: %v", refused)
	}
	w.runPending()
	check("max", `[{"revoked":true,"verdict":"ABSTAIN"},{"revoked":true,"verdict":"APPROVE"}]`)
	check("sam", `[]`)
}
