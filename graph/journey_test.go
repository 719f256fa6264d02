package graph

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

const reviewOfCase = `query($id: ID!) { case(id: $id) { status openReview { id version status
	queue assignee { name } } } }`

// decide decides a review. An approval states the fields that its refusal names as unchecked.
func decide(w *testEnv, by, review, version, decision, reason string) result {
	input := map[string]any{"reviewId": review, "decision": decision, "reason": reason, "expectedVersion": version}
	return statingUnchecked("decideReview", input, func() result {
		return w.mustExecute(by, `mutation($input: DecideReviewInput!) { decideReview(input: $input) { review { status version decision { verdict actor { name } evidence } }
			userErrors { __typename ... on Refusal { code message values { name value } } ... on StaleVersion { currentVersion } } } }`,
			"input", input)
	})
}

// statingUnchecked sends an approval, and again with the unchecked fields that its refusal names.
func statingUnchecked(mutation string, input map[string]any, send func() result) result {
	answer := send()
	values := map[any]any{}
	list, _ := answer.at(mutation, "userErrors", 0, "values").([]any)
	for _, value := range list {
		pair, _ := value.(map[string]any)
		values[pair["name"]] = pair["value"]
	}
	fields, _ := values["fields"].(string)
	if values["reason"] != "unchecked" || fields == "" {
		return answer
	}
	input["unchecked"] = strings.Split(fields, ",")
	return send()
}

func claim(w *testEnv, by, review string) result {
	return w.mustExecute(by, `mutation($input: ClaimReviewInput!) { claimReview(input: $input) { review { id version status assignee { name } claimUntil }
		userErrors { __typename ... on Refusal { code message remedy } ... on AlreadyClaimed { holder } } } }`,
		"input", map[string]any{"reviewId": review})
}

