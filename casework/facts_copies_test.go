package casework_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// The earlier of two documents with the same total and date, but other numbers and files, says no more than that
// also when a further copy arrives or a worker evaluates it again. The same number says that it is the number.
func TestTheFindingAboutCopiesSaysWhatIsEqual(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	page := func(number string) []string {
		return invoicePage("Hafen Logistik GmbH", number, "2026-11-02", "1200.00")
	}
	one := env.submitLines(sam, "invoice", page("R18-31")...)
	content := env.submitLines(sue, "invoice", page("R18-88")...)
	env.requireCopies(one, content)
	if env.finding(content, "duplicate_content") == nil {
		t.Fatalf("the later case has the rules %v", env.rulesOf(content))
	}
	reference := func(id domain.ID) string { return env.caseByID(id).Reference }
	want := "A document with the same total and date was also submitted as " + reference(content) + "."
	if got := env.finding(one, "submitted_again").Message; got != want {
		t.Errorf("the finding says %q, want %q", got, want)
	}
	number := env.submitLines(sue, "invoice", page("R18-31")...)
	want += " A document with the same number was also submitted as " + reference(number) + "."
	for range 2 { // delivered twice
		must(t, errOf(env.owner.Exec(env.ctx, `INSERT INTO pair_evaluations (case_id) VALUES ($1)`, one)))
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		if got := env.finding(one, "submitted_again").Message; got != want {
			t.Errorf("the finding says %q, want %q", got, want)
		}
	}
	if strings.Contains(env.finding(one, "submitted_again").Message, "This document") {
		t.Error("the finding says that it is this document")
	}
	env.verifyCaseLog(one)
}

// A finding that an earlier version of the rules has recorded gets what both documents have in common at the next
// evaluation.
func TestAnEarlierFindingAboutCopiesGetsItsRelation(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	one := env.submitLines(sam, "invoice", invoicePage("Hafen Logistik GmbH", "R18-31", "2026-11-02", "1200.00")...)
	env.submitLines(sam, "invoice", invoicePage("Hafen Logistik GmbH", "R18-88", "2026-11-02", "1200.00")...)
	for _, sql := range []string{`UPDATE findings SET evidence = evidence - 'copies' WHERE case_id = $1`,
		`INSERT INTO pair_evaluations (case_id) VALUES ($1)`} {
		must(t, errOf(env.owner.Exec(env.ctx, sql, one)))
	}
	must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
	if got := env.finding(one, "submitted_again"); !strings.Contains(got.Message, "same total and date") {
		t.Errorf("the finding says %q", got.Message)
	}
}
