package graph

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
)

const proposalShown = `proposal { id version kind key baseVersion nextVersion status note restores document proposedBy { name } decidedBy { name } report { sound markings warnings { rule } understaffed { rule } } }
	problems { rule message line column node path { event node } } userErrors { __typename ... on Refusal { code message field values { name value } } }`

func propose(w *testEnv, by, document, expected string) result {
	return w.mustExecute(by, `mutation($in: ProposeDefinitionInput!) { done:
		proposeProcessDefinition(input: $in) { `+proposalShown+` } }`,
		"in", map[string]any{"document": document, "note": "stricter", "expectedVersion": expected})
}

func publish(w *testEnv, by, proposal string) result {
	return w.mustExecute(by, `mutation($in: PublishProposalInput!) { done:
		publishProcessDefinition(input: $in) { `+proposalShown+` } }`,
		"in", map[string]any{"proposalId": proposal, "confirm": true})
}

const newestOf = `query($key: String!) { processDefinitions(first: 5, filter: {key: $key}) { nodes { key version newest document publishedBy { name }
	proposal { note } graph { nodes { id kind queue line } lines { from to kind label } } understaffed { rule } } pageInfo { hasNextPage } } }`

// One administrator proposes a definition and another publishes it; an earlier version can be
// restored the same way.
func TestADefinitionIsProposedAndPublishedByTwo(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "abe"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("lea", domain.RoleL1)
	w.person("sam", domain.RoleSubmitter)
	before := w.mustExecute("ada", newestOf, "key", "document_approval")
	document := strings.Replace(before.text("processDefinitions", "nodes", 0, "document"),
		"base_minor < 100000", "base_minor < 50000", 1)

	checked := w.mustExecute("ada", `query($d: String!) { checkProcessDefinition(document: $d) {
		key milliseconds report { sound markings problems { rule } } graph { nodes { id } lines {
		id } } } }`, "d", document)
	if checked.at("checkProcessDefinition", "report", "sound") != true ||
		checked.text("checkProcessDefinition", "key") != "document_approval" {
		t.Fatalf("checked: %+v", checked.Data)
	}
	broken := w.mustExecute("ada", `query($d: String!) { checkProcessDefinition(document: $d) {
		report { sound problems { rule line node path { event node } } } graph { nodes { id } } }
		}`,
		"d", strings.Replace(document, "    default: review_l1\n", "    default: nowhere\n", 1))
	if broken.text("checkProcessDefinition", "report", "problems", 0, "rule") != "unknown_target" ||
		broken.at("checkProcessDefinition", "report", "problems", 0, "line").(float64) < 10 ||
		broken.at("checkProcessDefinition", "graph") != nil {
		t.Errorf("broken: %+v", broken.Data)
	}
	for _, by := range []string{"lea", "sam"} {
		if got := propose(w, by, document, ""); got.text("done", "userErrors", 0,
			"code") != "NotPermitted" {
			t.Errorf("%s proposes: %+v", by, got.Data)
		}
	}
	if got := propose(w, "ada", document, "7"); got.text("done", "userErrors", 0,
		"code") != "StaleVersion" {
		t.Errorf("based on version 7: %+v", got.Data)
	}
	made := propose(w, "ada", document, "1")
	proposal := made.text("done", "proposal", "id")
	if made.text("done", "proposal", "status") != "PROPOSED" ||
		made.at("done", "proposal", "nextVersion") != float64(2) ||
		!strings.Contains(made.text("done", "proposal", "document"), "\nversion: 2\n") {
		t.Fatalf("proposed: %+v", made.Data)
	}
	if got := publish(w, "ada", proposal); got.text("done", "userErrors", 0,
		"__typename") != "FourEyes" {
		t.Errorf("published by the proposer: %+v", got.Data)
	}
	rival := propose(w, "abe", document, "1").text("done", "proposal", "id")
	if got := publish(w, "abe", proposal); got.text("done", "proposal", "status") != "PUBLISHED" ||
		got.text("done", "proposal", "decidedBy", "name") != "abe" {
		t.Fatalf("published: %+v", got.Data)
	}
	if got := publish(w, "ada", rival); got.text("done", "userErrors", 0,
		"__typename") != "StaleVersion" {
		t.Errorf("published concurrently with another: %+v", got.Data)
	}
	after := w.mustExecute("ada", newestOf, "key", "document_approval")
	if after.at("processDefinitions", "nodes", 0, "version") != float64(2) ||
		after.text("processDefinitions", "nodes", 0, "publishedBy", "name") != "abe" ||
		after.at("processDefinitions", "nodes", 1, "newest") != false ||
		after.text("processDefinitions", "nodes", 0, "proposal", "note") != "stricter" {
		t.Errorf("after: %+v", after.Data)
	}
	restored := w.mustExecute("abe", `mutation { done: restoreProcessDefinition(input: {key:
		"document_approval", definitionVersion: 1}) { `+proposalShown+` } }`)
	if restored.at("done", "proposal", "restores") != float64(1) ||
		restored.at("done", "proposal", "nextVersion") != float64(3) {
		t.Fatalf("restored: %+v", restored.Data)
	}
	if got := publish(w, "ada", restored.text("done", "proposal", "id")); got.text("done",
		"proposal", "status") != "PUBLISHED" {
		t.Errorf("published again: %+v", got.Data)
	}
	withdrawn := w.mustExecute("ada", `mutation($id: ID!) { done: withdrawProcessDefinition(input:
		{proposalId: $id, reason: "overtaken"}) { `+proposalShown+` } }`, "id", rival)
	if withdrawn.text("done", "proposal", "status") != "WITHDRAWN" {
		t.Errorf("withdrawn: %+v", withdrawn.Data)
	}
	open := w.mustExecute("ada", `{ proposals(first: 10, filter: {kind: PROCESS, status:
		PROPOSED}) { nodes { id } } all: proposals(first: 2) { nodes { key } pageInfo {
		hasNextPage endCursor } } }`)
	if len(open.at("proposals", "nodes").([]any)) != 0 ||
		open.at("all", "pageInfo", "hasNextPage") != true {
		t.Errorf("proposals: %+v", open.Data)
	}
}

