package casework_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// readings returns what was read of the supporting documents of a case: document/page and source of the bytes.
func (env *testEnv) readings(id domain.ID) []string {
	env.t.Helper()
	return env.queryTexts(`SELECT r.number || ':' || r.pages || ':' || (r.sha256 = d.sha256) || ':'
		|| (SELECT count(*) FROM supporting_pages p WHERE p.case_id = r.case_id AND p.document = r.number)
		FROM supporting_readings r JOIN supporting_documents d USING (case_id, number)
		WHERE r.case_id = $1 ORDER BY r.number`, id)
}

// readsFiles records the names of the files that are opened; fails returns the failure of one.
func (env *testEnv) readsFiles(fails func(name string) error) (opened func() []string) {
	var mu sync.Mutex
	var names []string
	env.reader.mu.Lock()
	defer env.reader.mu.Unlock()
	env.reader.reads = func(name string) error {
		mu.Lock()
		names = append(names, name)
		mu.Unlock()
		if fails == nil {
			return nil
		}
		return fails(name)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(names)
	}
}

// Every supporting document is read once, before the document, and not again when the document is replaced.
func TestSupportingDocumentsAreReadOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	opened := env.readsFiles(nil)
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("identity", "pass"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.InReview, "first")
	if got := env.readings(id); !slices.Equal(got, []string{"1:1:true:1", "2:1:true:1"}) {
		t.Errorf("readings %v", got)
	}
	if got := opened(); !slices.Equal(got, []string{"may.pdf", "pass.pdf", "invoice.pdf"}) {
		t.Errorf("opened %v", got)
	}
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Return))
	env.drainQueue()
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, p.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	if got := opened()[3:]; !slices.Equal(got, []string{"better.pdf", "invoice.pdf"}) {
		t.Errorf("then opened %v", got)
	}
	if got := env.readings(id); len(got) != 3 {
		t.Errorf("readings %v", got)
	}
	for _, statement := range []string{`UPDATE supporting_pages SET text = 'x'`, `DELETE FROM supporting_pages`,
		`UPDATE supporting_readings SET pages = 9`, `DELETE FROM supporting_readings`,
		`INSERT INTO supporting_pages SELECT case_id, document, 2, raster_key, width, height, dpi, rotation, source,
			engine, text, words FROM supporting_pages`,
		`INSERT INTO supporting_readings SELECT case_id, 4, sha256, pages FROM supporting_readings WHERE number = 1`,
	} {
		if _, err := env.owner.Exec(env.ctx, statement); err == nil {
			t.Errorf("the owner can: %s", statement)
		}
	}
	env.verifyRows(id)
	env.verifyCaseLog(id)
}

// The image of a page is opened by those who may read the case, and each access is logged.
func TestPageImagesOfSupportingDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	page := casework.OpenBlob{CaseID: id, Kind: casework.BlobSupportingPage, Number: 1, Page: 1}
	opened, err := env.svc.OpenBlob(env.ctx, p.jan, page)
	must(t, err)
	text, err := io.ReadAll(opened.Content)
	must(t, err)
	must(t, opened.Content.Close())
	if !strings.HasPrefix(string(text), "\x89PNG") || opened.MediaType != "image/png" {
		t.Errorf("opened %q as %s", text, opened.MediaType)
	}
	lines := env.queryTexts(`SELECT object FROM access_log WHERE case_id = $1 AND action = 'open'`, id)
	if !slices.Equal(lines, []string{"supporting-page/1/1"}) {
		t.Errorf("access log %v", lines)
	}
	other := page
	other.Page = 2
	_, err = env.svc.OpenBlob(env.ctx, p.jan, other)
	wantCode(t, err, domain.NotFound)
	_, err = env.svc.OpenBlob(env.ctx, env.person("eve", domain.RoleSubmitter), page)
	wantCode(t, err, domain.NotFound)

	// What each person had opened is in the evidence of their decision.
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	for i := range decisions {
		want := map[domain.ID][]int{p.jan.UserID: {1}}[decisions[i].Actor]
		if got := decisions[i].Evidence.SupportingOpened; !slices.Equal(got, want) {
			t.Errorf("%s had opened %v, want %v", decisions[i].Actor, got, want)
		}
	}
	env.verifyRows(id)
	env.verifyCaseLog(id)
}

