package casework_test

import (
	"slices"
	"testing"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
)

func TestSmallCleanDocumentIsArchivedAutomatically(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.submit(sam, "small")
	if got := env.caseByID(id).Status; got != domain.Processing && got != domain.Received {
		t.Errorf("after submission the status is %s", got)
	}
	env.drainQueue()

	c := env.caseByID(id)
	if c.Status != domain.Archived || c.ManifestKey == "" || !c.AmountKnown ||
		c.Amount != (domain.Money{Minor: 12000, Currency: "EUR"}) ||
		c.BaseMinor != 13200 || c.Counterparty != "Muster Werke GmbH" || c.DocumentNumber != "R-1" {
		t.Errorf("case %+v", c)
	}
	types := env.eventTypes(id)
	if last := types[len(types)-1]; last != domain.CaseArchived ||
		!slices.Contains(types, domain.CaseApproved) {
		t.Errorf("events %v", types)
	}
	if env.reader.calls != 1 {
		t.Errorf("read %d times; each task was delivered twice", env.reader.calls)
	}
	env.verifyCaseLog(id)
}

// verifyCaseLog verifies the case's event chain and the statuses along it. The test environment
// validates the bodies against their contracts at the end of the test.
func (env *testEnv) verifyCaseLog(id domain.ID) {
	env.t.Helper()
	c := env.caseByID(id)
	log := env.verifyStreamEvents(id, audit.ChainHead{Seq: c.LastSeq, Hash: c.HeadHash})
	for i, event := range log {
		if i > 0 && event.StatusBefore != log[i-1].StatusAfter {
			env.t.Errorf("event %d %s begins at %s, the one before ended at %s", event.Seq,
				event.Type, event.StatusBefore, log[i-1].StatusAfter)
		}
	}
	if last := log[len(log)-1]; last.StatusAfter != c.Status {
		env.t.Errorf("the log ends at %s, the case is %s", last.StatusAfter, c.Status)
	}
}

// verifyStreamEvents verifies a stream's chain up to the recorded head and returns its events.
func (env *testEnv) verifyStreamEvents(stream domain.ID, head audit.ChainHead) []domain.Event {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, stream, 0, 1000)
	must(env.t, err)
	report, err := audit.Verify(stream, head, func(yield func(*domain.Event, error) bool) {
		for i := range reading.Events {
			if !yield(&reading.Events[i], nil) {
				return
			}
		}
	})
	must(env.t, err)
	if report.Break != nil {
		env.t.Errorf("chain: %v", report.Break)
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
			// A pool of one connection would deadlock if a command requested a second one.
			env := newTestEnvWithPool(t, 1)
			sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
			env.reader.xml = invoiceXML("120000.00", "R-2")
			id := env.submit(sam, "large")
			env.drainQueue()
			if c := env.caseByID(id); c.Status != domain.InReview {
				t.Fatalf("case is %s (risk %d)", c.Status, c.Risk)
			}
			_, err := env.svc.ClaimNextReview(env.ctx, rita, casework.ClaimNext{Once: casework.Once{Key: "next"}})
			must(t, err)
			review := env.openReview(id)
			_, err = env.svc.CorrectFields(env.ctx, rita,
				casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
					Fields: []casework.FieldInput{{Name: domain.FieldInvoiceCode, Value: "R-2b"}}})
			must(t, err)
			must(t, env.decide(rita, review.ID, tc.verdict, tc.reason))
			env.drainQueue()
			c := env.caseByID(id)
			types := env.eventTypes(id)
			if c.Status != tc.want || types[len(types)-1] != tc.last ||
				c.OutcomeReason != tc.reason {
				t.Errorf("case is %s (%q), events %v", c.Status, c.OutcomeReason, types)
			}
			env.verifyCaseLog(id)
		})
	}
}

func TestReturnedDocumentComesBack(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	env.reader.xml = invoiceXML("120000.00", "R-3")
	id := env.submit(sam, "questions")
	env.drainQueue()
	review := env.claim(rita, id)
	wantCode(t, env.decide(rita, review.ID, domain.Return, " "), domain.ValidationFailed)
	must(t, env.decide(rita, review.ID, domain.Return, "Which order is this for?"))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Returned {
		t.Fatalf("case is %s", c.Status)
	}
	_, err := env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "Order 7"})
	must(t, err)
	env.drainQueue()
	again := env.claim(rita, id)
	if again.ID == review.ID || again.Visit != 2 {
		t.Errorf("the second review is %+v", again)
	}
	must(t, env.decide(rita, again.ID, domain.Approve, ""))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("case is %s", c.Status)
	}
	env.verifyCaseLog(id)
}
