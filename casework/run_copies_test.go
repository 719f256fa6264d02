package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// copiesOf lists the cases that the finding about copies of a case names.
func (env *testEnv) copiesOf(id domain.ID) []string {
	env.t.Helper()
	if found := env.finding(id, "submitted_again"); found != nil {
		return found.NamedCases()
	}
	return nil
}

// requireCopies requires that the finding about copies of a case names exactly the others.
func (env *testEnv) requireCopies(id domain.ID, others ...domain.ID) {
	env.t.Helper()
	var want []string
	for _, other := range others {
		want = append(want, env.caseByID(other).Reference)
	}
	if got := env.copiesOf(id); !slices.Equal(got, want) {
		env.t.Errorf("the finding names %v, want %v", got, want)
	}
}

// The earlier case says that its document was submitted again, leaves the range of bulk approvals, and keeps its
// version with a second delivery. When the copy is rejected, the finding disappears and the range is as before.
func TestTheEarlierCaseSaysThatItWasSubmittedAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	jan, kim := env.person("jan", domain.RoleL1), env.person("kim", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(sam, "invoice", page...)
	risk := env.caseByID(one).Risk
	env.requireCopies(one)
	two := env.submitLines(sue, "invoice", page...)
	env.requireCopies(one, two)
	env.requireCopies(two)
	before := env.caseByID(one)
	if before.Risk <= 29 || before.Risk <= risk {
		t.Errorf("the risk is %d, before %d", before.Risk, risk)
	}
	for range 2 { // delivered twice
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		must(t, errOf(env.svc.Sweep(env.ctx)))
	}
	if after := env.caseByID(one); after.Version != before.Version {
		t.Errorf("version %d after %d", after.Version, before.Version)
	}
	if codes := env.approveTogether(jan, "", "seen", env.openReview(one)); codes[0] != domain.NotPermitted {
		t.Errorf("the approval in bulk: %v", codes)
	}
	env.claim(kim, two)
	must(t, env.decide(kim, env.openReview(two).ID, domain.Reject, "the same again"))
	env.drainQueue()
	env.requireCopies(one)
	if got := env.caseByID(one).Risk; got != risk {
		t.Errorf("the risk is %d, before %d", got, risk)
	}
	env.approves(jan, one)
	env.drainQueue()
	env.requireState(one, domain.Archived)
	env.verifyCaseLog(one)
	env.verifyCaseLog(two)
}

// A finding about copies is a warning. It can be approved, and does not keep the case from its payment.
func TestACopyDoesNotBlockTheEarlierCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue, jan := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter),
		env.person("jan", domain.RoleL1)
	page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
	one := env.submitLines(sam, "invoice", page...)
	env.claim(jan, one)
	var copies []domain.ID
	versions := map[int64]bool{env.caseByID(one).Version: true}
	for range 8 {
		copies = append(copies, env.submitLines(sue, "invoice", page...))
		versions[env.caseByID(one).Version] = true
	}
	env.requireCopies(one, copies[:5]...)
	if len(versions) > 6 {
		t.Errorf("eight copies have changed the case %d times", len(versions)-1)
	}
	version := env.caseByID(one).Version
	for i := range 3 { // withdrawing and submitting in turn changes nothing
		must(t, errOf(env.svc.AbandonCase(env.ctx, sue, casework.AbandonCase{
			CaseTarget: casework.CaseTarget{CaseID: copies[i]}, Reason: "sent twice"})))
		env.drainQueue()
		env.submitLines(sue, "invoice", page...)
	}
	if got := env.caseByID(one).Version; got != version {
		t.Errorf("version %d after %d", got, version)
	}
	must(t, env.decide(jan, env.openReview(one).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(one, domain.Archived)
	env.verifyCaseLog(one)
}

// The finding follows at the next assessment when the copy is withdrawn, cleared, or corrected so
// that it is none.
func TestTheFindingAboutCopiesFollows(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(env *testEnv, sue, kim domain.Actor, two domain.ID){
		"withdrawn": func(env *testEnv, sue, _ domain.Actor, two domain.ID) {
			must(env.t, errOf(env.svc.AbandonCase(env.ctx, sue, casework.AbandonCase{
				CaseTarget: casework.CaseTarget{CaseID: two}, Reason: "sent twice"})))
		},
		"no duplicate any more": func(env *testEnv, _, _ domain.Actor, _ domain.ID) {
			_, err := env.owner.Exec(env.ctx, `DELETE FROM duplicate_pairs`) // as a statement that releases a pair does
			must(env.t, err)
		},
		"cleared": func(env *testEnv, _, kim domain.Actor, two domain.ID) {
			env.claim(kim, two)
			must(env.t, errOf(env.svc.ClearDuplicate(env.ctx, kim, casework.ClearDuplicate{
				ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(two).ID},
				Reference:    "CS-2026-000001", Reason: "a part delivery"})))
			must(env.t, errOf(env.svc.EvaluatePairs(env.ctx)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
			jan, kim := env.person("jan", domain.RoleL1), env.person("kim", domain.RoleL1)
			page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
			one, two := env.submitLines(sam, "invoice", page...), env.submitLines(sue, "invoice", page...)
			env.requireCopies(one, two)
			end(env, sue, kim, two)
			env.drainQueue()
			env.claim(jan, one)
			must(t, env.correct(jan, one, domain.FieldCountry, "DE"))
			env.requireCopies(one)
		})
	}
}

// An approval waits for the evaluation with a copy that was claimed since, and is refused if it adds a finding that
// the reviewer has not seen; also in bulk. The second attempt passes.
func TestAnApprovalDoesNotMissACopy(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{false, true} {
		env := newTestEnv(t)
		sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
		page := invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")
		one, two := env.submitLines(sam, "invoice", page...), env.submitLines(sam, "invoice", page...)
		env.forgetCopies(one) // as if the worker had crashed before the evaluation
		env.claim(jan, one)
		if bulk {
			if codes := env.approveTogether(jan, "", "", env.openReview(one)); codes[0] != domain.StaleVersion {
				t.Errorf("in bulk: %v", codes)
			}
		} else {
			err := env.decide(jan, env.openReview(one).ID, domain.Approve, "")
			wantCode(t, err, domain.StaleVersion)
			if said := env.finding(one, "submitted_again").Message; !strings.Contains(err.Error(), said) {
				t.Errorf("the refusal does not say what is equal (%s): %v", said, err)
			}
		}
		env.requireState(one, domain.InReview, "review_l1")
		env.requireCopies(one, two)
		must(t, env.decide(jan, env.openReview(one).ID, domain.Approve, ""))
		env.drainQueue()
		env.requireState(one, domain.Archived)
	}
}

// forgetCopies removes the finding about copies and requests the evaluation again.
func (env *testEnv) forgetCopies(id domain.ID) {
	env.t.Helper()
	for _, sql := range []string{`DELETE FROM findings WHERE case_id = $1 AND rule = 'submitted_again'`,
		`UPDATE cases SET risk = 10 WHERE id = $1`,
		`INSERT INTO pair_evaluations (case_id) VALUES ($1)`} {
		_, err := env.owner.Exec(env.ctx, sql, id)
		must(env.t, err)
	}
}

// Two identical documents that wait for a person, over two workers at the same moment: one has the finding about
// duplicates, and the other one says that it was submitted again.
func TestBothOfTwoConcurrentDuplicatesHaveAFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	for round := range raceRounds(20) {
		env.reader.mu.Lock()
		env.reader.xml = einvoice.Invoice{Number: fmt.Sprintf("INV-%05d", round),
			Seller: fmt.Sprintf("Seller %c%c GmbH", 'a'+round%26, 'a'+round/26), Total: 120000}.XML()
		env.reader.mu.Unlock()
		both := []domain.ID{env.submit(sam, domain.NewID().String()), env.submit(sue, domain.NewID().String())}
		env.runConcurrently()
		_, err := env.owner.Exec(env.ctx, `UPDATE pair_evaluations SET due = clock()`)
		must(t, err)
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		for i, id := range both {
			duplicate, again := len(env.duplicatesOf(id)) > 0, len(env.copiesOf(id)) > 0
			if duplicate == again {
				t.Fatalf("round %d, case %d: duplicate %t, submitted again %t; %s", round, i, duplicate, again,
					env.caseByID(id).Status)
			}
		}
	}
}

