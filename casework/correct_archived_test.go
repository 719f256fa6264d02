package casework_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// correctArchived asks for the correction of a case with a key.
func (env *testEnv) correctArchived(by domain.Actor, id domain.ID, key string) (casework.CorrectionResult, error) {
	return env.svc.CorrectArchived(env.ctx, by, casework.CorrectArchived{
		Once: casework.Once{Key: key}, CaseID: id, Reason: "the total is 21.00"})
}

// countFiles returns how many cases have stored files.
func (env *testEnv) countFiles() int {
	env.t.Helper()
	folders, err := os.ReadDir(env.blobs.dir)
	must(env.t, err)
	return len(folders)
}

// A case that a person finds wrong without a sample is corrected by a case of its own, which pays
// nothing, which another person decides, and which the first submitter cannot read.
func TestArchivedCaseIsCorrectedByHand(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(paidInvoice)
	// The person who decided the case finds their own mistake.
	sam, lia, lea := env.person("sam", domain.RoleSubmitter), env.person("lia", domain.RoleL1),
		env.person("lea", domain.RoleL1)
	env.reader.xml = invoiceXML("120.00", "P-1")
	id := env.submitTo(sam, "paid_invoice", "invoice", "P-1")
	_, err := env.correctArchived(lia, id, "early")
	wantCode(t, err, domain.StateMismatch)
	must(t, env.claimAndDecide(lia, id, "approval", domain.Approve))
	env.requireState(id, domain.Archived)
	before := env.caseByID(id)

	must(t, env.svc.MayCorrectArchived(env.ctx, lia, id))
	first, err := env.correctArchived(lia, id, "k")
	must(t, err)
	again, err := env.correctArchived(lia, id, "k")
	must(t, err)
	if first != again || first.CorrectionID == domain.NoID {
		t.Fatalf("first %v, again %v", first, again)
	}
	_, err = env.correctArchived(lia, id, "other")
	wantCode(t, err, domain.StateMismatch)
	wantCode(t, env.svc.MayCorrectArchived(env.ctx, lia, id), domain.StateMismatch)
	env.drainQueue()
	env.requireState(first.CorrectionID, domain.InReview, "approval")
	wantCode(t, env.svc.MayRead(env.ctx, sam, first.CorrectionID), domain.NotFound)
	if after := env.caseByID(id); after.Version != before.Version || after.Status != domain.Archived {
		t.Errorf("the archived case was changed: %+v", after)
	}
	wantCode(t, env.claimAndDecide(lia, first.CorrectionID, "approval", domain.Approve), domain.OwnDocument)
	must(t, env.approve(lea, first.CorrectionID, "compared with the document",
		domain.RuleCorrection, "the values are right now"))
	env.requireState(first.CorrectionID, domain.Archived)
	if len(env.connector.calls) != 2 || env.sagaSteps(first.CorrectionID) != "" {
		t.Errorf("the correction made calls: %v", env.connector.calls)
	}
	env.verifyCaseLog(first.CorrectionID)
	env.verifyManifest(first.CorrectionID)
	env.verifyManifest(id)
}

func TestWhoMayNotCorrectAnArchivedCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(paidInvoice)
	sam, lea, lia := env.person("sam", domain.RoleSubmitter, domain.RoleL1), env.person("lea", domain.RoleL1),
		env.person("lia", domain.RoleL1)
	ada, aud := env.person("ada", domain.RoleAdmin), env.person("aud", domain.RoleAuditor)
	stranger := env.person("stranger", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120.00", "P-1")
	id := env.submitTo(sam, "paid_invoice", "invoice", "P-1")
	must(t, env.claimAndDecide(lea, id, "approval", domain.Approve))
	for name, refused := range map[string]struct {
		by   domain.Actor
		id   domain.ID
		code domain.Code
	}{
		"submitter": {sam, id, domain.FourEyes}, "auditor": {aud, id, domain.NotEligible},
		"administrator":               {ada, id, domain.NotEligible},
		"reviewer who cannot read it": {lia, id, domain.NotFound}, "stranger": {stranger, id, domain.NotFound},
		"absent case": {lia, domain.NewID(), domain.NotFound},
		"delegate":    {domain.Actor{UserID: lia.UserID, Name: lia.Name, OnBehalfOf: lea.UserID}, id, domain.NotPermitted},
	} {
		files := env.countFiles()
		_, err := env.correctArchived(refused.by, refused.id, name)
		if !domain.HasCode(err, refused.code) {
			t.Errorf("%s: %v, want %s", name, err, refused.code)
		}
		if stored := env.countFiles(); stored != files {
			t.Errorf("%s: a file was stored", name)
		}
	}
	for name, reason := range map[string]string{"none": " ", "long": strings.Repeat("x", 10_000), "control": "a\x00b"} {
		files := env.countFiles()
		_, err := env.svc.CorrectArchived(env.ctx, lea, casework.CorrectArchived{
			Once: casework.Once{Key: name}, CaseID: id, Reason: reason})
		if err == nil {
			t.Errorf("the reason %q was accepted", name)
		}
		if env.countFiles() != files {
			t.Errorf("a file was stored for the reason %q", name)
		}
	}
	_, err := env.appPool().Exec(env.ctx, `INSERT INTO case_corrections (case_id, corrects) VALUES ($1, $1)`,
		env.submitTo(sam, "paid_invoice", "invoice", "P-2"))
	if err == nil {
		t.Error("the database accepts the correction of a case that is not archived")
	}
}

// Of two people who correct a case at the same moment, one creates the correction case.
func TestOneCorrectionOfTwoPeople(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(paidInvoice)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	people := []domain.Actor{env.person("mia", domain.RoleManager), lea}
	env.reader.xml = invoiceXML("120.00", "P-1")
	id := env.submitTo(sam, "paid_invoice", "invoice", "P-1")
	must(t, env.claimAndDecide(lea, id, "approval", domain.Approve))
	errs := make([]error, len(people))
	var both sync.WaitGroup
	for i, by := range people {
		both.Go(func() { _, errs[i] = env.correctArchived(by, id, "k"+by.Name) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("errors %v", errs)
	}
	for _, err := range errs {
		if err != nil {
			wantCode(t, err, domain.StateMismatch)
		}
	}
}

// A sample whose case a person has already corrected is settled with that correction.
func TestSampleOfACorrectedCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(paidInvoice)
	sam, lea, lia, sid := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1),
		env.person("lia", domain.RoleL1), env.person("sid", domain.RoleSenior)
	mia := env.person("mia", domain.RoleManager)
	env.drawAllOf("paid_invoice", env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	env.reader.xml = invoiceXML("120.00", "P-1")
	id := env.submitTo(sam, "paid_invoice", "invoice", "P-1")
	must(t, env.claimAndDecide(lea, id, "approval", domain.Approve))
	env.draw()
	corrected, err := env.correctArchived(mia, id, "k")
	must(t, err)
	if found := env.findWrong(id, lia, sid); found != corrected.CorrectionID {
		t.Errorf("the sample has the correction %s, want %s", found, corrected.CorrectionID)
	}
}
