package casework_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// loan is a process whose cases have payslips and a proof of identity beside the application.
const loan = `
key: loan
on_abandon: seal_abandoned
reopen: [rejected]
documents:
  - {kind: payslip, label: {en: Payslip, zh: 工资单}, required: true, max: 2}
  - {kind: identity}
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: aml_needed}
  - {id: aml_needed, kind: exclusive, branches: [{when: 'findings.exists(f, f.rule == "high_risk_country")', to: aml}], default: first}
  - {id: aml, kind: review, queue: AML, duty: aml, escalate_to: "", on: {approve: first, reject: seal_rejected}}
  - {id: first, kind: review, queue: L1, on: {approve: second, reject: seal_rejected, return: validate}}
  - {id: second, kind: review, queue: L2, duty: second, on: {approve: archive, reject: seal_rejected, return: second}}
` + sealNodes

// supportingFile returns a file of the kind with the content.
func supportingFile(kind, content string) casework.SupportingFile {
	file := casework.SupportingFile{Kind: kind, File: upload(content)}
	file.File.FileName = content + ".pdf"
	return file
}

func (env *testEnv) submitLoan(
	by domain.Actor, files ...casework.SupportingFile,
) (casework.SubmitResult, error) {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML("120.00", "L-1")
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{Process: "loan",
		File: upload("application"), Documents: files})
	if err == nil {
		env.drainQueue()
	}
	return submitted, err
}

func (env *testEnv) addFile(
	by domain.Actor, id domain.ID, replaces int, file casework.SupportingFile,
) error {
	env.t.Helper()
	_, err := env.svc.AddDocument(env.ctx, by, casework.AddDocument{
		CaseTarget: casework.CaseTarget{CaseID: id}, SupportingFile: file, Replaces: replaces})
	return err
}

// loanPeople are the people of the loan process.
type loanPeople struct{ sam, jan, sid domain.Actor }

func (env *testEnv) loanPeople() loanPeople {
	return loanPeople{env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("sid", domain.RoleL2)}
}

// The supporting documents of a case are stored with their hashes, bound to each decision, and part of the
// manifest and of the verified record.
func TestSupportingDocumentsOfACase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("identity", "pass"),
		supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	if types := env.eventTypes(id); types[0] != domain.CaseSubmitted || !slices.Contains(types, domain.DocumentAdded) {
		t.Errorf("events %v", types)
	}
	opened, err := env.svc.OpenBlob(env.ctx, p.sam,
		casework.OpenBlob{CaseID: id, Kind: casework.BlobSupporting, Number: 2})
	must(t, err)
	text, err := io.ReadAll(opened.Content)
	must(t, err)
	must(t, opened.Content.Close())
	if !strings.HasSuffix(string(text), "pass") || opened.FileName != "pass.pdf" {
		t.Errorf("opened %q as %s", text, opened.FileName)
	}
	for number, by := range map[int]domain.Actor{2: env.person("other", domain.RoleSubmitter), 4: p.sam, 0: p.sam} {
		_, err := env.svc.OpenBlob(env.ctx, by,
			casework.OpenBlob{CaseID: id, Kind: casework.BlobSupporting, Number: number})
		if !domain.HasCode(err, domain.NotFound) {
			t.Errorf("document %d: %v", number, err)
		}
	}
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	stored, err := env.db.Reader().Supporting(env.ctx, id)
	must(t, err)
	for i := range decisions {
		if got := decisions[i].Evidence.Supporting; !slices.Equal(got, domain.SupportingHashes(stored)) || len(got) != 3 {
			t.Errorf("evidence %v", got)
		}
	}
	if m := env.readManifest(id); len(m.Supporting) != 3 || m.Supporting[2].Kind != "payslip" ||
		m.Supporting[2].FileName != "june.pdf" || m.Supporting[2].BlobKey == "" {
		t.Errorf("manifest %+v", m.Supporting)
	}
	env.verifyRows(id)
}

// A submission that the process does not accept is refused with the kind and the file, and stores nothing.
func TestSupportingDocumentsThatTheProcessDoesNotAccept(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	empty, text := supportingFile("identity", "x"), supportingFile("identity", "y")
	empty.File.Size = 0
	text.File = casework.Upload{FileName: "note.txt", Size: 4, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("text")), nil
	}}
	may := supportingFile("payslip", "may")
	for name, tc := range map[string]struct {
		files  []casework.SupportingFile
		code   domain.Code
		field  string
		reason string
	}{
		"none":      {nil, domain.InvalidInput, "documents.payslip", "document_missing"},
		"unknown":   {[]casework.SupportingFile{may, supportingFile("visa", "v")}, domain.InvalidInput, "documents.visa", "document_kind"},
		"many":      {[]casework.SupportingFile{may, supportingFile("payslip", "b"), supportingFile("payslip", "c")}, domain.InvalidInput, "documents.payslip", "document_too_many"},
		"twice":     {[]casework.SupportingFile{may, supportingFile("payslip", "may")}, domain.InvalidInput, "documents.payslip", "document_duplicate"},
		"same":      {[]casework.SupportingFile{may, supportingFile("identity", "application")}, domain.InvalidInput, "documents.identity", "document_duplicate"},
		"empty":     {[]casework.SupportingFile{may, empty}, domain.EmptyFile, "documents.identity", ""},
		"text file": {[]casework.SupportingFile{may, text}, domain.UnsupportedFile, "documents.identity", ""},
		"too many":  {slices.Repeat([]casework.SupportingFile{may}, 21), domain.InvalidInput, "documents", ""},
	} {
		_, err := env.submitLoan(p.sam, tc.files...)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != tc.code || refused.Field != tc.field ||
			refused.Detail["reason"] != tc.reason {
			t.Errorf("%s: %v %+v", name, err, refused)
		}
	}
	stored, err := os.ReadDir(env.blobs.dir)
	must(t, err)
	if n := env.queryInt(`SELECT count(*) FROM cases`); n != 0 || len(stored) != 0 {
		t.Errorf("%d cases and %d files are stored", n, len(stored))
	}
	_, err = env.svc.SubmitDocument(env.ctx, p.sam, casework.SubmitDocument{File: upload("invoice"),
		Documents: []casework.SupportingFile{may}})
	if !domain.HasCode(err, domain.InvalidInput) {
		t.Errorf("a process without documents: %v", err)
	}
}

