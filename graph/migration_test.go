package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const migrationPlan = `{process: "document_approval", fromVersion: 1, toVersion: 2,
	nodes: [{from: "review_l1", to: "%s"}]}`

// TestCaseMigrationOverTheAPI checks, previews, proposes and confirms a migration, and reads what
// became of a case.
func TestCaseMigrationOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "adam"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleSenior)
	w.submit("sam", "2000.00")
	w.runPending()
	document := w.mustExecute("ada", `{ processDefinitions(first: 1,
		filter: {key: "document_approval"}) { nodes { document } } }`).
		text("processDefinitions", "nodes", 0, "document")
	proposed := w.mustExecute("ada", `mutation($d: String!) { proposeProcessDefinition(input: {document: $d}) {
		proposal { id } userErrors { ... on Refusal { message } } } }`, "d",
		strings.ReplaceAll(document, "review_l1", "review"))
	w.mustExecute("adam", `mutation($id: ID!) { publishProcessDefinition(input: {proposalId: $id, confirm: true}) {
		userErrors { ... on Refusal { message } } } }`, "id",
		proposed.text("proposeProcessDefinition", "proposal", "id"))

	const check = `{ checkMigration(plan: PLAN) { cases problems { rule node message }
		nodes { from to required stays } targets { id kind } } }`
	none := w.mustExecute("ada", strings.Replace(check, "PLAN",
		`{process: "document_approval", fromVersion: 1, toVersion: 2}`, 1))
	if none.text("checkMigration", "problems", 0, "rule") != "migration_unmapped" ||
		none.text("checkMigration", "problems", 0, "node") != "review_l1" {
		t.Errorf("%+v", none)
	}
	plan := strings.Replace(migrationPlan, "%s", "review", 1)
	sound := w.mustExecute("ada", strings.Replace(check, "PLAN", plan, 1))
	if sound.at("checkMigration", "problems", 0, "rule") != nil ||
		sound.at("checkMigration", "cases") != 1.0 {
		t.Errorf("%+v", sound)
	}
	preview := w.mustExecute("ada", `{ previewMigration(plan: `+plan+`) { cases next
		moves { reference status reason nodes reviews { node before after assignee { name } } } } }`)
	if preview.text("previewMigration", "moves", 0, "status") != "MOVED" ||
		preview.text("previewMigration", "moves", 0, "nodes", 0) != "review_l1 → review" {
		t.Errorf("%+v", preview)
	}
	done := w.mustExecute("ada", `mutation { proposeMigration(input: {reason: "new names", plan: `+plan+`}) {
		results { proposal { id subject before after } } userErrors { ... on Refusal { message } } } }`)
	if done.text("proposeMigration", "results", 0, "proposal", "after") != "2; review_l1 → review" {
		t.Errorf("%+v", done)
	}
	const proposedMigration = `query($id: ID!) { proposedMigration(proposalId: $id) { cases restartDeadlines undoesOf problems { rule } } }`
	id := done.text("proposeMigration", "results", 0, "proposal", "id")
	waiting := w.mustExecute("adam", proposedMigration, "id", id)
	if waiting.at("proposedMigration", "cases") != 1.0 || waiting.at("proposedMigration", "undoesOf") != nil {
		t.Errorf("%+v", waiting)
	}
	if refused := w.execute("lea", proposedMigration, "id", id); len(refused.Errors) == 0 {
		t.Error("a reviewer sees a proposed migration")
	}
	const previewProposed = `query($id: ID!) { previewProposedMigration(proposalId: $id) { cases hidden next
		moves { reference status nodes changed reviews { node before after released } revoked { node } } } }`
	for _, changed := range []bool{false, true} { // the second person reads what the first one read, as it is now
		for range 2 {
			seen := w.mustExecute("adam", previewProposed, "id", id)
			if seen.text("previewProposedMigration", "moves", 0, "nodes", 0) != "review_l1 → review" ||
				seen.at("previewProposedMigration", "moves", 0, "changed") != changed {
				t.Errorf("changed %v: %+v", changed, seen)
			}
		}
		if !changed {
			w.claimAndRelease("lea")
		}
	}
	for _, by := range []string{"lea", "sam"} {
		if refused := w.execute(by, previewProposed, "id", id); len(refused.Errors) == 0 {
			t.Errorf("%s sees the preview of a proposed migration", by)
		}
	}
	w.mustExecute("adam", `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied } userErrors { ... on Refusal { code } } } }`, "id", id)
	if _, err := w.service.MigrateCases(t.Context()); err != nil {
		t.Fatal(err)
	}
	listed := w.mustExecute("ada", `{ caseMigrations(process: "document_approval") { id fromVersion
		toVersion waiting moved notMoved endedAt proposedBy { name } confirmedBy { name } } }`)
	if listed.at("caseMigrations", 0, "moved") != 1.0 || listed.at("caseMigrations", 0, "waiting") != 0.0 ||
		listed.text("caseMigrations", 0, "confirmedBy", "name") != "adam" {
		t.Errorf("%+v", listed)
	}
	results := w.mustExecute("ada", `query($id: ID!) { migratedCases(migrationId: $id, status: MOVED) {
		next nodes { reference status at } } }`, "id", listed.text("caseMigrations", 0, "id"))
	if results.text("migratedCases", "nodes", 0, "status") != "MOVED" {
		t.Errorf("%+v", results)
	}
	undo := w.mustExecute("ada", `mutation($id: ID!) { undoMigration(input: {migrationId: $id, reason: "too early"}) {
		results { proposal { id } } userErrors { ... on Refusal { message } } } }`, "id",
		listed.text("caseMigrations", 0, "id"))
	back := w.mustExecute("adam", previewProposed, "id", undo.text("undoMigration", "results", 0, "proposal", "id"))
	if back.text("previewProposedMigration", "moves", 0, "status") != "MOVED" ||
		back.text("previewProposedMigration", "moves", 0, "nodes", 0) != "review → review_l1" {
		t.Errorf("the preview of an undo: %+v", back)
	}
	undone := w.mustExecute("adam", proposedMigration, "id", undo.text("undoMigration", "results", 0, "proposal", "id"))
	if undone.at("proposedMigration", "cases") != 1.0 || undone.text("proposedMigration", "undoesOf") == "" {
		t.Errorf("%+v", undone)
	}
	for _, query := range []string{`{ caseMigrations(process: "document_approval") { id } }`,
		strings.Replace(check, "PLAN", plan, 1)} {
		if refused := w.execute("lea", query); len(refused.Errors) == 0 {
			t.Errorf("a reviewer gets an answer to %s", query)
		}
	}
}

// claimAndRelease claims the first review that the person sees, and releases it.
func (w *testEnv) claimAndRelease(by string) {
	w.t.Helper()
	id := w.mustExecute(by, `{ reviews(first: 1) { nodes { id } } }`).text("reviews", "nodes", 0, "id")
	for _, command := range []string{"claimReview", "releaseReview"} {
		if refused, _ := w.mustExecute(by, `mutation($i: ID!) { it: `+command+`(input: {reviewId: $i}) { `+
			errorsOnly+` } }`, "i", id).at("it", "userErrors").([]any); len(refused) > 0 {
			w.t.Fatalf("%s: %v", command, refused)
		}
	}
}