// A worker whose lease expires between two files writes nothing more, and the next one reads only the others.
func TestALeaseIsLostBetweenTwoSupportingDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	lost := false
	opened := env.readsFiles(func(name string) error {
		if name != "june.pdf" || lost {
			return nil
		}
		lost = true
		env.setClockOffset(env.clockOffset + time.Hour)
		must(t, errOf(env.svc.Sweep(env.ctx)))
		env.drainQueue()
		return nil
	})
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.InReview, "first")
	count := map[string]int{}
	for _, name := range opened() {
		count[name]++
	}
	if !lost || count["may.pdf"] != 1 || count["june.pdf"] != 2 || count["invoice.pdf"] != 1 {
		t.Errorf("opened %v", count)
	}
	if got := env.readings(id); !slices.Equal(got, []string{"1:1:true:1", "2:1:true:1"}) {
		t.Errorf("readings %v", got)
	}
	env.verifyCaseLog(id)
}

// A file that cannot be read is an incident that names it. Only its submitter puts another file in its place,
// and only in place of that one; the files that were read before are not read again.
func TestADamagedSupportingDocumentIsReplaced(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p, mia := env.loanPeople(), env.person("mia", domain.RoleManager)
	opened := env.readsFiles(func(name string) error {
		if name == "june.pdf" {
			return domain.Errorf(domain.DamagedFile, "The file is damaged.")
		}
		return nil
	})
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.Incident, "read")
	text := strings.Join(env.queryTexts(`SELECT error_code || ' ' || error_text FROM stage_runs
		WHERE case_id = $1 AND status = 'incident'`, id), "")
	if !strings.Contains(text, "DamagedFile june.pdf: The file is damaged.") {
		t.Errorf("incident %q", text)
	}
	must(t, errOf(env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id})))
	env.drainQueue()
	env.requireState(id, domain.Incident, "read")
	wantCode(t, env.addFile(p.sam, id, 0, supportingFile("identity", "pass")), domain.StateMismatch)
	wantCode(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "other")), domain.StateMismatch)
	if err := env.addFile(mia, id, 2, supportingFile("payslip", "mine")); err == nil {
		t.Error("a manager replaced the document")
	}
	for _, replaces := range []int{0, 1} {
		_, err := env.owner.Exec(env.ctx, `INSERT INTO supporting_documents (case_id, number, kind, replaces, file_name,
			media_type, size, sha256, blob_key, created_by, created_at) SELECT case_id, 9, kind, $1, file_name, media_type,
			size, sha256, blob_key, created_by, created_at FROM supporting_documents WHERE number = 1`, replaces)
		if err == nil {
			t.Errorf("the database accepts a late document in place of %d", replaces)
		}
	}
	must(t, env.addFile(p.sam, id, 2, supportingFile("payslip", "better")))
	env.drainQueue()
	env.requireState(id, domain.InReview, "first")
	if got := env.readings(id); !slices.Equal(got, []string{"1:1:true:1", "3:1:true:1"}) {
		t.Errorf("readings %v", got)
	}
	if got := opened(); !slices.Equal(got, []string{"may.pdf", "june.pdf", "june.pdf", "better.pdf", "invoice.pdf"}) {
		t.Errorf("opened %v", got)
	}
	env.verifyRows(id)
	env.verifyCaseLog(id)
}

// A failure that a retry can repair is retried as for the document, and its message names the file too.
func TestATransientFailureOfASupportingDocumentIsRetried(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	failures := 0
	env.readsFiles(func(name string) error {
		if name == "may.pdf" && failures < 2 {
			failures++
			return fmt.Errorf("disk %d", failures)
		}
		return nil
	})
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	env.requireState(submitted.CaseID, domain.InReview, "first")
	texts := env.queryTexts(`SELECT error_text FROM stage_runs WHERE case_id = $1 AND status = 'failed'`,
		submitted.CaseID)
	if failures != 2 || !slices.Equal(texts, slices.Repeat([]string{"may.pdf: This step failed unexpectedly."}, 2)) {
		t.Errorf("%d failures, %q", failures, texts)
	}
}

// straightLoan archives small amounts without a review.
var straightLoan = strings.Replace(strings.Replace(loan, "kind: payslip, label: {en: Payslip, zh: 工资单}, required: true",
	"kind: payslip", 1), "default: first}", "default: small}\n"+
	"  - {id: small, kind: exclusive, branches: [{when: 'base_minor < 100000000', to: archive}], default: first}", 1)