// Checking an unsound definition returns the node and the path that leads there.
func TestUnsoundDefinitionReturnsAPath(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	document := w.mustExecute("ada", newestOf, "key", "merchant_onboarding").
		text("processDefinitions", "nodes", 0, "document")
	got := propose(w, "ada", strings.Replace(document, "reject: {to: seal_rejected, cancel: all}",
		"reject: seal_rejected", 1), "")
	if got.text("done", "userErrors", 0, "code") != "UnsoundDefinition" ||
		got.at("done", "proposal") != nil {
		t.Fatalf("proposed: %+v", got.Data)
	}
	problem := got.at("done", "problems", 0).(map[string]any)
	if problem["node"] == "" || len(problem["path"].([]any)) == 0 ||
		fmt.Sprint(problem["message"]) == "" {
		t.Errorf("the problem is %+v", problem)
	}
}

// A rehearsal returns the cases whose route would differ, and the reviews they would need.
// The case that made the seller known has the same route.
func TestRehearsalReturnsCasesWithAnotherRoute(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.knowSeller()
	w.person("ada", domain.RoleAdmin)
	w.person("sam", domain.RoleSubmitter)
	small, large := w.submit("sam", "600.00"), w.submit("sam", "90000.00")
	w.runPending()
	document := w.mustExecute("ada", newestOf, "key", "document_approval").
		text("processDefinitions", "nodes", 0, "document")
	stricter := strings.Replace(document, "base_minor < 100000", "base_minor < 50000", 1)
	got := w.mustExecute("ada", `query($d: String!) { r: rehearseProcessDefinition(document: $d,
		last: 10) { cases same different { caseId reference before after addedReviews
		droppedReviews problem } } }`, "d", stricter)
	if got.at("r", "cases") != float64(3) || got.at("r", "same") != float64(2) ||
		got.text("r", "different", 0, "caseId") != small ||
		got.text("r", "different", 0, "addedReviews", 0) != "review_l1" {
		t.Errorf("rehearsed: %+v (%s %s)", got.Data, small, large)
	}
	live := w.mustExecute("ada", `query($id: ID!) { case(id: $id) { process { version graph {
		nodes { id } } } tokens { node visit } visits { node visit } } }`, "id", large)
	if live.text("case", "tokens", 0, "node") != "review_l1" ||
		len(live.at("case", "visits").([]any)) < 5 {
		t.Errorf("the marking: %+v", live.Data)
	}
	mine := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { process { key document graph {
		nodes { id } } proposal { id } } tokens { node } visits { node } } }`, "id", large)
	if mine.at("case", "process", "graph") != nil ||
		mine.at("case", "process", "document") != nil ||
		len(mine.at("case", "tokens").([]any)) != 0 {
		t.Errorf("the submitter sees %+v", mine.Data)
	}
}

const discussionShown = `discussion { writes parts nodes { id author { name } part text earlierText
	resolvable resolvedBy { name } } }`

// Administrators discuss a proposal; a manager reads it, and a reviewer does not see it.
func TestAProposalIsDiscussed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "abe"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("max", domain.RoleManager)
	w.person("lea", domain.RoleL1)
	document := w.mustExecute("ada", newestOf, "key", "content_review").
		text("processDefinitions", "nodes", 0, "document")
	first := propose(w, "ada", strings.Replace(document, "claim_within: 2h", "claim_within: 3h", 1), "").
		text("done", "proposal", "id")
	const add = `mutation($in: AddProposalCommentInput!) { done: addProposalComment(input: $in) {
		proposal { id ` + discussionShown + ` } userErrors { ... on Refusal { code message } } } }`
	added := w.mustExecute("abe", add, "in", map[string]any{"proposalId": first, "part": "review",
		"text": "Why\u202e?"})
	if added.text("done", "proposal", "discussion", "nodes", 0, "text") != "Why?" ||
		added.text("done", "proposal", "discussion", "nodes", 0, "part") != "review" ||
		added.at("done", "proposal", "discussion", "nodes", 0, "resolvable") != true {
		t.Fatalf("added: %+v", added.Data)
	}
	for by, code := range map[string]string{"max": "NotPermitted", "lea": "NotPermitted"} {
		refused := w.mustExecute(by, add, "in", map[string]any{"proposalId": first, "text": "x"})
		if refused.text("done", "userErrors", 0, "code") != code {
			t.Errorf("%s: %+v", by, refused.Data)
		}
	}
	second := w.mustExecute("abe", `mutation($in: ProposeDefinitionInput!) { done:
		proposeProcessDefinition(input: $in) { proposal { id `+discussionShown+` } } }`,
		"in", map[string]any{"replaces": first,
			"document": strings.Replace(document, "claim_within: 2h", "claim_within: 4h", 1)})
	if second.at("done", "proposal", "discussion", "nodes", 0, "earlierText") != true {
		t.Errorf("replaced: %+v", second.Data)
	}
	read := w.mustExecute("max", `{ proposals(first: 1, filter: {kind: PROCESS}) { nodes { `+
		discussionShown+` } } }`)
	if read.at("proposals", "nodes", 0, "discussion", "writes") != false ||
		read.at("proposals", "nodes", 0, "discussion", "nodes", 0, "resolvable") != false ||
		len(read.at("proposals", "nodes", 0, "discussion", "nodes").([]any)) != 1 {
		t.Errorf("read: %+v", read.Data)
	}
}
