package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func TestMissingRateIsAnIncidentThatARateAndARetryMend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, mia := w.person("sam", domain.RoleSubmitter), w.person("mia", domain.RoleManager)
	w.desk.xml = []byte(string(invoiceXML("120.00", "R-1")))
	_, err := w.owner.Exec(w.ctx, `DELETE FROM rates WHERE currency = 'EUR'`)
	must(t, err)
	id := w.submit(sam, "rate")
	w.work()
	if c := w.kase(id); c.Status != domain.Incident {
		t.Fatalf("case is %s", c.Status)
	}
	runs, err := w.db.Reader().RunsOf(w.ctx, id)
	must(t, err)
	failed := runs[len(runs)-1]
	if failed.Node != "extract" || failed.Status != domain.RunIncident || failed.ErrorCode != domain.RateMissing || failed.Attempt != 1 {
		t.Errorf("the last run is %+v; a permanent error makes one attempt", failed)
	}
	must(t, w.hall.PutRate(w.ctx, domain.SystemActor(), "EUR", 1_100_000))
	_, err = w.hall.RetryIncident(w.ctx, mia, casework.OnCase{CaseID: id, ExpectedVersion: "7"})
	wantCode(t, err, domain.StaleVersion)
	_, err = w.hall.RetryIncident(w.ctx, mia, casework.OnCase{CaseID: id, ExpectedVersion: "1"})
	must(t, err)
	if c := w.kase(id); c.Status != domain.Processing {
		t.Errorf("after the retry was asked the case is %s", c.Status)
	}
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("case is %s", c.Status)
	}
	w.verify(id)
}

func TestWaysOutOfAFailedReading(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		out  func(w *world, sam domain.Actor, id domain.ID) error
		want domain.Status
	}{
		"replace": {func(w *world, sam domain.Actor, id domain.ID) error {
			w.desk.err = nil
			_, err := w.hall.ReplaceDocument(w.ctx, sam, casework.ReplaceDocument{OnCase: casework.OnCase{CaseID: id}, File: upload("better")})
			return err
		}, domain.Archived},
		"enter": {func(w *world, sam domain.Actor, id domain.ID) error {
			_, err := w.hall.EnterFields(w.ctx, sam, casework.EnterFields{OnCase: casework.OnCase{CaseID: id}, Fields: []casework.FieldInput{
				{Name: domain.FieldCurrency, Value: "eur"}, {Name: domain.FieldTotal, Value: "1,234.50"}, {Name: domain.FieldVendor, Value: "Hand GmbH"}}})
			return err
		}, domain.InReview},
		"abandon": {func(w *world, sam domain.Actor, id domain.ID) error {
			_, err := w.hall.AbandonCase(w.ctx, sam, casework.AbandonCase{OnCase: casework.OnCase{CaseID: id}, Reason: "sent twice"})
			return err
		}, domain.Abandoned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			sam := w.person("sam", domain.RoleSubmitter)
			w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
			id := w.submit(sam, "damaged")
			w.work()
			if c := w.kase(id); c.Status != domain.Incident || w.desk.calls != 1 {
				t.Fatalf("case is %s after %d readings", c.Status, w.desk.calls)
			}
			must(t, tc.out(w, sam, id))
			w.work()
			if c := w.kase(id); c.Status != tc.want || (tc.want == domain.Abandoned && c.OutcomeReason != "sent twice") {
				t.Errorf("case is %s (%q)", c.Status, c.OutcomeReason)
			}
			if !slices.Contains(w.types(id), domain.IncidentResolved) {
				t.Errorf("events %v", w.types(id))
			}
			w.verify(id)
		})
	}
}

func TestTheSameKeyDoesTheSameOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, sue := w.person("sam", domain.RoleSubmitter), w.person("sue", domain.RoleSubmitter)
	submit := func(by domain.Actor, content, key string) (casework.Submitted, error) {
		return w.hall.SubmitDocument(w.ctx, by, casework.SubmitDocument{File: upload(content), Once: casework.Once{Key: key}})
	}
	first, err := submit(sam, "a", "k-1")
	must(t, err)
	again, err := submit(sam, "a", "k-1")
	must(t, err)
	if again.CaseID != first.CaseID || again.Reference != first.Reference {
		t.Errorf("the same key led to %+v and %+v", first, again)
	}
	_, err = submit(sam, "b", "k-1")
	wantCode(t, err, domain.IdempotencyMismatch)
	other, err := submit(sue, "a", "k-1")
	must(t, err)
	if other.CaseID == first.CaseID || !slices.Contains(other.Twins, first.CaseID) {
		t.Errorf("another person's same key led to %+v", other)
	}
}

func TestALateResultIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	id := w.submit(sam, "slow")
	wake := w.bell.take()[0]
	w.desk.hold = func() { // the worker freezes past its lease, and another takes over and finishes
		w.desk.hold = nil
		_, err := w.owner.Exec(w.ctx, `UPDATE stage_runs SET lease_until = clock() - interval '1 s' WHERE case_id = $1 AND status = 'leased'`, id)
		must(t, err)
		_, err = w.hall.Sweep(w.ctx)
		must(t, err)
		w.work()
	}
	must(t, w.hall.RunStage(w.ctx, casework.Waking{CaseID: wake.CaseID, RunID: wake.RunID, Worker: "frozen"}))
	w.work()
	if c := w.kase(id); c.Status != domain.Archived || w.desk.calls != 2 {
		t.Errorf("case is %s after %d readings", c.Status, w.desk.calls)
	}
	archived := 0
	for _, kind := range w.types(id) {
		if kind == domain.CaseArchived {
			archived++
		}
	}
	if archived != 1 {
		t.Errorf("archived %d times", archived)
	}
	w.verify(id)
}