// Attack: a small amount lets a case pass without a review, and its supporting documents with it. Without
// them it passes; with them it is reviewed, also if its submitter answers a reviewer with another document.
func TestNoCaseIsArchivedWithUnseenDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(straightLoan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam)
	must(t, err)
	env.requireState(submitted.CaseID, domain.Archived)
	submitted, err = env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.InReview, "first")
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Return))
	env.drainQueue()
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, p.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "first")
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// Words of supporting documents are found, also in a case that was returned, until another file replaces them;
// an erasure removes the words and the images.
func TestWordsOfSupportingDocumentsAreFoundAndErased(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.publish(loan)
	p := loanPeople{env.sam, env.person("jan", domain.RoleL1), env.person("sid", domain.RoleL2)}
	env.readsFiles(func(name string) error {
		text := map[string]string{"may.pdf": "Oldenburger Zeppelin", "better.pdf": "Oldenburger Dampfschiff"}[name]
		env.reader.mu.Lock()
		defer env.reader.mu.Unlock()
		env.reader.change = func(page *domain.Page) {
			if text != "" {
				page.Text = text
			}
		}
		return nil
	})
	env.reader.rasters = true
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	id := submitted.CaseID
	env.index()
	if !slices.Equal(env.found("zeppelin"), []domain.ID{id}) {
		t.Error("a word of a supporting document is not found")
	}
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Return))
	env.drainQueue()
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, p.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	env.index()
	if len(env.found("zeppelin")) > 0 || !slices.Equal(env.found("dampfschiff"), []domain.ID{id}) {
		t.Error("words of the replaced document are found, or those of its successor are not")
	}
	env.wantIndexAgrees()
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	images := env.queryTexts(`SELECT raster_key FROM supporting_pages WHERE case_id = $1`, id)
	env.caseID = id
	env.erase()
	env.index()
	if n := env.queryInt(`SELECT (SELECT count(*) FROM supporting_pages) + (SELECT count(*) FROM supporting_readings)`); n > 0 {
		t.Errorf("%d rows are left", n)
	}
	if found := env.rowsWith("Dampfschiff"); len(found) > 0 || len(env.found("dampfschiff")) > 0 {
		t.Errorf("the word is left in %v", found)
	}
	for _, key := range images {
		if _, _, err := env.blobs.Open(env.ctx, key); err == nil {
			t.Errorf("the image %s is left", key)
		}
	}
	env.verifyRows(id)
}

// A person who escalated a review decided nothing about the documents; one who approved or rejected did.
func TestAnEscalationIsNoLookAtDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	unseen := func(want bool) {
		t.Helper()
		if got, err := env.db.Reader().Unseen(env.ctx, submitted.CaseID); err != nil || got != want {
			t.Errorf("unseen: %t, %v", got, err)
		}
	}
	unseen(true)
	must(t, env.claimAndDecide(p.jan, submitted.CaseID, "first", domain.Escalate))
	env.drainQueue()
	unseen(true)
	must(t, env.claimAndDecide(env.person("mia", domain.RoleManager), submitted.CaseID, "first", domain.Approve))
	unseen(false)
}

// An incident of another step lets no one exchange a document, and neither does a case that has ended, although
// its documents were never read.
func TestOnlyAnIncidentOfReadingExchangesADocument(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loan)
	p := env.loanPeople()
	env.readsFiles(func(name string) error {
		if name == "june.pdf" {
			return domain.Errorf(domain.DamagedFile, "The file is damaged.")
		}
		return nil
	})
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "june"))
	must(t, err)
	id := submitted.CaseID
	env.requireState(id, domain.Incident, "read")
	env.asAdmin(`UPDATE stage_runs SET node = 'validate' WHERE status = 'incident'`)
	wantCode(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")), domain.StateMismatch)
	env.asAdmin(`UPDATE stage_runs SET node = 'read' WHERE status = 'incident'`)
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))

	ended, err := env.submitLoan(p.sam, supportingFile("payslip", "may"))
	must(t, err)
	must(t, env.claimAndDecide(p.jan, ended.CaseID, "first", domain.Reject))
	env.drainQueue()
	env.requireState(ended.CaseID, domain.Rejected)
	env.asAdmin(`DELETE FROM supporting_pages`, `DELETE FROM supporting_readings`)
	if _, err := env.owner.Exec(env.ctx, `INSERT INTO supporting_documents (case_id, number, kind, replaces, file_name,
		media_type, size, sha256, blob_key, created_by, created_at) SELECT case_id, 9, kind, 1, file_name, media_type,
		size, sha256, blob_key, created_by, created_at FROM supporting_documents WHERE case_id = $1`,
		ended.CaseID); err == nil {
		t.Error("the database accepts another document of a case that has ended")
	}
}
