package casework_test

import (
	"errors"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Of two merges of the same parts that run concurrently, one makes the case.
func TestConcurrentMergesMakeOneCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior),
		env.person("lea", domain.RoleSenior)
	_, parts := env.splitTwo(sam, rita, "9000.00", "120.00", "80.00")
	env.claim(lea, parts[0])
	review := env.reviewOf(parts[0])
	merged := make([]error, 3)
	var running sync.WaitGroup
	for i := range merged {
		running.Go(func() {
			_, merged[i] = env.svc.MergeParts(env.ctx, lea, casework.MergeParts{
				ReviewTarget: casework.ReviewTarget{ReviewID: review}, Reason: "one invoice"})
		})
	}
	running.Wait()
	succeeded := 0
	for _, err := range merged {
		if err == nil {
			succeeded++
		} else if domain.CodeOf(err) == domain.Internal {
			t.Errorf("a merge failed: %v", err)
		}
	}
	if cases := env.queryInt(`SELECT count(*) FROM cases`); succeeded != 1 || cases != 4 {
		t.Errorf("%d merges succeeded, there are %d cases: %v", succeeded, cases, merged)
	}
	env.drainQueue()
	for _, part := range parts {
		env.requireState(part, domain.Abandoned)
		env.verifyCaseLog(part)
	}
}

// A merge and a decision about another part that run concurrently do not both count.
func TestMergeAndDecisionExcludeEachOther(t *testing.T) {
	t.Parallel()
	for range 4 {
		env := newTestEnv(t)
		sam, rita, lea, mia := env.person("sam", domain.RoleSubmitter),
			env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior),
			env.person("mia", domain.RoleManager)
		_, parts := env.splitTwo(sam, rita, "9000.00", "120.00", "80.00")
		env.claim(lea, parts[0])
		review, other := env.reviewOf(parts[0]), env.reviewOf(parts[1])
		var running sync.WaitGroup
		var mergeErr, claimErr, decideErr error
		running.Go(func() {
			_, mergeErr = env.svc.MergeParts(env.ctx, lea, casework.MergeParts{
				ReviewTarget: casework.ReviewTarget{ReviewID: review}, Reason: "one invoice"})
		})
		running.Go(func() {
			if _, claimErr = env.svc.ClaimReview(env.ctx, mia,
				casework.ReviewTarget{ReviewID: other}); claimErr == nil {
				decideErr = env.decide(mia, other, domain.Reject, "not ordered")
			}
		})
		running.Wait()
		decided := env.queryInt(`SELECT count(*) FROM decisions WHERE case_id = $1`, parts[1])
		switch {
		case mergeErr == nil && (claimErr == nil && decideErr == nil || decided > 0):
			t.Errorf("the parts are merged and one of them is decided (%d)", decided)
		case mergeErr != nil && (claimErr != nil || decideErr != nil):
			t.Errorf("neither happened: %v, %v, %v", mergeErr, claimErr, decideErr)
		}
	}
}

// A decision and a split of the same file that run concurrently do not both count.
func TestSplitAndDecisionExcludeEachOther(t *testing.T) {
	t.Parallel()
	for range 4 {
		env := newTestEnv(t)
		sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior)
		env.person("lea", domain.RoleSenior)
		id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
		env.claim(rita, id)
		review := env.reviewOf(id)
		var running sync.WaitGroup
		var splitErr, decideErr error
		running.Go(func() {
			_, splitErr = env.svc.SplitCase(env.ctx, rita, casework.SplitCase{
				ReviewTarget: casework.ReviewTarget{ReviewID: review}, Parts: twoParts})
		})
		running.Go(func() { decideErr = env.decide(rita, review, domain.Reject, "not ordered") })
		running.Wait()
		parts := env.queryInt(`SELECT count(*) FROM cases WHERE parent_id = $1`, id)
		if (splitErr == nil) == (decideErr == nil) || (parts == 2) != (splitErr == nil) {
			t.Errorf("the split: %v, the decision: %v, %d parts", splitErr, decideErr, parts)
		}
	}
}

// Who splits a file does not replace the document of a part, after which that person's pages would be
// those that others decide about.
func TestSplitterDoesNotReplaceTheDocument(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	rita := env.person("rita", domain.RoleSenior, domain.RoleManager, domain.RoleSubmitter)
	lea := env.person("lea", domain.RoleSenior)
	_, parts := env.splitTwo(sam, rita, "9000.00", "120.00", "80.00")
	env.claim(lea, parts[0])
	must(t, env.decide(lea, env.reviewOf(parts[0]), domain.Return, "the address is missing"))
	env.drainQueue()
	env.requireState(parts[0], domain.Returned, "returned")
	replace := func(by domain.Actor) error {
		return errOf(env.svc.ReplaceDocument(env.ctx, by, casework.ReplaceDocument{
			CaseTarget: casework.CaseTarget{CaseID: parts[0]}, File: upload("another invoice")}))
	}
	if err := replace(rita); err == nil {
		t.Error("the person who split the file has replaced the document of a part")
	}
	must(t, replace(sam))
	env.drainQueue()
	if part := env.caseByID(parts[0]); part.Status == domain.Archived || part.Part.Parent == domain.NoID {
		t.Errorf("after another document the part is %s", part.Status)
	}
	review := env.reviewOf(parts[0])
	_, err := env.svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review})
	wantCode(t, err, domain.FourEyes)
}

// A split excludes a claim by another person and a correction in another session: each command that does
// not count is refused with a sentence, and no correction disappears without one.
func TestSplitAmongOtherCommands(t *testing.T) {
	t.Parallel()
	for range 4 {
		env := newTestEnv(t)
		sam, rita, lea := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior),
			env.person("lea", domain.RoleSenior)
		id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
		env.claim(rita, id)
		review := env.reviewOf(id)
		var running sync.WaitGroup
		var splitErr, claimErr, correctErr error
		running.Go(func() {
			_, splitErr = env.svc.SplitCase(env.ctx, rita, casework.SplitCase{
				ReviewTarget: casework.ReviewTarget{ReviewID: review}, Parts: twoParts})
		})
		running.Go(func() {
			_, claimErr = env.svc.ClaimReview(env.ctx, lea, casework.ReviewTarget{ReviewID: review})
		})
		correct := func(value string) error {
			return errOf(env.svc.CorrectFields(env.ctx, rita, casework.CorrectFields{Confirm: true,
				ReviewTarget: casework.ReviewTarget{ReviewID: review},
				Fields:       []casework.FieldInput{{Name: domain.FieldNumber, Value: value}}}))
		}
		running.Go(func() { correctErr = correct("INV-4") })
		running.Wait()
		must(t, splitErr)
		for name, err := range map[string]error{"claim": claimErr, "correction": correctErr} {
			var refused *domain.Error
			if err != nil && (!errors.As(err, &refused) || refused.Code == domain.Internal || refused.Message == "") {
				t.Errorf("the %s failed: %v", name, err)
			}
		}
		if claimErr == nil {
			t.Error("another person claimed a claimed review")
		}
		wantCode(t, correct("INV-5"), domain.NotFound)
		env.drainQueue()
		if corrected := env.queryInt(`SELECT count(*) FROM events WHERE case_id = $1
			AND type = 'fields.corrected'`, id); (correctErr == nil) != (corrected == 1) {
			t.Errorf("%d corrections are in the log: %v", corrected, correctErr)
		}
		env.verifyCaseLog(id)
	}
}
