package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A statement that two documents are no duplicates is about the values of the other case that the reviewer
// has read. A colleague who makes the other document equal in between gains nothing.
func TestStatementAboutADuplicateIsBoundToWhatWasRead(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	jan, kim := env.person("jan", domain.RoleL1), env.person("kim", domain.RoleL1)
	page := func(number string) []string {
		return append(invoicePage("Hafen Logistik GmbH", number, "2026-11-02", "1200.00"),
			"order INV-4712", "order INV-4711")
	}
	other := env.submitLines(sam, "invoice", page("INV-4711")...)
	id := env.submitLines(sue, "invoice", page("INV-4712")...)
	if len(env.duplicatesOf(id)) == 0 {
		t.Fatalf("no finding: %v", env.rulesOf(id))
	}
	env.claim(jan, id)
	read := casework.CaseVersion(env.caseByID(other))
	clear := func(key, version string) error {
		_, err := env.svc.ClearDuplicate(env.ctx, jan, casework.ClearDuplicate{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID, Once: casework.Once{Key: key}},
			Reference:    env.caseByID(other).Reference, OtherVersion: version, Reason: "another delivery"})
		return err
	}
	env.claim(kim, other)
	must(t, env.correct(kim, other, domain.FieldCountry, "DE"))
	for range 2 { // a repeated request is refused again
		err := clear("first", read)
		wantCode(t, err, domain.StateMismatch)
		if reason := detail(err, "reason"); reason != "other_case_changed" {
			t.Errorf("the reason is %q: %v", reason, err)
		}
	}
	if len(env.duplicatesOf(id)) == 0 {
		t.Error("the finding ended")
	}
	for range 2 {
		must(t, clear("second", casework.CaseVersion(env.caseByID(other))))
	}
	if found := env.duplicatesOf(id); len(found) != 0 {
		t.Errorf("after the statement: %v", found)
	}
	env.verifyCaseLog(id)
}
