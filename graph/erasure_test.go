package graph

import (
	"testing"

	"countersign/domain"
)

// An erasure, a hold and a retention period pass through the API: proposed by one administrator,
// confirmed by another, and shown to those who may see them.
func TestErasureByTheAPI(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "adam"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("ann", domain.RoleAuditor)
	w.person("rita", domain.RoleL1)
	w.person("sam", domain.RoleSubmitter)
	caseID := w.submit("sam", "120.00")
	const refusals = ` userErrors { ... on Refusal { code message remedy } } } }`
	const results = ` { results { applied proposal { id kind subject before after } }` + refusals
	const propose = `mutation($id: ID!) { proposeErasure(input: {caseId: $id, reason: "asked for"})` + results
	if early := w.mustExecute("ada", propose, "id", caseID); early.text("proposeErasure", "userErrors", 0,
		"code") != "StateMismatch" {
		t.Errorf("an open case: %+v", early)
	}
	const place = `mutation($id: ID!) { placeLegalHold(input: {caseId: $id, reason: "court order"}) {
		hold { id reason placedBy { name } liftedAt }` + refusals
	if refused := w.mustExecute("rita", place, "id", caseID); refused.text("placeLegalHold", "userErrors",
		0, "code") != "NotPermitted" {
		t.Errorf("a reviewer: %+v", refused)
	}
	placed := w.mustExecute("ann", place, "id", caseID)
	if placed.text("placeLegalHold", "hold", "placedBy", "name") != "ann" {
		t.Errorf("placed %+v", placed)
	}
	const read = `query($id: ID!) { case(id: $id) { erasure { at } legalHolds { id reason liftedAt } } }`
	if seen := w.mustExecute("ada", read, "id", caseID); seen.text("case", "legalHolds", 0, "reason") !=
		"court order" {
		t.Errorf("an administrator sees %+v", seen)
	}
	if seen := w.mustExecute("sam", read, "id", caseID); len(seen.at("case", "legalHolds").([]any)) != 0 {
		t.Errorf("the submitter sees %+v", seen)
	}
	const lift = `mutation($id: ID!) { proposeHoldLift(input: {holdId: $id, reason: "settled"})` + results
	lifted := w.mustExecute("ada", lift, "id", placed.text("placeLegalHold", "hold", "id"))
	const confirm = `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied }` + refusals
	w.mustExecute("adam", confirm, "id", lifted.text("proposeHoldLift", "results", 0, "proposal", "id"))
	if seen := w.mustExecute("ada", read, "id", caseID); seen.at("case", "legalHolds", 0, "liftedAt") == nil {
		t.Errorf("not lifted: %+v", seen)
	}

	const set = `mutation($days: Int!) { setRetention(input: {documentType: "", days: $days, reason: "law"})` +
		results
	shorter := w.mustExecute("ada", set, "days", 10)
	if shorter.text("setRetention", "results", 0, "proposal", "kind") != "RETENTION" ||
		shorter.text("setRetention", "results", 0, "proposal", "before") != "3650" {
		t.Errorf("a shorter period: %+v", shorter)
	}
	longer := w.mustExecute("ada", set, "days", 4000)
	if longer.at("setRetention", "results", 0, "applied") != true {
		t.Errorf("a longer period: %+v", longer)
	}
	periods := w.mustExecute("ann", `{ retentionPeriods { documentType days inForce setBy { name } } }`)
	if periods.at("retentionPeriods", 0, "inForce") != true ||
		periods.text("retentionPeriods", 0, "setBy", "name") != "ada" ||
		periods.at("retentionPeriods", 1, "inForce") != false {
		t.Errorf("periods %+v", periods)
	}
}
