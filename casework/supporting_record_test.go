package casework_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// rejectedLoan is a loan application with two supporting documents that was rejected.
func (env *testEnv) rejectedLoan() (domain.ID, loanPeople) {
	env.t.Helper()
	env.publish(loan)
	p := loanPeople{env.person("lena", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("sid", domain.RoleL2)}
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "salary-secret"),
		supportingFile("identity", "passport-secret"))
	must(env.t, err)
	must(env.t, env.claimAndDecide(p.jan, submitted.CaseID, "first", domain.Reject))
	env.drainQueue()
	env.requireState(submitted.CaseID, domain.Rejected)
	return submitted.CaseID, p
}

// The evidence pack has the files, and the record and its export verify, before and after an erasure, which
// removes names and files. A document that is added to an erased record is found.
func TestSupportingDocumentsInPacksAndErasures(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.caseID, _ = env.rejectedLoan()
	env.later(11 * day)
	env.sign()
	env.verifyExported(1)
	pack, err := env.packOf(env.person("ann", domain.RoleAuditor), env.caseID, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	if report.Break != nil || !slices.Contains(report.Proved, "supporting-2/passport-secret.pdf") {
		t.Errorf("the pack proves %v: %v", report.Proved, report.Break)
	}
	if !bytes.Contains(pack, []byte("supporting-1/salary-secret.pdf")) {
		t.Error("the pack lacks a supporting document")
	}
	env.index()
	env.erase()
	for _, secret := range []string{"salary-secret", "passport-secret"} {
		if tables := env.rowsWith(secret); len(tables) > 0 {
			t.Errorf("%q is still in %v", secret, tables)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(env.blobs.dir, env.caseID.String(), "*")); len(files) > 0 {
		t.Errorf("files after the erasure: %v", files)
	}
	if result := env.verify(); len(result.Problems) > 0 {
		t.Fatal(problemsOf(result))
	}
	env.verifyExported(1)
	env.asAdmin(`INSERT INTO supporting_documents SELECT case_id, 3, kind, 0, file_name, media_type, size, sha256,
		blob_key, created_by, created_at FROM supporting_documents WHERE number = 1`)
	if result := env.verify(); len(result.Problems) == 0 {
		t.Error("a row that was added to an erased case is not found")
	}
}

// The files of supporting documents are no orphans, and a missing one is found by the doctor.
func TestSupportingDocumentsAreReferenced(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	id, _ := env.rejectedLoan()
	stored, err := env.db.Reader().Supporting(env.ctx, id)
	must(t, err)
	unknown, err := env.db.Reader().UnreferencedBlobs(env.ctx, []string{stored[0].BlobKey, stored[1].BlobKey})
	must(t, err)
	references, _, err := env.db.Reader().BlobReferences(env.ctx, domain.NoID, 10)
	must(t, err)
	found := 0
	for _, reference := range references {
		if reference.Kind == "supporting document" {
			found++
		}
	}
	if len(unknown) != 0 || found != 2 {
		t.Errorf("unreferenced %v, referenced %d", unknown, found)
	}
}

// The file of a case with supporting documents is not split.
func TestACaseWithSupportingDocumentsIsNotSplit(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	review := env.claim(p.jan, submitted.CaseID)
	_, err = env.svc.SplitCase(env.ctx, p.jan, casework.SplitCase{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Parts:        []casework.PageRange{{First: 1, Last: 1}, {First: 2, Last: 2}}})
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Code != domain.StateMismatch ||
		refused.Detail["reason"] != "documents" {
		t.Errorf("%v", err)
	}
}

// A correction of an archived case has copies of its current supporting documents.
func TestACorrectionHasTheSupportingDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	must(t, env.claimAndDecide(p.jan, submitted.CaseID, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, submitted.CaseID, "second", domain.Approve))
	env.drainQueue()
	env.requireState(submitted.CaseID, domain.Archived)
	corrected, err := env.correctArchived(p.jan, submitted.CaseID, "k")
	must(t, err)
	env.drainQueue()
	all, err := env.db.Reader().Supporting(env.ctx, submitted.CaseID, corrected.CorrectionID)
	must(t, err)
	if len(all) != 2 || !bytes.Equal(all[0].SHA256, all[1].SHA256) || all[0].BlobKey == all[1].BlobKey ||
		all[1].Kind != "payslip" {
		t.Errorf("%+v", all)
	}
	env.verifyRows(corrected.CorrectionID)
}
