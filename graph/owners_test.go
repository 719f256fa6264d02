package graph

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
)

const ownedShown = `query($key: String!) { processOwners(process: $key) { required owners { name }
	changes { kind after sha256 ownerReviews { decidable } } }
	processDefinitions(first: 1, filter: {key: $key}) { nodes { document graph { nodes { id } } } }
	proposals(first: 5, filter: {kind: PROCESS, key: $key, status: PROPOSED}) { nodes { id sha256 document proposedBy { name }
		discussion { writes } ownerReviews { process required approved rejected decidable
			owners { person { name } decision reason counts eligible } } } } }`

// An owner who is no administrator reads the proposals of processes, and approves; other people do not.
func TestAnOwnerReadsAndApprovesAProposal(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("abe", domain.RoleAdmin)
	w.person("sam", domain.RoleSubmitter)
	ann := w.person("ann", domain.RoleSubmitter)
	const key = "content_review"
	w.nameOwner(key, "ada", "abe", ann.UserID)
	document := w.mustExecute("ada", newestOf, "key", key).text("processDefinitions", "nodes", 0, "document")
	proposed := propose(w, "ada", strings.Replace(document, "claim_within: 2h", "claim_within: 3h", 1), "")
	id := proposed.text("done", "proposal", "id")

	seen := w.mustExecute("ann", ownedShown, "key", key)
	if seen.text("processDefinitions", "nodes", 0, "document") != document ||
		seen.text("processOwners", "owners", 0, "name") != "ann" ||
		seen.at("processDefinitions", "nodes", 0, "graph") == nil ||
		seen.text("proposals", "nodes", 0, "id") != id ||
		seen.at("proposals", "nodes", 0, "discussion", "writes") != true ||
		seen.at("proposals", "nodes", 0, "ownerReviews", 0, "decidable") != true ||
		seen.at("proposals", "nodes", 0, "ownerReviews", 0, "approved") != float64(0) {
		t.Errorf("the owner sees %+v", seen.Data)
	}
	for query, variable := range map[string]string{
		`query($key: String!) { processOwners(process: $key) { required } }`:                 key,
		`query($key: String!) { proposals(first: 5, filter: {key: $key}) { nodes { id } } }`: key,
	} {
		if got := w.execute("sam", query, "key", variable); len(got.Errors) == 0 {
			t.Errorf("another submitter sees %+v", got.Data)
		}
	}
	// The owner reads no proposals of other kinds.
	if got := w.execute("ann", `{ proposals(first: 5, filter: {kind: POLICY}) { nodes { id } } }`); len(got.Errors) == 0 {
		t.Errorf("the owner sees %+v", got.Data)
	}

	w.theOwnerPrepares(document, seen.text("proposals", "nodes", 0, "document"), id)
	refused := publish(w, "abe", id)
	if refused.text("done", "userErrors", 0, "code") != "FourEyes" ||
		!strings.Contains(refused.text("done", "userErrors", 0, "message"), "needs the approval of 1 of its owners") {
		t.Errorf("published without the owner: %+v", refused.Data)
	}
	const decide = `mutation($in: DecideAsOwnerInput!) { done: decideAsOwner(input: $in) {
		userErrors { __typename ... on Refusal { code message } } } }`
	in := map[string]any{"proposalId": id, "decision": "APPROVED", "reason": "Checked.",
		"sha256": seen.text("proposals", "nodes", 0, "sha256")}
	w.mustExecute("ann", decide, "in", in)
	shown := w.mustExecute("abe", ownedShown, "key", key)
	if shown.text("proposals", "nodes", 0, "ownerReviews", 0, "owners", 0, "decision") != "APPROVED" ||
		shown.at("proposals", "nodes", 0, "ownerReviews", 0, "owners", 0, "counts") != true ||
		shown.at("proposals", "nodes", 0, "ownerReviews", 0, "decidable") != false {
		t.Errorf("the administrator sees %+v", shown.Data)
	}
	if done := publish(w, "abe", id); done.text("done", "proposal", "status") != "PUBLISHED" {
		t.Errorf("not published: %+v", done.Data)
	}
}

