package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// One reviewer does not change what an e-invoice states and approve it: another reviewer decides, or the
// change is taken back.
func TestAChangeAgainstAStatementIsNotApprovedByItsAuthor(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]string{
		"in the risk basis": {domain.FieldNumber, "OFF-1"},
		"beside it":         {domain.FieldDueDate, "2027-01-31"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
			joe := env.person("joe", domain.RoleL1)
			env.reader.xml = invoiceXML("15000.00", "R18-31")
			id := env.submit(sam, "an e-invoice")
			env.drainQueue()
			before := env.field(id, change[0]).Normalised
			review := env.claim(jan, id)
			must(t, env.correct(jan, id, change...))
			err := env.decide(jan, review.ID, domain.Approve, "it is right")
			wantCode(t, err, domain.FourEyes)
			if detail := detailOf(err); detail["reason"] != "own_change" || detail["fields"] != change[0] {
				t.Errorf("refused with %v", detail)
			}
			env.wantApproval(jan, review.ID, domain.FourEyes)
			if env.voteCount(id) != 0 {
				t.Error("the refused approval left a vote")
			}
			t.Run("restored", func(t *testing.T) {
				if before != "" {
					must(t, env.correct(jan, id, change[0], before))
					env.wantApproval(jan, review.ID, "")
					must(t, env.correct(jan, id, change...))
				}
			})
			env.release(jan, id)
			env.claim(joe, id)
			env.wantApproval(joe, review.ID, "")
			must(t, errOf(env.svc.ConfirmFields(env.ctx, joe, casework.ConfirmFields{
				ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Names: change[:1]})))
			must(t, env.decide(joe, review.ID, domain.Approve, "I have seen it"))
			env.drainQueue()
			if got := env.field(id, change[0]).Normalised; got != change[1] {
				t.Errorf("archived %q", got)
			}
			env.verifyCaseLog(id)
		})
	}
}

// wantApproval requires that the page says of an approval by the person what the service answers; no code
// if it is allowed.
func (env *testEnv) wantApproval(by domain.Actor, review domain.ID, code domain.Code) {
	env.t.Helper()
	question, err := env.newViews().ReviewAccessQuestion(env.ctx, by, review)
	must(env.t, err)
	answer, err := question.Explain(domain.ActApprove)
	must(env.t, err)
	if answer.Code != code || answer.Allowed != (code == "") {
		env.t.Errorf("the page says %q, %v: %s", answer.Code, answer.Allowed, answer.Sentence)
	}
}
