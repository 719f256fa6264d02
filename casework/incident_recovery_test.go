package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func TestMissingRateIncidentIsRepairedByRetry(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	env.reader.xml = []byte(string(invoiceXML("120.00", "R-1")))
	_, err := env.owner.Exec(env.ctx, `DELETE FROM rates WHERE currency = 'EUR'`)
	must(t, err)
	id := env.submit(sam, "rate")
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Incident {
		t.Fatalf("case is %s", c.Status)
	}
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(t, err)
	failed := runs[len(runs)-1]
	if failed.Node != "extract" || failed.Status != domain.RunIncident ||
		failed.ErrorCode != domain.RateMissing || failed.Attempt != 1 {
		t.Errorf("the last run is %+v; a permanent error is not retried", failed)
	}
	must(t, env.svc.SeedRate(env.ctx, "EUR", 1_100_000))
	_, err = env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id,
		ExpectedVersion: "7"})
	wantCode(t, err, domain.StaleVersion)
	_, err = env.svc.RetryIncident(env.ctx, mia, casework.CaseTarget{CaseID: id,
		ExpectedVersion: "1"})
	must(t, err)
	if c := env.caseByID(id); c.Status != domain.Processing {
		t.Errorf("after the retry was requested the case is %s", c.Status)
	}
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("case is %s", c.Status)
	}
	env.verifyCaseLog(id)
}

func TestRecoveryFromFailedReading(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		out  func(env *testEnv, sam domain.Actor, id domain.ID) error
		want domain.Status
	}{
		"replace": {func(env *testEnv, sam domain.Actor, id domain.ID) error {
			env.reader.err = nil
			_, err := env.svc.ReplaceDocument(env.ctx, sam,
				casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
					File: upload("better")})
			return err
		}, domain.Archived},
		"enter": {func(env *testEnv, sam domain.Actor, id domain.ID) error {
			_, err := env.svc.EnterFields(env.ctx, sam,
				casework.EnterFields{CaseTarget: casework.CaseTarget{CaseID: id},
					Fields: []casework.FieldInput{
						{Name: domain.FieldCurrency, Value: "eur"},
						{Name: domain.FieldTotal, Value: "1,234.50"},
						{Name: domain.FieldVendor, Value: "Hand GmbH"}}})
			return err
		}, domain.InReview},
		"abandon": {func(env *testEnv, sam domain.Actor, id domain.ID) error {
			_, err := env.svc.AbandonCase(env.ctx, sam,
				casework.AbandonCase{CaseTarget: casework.CaseTarget{CaseID: id},
					Reason: "sent twice"})
			return err
		}, domain.Abandoned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.knowVendors()
			sam := env.person("sam", domain.RoleSubmitter)
			env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
			id := env.submit(sam, "damaged")
			env.drainQueue()
			if c := env.caseByID(id); c.Status != domain.Incident || env.reader.calls != 1 {
				t.Fatalf("case is %s after %d readings", c.Status, env.reader.calls)
			}
			must(t, tc.out(env, sam, id))
			env.drainQueue()
			if c := env.caseByID(id); c.Status != tc.want ||
				(tc.want == domain.Abandoned && c.OutcomeReason != "sent twice") {
				t.Errorf("case is %s (%q)", c.Status, c.OutcomeReason)
			}
			if !slices.Contains(env.eventTypes(id), domain.IncidentResolved) {
				t.Errorf("events %v", env.eventTypes(id))
			}
			env.verifyCaseLog(id)
		})
	}
}

func TestIdempotencyKeyReplays(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	submit := func(by domain.Actor, content, key string) (casework.SubmitResult, error) {
		return env.svc.SubmitDocument(env.ctx, by,
			casework.SubmitDocument{File: upload(content), Once: casework.Once{Key: key}})
	}
	first, err := submit(sam, "a", "k-1")
	must(t, err)
	again, err := submit(sam, "a", "k-1")
	must(t, err)
	if again.CaseID != first.CaseID || again.Reference != first.Reference {
		t.Errorf("the same key returned %+v and %+v", first, again)
	}
	_, err = submit(sam, "b", "k-1")
	wantCode(t, err, domain.IdempotencyMismatch)
	other, err := submit(sue, "a", "k-1")
	must(t, err)
	if other.CaseID == first.CaseID || !slices.Contains(other.Twins, first.CaseID) {
		t.Errorf("the same key of another user returned %+v", other)
	}
}

func TestLateResultIsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.submit(sam, "slow")
	pendingRun := env.notifier.drain()[0]
	// The worker is suspended beyond its lease; another worker takes over and finishes.
	env.reader.onOpen = func() {
		env.reader.onOpen = nil
		_, err := env.owner.Exec(env.ctx,
			`UPDATE stage_runs SET lease_until = clock() - interval '1 s' WHERE case_id = $1 AND status = 'leased'`, id)
		must(t, err)
		_, err = env.svc.Sweep(env.ctx)
		must(t, err)
		env.drainQueue()
	}
	must(t, env.svc.RunStage(env.ctx,
		casework.RunRequest{CaseID: pendingRun.CaseID, RunID: pendingRun.RunID, Worker: "frozen"}))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived || env.reader.calls != 2 {
		t.Errorf("case is %s after %d readings", c.Status, env.reader.calls)
	}
	archived := 0
	for _, kind := range env.eventTypes(id) {
		if kind == domain.CaseArchived {
			archived++
		}
	}
	if archived != 1 {
		t.Errorf("archived %d times", archived)
	}
	env.verifyCaseLog(id)
}