// theOwnerPrepares demands that ann finds the proposal among what waits for her, rehearses its text and no
// other, and comments on it, and that sam finds and does nothing.
func (w *testEnv) theOwnerPrepares(present, proposed, id string) {
	w.t.Helper()
	const tasks = `{ ownerTasks { owner nodes { proposalId kind process proposedBy { name }
		review { decidable approved } } } }`
	waiting := w.mustExecute("ann", tasks)
	if waiting.text("ownerTasks", "nodes", 0, "proposalId") != id ||
		waiting.text("ownerTasks", "nodes", 0, "kind") != "TEXT" ||
		waiting.text("ownerTasks", "nodes", 0, "proposedBy", "name") != "ada" ||
		waiting.at("ownerTasks", "nodes", 0, "review", "decidable") != true {
		w.t.Errorf("for the owner waits %+v", waiting.Data)
	}
	if none := w.mustExecute("sam", tasks); none.at("ownerTasks", "owner") != false ||
		none.at("ownerTasks", "nodes", 0) != nil {
		w.t.Errorf("for another person waits %+v", none.Data)
	}
	const rehearse = `query($in: RehearsalInput!) { rehearse(input: $in) { closed } }`
	const comment = `mutation($id: ID!) { done: addProposalComment(input: {proposalId: $id, text: "Why?"}) {
		userErrors { __typename ... on Refusal { code } } } }`
	text := func(process string) map[string]any {
		return map[string]any{"change": map[string]any{"process": process}}
	}
	w.mustExecute("ann", rehearse, "in", text(proposed))
	for name, refused := range map[string]map[string]any{"ann": text(present), "sam": text(proposed)} {
		if got := w.execute(name, rehearse, "in", refused); len(got.Errors) == 0 {
			w.t.Errorf("%s rehearses %+v", name, got.Data)
		}
	}
	limit := map[string]any{"change": map[string]any{"deadline": map[string]any{"queue": "L1", "percent": 50}}}
	if got := w.execute("ann", rehearse, "in", limit); len(got.Errors) == 0 {
		w.t.Errorf("the owner rehearses a deadline: %+v", got.Data)
	}
	if got := w.mustExecute("sam", comment, "id", id); got.text("done", "userErrors", 0, "code") != "NotPermitted" {
		w.t.Errorf("another person comments: %+v", got.Data)
	}
	if got := w.mustExecute("ann", comment, "id", id); got.at("done", "userErrors", 0) != nil {
		w.t.Errorf("the owner does not comment: %+v", got.Data)
	}
	w.mustExecute("ann", `mutation($id: ID!) { resolveProposalComment(input: {commentId: $id}) {
		userErrors { __typename } } }`, "id", w.mustExecute("ann", `{ proposals(first: 1, filter: {
		kind: PROCESS, key: "content_review"}) { nodes { discussion { nodes { id } } } } }`).text(
		"proposals", "nodes", 0, "discussion", "nodes", 0, "id"))
}

// nameOwner names the only owner of a process.
func (w *testEnv) nameOwner(process, by, second string, owner domain.ID) {
	w.t.Helper()
	done := w.mustExecute(by, `mutation($process: String!, $owner: ID!) { done: proposeProcessOwners(input: {
		process: $process, ownerIds: [$owner], required: 1, reason: "x"}) { results { proposal { id after } }
		userErrors { __typename } } }`, "process", process, "owner", scalar.GlobalID(scalar.KindPerson, owner))
	if after := done.text("done", "results", 0, "proposal", "after"); after != "ann (1/1)" {
		w.t.Errorf("the proposal shows %q", after)
	}
	w.mustExecute(second, `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied } userErrors { __typename } } }`, "id", done.text("done", "results", 0, "proposal", "id"))
}
