package casework_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// loanWithoutAML is the loan process without confidential reviews.
var loanWithoutAML = regexp.MustCompile(`(?m)^  - \{id: aml.*\n`).ReplaceAllString(
	strings.Replace(loan, "next: aml_needed", "next: first", 1), "")

// The checker of a sample sees the pages of the supporting documents that the deciders had, and only while they
// have the sample. Attack: other people, the program of the checker, a document that was replaced, a file that
// has pages, or the case itself.
func TestCheckersSeeSupportingDocuments(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(loanWithoutAML)
	env.distinctPages()
	p, rob := env.loanPeople(), env.person("rob", domain.RoleL1)
	env.drawAllOf("loan", env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	submitted, err := env.submitLoan(p.sam, supportingFile("payslip", "may"), supportingFile("identity", "pass"))
	must(t, err)
	id := submitted.CaseID
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Return))
	env.drainQueue()
	must(t, env.addFile(p.sam, id, 1, supportingFile("payslip", "better")))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, p.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	must(t, env.claimAndDecide(p.jan, id, "first", domain.Approve))
	must(t, env.claimAndDecide(p.sid, id, "second", domain.Approve))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.draw()

	opens := func(by domain.Actor, kind casework.BlobKind, number int) error {
		opened, err := env.svc.OpenBlob(env.ctx, by, casework.OpenBlob{CaseID: id, Kind: kind, Number: number, Page: 2})
		if err == nil {
			must(t, opened.Content.Close())
		}
		return err
	}
	ron := env.person("ron", domain.RoleL1)
	wantCode(t, opens(ron, casework.BlobSupportingPage, 3), domain.NotFound)
	sample := env.take(rob)
	work, err := env.newViews().QualityWork(env.ctx, rob)
	must(t, err)
	var numbers []int
	for _, one := range work.Task.Supporting {
		numbers = append(numbers, one.Document.Number, len(one.Pages))
		if !one.Read || one.Document.BlobKey != "" || one.Document.FileName != "" {
			t.Errorf("document %+v", one)
		}
	}
	if !slices.Equal(numbers, []int{2, 2, 3, 2}) {
		t.Errorf("documents and pages %v", numbers)
	}
	for range 2 {
		must(t, opens(rob, casework.BlobSupportingPage, 3))
	}
	lines := env.queryTexts(`SELECT object || ' ' || (case_id IS NULL OR case_id = '00000000-0000-0000-0000-000000000000')
		FROM access_log WHERE actor = $1 AND action = 'check'`, rob.UserID)
	if !slices.Equal(lines, []string{"supporting-page/3/2 true", "supporting-page/3/2 true"}) {
		t.Errorf("access log %v", lines)
	}
	wantCode(t, opens(rob, casework.BlobSupportingPage, 1), domain.NotFound) // replaced
	wantCode(t, opens(rob, casework.BlobSupporting, 3), domain.NotFound)     // has pages
	wantCode(t, opens(rob, casework.BlobArchiveCopy, 0), domain.NotFound)
	wantCode(t, opens(ron, casework.BlobSupportingPage, 3), domain.NotFound)
	delegate := env.person("del", domain.RoleL1)
	delegate.OnBehalfOf = rob.UserID
	if opens(delegate, casework.BlobSupportingPage, 3) == nil {
		t.Error("a delegate of the checker opens a page")
	}
	env.asAdmin(`DELETE FROM supporting_pages WHERE document = 3`, `DELETE FROM supporting_readings WHERE number = 3`)
	must(t, opens(rob, casework.BlobSupporting, 3)) // was not read

	_, err = env.svc.CheckSample(env.ctx, rob, casework.CheckSample{SampleTarget: casework.SampleTarget{SampleID: sample},
		Approves: false, Comment: "the payslip is of another person"})
	must(t, err)
	checks, err := env.db.Reader().SampleChecks(env.ctx, sample)
	must(t, err)
	if len(checks) != 1 || !checks[0].Blind {
		t.Errorf("the check is not blind: %+v", checks)
	}
	wantCode(t, opens(rob, casework.BlobSupportingPage, 2), domain.NotFound)
}