// One account of two vendors is a finding of the later one, and the same vendor in another spelling has none. It
// does not return after a document with the account was approved.
func TestOneAccountOfTwoVendors(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	submit := func(vendor, number, total string) domain.ID {
		page := append(invoicePage(vendor, number, "2026-11-02", total), "IBAN: DE75 5121 0800 1245 1261 99")
		return env.submitLines(sam, "invoice", page...)
	}
	one := submit("Hafenblick Catering GmbH", "A-100200", "1200.00")
	same := submit("HAFENBLICK CATERING Gesellschaft mbH", "A-100300", "1300.00")
	misread := submit("Hafenbl1ck Catering GmbH", "A-100400", "1350.00")
	for _, id := range []domain.ID{one, same, misread} {
		if found := env.finding(id, "account_shared"); found != nil {
			t.Errorf("one vendor: %+v", found)
		}
	}
	two := submit("Atlas Machine Works Inc", "B-500600", "1400.00")
	found := env.finding(two, "account_shared")
	if found == nil || !slices.Contains(found.NamedCases(), env.caseByID(one).Reference) ||
		found.Severity != domain.SeverityWarning {
		t.Fatalf("two vendors: %+v, rules %v", found, env.rulesOf(two))
	}
	wantCode(t, env.approve(jan, two, ""), domain.ValidationFailed)
	must(t, env.approve(jan, two, "both use the account of their factor"))
	env.requireState(two, domain.Archived)
	if found := env.finding(submit("Atlas Machine Works Inc", "B-500700", "1500.00"), "account_shared"); found != nil {
		t.Errorf("after it was explained: %+v", found)
	}
}

// The finding about copies says the same of a copy in an anti-money-laundering review as of another one, so that no
// reader learns from it that there is such a review.
func TestTheFindingAboutCopiesHidesConfidentialReviews(t *testing.T) {
	t.Parallel()
	said := map[bool]string{}
	for _, confidential := range []bool{false, true} {
		env := newTestEnv(t)
		sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
		env.amlOfficer("al")
		if confidential {
			must(t, errOf(env.setCountry(ada, "DE", "high")))
		}
		env.reader.xml = invoiceXML("1200.00", "INV-4711")
		one := env.submitTo(sam, "document_approval", "invoice", "the file")
		two := env.submitTo(sam, "cross_border_remittance", "remittance", "the file")
		if node := env.caseByID(two).Marking.Tokens[0].Node; (node == "review_aml") != confidential {
			t.Fatalf("the copy is at %s", node)
		}
		env.requireCopies(one, two)
		found := env.finding(one, "submitted_again")
		said[confidential] = fmt.Sprint(found.Message, found.Evidence, found.Severity, found.Score)
	}
	if said[false] != said[true] {
		t.Errorf("%q and %q", said[false], said[true])
	}
}
