package casework_test

import (
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// remitted is a world with a remittance of 120 000 that waits for a reviewer, and two of them.
func remitted(t *testing.T) (w *world, id domain.ID, jo, jill domain.Actor) {
	t.Helper()
	w = newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	jo, jill = w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	w.desk.xml = invoiceXML("120000.00", "R-77")
	submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload("order"), Process: "cross_border_remittance"})
	must(t, err)
	w.work()
	return w, submitted.CaseID, jo, jill
}

func (w *world) count(id domain.ID, kind domain.EventType) int {
	n := 0
	for _, t := range w.types(id) {
		if t == kind {
			n++
		}
	}
	return n
}

// pendingDeadlines are the kinds of the case's deadlines that still wait.
func (w *world) pendingDeadlines(id domain.ID) []domain.RunKind {
	w.t.Helper()
	runs, err := w.db.Reader().RunsOf(w.ctx, id)
	must(w.t, err)
	var kinds []domain.RunKind
	for _, run := range runs {
		if run.Status == domain.RunPending {
			kinds = append(kinds, run.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func TestNobodyClaimsInTime(t *testing.T) {
	t.Parallel()
	w, id, jo, jill := remitted(t)
	// Jo has work already, so Jill is the one with the fewest open reviews.
	w.desk.xml = invoiceXML("130000.00", "R-78")
	other := w.submit(w.person("sue", domain.RoleSubmitter), "other")
	w.work()
	w.claim(jo, other)

	w.later(100 * time.Minute)
	w.work()
	if review := w.openReview(id); review.Assignee != domain.NoID || w.count(id, domain.ReviewOverdue) != 0 {
		t.Fatalf("before its time: %+v", review)
	}
	w.later(121 * time.Minute)
	w.work()
	review := w.openReview(id)
	if review.Assignee != jill.UserID || w.count(id, domain.ReviewOverdue) != 1 || w.count(id, domain.ReviewReassigned) != 1 {
		t.Fatalf("after two hours it is with %s, Jill is %s; events %v", review.Assignee, jill.UserID, w.types(id))
	}
	// Jill does not claim it either: it goes on to Jo.
	w.later(242 * time.Minute)
	w.work()
	if review := w.openReview(id); review.Assignee != jo.UserID || w.count(id, domain.ReviewOverdue) != 2 {
		t.Fatalf("after four hours it is with %s, Jo is %s", review.Assignee, jo.UserID)
	}
	must(t, first(w.hall.ClaimReview(w.ctx, jo, casework.OnReview{ReviewID: review.ID})))
	must(t, w.decide(jo, review.ID, domain.Approve, ""))
	if left := w.pendingDeadlines(id); len(left) != 1 || left[0] != domain.KindStage {
		t.Errorf("after the decision there wait %v", left)
	}
	w.work()
	w.verify(id)
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
}

// Everything was down over the time: the sweeper finds the deadline, and it acts once.
func TestDeadlineThatWasSleptThrough(t *testing.T) {
	t.Parallel()
	w, id, _, _ := remitted(t)
	w.bell.take() // what was rung is lost
	w.later(3 * time.Hour)
	n, err := w.hall.Sweep(w.ctx)
	must(t, err)
	if n == 0 {
		t.Fatal("the sweeper found nothing")
	}
	w.work()
	if w.count(id, domain.ReviewOverdue) != 1 || w.openReview(id).Assignee == domain.NoID {
		t.Errorf("events %v", w.types(id))
	}
}

func TestClaimInTimeIsQuiet(t *testing.T) {
	t.Parallel()
	w, id, jo, _ := remitted(t)
	review := w.claim(jo, id)
	w.later(20 * time.Minute)
	w.work()
	must(t, first(w.hall.ReleaseReview(w.ctx, jo, casework.OnReview{ReviewID: review.ID})))
	// Given back, it may wait two hours anew.
	w.later(121 * time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 0 {
		t.Errorf("events %v", w.types(id))
	}
	w.later(142 * time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", w.types(id))
	}
}

// Where nobody else may decide, people are told, and the same is tried again.
func TestNobodyIsThereToTakeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	w.desk.xml = invoiceXML("120000.00", "R-77")
	submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload("order"), Process: "cross_border_remittance"})
	must(t, err)
	id := submitted.CaseID
	w.work()
	w.later(121 * time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 1 || w.openReview(id).Assignee != domain.NoID {
		t.Fatalf("events %v", w.types(id))
	}
	jo := w.person("jo", domain.RoleL1)
	w.later(242 * time.Minute)
	w.work()
	if w.openReview(id).Assignee != jo.UserID {
		t.Errorf("events %v", w.types(id))
	}
}

func TestTimeToDecideRunsOut(t *testing.T) {
	t.Parallel()
	w, id, jo, _ := remitted(t)
	w.claim(jo, id)
	w.later(20 * time.Hour)
	w.work()
	if w.count(id, domain.ReviewAtRisk) != 1 || w.count(id, domain.ReviewOverdue) != 0 {
		t.Errorf("after 20 of 24 hours: %v", w.types(id))
	}
	w.later(25 * time.Hour)
	w.work()
	if w.count(id, domain.ReviewAtRisk) != 1 || w.count(id, domain.ReviewOverdue) != 1 {
		t.Errorf("after 25 hours: %v", w.types(id))
	}
}

func first[T any](_ T, err error) error { return err }
