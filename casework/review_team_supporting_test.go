package casework_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/riskmodel"
)

// bundleProcess returns the built-in approval of documents with supporting documents, and with a committee of
// three that votes in secret if seats is not empty.
func bundleProcess(t *testing.T, key, seats string) string {
	t.Helper()
	text, err := os.ReadFile("../workflow/definitions/document_approval.yaml")
	must(t, err)
	process := strings.Replace(string(text), "key: document_approval\n", "key: "+key+
		"\ndocuments:\n  - {kind: payslip, label: {en: Payslip, zh: 工资单}, max: 3}\n", 1)
	if seats != "" {
		before, after, found := strings.Cut(process, "    bulk: ")
		if !found {
			t.Fatal("the process has no approval in bulk")
		}
		process = before + seats + after[strings.Index(after, "\n")+1:]
	}
	return process
}

// Whatever people do with a case that has supporting documents or a committee, in whatever order, it is not
// archived without the people that it needs, and every approval was about the documents that it has.
func TestRandomHistoriesOfBundles(t *testing.T) {
	t.Parallel()
	runTeamHistories(t, 6, []int{7}, func(h *teamHistory) {
		h.bundled = true
		total, _, _ := h.writeDocument()
		h.submitWithout(2+h.random.IntN(2), pick(h.liveCase, total, "900.00"))
	}, func(members *team, env *testEnv) {
		env.publish(bundleProcess(t, "bundle", ""))
		env.publish(bundleProcess(t, "council", majorityOfThree+"    votes: hidden\n"))
		members.needs = append(members.needs, domain.QueueL1, domain.QueueL1)
	})
}

// submitBundle submits the document with supporting documents, or none.
func (h *teamHistory) submitBundle(process, amount, currency string) {
	h.t.Helper()
	in := casework.SubmitDocument{Process: process, DocumentType: "invoice", Amount: amount,
		Currency: currency, File: upload(domain.NewID().String())}
	for range h.random.IntN(3) {
		in.Documents = append(in.Documents, supportingFile("payslip", letters(h.random, 10)))
	}
	submitted, err := h.svc.SubmitDocument(h.ctx, h.sam, in)
	must(h.t, err)
	h.drainQueue()
	h.id = submitted.CaseID
}

// addSupporting adds or replaces a supporting document, which only the submitter of a returned case may.
func (h *teamHistory) addSupporting() {
	h.t.Helper()
	by := pick(h.liveCase, h.sam, h.sam, h.sam, h.people[0])
	err := h.addFile(by, h.id, h.random.IntN(2), supportingFile("payslip", letters(h.random, 10)))
	h.try("add supporting", err)
	if err == nil && (h.before.Status != domain.Returned || h.head(by.UserID) != h.head(h.sam.UserID)) {
		h.t.Fatalf("%s added a document to the case %s after %v", by.Name, h.before.Status, h.commands)
	}
}

// requireSupportingSeen checks that people approved a case with supporting documents, and that each approval was
// about the present ones; and that the approvals of a committee are two, and more than its rejections.
func (h *teamHistory) requireSupportingSeen(
	record domain.Case, risk riskmodel.Risk, approvals []approval,
) {
	h.t.Helper()
	stored, err := h.db.Reader().Supporting(h.ctx, h.id)
	must(h.t, err)
	if len(stored) > 0 && len(approvals) == 0 {
		h.t.Fatalf("supporting documents were archived unseen after %v", h.commands)
	}
	for _, a := range approvals {
		if !slices.Equal(a.supporting, domain.SupportingHashes(stored)) {
			h.t.Fatalf("%+v approved other documents than %+v after %v", a, stored, h.commands)
		}
	}
	if record.ProcessKey != "council" || len(stored) == 0 && risk.Largest < straightInvoice {
		return
	}
	against := 0
	exclusions, err := h.db.Reader().Exclusions(h.ctx, h.id, record.Parties())
	must(h.t, err)
	decisions, err := h.db.Reader().Decisions(h.ctx, h.id)
	must(h.t, err)
	for _, decision := range decisions {
		if decision.Verdict == domain.Reject && len(exclusions.VotesIn(decision.ReviewID)) > 0 {
			against++
		}
	}
	if len(approvals) < 2 || len(approvals) <= against {
		h.t.Fatalf("a committee archived with %d approvals and %d rejections after %v", len(approvals),
			against, h.commands)
	}
}
