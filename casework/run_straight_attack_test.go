package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A submitter whose file cannot be read does not archive what they typed instead.
func TestEnteredValuesDoNotPassAlone(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{
		Process: "document_approval", DocumentType: "receipt", File: upload("damaged")})
	must(t, err)
	env.drainQueue()
	id := submitted.CaseID
	must(t, errOf(env.svc.EnterFields(env.ctx, sam, casework.EnterFields{
		CaseTarget: casework.CaseTarget{CaseID: id}, Fields: []casework.FieldInput{
			{Name: domain.FieldCurrency, Value: "USD"}, {Name: domain.FieldTotal, Value: "990.00"},
			{Name: domain.FieldVendor, Value: "Green Hill Stationery"},
			{Name: domain.FieldDate, Value: "2026-10-14"}}})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
}

// A document that a reviewer returned or rejected is decided by a reviewer, whatever its submitter
// confirms or sends instead, and though a manager opens it again.
func TestDoubtedDocumentDoesNotPassAlone(t *testing.T) {
	t.Parallel()
	certain := receiptLines("RM")
	doubtful := receiptLines("$") // an assumed currency
	for name, again := range map[string]func(env *testEnv, sam domain.Actor, id domain.ID){
		"resubmitted with the values entered": func(env *testEnv, sam domain.Actor, id domain.ID) {
			must(t, errOf(env.svc.EnterFields(env.ctx, sam, casework.EnterFields{
				CaseTarget: casework.CaseTarget{CaseID: id},
				Fields:     []casework.FieldInput{{Name: domain.FieldCurrency, Value: "USD"}}})))
			must(t, errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{
				CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "It is in dollars."})))
		},
		"replaced by a certain page": func(env *testEnv, sam domain.Actor, id domain.ID) {
			env.reader.mu.Lock()
			env.reader.lines = certain
			env.reader.mu.Unlock()
			must(t, errOf(env.svc.ReplaceDocument(env.ctx, sam, casework.ReplaceDocument{
				CaseTarget: casework.CaseTarget{CaseID: id}, File: upload("a better scan")})))
			must(t, errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{
				CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "A better scan."})))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.replaceRate("MYR", 240_000)
			sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
			id := env.submitPages(sam, "receipt", doubtful, nil)
			must(t, env.claimAndDecide(jan, id, "review_l1", domain.Return))
			again(env, sam, id)
			env.drainQueue()
			env.requireState(id, domain.InReview, "review_l1")
		})
	}
}

func TestReopenedDocumentDoesNotPassAlone(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.replaceRate("MYR", 240_000)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	max := env.person("max", domain.RoleManager)
	id := env.submitPages(sam, "receipt", receiptLines("$"), nil)
	review := env.claim(jan, id)
	must(t, errOf(env.svc.ConfirmFields(env.ctx, jan, casework.ConfirmFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Names:        []string{domain.FieldCurrency}, Confirm: true})))
	must(t, env.decide(jan, review.ID, domain.Reject, "a private purchase"))
	env.drainQueue()
	env.requireState(id, domain.Rejected)
	must(t, errOf(env.svc.ReopenCase(env.ctx, max, casework.ReopenCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "it was none"})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
}