func TestADocumentGoesFromUploadToArchive(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	w.person("aud", domain.RoleAuditor)
	id := w.submit("sam", "90000.00")
	w.runPending()

	// The submitter sees the progress of the case, not the review work.
	mine := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { status risk openReview { id } reviews { id } findings { rule } decisions { reason }
		amount { amount currency } counterparty documents { revision fileName mediaType size sha256 path pages { number words { text } } }
		fields { name normalised source confidence box { x } } submitter { name } lastEvents(last: 50) { type sentence actor { name } cursor } } }`, "id", id)
	if mine.text("case", "status") != "IN_REVIEW" || mine.at("case", "openReview") != nil ||
		len(mine.at("case", "reviews").([]any)) != 0 ||
		mine.at("case", "risk") != nil || mine.text("case", "amount", "amount") != "90000.00" ||
		mine.text("case", "submitter", "name") != "sam" {
		t.Fatalf("the submitter sees %+v", mine.Data)
	}
	for _, event := range mine.at("case", "lastEvents").([]any) {
		if kind := event.(map[string]any)["type"].(string); strings.HasPrefix(kind, "review.") {
			t.Errorf("the submitter sees %s", kind)
		}
	}

	found := w.mustExecute("lea", reviewOfCase, "id", id)
	review := found.text("case", "openReview", "id")
	if review == "" {
		t.Fatalf("no review for lea: %+v", found.Data)
	}
	if got := decide(w, "lea", review, "", "APPROVE", ""); got.text("decideReview", "userErrors", 0,
		"__typename") != "NotClaimedByYou" {
		t.Errorf("decided unclaimed: %+v", got.Data)
	}
	claimed := claim(w, "lea", review)
	if claimed.text("claimReview", "review", "assignee", "name") != "lea" {
		t.Fatalf("not claimed: %+v", claimed.Data)
	}
	if got := claim(w, "max", review); got.text("claimReview", "userErrors", 0,
		"__typename") != "AlreadyClaimed" || got.text("claimReview", "userErrors", 0,
		"holder") != "lea" {
		t.Errorf("claimed twice: %+v", got.Data)
	}
	if got := decide(w, "lea", review, "0.0", "APPROVE", ""); got.text("decideReview", "userErrors",
		0, "code") != "StaleVersion" ||
		got.text("decideReview", "userErrors", 0, "currentVersion") != claimed.text("claimReview",
			"review", "version") {
		t.Errorf("decided on an old version: %+v", got.Data)
	}
	if got := decide(w, "lea", review, "", "REJECT", " "); got.text("decideReview", "userErrors", 0,
		"code") != "ValidationFailed" {
		t.Errorf("rejected without a reason: %+v", got.Data)
	}
	done := decide(w, "lea", review, claimed.text("claimReview", "review", "version"), "APPROVE",
		"fine")
	if done.text("decideReview", "review", "decision", "verdict") != "APPROVE" ||
		done.text("decideReview", "review", "decision", "actor", "name") != "lea" {
		t.Fatalf("not decided: %+v", done.Data)
	}
	w.runPending()
	if end := w.mustExecute("sam", `query($id: ID!) { node(id: $id) { id ... on Case { status
		final } } }`, "id", id); end.text("node", "status") != "ARCHIVED" || end.at("node", "final") != true {
		t.Errorf("the end: %+v", end.Data)
	}
	for by, opens := range map[string]bool{"sam": false, "lea": true, "aud": true} {
		_, err := w.service.OpenBlob(t.Context(), w.actor(by), casework.OpenBlob{
			CaseID: caseIDOf(t, id), Kind: casework.BlobManifest})
		got := w.mustExecute(by, `query($id: ID!) { case(id: $id) { manifestPath } }`, "id", id)
		if shown := got.at("case", "manifestPath") != nil; shown != opens || (err == nil) != opens {
			t.Errorf("%s: manifest shown %t, opened %v", by, shown, err)
		}
	}
	audit := w.mustExecute("aud", `query($id: ID!) { auditTrail(caseId: $id) { nodes { kind type
		sentence seq hash actor { name } } } verifyAudit(caseId: $id) { ok events streams problems
		{ seq } } }`, "id", id)
	if audit.at("verifyAudit", "ok") != true || len(audit.at("auditTrail", "nodes").([]any)) < 8 {
		t.Errorf("the audit: %+v", audit.Data)
	}
	if got := w.execute("sam", `query($id: ID!) { auditTrail(caseId: $id) { nodes { seq } } }`,
		"id", id); len(got.Errors) == 0 {
		t.Error("a submitter reads the audit trail")
	}
}

func TestIncidentRecoveryActions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.knowSeller()
	w.person("sam", domain.RoleSubmitter)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "damaged")
	w.runPending()
	failed := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { status version incident { id
		version code message attempt actions openedAt case { reference } } } }`, "id", id)
	if failed.text("case", "status") != "INCIDENT" ||
		failed.text("case", "incident", "code") != "DamagedFile" {
		t.Fatalf("the incident: %+v", failed.Data)
	}
	list := w.mustExecute("ma", `{ incidents(first: 10) { nodes { message case { id status } } } }`)
	if list.text("incidents", "nodes", 0, "case", "id") != id {
		t.Errorf("incidents of the manager: %+v", list.Data)
	}
	stale := w.mustExecute("sam", `mutation($input: RetryIncidentInput!) { retryIncident(input:
		$input) { case { status } userErrors { __typename } } }`,
		"input", map[string]any{"caseId": id, "expectedVersion": "99"})
	if stale.text("retryIncident", "userErrors", 0, "__typename") != "StaleVersion" {
		t.Errorf("a stale retry: %+v", stale.Data)
	}
	retried := w.mustExecute("sam", `mutation($input: RetryIncidentInput!) { retryIncident(input:
		$input) { case { status } userErrors { __typename } } }`,
		"input", map[string]any{"caseId": id,
			"expectedVersion": failed.text("case", "incident", "version"), "idempotencyKey": "k1"})
	if len(retried.at("retryIncident", "userErrors").([]any)) != 0 {
		t.Errorf("the retry: %+v", retried.Data)
	}
	w.runPending()
	replaced := w.upload("sam", `mutation($input: ReplaceDocumentInput!) { replaceDocument(input:
		$input) { case { id document { revision } } userErrors { ... on Refusal { code message } }
		} }`,
		map[string]any{"caseId": id}, "%PDF-1.7\n120.00\n")
	if len(replaced.Errors) > 0 || replaced.text("replaceDocument", "case", "id") != id {
		t.Fatalf("the replacement: %+v", replaced)
	}
	w.runPending()
	if end := w.mustExecute("sam", `query($id: ID!) { case(id: $id) { status incident { id }
		document { revision } documents { revision } } }`, "id", id); end.text("case", "status") != "ARCHIVED" ||
		end.at("case", "document", "revision") != float64(2) {
		t.Errorf("the end: %+v", end.Data)
	}
	second := w.submit("sam", "damaged")
	w.runPending()
	const abandon = `mutation($input: AbandonCaseInput!) { abandonCase(input: $input) { case {
		status } userErrors { ... on Refusal { code message } } } }`
	meant := w.mustExecute("sam", abandon, "input",
		map[string]any{"caseId": second, "reason": "not needed", "expectedStatus": "RETURNED"})
	if meant.text("abandonCase", "userErrors", 0, "code") != "StateMismatch" {
		t.Errorf("meant for a returned case: %+v", meant.Data)
	}
	gone := w.mustExecute("sam", abandon, "input",
		map[string]any{"caseId": second, "reason": "not needed", "expectedStatus": "INCIDENT"})
	if len(gone.at("abandonCase", "userErrors").([]any)) != 0 {
		t.Errorf("the abandonment: %+v", gone.Data)
	}
}

