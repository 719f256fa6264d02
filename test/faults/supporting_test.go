package faults

import (
	"testing"
	"time"

	"countersign/test/testcluster"
)

// loan is a process with payslips beside the application.
const loan = `
key: loan
on_abandon: seal_abandoned
documents: [{kind: payslip, label: {en: Payslip, zh: 工资单}, max: 2}]
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: first}
  - {id: first, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: validate}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// A worker is killed after it has read one supporting document and while it reads the next one. The other worker reads
// only what is missing: no file is lost, none has two rows or two events, and the first is not read again.
func TestWorkerKilledBetweenSupportingDocuments(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	h.AddUser(testcluster.Person{Email: "other@test.test", Name: "other", Roles: "administrator"})
	h.CLI("admin").Expect(0, nil, "process", "propose", h.File("loan.yaml", []byte(loan)))
	h.CLI("other").Expect(0, nil, "process", "publish", "loan", "--confirm")
	one, two := h.Worker(), h.Worker()
	reference := h.CLI("submitter").Expect(0, nil, "submit", "--process", "loan", h.PDF(testcluster.Invoice(10, 100)),
		"--document", "payslip="+h.PDF(testcluster.Invoice(11, 100)), "--document", "payslip="+scan(t, h, 12)).Reference()
	var busy, idle *testcluster.Process
	testcluster.Eventually(t, 30*time.Second, "a worker reads the second file", func() bool {
		for i, w := range []*testcluster.Process{one, two} {
			if len(w.LogLines("document read")) == 1 && len(w.LogLines("reading a document")) == 2 {
				busy, idle = w, []*testcluster.Process{two, one}[i]
				return true
			}
		}
		return false
	})
	busy.Kill()
	took := testcluster.Eventually(t, time.Minute, "another worker reads the rest",
		func() bool { return status(h, reference) == "in_review" })
	recordTiming(t, "kill -9 of a worker between two supporting files -> read by another", took, 30*time.Second)
	if begun, read := len(idle.LogLines("reading a document")), len(idle.LogLines("document read")); begun != 2 ||
		read != 2 {
		t.Errorf("the other worker began %d files and read %d, want the second one and the document", begun, read)
	}
	var rows, events, pages int
	err := h.Database.Owner(t).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM supporting_readings),
		(SELECT count(*) FROM events WHERE type = 'document.read'), (SELECT count(*) FROM supporting_pages)`).
		Scan(&rows, &events, &pages)
	if err != nil || rows != 2 || events != 2 || pages != 2 {
		t.Errorf("%d readings, %d events, %d pages: %v", rows, events, pages, err)
	}
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
	testcluster.Eventually(t, 20*time.Second, "doctor is content",
		func() bool { return h.CLI("").Run("doctor", "--grace", "1s").Code == 0 })
}
