package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// manyCopies is more than the number of candidates that were once compared.
const manyCopies = 25

// Of each pair of many identical documents exactly one has the finding. The first document is approved
// without a stop, because every later one has its pair with it.
func TestEachPairOfManyCopiesHasOneFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	var copies []domain.ID
	for range manyCopies {
		copies = append(copies, env.submitLines(sam, "invoice", page...))
	}
	const pairs = manyCopies * (manyCopies - 1) / 2
	if got := env.queryInt(`SELECT count(*) FROM duplicate_pairs`); got != pairs {
		t.Errorf("%d pairs are claimed, want %d", got, pairs)
	}
	if got := env.duplicatesOf(copies[0]); len(got) != 0 {
		t.Errorf("the first has %v", got)
	}
	// A change of a copy in the middle does not remove its finding.
	middle := copies[1]
	env.claim(jan, middle)
	must(t, env.correct(jan, middle, domain.FieldCountry, "DE"))
	if got := env.duplicatesOf(middle); len(got) == 0 {
		t.Error("newer copies removed the finding of an earlier one")
	}
	must(t, env.approve(jan, copies[0], ""))
	env.requireState(copies[0], domain.Archived)
	env.verifyCaseLog(copies[0])
}

// Withdrawn copies do not hide an approved document from the next copy.
func TestWithdrawnCopiesHideNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	paid := env.submitLines(sam, "invoice", page...)
	must(t, env.approve(jan, paid, ""))
	for range manyCopies {
		id := env.submitLines(sam, "invoice", page...)
		must(t, errOf(env.svc.AbandonCase(env.ctx, sam, casework.AbandonCase{
			CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "twice"})))
		env.drainQueue()
		if status := env.caseByID(id).Status; status != domain.Abandoned {
			t.Fatalf("the copy is %s", status)
		}
	}
	last := env.submitLines(sam, "invoice", page...)
	if got := env.duplicatesOf(last); !slices.Equal(got, []string{"duplicate_number"}) {
		t.Errorf("found %v", got)
	}
}
