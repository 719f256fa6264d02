package casework_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

const (
	factorIBAN = "DE75 5121 0800 1245 1261 99"
	hafenblick = "Hafenblick Catering GmbH"
	atlas      = "Atlas Machine Works Inc"
	sharedRule = "account_shared"
)

// submitAccount submits an invoice with the account that several vendors use.
func (env *testEnv) submitAccount(by domain.Actor, vendor, number, total string) domain.ID {
	env.t.Helper()
	return env.submitLines(by, "invoice",
		append(invoicePage(vendor, number, "2026-11-02", total), "IBAN: "+factorIBAN)...)
}

// The earlier of two vendors with one account has the finding when the later document is read. The approval then
// needs a reason, and a second delivery changes nothing.
func TestTheEarlierVendorOfAnAccountHasTheFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	one := env.submitAccount(sam, hafenblick, "A-100200", "1200.00")
	env.claim(jan, one)
	before := env.caseByID(one)
	two := env.submitAccount(sam, atlas, "B-500600", "1400.00")
	found := env.finding(one, sharedRule)
	if found == nil || !slices.Contains(found.NamedCases(), env.caseByID(two).Reference) {
		t.Fatalf("the earlier case: %+v, rules %v", found, env.rulesOf(one))
	}
	after := env.caseByID(one)
	if after.Risk <= before.Risk {
		t.Errorf("the risk is %d, before %d", after.Risk, before.Risk)
	}
	for range 2 { // delivered twice
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		must(t, errOf(env.svc.Sweep(env.ctx)))
	}
	if again := env.caseByID(one); again.Version != after.Version {
		t.Errorf("version %d after %d", again.Version, after.Version)
	}
	wantCode(t, env.approve(jan, one, ""), domain.ValidationFailed)
	must(t, env.approve(jan, one, "both use the account of their factor"))
	env.requireState(one, domain.Archived)
	env.verifyCaseLog(one)
}

// Who submits documents of many vendors with the account of a waiting case changes it once, so that it can still be
// decided. A vendor whose account is known has no finding, and a decided case does not change.
func TestManyVendorsOfAnAccountChangeACaseOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue, jan := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter),
		env.person("jan", domain.RoleL1)
	known := env.submitAccount(sam, hafenblick, "A-100100", "1100.00")
	must(t, env.approve(jan, known, ""))
	env.requireState(known, domain.Archived)
	archived := env.caseByID(known).Version
	honest := env.submitAccount(sam, hafenblick, "A-100200", "1200.00")
	other := env.submitAccount(sam, "Nordwind Papier AG", "N-100", "1250.00")
	versions := map[int64]bool{env.caseByID(other).Version: true}
	unchanged := env.caseByID(honest).Version
	for i, vendor := range []string{"Kranich Metall GmbH", "Sellafield Timber Ltd", "Zenit Druck OHG"} {
		env.submitAccount(sue, vendor, fmt.Sprint("X-90", i), "1900.00")
		versions[env.caseByID(other).Version] = true
	}
	if len(versions) > 2 {
		t.Errorf("three vendors have changed the case %d times", len(versions)-1)
	}
	if found := env.finding(honest, sharedRule); found != nil {
		t.Errorf("a known account: %+v", found)
	}
	if got := env.caseByID(honest).Version; got != unchanged {
		t.Errorf("version %d after %d", got, unchanged)
	}
	if got := env.caseByID(known).Version; got != archived {
		t.Errorf("the archived case has version %d after %d", got, archived)
	}
}

// An approval does not miss a vendor that was read since the reviewer opened the case, if the worker stopped
// before it evaluated the case.
func TestAnApprovalDoesNotMissASharedAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
	one := env.submitAccount(sam, hafenblick, "A-100200", "1200.00")
	env.claim(jan, one)
	env.submitAccount(sam, atlas, "B-500600", "1400.00")
	for _, sql := range []string{`DELETE FROM findings WHERE case_id = $1 AND rule = 'account_shared'`,
		`INSERT INTO pair_evaluations (case_id) VALUES ($1)`} {
		_, err := env.owner.Exec(env.ctx, sql, one)
		must(t, err)
	}
	wantCode(t, env.decide(jan, env.openReview(one).ID, domain.Approve, ""), domain.StaleVersion)
	if env.finding(one, sharedRule) == nil {
		t.Errorf("the case was not evaluated: %v", env.rulesOf(one))
	}
}