// The same request answers the same case; with other documents it is refused.
func TestARepeatedSubmissionHasTheSameDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	in := casework.SubmitDocument{Process: "loan", File: upload("application"), Once: casework.Once{Key: "k"},
		Documents: []casework.SupportingFile{supportingFile("payslip", "may")}}
	first, err := env.svc.SubmitDocument(env.ctx, p.sam, in)
	must(t, err)
	again, err := env.svc.SubmitDocument(env.ctx, p.sam, in)
	must(t, err)
	in.Documents = []casework.SupportingFile{supportingFile("payslip", "june")}
	_, err = env.svc.SubmitDocument(env.ctx, p.sam, in)
	if again.CaseID != first.CaseID || !domain.HasCode(err, domain.IdempotencyMismatch) {
		t.Errorf("%s, then %s %v", first.CaseID, again.CaseID, err)
	}
}

// A document is added only to a returned case, and every vote that was cast without it is revoked: the case
// goes through all reviews again.
func TestADocumentIsNotAddedBesideAVote(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	early := env.addFile(p.sam, id, 0, supportingFile("identity", "pass"))
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	beside := env.addFile(p.sam, id, 1, supportingFile("payslip", "better"))
	if !domain.HasCode(early, domain.StateMismatch) || !domain.HasCode(beside, domain.StateMismatch) {
		t.Fatalf("in review: %v, after a vote: %v", early, beside)
	}
	_, err = env.owner.Exec(env.ctx, `INSERT INTO supporting_documents (case_id, number, kind, file_name, media_type,
		size, sha256, blob_key, created_by, created_at) SELECT case_id, 9, kind, file_name, media_type, size, sha256,
		blob_key, created_by, created_at FROM supporting_documents`)
	if err == nil || !strings.Contains(err.Error(), "only to a returned case") {
		t.Errorf("the database accepts a late document: %v", err)
	}
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Return))
	env.drainQueue()
	env.requireState(id, domain.Returned, "returned")
	if err := env.addFile(p.jan, id, 0, supportingFile("identity", "pass")); err == nil {
		t.Error("a reviewer added a document")
	}
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))
	if n := env.queryInt(`SELECT count(*) FROM votes`); n != 0 {
		t.Errorf("%d votes are left", n)
	}
	_, err = env.svc.ResubmitCase(env.ctx, p.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}})
	must(t, err)
	env.drainQueue()
	env.requireState(id, domain.InReview, "first")
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if m := env.readManifest(id); len(m.Supporting) != 2 || m.Supporting[1].Replaces != 1 {
		t.Errorf("manifest %+v", m.Supporting)
	}
	env.verifyRows(id)
}

// The document is not replaced by the bytes of a supporting one, after which no correction would be accepted.
func TestADocumentIsNotReplacedByASupportingOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	must(t, env.claimAndDecide(p.jan, submitted.CaseID, "first", domain.Return))
	env.drainQueue()
	replace := func(content string) error {
		_, err := env.svc.ReplaceDocument(env.ctx, p.sam, casework.ReplaceDocument{
			CaseTarget: casework.CaseTarget{CaseID: submitted.CaseID}, File: upload(content)})
		return err
	}
	wantCode(t, replace("may"), domain.InvalidInput)
	must(t, replace("another application"))
}

// A changed, removed or added row, and a changed file name, are found.
func TestTamperedSupportingDocumentsAreFound(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	for statement, want := range map[string]string{
		`UPDATE supporting_documents SET sha256 = sha256('x') WHERE number = 1`: "document 1 was changed",
		`UPDATE supporting_documents SET kind = 'identity' WHERE number = 2`:    "document 2 was changed",
		`UPDATE supporting_documents SET file_name = 'x' WHERE number = 2`:      "document 2 was changed",
		`DELETE FROM supporting_documents WHERE number = 1`:                     "document 1 is missing",
		`DELETE FROM supporting_documents WHERE number = 2`:                     "document 2 is missing",
		`INSERT INTO supporting_documents SELECT case_id, 3, kind, 0, file_name, media_type, size, sha256('y'), blob_key, created_by, created_at FROM supporting_documents WHERE number = 1`: "document 3 was added",
	} {
		env.asAdmin(`CREATE TABLE kept AS SELECT * FROM supporting_documents`, statement)
		result, err := env.newViews().Verify(env.ctx, id)
		must(t, err)
		if !strings.Contains(fmt.Sprint(result.Problems), want) {
			t.Errorf("%s: %v", statement, result.Problems)
		}
		env.asAdmin(`DELETE FROM supporting_documents`, `INSERT INTO supporting_documents SELECT * FROM kept`, `DROP TABLE kept`)
	}
	env.verifyRows(id)
	for _, statement := range []string{`UPDATE supporting_documents SET file_name = 'x'`, `DELETE FROM supporting_documents`} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("the owner can: %s", statement)
		}
	}
}
