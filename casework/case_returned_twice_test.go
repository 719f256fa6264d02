package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// A window that still shows the first return must not answer the second one: the version of the facts and the status are
// the same. A retry of an accepted answer is no second one.
func TestAnswerToAnEarlierReturn(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleL1)
	id := env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")...)
	back := func(question string) time.Time {
		env.claim(kim, id)
		must(t, env.decide(kim, env.openReview(id).ID, domain.Return, question))
		env.drainQueue()
		events, err := env.db.Reader().LastEventsOfTypes(env.ctx, 1, []domain.EventType{domain.CaseReturned}, id)
		must(t, err)
		return events[0].At
	}
	answer := func(key string, to time.Time) error {
		return errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{
			CaseTarget: casework.CaseTarget{CaseID: id, Once: casework.Once{Key: key}}, Comment: "yes", ReturnedAt: to}))
	}
	first := back("is it paid?")
	wantCode(t, answer("0", first.Add(time.Second)), domain.StaleVersion)
	for range 2 {
		must(t, answer("1", first))
	}
	env.drainQueue()
	second := back("is it yours?")
	wantCode(t, answer("2", first), domain.StaleVersion)
	if status := env.caseByID(id).Status; status != domain.Returned {
		t.Fatalf("the case is %s", status)
	}
	must(t, answer("3", second))
	env.verifyCaseLog(id)
}
