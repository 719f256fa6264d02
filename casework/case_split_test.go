package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// splitProcess sends files of several documents to an anti-money-laundering reviewer and lets others
// pass.
const splitProcess = `
key: splitting
version: 1
on_abandon: seal_abandoned
re_enter: validate
reopen: [abandoned]
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: destination}
  - {id: destination, kind: exclusive, branches: [{when: 'findings.exists(f, f.rule == "several_documents")', to: aml}], default: straight}
  - {id: aml, kind: review, queue: AML, escalate_to: "", on: {approve: straight, reject: seal_rejected}}
  - {id: straight, kind: exclusive, branches: [{when: '!findings.exists(f, f.rule == "several_documents")', to: archive}], default: review}
  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: validate}}
` + sealNodes

// submitTwo submits a file of two pages with an invoice each.
func (env *testEnv) submitTwo(by domain.Actor, process, amount, first, second string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, invoiceLines("Alpha Supplies GmbH", "A-1001", first)
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2002", second)}
	env.reader.mu.Unlock()
	in := casework.SubmitDocument{Process: process, DocumentType: "invoice",
		File: upload(domain.NewID().String())}
	if amount != "" {
		in.Amount, in.Currency = amount, "EUR"
	}
	submitted, err := env.svc.SubmitDocument(env.ctx, by, in)
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

func (env *testEnv) split(
	by domain.Actor, id domain.ID, key string, parts ...casework.PageRange,
) (casework.SplitResult, error) {
	return env.svc.SplitCase(env.ctx, by, casework.SplitCase{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.reviewOf(id),
			Once: casework.Once{Key: key}}, Parts: parts})
}

// reviewOf returns the newest review of the case.
func (env *testEnv) reviewOf(id domain.ID) domain.ID {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	return reviews[len(reviews)-1].ID
}

var twoParts = []casework.PageRange{{First: 1, Last: 1}, {First: 2, Last: 2}}

func TestSplitFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea, mia := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	id := env.submitTwo(sam, "document_approval", "9000.00", "120.00", "80.00")
	env.requireState(id, domain.InReview, "review_l1")
	_, err := env.split(sam, id, "", twoParts...)
	if err == nil {
		t.Fatal("the submitter split the file")
	}
	_, err = env.split(rita, id, "", twoParts...)
	wantCode(t, err, domain.NotClaimedByYou)
	review := env.claim(rita, id)
	for _, parts := range [][]casework.PageRange{nil, {{1, 2}}, {{1, 1}, {1, 2}}, {{1, 1}, {3, 3}},
		{{2, 2}, {1, 1}}, {{1, 1}, {2, 3}}, {{1, 0}, {1, 2}}} {
		_, err := env.split(rita, id, "", parts...)
		wantCode(t, err, domain.InvalidInput)
	}
	split, err := env.split(rita, id, "once", twoParts...)
	must(t, err)
	again, err := env.split(rita, id, "once", twoParts...)
	must(t, err)
	if !slices.Equal(split.Parts, again.Parts) || len(split.Parts) != 2 ||
		env.queryInt(`SELECT count(*) FROM cases`) != 3 {
		t.Fatalf("split %v, again %v", split, again)
	}
	env.drainQueue()
	env.requireState(id, domain.Abandoned)
	if env.decide(rita, review.ID, domain.Approve, "") == nil {
		t.Error("a case that was split was approved")
	}
	_, err = env.svc.ReopenCase(env.ctx, mia, casework.ReopenCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "mistake"})
	wantCode(t, err, domain.StateMismatch)
	for i, child := range split.Parts {
		env.requireState(child, domain.InReview, "review_l1")
		c := env.caseByID(child)
		if c.Submitter != sam.UserID || c.DocumentNumber != []string{"A-1001", "B-2002"}[i] ||
			c.BaseMinor != 990_000 || c.Part.Parent != id || c.Part.First != i+1 {
			t.Errorf("part %d is %+v", i+1, c)
		}
		if found := env.duplicatesOf(child); len(found) > 0 {
			t.Errorf("part %d is a duplicate of %v", i+1, found)
		}
		_, err := env.svc.ClaimReview(env.ctx, rita,
			casework.ReviewTarget{ReviewID: env.openReview(child).ID})
		if err == nil {
			t.Error("who split the file claimed a part")
		}
		env.claim(lea, child)
		env.verifyCaseLog(child)
	}
	env.verifyCaseLog(id)
}

// The parts are small enough to pass without anybody, and have every review that the parent had.
func TestPartsKeepTheReviewsOfTheFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(splitProcess)
	sam, rita, lea, al := env.person("sam", domain.RoleSubmitter),
		env.person("rita", domain.RoleSenior), env.person("lea", domain.RoleSenior),
		env.amlOfficer("al")
	id := env.submitTwo(sam, "splitting", "", "38.20", "500.00")
	must(t, env.claimAndDecide(al, id, "aml", domain.Approve))
	env.requireState(id, domain.InReview, "review")
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	env.requireState(id, domain.Abandoned)
	small := split.Parts[0]
	env.requireState(small, domain.InReview, "aml")
	must(t, env.claimAndDecide(al, small, "aml", domain.Approve))
	env.requireState(small, domain.InReview, "review")
	must(t, env.claimAndDecide(lea, small, "review", domain.Approve))
	env.requireState(small, domain.Archived)
	env.verifyCaseLog(small)
}
