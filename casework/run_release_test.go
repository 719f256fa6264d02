package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// groupedPair submits the same document under two names of one vendor that are not grouped yet, and
// approves both without running what follows. It returns them, and who may review.
func (env *testEnv) groupedPair(sam, jan domain.Actor) (one, two domain.ID) {
	env.t.Helper()
	one = env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")...)
	two = env.submitLines(sam, "invoice",
		invoicePage("Kontor Nord GmbH", "INV-4711", "2026-11-02", "1200.00")...)
	if a, b := env.duplicatesOf(one), env.duplicatesOf(two); len(a)+len(b) != 0 {
		env.t.Fatalf("before the names were grouped: %v and %v", a, b)
	}
	env.approves(jan, one)
	env.approves(jan, two)
	return one, two
}

func (env *testEnv) groupNames() {
	env.t.Helper()
	env.joinGroups("Kontor Nord GmbH", "Hafen Logistik GmbH")
}

// Two approved cases turn out to be the same document before they are archived: one of them is
// archived, and the other one is stopped and decided again, whether a sweep finds it or the archive.
func TestDuplicateFoundAfterTheApproval(t *testing.T) {
	t.Parallel()
	for name, sweep := range map[string]bool{"by the sweep": true, "by the archive": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, jan, kim := env.person("sam", domain.RoleSubmitter),
				env.person("jan", domain.RoleL1), env.person("kim", domain.RoleL1)
			one, two := env.groupedPair(sam, jan)
			env.groupNames()
			if sweep {
				for range 2 { // the second time changes nothing
					_, err := env.svc.ReevaluateCases(env.ctx)
					must(t, err)
				}
			}
			env.drainQueue()
			stopped, passed := one, two
			if env.caseByID(one).Status == domain.Archived {
				stopped, passed = two, one
			}
			env.requireState(passed, domain.Archived)
			env.requireState(stopped, domain.InReview, "review_l1")
			if found := env.duplicatesOf(stopped); len(found) == 0 ||
				len(env.duplicatesOf(passed)) != 0 || env.caseByID(stopped).Outcome != "" {
				t.Errorf("found %v, outcome %q", found, env.caseByID(stopped).Outcome)
			}
			env.claim(kim, stopped)
			wantCode(t, env.decide(kim, env.openReview(stopped).ID, domain.Approve, ""),
				domain.ValidationFailed) // the finding needs a reason
			must(t, errOf(env.svc.ClearDuplicate(env.ctx, kim, casework.ClearDuplicate{
				ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(stopped).ID},
				Reference:    env.caseByID(passed).Reference, Reason: "a part delivery"})))
			must(t, env.decide(kim, env.openReview(stopped).ID, domain.Approve, ""))
			env.drainQueue()
			env.requireState(stopped, domain.Archived)
			env.verifyCaseLog(stopped)
			env.verifyCaseLog(passed)
		})
	}
}

// The case of a pair that was rejected does not stop the other one again.
func TestRejectedPairDoesNotStopTheRelease(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, kim := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("kim", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one, two := env.submitLines(sam, "invoice", page...), env.submitLines(sam, "invoice", page...)
	env.approves(jan, one)
	env.claim(kim, two)
	must(t, env.decide(kim, env.openReview(two).ID, domain.Reject, "the same again"))
	env.drainQueue()
	env.requireState(one, domain.Archived)
	env.requireState(two, domain.Rejected)
}

// The submitter withdraws the first document while the second one is decided: the second one is
// judged by what is committed when it is decided, and one of both passes at most.
func TestFirstWithdrawnWhileTheSecondRuns(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one, two := env.submitLines(sam, "invoice", page...), env.submitLines(sam, "invoice", page...)
	must(t, errOf(env.svc.AbandonCase(env.ctx, sam, casework.AbandonCase{
		CaseTarget: casework.CaseTarget{CaseID: one}, Reason: "sent twice"})))
	env.drainQueue()
	if status := env.caseByID(two).Status; status != domain.InReview {
		t.Fatalf("the second is %s", status)
	}
	env.claim(jan, two)
	must(t, errOf(env.decideStating(jan, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(two).ID},
		Verdict:      domain.Approve, Overrides: []casework.OverrideInput{{
			Rule: "duplicate_number", Reason: "the first was withdrawn"}}})))
	env.drainQueue()
	if a, b := env.caseByID(one).Status, env.caseByID(two).Status; a == domain.Archived &&
		b == domain.Archived {
		t.Errorf("%s and %s", a, b)
	}
}

// A copy under a second name of the vendor, with another brightness, is found by the number and the
// picture. Another document from the same template is none, and a blank page is like no other.
func TestCopyUnderAnotherName(t *testing.T) {
	t.Parallel()
	const picture = 0x0f1e2d3c4b5a6978
	first := invoicePage("Hafen Logistik GmbH", "INV-471100", "2026-11-02", "120.00")
	for name, row := range map[string]struct {
		lines []string
		image uint64
		found bool
	}{
		"the copy":        {invoicePage("H4fen Log1stik", "INV-471100", "2026-11-02", "120.00"), picture ^ 0b11, true},
		"another picture": {invoicePage("H4fen Log1stik", "INV-471100", "2026-11-02", "120.00"), ^uint64(picture), false},
		"no picture":      {invoicePage("H4fen Log1stik", "INV-471100", "2026-11-02", "120.00"), 0, false},
		"another number":  {invoicePage("H4fen Log1stik", "INV-471199", "2026-11-02", "120.00"), picture, false},
		"another total":   {invoicePage("H4fen Log1stik", "INV-471100", "2026-11-02", "990.00"), picture, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, sue := env.person("sam", domain.RoleSubmitter),
				env.person("sue", domain.RoleSubmitter)
			env.reader.image = picture
			one := env.submitLines(sam, "invoice", first...)
			env.reader.image = row.image
			two := env.submitLines(sue, "invoice", row.lines...)
			found := env.duplicatesOf(two)
			if (len(found) > 0) != row.found || len(env.duplicatesOf(one)) != 0 {
				t.Errorf("found %v and %v", env.duplicatesOf(one), found)
			}
			if row.found && found[0] != "duplicate_image" {
				t.Errorf("found %v", found)
			}
		})
	}
}