// The statement that writes the account requests the evaluation itself, so that nothing is lost if its process ends.
func TestTheRequestIsWrittenWithTheAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	one := env.submitAccount(sam, hafenblick, "A-100200", "1200.00")
	two := env.submitLines(sam, "invoice", invoicePage(atlas, "B-500600", "2026-11-02", "1400.00")...)
	_, err := env.owner.Exec(env.ctx, `UPDATE cases SET accounts = (SELECT accounts FROM cases WHERE id = $1)
		WHERE id = $2`, one, two) // no worker takes notice
	must(t, err)
	must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
	if env.finding(one, sharedRule) == nil {
		t.Errorf("the case was not evaluated: %v", env.rulesOf(one))
	}
}

// Two vendors with one account, over two workers at the same moment: both cases have the finding.
func TestBothOfTwoConcurrentVendorsOfAnAccountHaveTheFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	files := map[string][]string{} // the lines of each file
	env.reader.xml = nil
	env.reader.pages = func(_ context.Context, request casework.ReadRequest) ([]casework.ScannedPage, error) {
		page := recognisedPage(files[request.FileName])
		return []casework.ScannedPage{{Page: page, OpenRaster: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(env.reader.rasterOf(page))), nil
		}}}, nil
	}
	for round := range raceRounds(20) {
		var both []domain.ID
		for i, by := range []domain.Actor{sam, sue} {
			vendor := fmt.Sprintf("%s %c%c GmbH", []string{"Kranich Metall", "Zenit Druck"}[i], 'A'+round%26,
				'A'+round/26)
			number, total := fmt.Sprintf("INV-%d-%05d", i, round), fmt.Sprintf("1%d%02d.00", i+2, round%100)
			file := upload(domain.NewID().String())
			file.FileName = number + ".pdf"
			files[file.FileName] = append(invoicePage(vendor, number, "2026-11-02", total),
				"IBAN: "+einvoice.GermanAccount(round))
			submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{
				Process: "document_approval", DocumentType: "invoice", File: file})
			must(t, err)
			both = append(both, submitted.CaseID)
		}
		env.runConcurrently()
		_, err := env.owner.Exec(env.ctx, `UPDATE pair_evaluations SET due = clock()`)
		must(t, err)
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		for i, id := range both {
			if env.finding(id, sharedRule) == nil {
				t.Fatalf("round %d, case %d: %v, accounts %v", round, i, env.rulesOf(id), env.caseByID(id).Accounts)
			}
		}
	}
}

// The finding of the earlier case says the same whichever queue the later case waits in.
func TestTheEarlierFindingHidesConfidentialReviews(t *testing.T) {
	t.Parallel()
	said := map[bool]string{}
	for _, confidential := range []bool{false, true} {
		env := newTestEnv(t)
		sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
		env.amlOfficer("al")
		if confidential {
			must(t, errOf(env.setCountry(ada, "DE", "high")))
		}
		one := env.submitAccount(sam, hafenblick, "A-100200", "1200.00")
		env.reader.mu.Lock()
		env.reader.lines = append(invoicePage(atlas, "B-500600", "2026-11-02", "1400.00"), "IBAN: "+factorIBAN)
		env.reader.mu.Unlock()
		two := env.submitTo(sam, "cross_border_remittance", "remittance", "the file")
		if node := env.caseByID(two).Marking.Tokens[0].Node; (node == "review_aml") != confidential {
			t.Fatalf("the later case is at %s", node)
		}
		found := env.finding(one, sharedRule)
		if found == nil {
			t.Fatalf("confidential %t: %v", confidential, env.rulesOf(one))
		}
		said[confidential] = fmt.Sprint(found.Message, found.Evidence, found.Severity, found.Score)
	}
	if said[false] != said[true] {
		t.Errorf("%q and %q", said[false], said[true])
	}
}
