package casework_test

import (
	"slices"
	"testing"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

func TestSmallCleanDocumentIsArchivedWithoutAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	id := w.submit(sam, "small")
	if got := w.kase(id).Status; got != domain.Processing && got != domain.Received {
		t.Errorf("after submission the status is %s", got)
	}
	w.work()

	c := w.kase(id)
	if c.Status != domain.Archived || c.ManifestKey == "" || !c.AmountKnown || c.Amount != (domain.Money{Minor: 12000, Currency: "EUR"}) ||
		c.BaseMinor != 13200 || c.Counterparty != "Muster Werke GmbH" || c.DocumentNumber != "R-1" {
		t.Errorf("case %+v", c)
	}
	types := w.types(id)
	if last := types[len(types)-1]; last != domain.CaseArchived || !slices.Contains(types, domain.CaseApproved) {
		t.Errorf("events %v", types)
	}
	if w.desk.calls != 1 {
		t.Errorf("read %d times; each task was delivered twice", w.desk.calls)
	}
	w.verify(id)
}

// verify walks the case's chain and the statuses along it. The bodies are held against their contracts when the test is over.
func (w *world) verify(id domain.ID) {
	w.t.Helper()
	c := w.kase(id)
	log := w.walk(id, audit.Head{Seq: c.LastSeq, Hash: c.HeadHash})
	for i, event := range log {
		if i > 0 && event.StatusBefore != log[i-1].StatusAfter {
			w.t.Errorf("event %d %s begins at %s, the one before ended at %s", event.Seq, event.Type, event.StatusBefore, log[i-1].StatusAfter)
		}
	}
	if last := log[len(log)-1]; last.StatusAfter != c.Status {
		w.t.Errorf("the log ends at %s, the case is %s", last.StatusAfter, c.Status)
	}
}

// walk walks a stream's chain up to the head on record and returns its events.
func (w *world) walk(stream domain.ID, head audit.Head) []domain.Event {
	w.t.Helper()
	reading, err := w.db.Reader().EventsAfter(w.ctx, stream, 0, 1000)
	must(w.t, err)
	report, err := audit.Verify(stream, head, func(yield func(*domain.Event, error) bool) {
		for i := range reading.Events {
			if !yield(&reading.Events[i], nil) {
				return
			}
		}
	})
	must(w.t, err)
	if report.Break != nil {
		w.t.Errorf("chain: %v", report.Break)
	}
	return reading.Events
}

func TestReviewedDocument(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		verdict domain.Verdict
		reason  string
		want    domain.Status
		last    domain.EventType
	}{
		"approved": {domain.Approve, "", domain.Archived, domain.CaseArchived},
		"rejected": {domain.Reject, "not ours", domain.Rejected, domain.CaseRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// One connection: a command that asked for a second one while it holds the first would never end.
			w := newWorldOf(t, 1)
			sam, rita := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1)
			w.desk.xml = invoiceXML("120000.00", "R-2")
			id := w.submit(sam, "large")
			w.work()
			if c := w.kase(id); c.Status != domain.InReview {
				t.Fatalf("case is %s (risk %d)", c.Status, c.Risk)
			}
			_, err := w.hall.ClaimNextReview(w.ctx, rita, casework.Once{Key: "next"})
			must(t, err)
			review := w.openReview(id)
			_, err = w.hall.CorrectFields(w.ctx, rita, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID},
				Fields: []casework.FieldInput{{Name: domain.FieldNumber, Value: "R-2b"}}})
			must(t, err)
			must(t, w.decide(rita, review.ID, tc.verdict, tc.reason))
			w.work()
			c := w.kase(id)
			types := w.types(id)
			if c.Status != tc.want || types[len(types)-1] != tc.last || c.OutcomeReason != tc.reason {
				t.Errorf("case is %s (%q), events %v", c.Status, c.OutcomeReason, types)
			}
			w.verify(id)
		})
	}
}

func TestReturnedDocumentComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, rita := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1)
	w.desk.xml = invoiceXML("120000.00", "R-3")
	id := w.submit(sam, "questions")
	w.work()
	review := w.claim(rita, id)
	wantCode(t, w.decide(rita, review.ID, domain.Return, " "), domain.ValidationFailed)
	must(t, w.decide(rita, review.ID, domain.Return, "Which order is this for?"))
	w.work()
	if c := w.kase(id); c.Status != domain.Returned {
		t.Fatalf("case is %s", c.Status)
	}
	_, err := w.hall.ResubmitCase(w.ctx, sam, casework.ResubmitCase{OnCase: casework.OnCase{CaseID: id}, Comment: "Order 7"})
	must(t, err)
	w.work()
	again := w.claim(rita, id)
	if again.ID == review.ID || again.Visit != 2 {
		t.Errorf("the second review is %+v", again)
	}
	must(t, w.decide(rita, again.ID, domain.Approve, ""))
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("case is %s", c.Status)
	}
	w.verify(id)
}
