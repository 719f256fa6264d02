package casework_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// lastCorrection returns the body of the last correction of a case.
func (env *testEnv) lastCorrection(id domain.ID) generated.FieldsCorrectedV1 {
	env.t.Helper()
	var text []byte
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT body FROM events WHERE case_id = $1
		AND type = 'fields.corrected' ORDER BY seq DESC LIMIT 1`, id).Scan(&text))
	var body generated.FieldsCorrectedV1
	must(env.t, json.Unmarshal(text, &body))
	return body
}

// A person who only confirms a value is not said to have raised the risk: the event names the findings that other
// documents made since. A finding that a changed value makes is not among them.
func TestCorrectionNamesFindingsOfOtherDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	env.approvedBefore("Acme GmbH", "invoice", "")
	id := env.submitInvoice(sam, "Acme GmbH", "INV-1001", 40000)
	if env.caseByID(id).Status != domain.InReview {
		t.Fatalf("the first document is %s", env.caseByID(id).Status)
	}
	for i := range 3 {
		env.submitInvoice(sam, "Acme GmbH", fmt.Sprintf("INV-%d00%d", i+5, i), 40000)
	}
	before := env.caseByID(id).Risk
	if env.finding(id, "split_small") != nil {
		t.Fatal("the first document has the finding before it is evaluated again")
	}
	env.claim(jan, id)
	for range 2 { // the second one finds nothing new
		_, err := env.svc.ConfirmFields(env.ctx, jan, casework.ConfirmFields{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
			Names:        []string{domain.FieldVendor}, Confirm: true})
		must(t, err)
		body := env.lastCorrection(id)
		if before >= 0 && (!slices.Equal(body.Recomputed, []string{"split_small"}) || body.RiskBefore == nil ||
			*body.RiskBefore != int64(before) || *body.RiskAfter != int64(env.caseByID(id).Risk) ||
			*body.RiskAfter <= *body.RiskBefore) {
			t.Errorf("the first confirmation states %+v", body)
		}
		if before < 0 && (body.Recomputed != nil || body.RiskBefore != nil) {
			t.Errorf("the second confirmation states %+v", body)
		}
		before = -1
	}
	must(t, env.correct(jan, id, domain.FieldDate, "2041-05-05"))
	if env.finding(id, "date_future") == nil {
		t.Fatal("the date in the future is not found")
	}
	if body := env.lastCorrection(id); body.Recomputed != nil {
		t.Errorf("the finding of the entered date is stated as one of other documents: %+v", body)
	}
	env.verifyCaseLog(id)
}