func TestWhoMaySeeWhat(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("eve", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "90000.00")
	w.runPending()
	if got := w.mustExecute("eve", reviewOfCase, "id", id); got.at("case") != nil {
		t.Errorf("another submitter sees %+v", got.Data)
	}
	if got := w.mustExecute("eve",
		`{ cases(first: 10) { nodes { id } pageInfo { hasNextPage } } }`); len(got.at("cases",
		"nodes").([]any)) != 0 {
		t.Errorf("another submitter lists %+v", got.Data)
	}
	if got := w.mustExecute("", `{ viewer { person { name } } }`); got.at("viewer") != nil {
		t.Errorf("an unauthenticated viewer is %+v", got.Data)
	}
	for by, query := range map[string]string{"": `{ cases(first: 1) { nodes { id } } }`,
		"eve": `{ people { name } }`} {
		if got := w.execute(by, query); len(got.Errors) != 1 ||
			got.Errors[0].Extensions["requestId"] == "" {
			t.Errorf("%q asks %s: %+v", by, query, got)
		}
	}
	got := w.execute("", `mutation { claimNextReview(input: {}) { review { id } } }`)
	if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "Unauthenticated" {
		t.Errorf("an unauthenticated claim: %+v", got)
	}
	people := w.mustExecute("ada", `{ people(text: "lea") { id name email roles queues disabled }
		}`)
	if people.text("people", 0, "email") != "lea@example.com" ||
		people.text("people", 0, "roles", 0) != "REVIEWER_L1" {
		t.Errorf("the administrator sees %+v", people.Data)
	}
	found := w.mustExecute("ma", reviewOfCase, "id", id)
	review := found.text("case", "openReview", "id")
	explained := w.mustExecute("ma", `query($id: ID!) { explain(reviewId: $id, action: DECIDE) {
		allowed rule sentence who { name } } eligibleReviewers(reviewId: $id) { name email } }`, "id", review)
	if explained.at("explain", "allowed") != false || explained.text("explain", "sentence") == "" ||
		len(explained.at("eligibleReviewers").([]any)) == 0 ||
		explained.at("eligibleReviewers", 0, "email") != nil {
		t.Errorf("explained: %+v", explained.Data)
	}
	moved := w.mustExecute("ma", `mutation($input: ReassignReviewsInput!) { reassignReviews(input:
		$input) { results { reviewId review { assignee { name } } userErrors { __typename } }
		userErrors { __typename } } }`,
		"input", map[string]any{"reviewIds": []string{review}, "to": people.text("people", 0, "id"),
			"reason": "balance"})
	if moved.text("reassignReviews", "results", 0, "review", "assignee", "name") != "lea" {
		t.Errorf("reassigned: %+v", moved.Data)
	}
	definitions := w.mustExecute("lea", `{ processDefinitions { nodes { key version title newest
		document nodes { id kind label next } graph { nodes { id } lines { kind } } } } }`)
	if definitions.text("processDefinitions", "nodes", 0, "key") == "" ||
		len(definitions.at("processDefinitions", "nodes", 0, "nodes").([]any)) < 5 ||
		definitions.at("processDefinitions", "nodes", 0, "document") != nil ||
		len(definitions.at("processDefinitions", "nodes", 0, "graph", "lines").([]any)) < 5 {
		t.Errorf("definitions: %+v", definitions.Data)
	}
	if got := w.execute("lea", `{ case(id: "x") { id } }`); len(got.Errors) != 1 ||
		got.Errors[0].Extensions["code"] != "InvalidInput" {
		t.Errorf("a wrong id: %+v", got)
	}
}

func TestTokensAndConflicts(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	made := w.mustExecute("lea", `mutation { createApiToken(input: {name: "script", scopes:
		["read", "claim"]}) { token { id name scopes } secret userErrors { ... on Refusal { code
		message } } } }`)
	token := made.text("createApiToken", "token", "id")
	if token == "" || !strings.HasPrefix(made.text("createApiToken", "secret"), "cs_") {
		t.Fatalf("the token: %+v", made.Data)
	}
	gone := w.mustExecute("lea", `mutation($id: ID!) { revokeApiToken(input: {tokenId: $id}) {
		token { revokedAt } userErrors { __typename } } }`, "id", token)
	if gone.text("revokeApiToken", "token", "revokedAt") == "" {
		t.Errorf("revoked: %+v", gone.Data)
	}
	id := w.submit("sam", "90000.00")
	w.runPending()
	declared := w.mustExecute("lea", `mutation { declareConflict(input: {counterparty:
		"Muster Werke GmbH", reason: "my brother's"}) { conflictId userErrors { ... on Refusal {
		code message } } } }`)
	conflict := declared.text("declareConflict", "conflictId")
	if conflict == "" {
		t.Fatalf("the conflict: %+v", declared.Data)
	}
	mine := w.mustExecute("lea", `{ viewer { person { name roles } conflicts { id reason }
		apiTokens { name } } reviews(first: 5) { totalCount nodes { id } } }`)
	if mine.text("viewer", "conflicts", 0, "id") != conflict ||
		mine.at("reviews", "totalCount") != float64(0) {
		t.Errorf("after the conflict: %+v", mine.Data)
	}
	if got := w.execute("lea", reviewOfCase, "id", id); len(got.Errors) != 1 ||
		got.Errors[0].Extensions["code"] != "ConflictOfInterest" {
		t.Errorf("the case of the conflict: %+v", got)
	}
}
