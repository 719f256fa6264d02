package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) merge(
	by domain.Actor, part domain.ID, key string,
) (casework.MergeResult, error) {
	return env.svc.MergeParts(env.ctx, by, casework.MergeParts{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.reviewOf(part),
			Once: casework.Once{Key: key}}, Reason: "both pages are one invoice"})
}

// A wrong split is undone by another reviewer: the parts end, and one case has all pages, everything that
// was stated, and the exclusions. No vote is carried over.
func TestMergeParts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea, mia := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	id, parts := env.splitTwo(sam, rita, "9000.00", "120.00", "80.00")
	_, err := env.merge(rita, parts[0], "") // who split the file has no further part in it
	wantCode(t, err, domain.FourEyes)
	_, err = env.merge(lea, parts[0], "")
	wantCode(t, err, domain.NotClaimedByYou)
	env.claim(lea, parts[0])
	must(t, env.correct(lea, parts[0], domain.FieldTotal, "120.00"))
	if env.openReview(parts[0]).Assignee != lea.UserID {
		env.claim(lea, parts[0])
	}
	env.claim(mia, parts[1])
	_, err = env.merge(lea, parts[0], "")
	wantCode(t, err, domain.StateMismatch) // mia works on the other part
	_, err = env.svc.ReleaseReview(env.ctx, mia,
		casework.ReviewTarget{ReviewID: env.openReview(parts[1]).ID})
	must(t, err)
	merged, err := env.merge(lea, parts[0], "once")
	must(t, err)
	again, err := env.merge(lea, parts[0], "once")
	must(t, err)
	if merged.CaseID != again.CaseID || env.queryInt(`SELECT count(*) FROM cases`) != 4 {
		t.Fatalf("merged %v, again %v", merged, again)
	}
	env.drainQueue()
	for _, part := range parts {
		env.requireState(part, domain.Abandoned)
		_, err := env.svc.ReopenCase(env.ctx, mia, casework.ReopenCase{
			CaseTarget: casework.CaseTarget{CaseID: part}, Reason: "mistake"})
		wantCode(t, err, domain.StateMismatch)
		env.verifyCaseLog(part)
	}
	whole := env.caseByID(merged.CaseID)
	env.requireState(merged.CaseID, domain.InReview, "review_l1")
	env.requireAtRisk(merged.CaseID, 990_000)
	pages, err := env.db.Reader().Pages(env.ctx, merged.CaseID, 1)
	must(t, err)
	if whole.Part.Parent != id || !whole.Part.Merged || whole.Submitter != sam.UserID ||
		len(pages) != 2 || len(env.duplicatesOf(merged.CaseID)) > 0 {
		t.Errorf("the merged case is %+v with %d pages", whole.Part, len(pages))
	}
	kept := env.statements(merged.CaseID, domain.FieldTotal)
	if len(kept) != 1 || kept[0].set.By != lea.UserID || kept[0].assertion.Resolves ||
		kept[0].assertion.InheritedFrom != parts[0] {
		t.Errorf("kept %+v", kept)
	}
	review := casework.ReviewTarget{ReviewID: env.openReview(merged.CaseID).ID}
	_, err = env.svc.ClaimReview(env.ctx, rita, review)
	wantCode(t, err, domain.FourEyes)
	env.claim(mia, merged.CaseID)
	_, err = env.merge(mia, merged.CaseID, "")
	wantCode(t, err, domain.StateMismatch) // is no part of a split
	split, err := env.split(mia, merged.CaseID, "", twoParts...)
	must(t, err)
	env.drainQueue()
	if first := env.caseByID(split.Parts[0]); first.DocumentNumber != "A-1001" {
		t.Errorf("split again: %+v", first.Part)
	}
}

// Parts of which one was decided are not merged, because a decision would then count for pages that the
// reviewer did not see.
func TestDecidedPartsAreNotMerged(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(splitProcess)
	sam, rita, lea, al := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior),
		env.amlOfficer("al")
	id := env.submitTwo(sam, "splitting", "", "38.20", "500.00")
	must(t, env.claimAndDecide(al, id, "aml", domain.Approve))
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	must(t, env.claimAndDecide(al, split.Parts[0], "aml", domain.Approve))
	env.claim(lea, split.Parts[0])
	_, err = env.merge(lea, split.Parts[0], "")
	wantCode(t, err, domain.StateMismatch)
	if !slices.Contains([]domain.Status{domain.InReview}, env.caseByID(split.Parts[1]).Status) {
		t.Error("the other part has changed")
	}
}
