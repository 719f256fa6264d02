package store_test

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func TestApplyCreatesACase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	change := w.newCaseChange(w.person(domain.RoleSubmitter).ID, w.party("acme"))
	w.apply(change)

	got, err := w.read().Case(w.ctx, change.Case.ID)
	w.must(err)
	if !reflect.DeepEqual(got, change.Case) {
		t.Errorf("read\n%+v, wrote\n%+v", got, change.Case)
	}
	byReference, err := w.read().CaseByReference(w.ctx, change.Case.Reference)
	w.must(err)
	if byReference.ID != change.Case.ID {
		t.Errorf("by reference: %v", byReference.ID)
	}
	document, err := w.read().Document(w.ctx, change.Case.ID)
	w.must(err)
	if !reflect.DeepEqual(document, *change.Document) {
		t.Errorf("document\n%+v, wrote\n%+v", document, *change.Document)
	}
	reading, err := w.read().EventsAfter(w.ctx, change.Case.ID, 0, 10)
	w.must(err)
	if reading.AuthorityVersion != 1 || reading.LastSeq != change.Case.LastSeq ||
		reading.Status != change.Case.Status ||
		!reflect.DeepEqual(reading.Events, change.Events) {
		t.Errorf("read\n%+v, wrote\n%+v", reading, change.Events)
	}
	runs, err := w.read().RunsOf(w.ctx, change.Case.ID)
	w.must(err)
	want := change.Runs[0]
	if len(runs) != 1 || runs[0].Status != domain.RunPending ||
		!runs[0].NextEnqueueAt.Equal(want.RunAfter.Add(5*time.Second)) ||
		!runs[0].LeaseUntil.IsZero() || !runs[0].EndedAt.IsZero() || runs[0].Queue != want.Queue ||
		runs[0].ID != want.ID {
		t.Errorf("runs %+v, wrote %+v", runs, want)
	}
	bars, err := w.read().Exclusions(w.ctx, change.Case.ID, []domain.ID{change.Case.PartyID})
	w.must(err)
	if len(bars.Interested) != 1 || bars.Interested[0] != change.Case.Submitter {
		t.Errorf("interested %v", bars.Interested)
	}
	if n := w.rows("events", "txid = (SELECT last_txid FROM cases WHERE id = case_id)"); n != 2 {
		t.Errorf("%d events carry the case's transaction id, want 2", n)
	}
}

func TestApplyWithLease(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	token := domain.NewID()
	leased, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, token, "worker-1", 10*time.Second)
	w.must(err)
	if !reflect.DeepEqual(leased.Case, c) || leased.Run.LeaseToken != token ||
		leased.Run.Status != domain.RunLeased {
		t.Fatalf("leased %+v", leased)
	}

	change := nextChange(c, leased.Now)
	change.Case.Status = domain.Processing
	change.Lease = &store.Lease{RunID: run.ID, Token: token}
	change.RunResult = store.RunResult{Status: domain.RunDone}
	follow := stageRun(c.ID, "extract", leased.Now)
	follow.Status, follow.LeaseToken, follow.LeaseUntil, follow.Worker = domain.RunLeased, token,
		leased.Now.Add(10*time.Second), "worker-1"
	change.Runs = []domain.StageRun{follow}
	written, err := w.db.Autocommit().Apply(w.ctx, change)
	w.must(err)
	if !written {
		t.Fatal("not written")
	}
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	if runs[0].Status != domain.RunDone || runs[0].Failures != 0 || runs[0].EndedAt.IsZero() {
		t.Errorf("ended run %+v", runs[0])
	}
	if runs[1].Status != domain.RunLeased || runs[1].LeaseToken != token ||
		!runs[1].LeaseUntil.Equal(follow.LeaseUntil) {
		t.Errorf("follower %+v", runs[1])
	}

	failed := nextChange(change.Case, leased.Now)
	failed.Lease = &store.Lease{RunID: follow.ID, Token: token}
	failed.RunResult = store.RunResult{Status: domain.RunIncident, ErrorCode: domain.EngineFailed,
		ErrorText: "no words"}
	failed.Case.Status = domain.Incident
	written, err = w.db.Autocommit().Apply(w.ctx, failed)
	w.must(err)
	incidents, err := w.read().Incidents(w.ctx, domain.All(), 10)
	w.must(err)
	if !written || len(incidents) != 1 || incidents[0].ID != follow.ID ||
		incidents[0].Failures != 1 ||
		incidents[0].ErrorCode != domain.EngineFailed || incidents[0].ErrorText != "no words" {
		t.Errorf("incidents %+v", incidents)
	}
}

// dumpCase reads everything that a change could have written.
func (w *testEnv) dumpCase(c domain.ID) string {
	w.t.Helper()
	var text string
	w.must(w.owner.QueryRow(w.ctx,
		`SELECT concat((SELECT jsonb_agg(to_jsonb(x) ORDER BY x.id) FROM cases x),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.seq) FROM events x WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.id) FROM stage_runs x),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.name) FROM fields x),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.id) FROM reviews x),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.id) FROM documents x),
		(SELECT jsonb_agg(to_jsonb(x)) FROM findings x),
		(SELECT jsonb_agg(to_jsonb(x)) FROM pages x),
		(SELECT jsonb_agg(to_jsonb(x)) FROM case_interests x))`, c).Scan(&text))
	return text
}

// fullChange is a change that touches every table.
func fullChange(c domain.Case, now time.Time, lease *store.Lease) *store.Change {
	change := nextChange(c, now)
	change.Lease, change.RunResult = lease, store.RunResult{Status: domain.RunDone}
	change.Runs = []domain.StageRun{stageRun(c.ID, "extract", now)}
	change.Fields = []domain.Field{{Name: domain.FieldTotal, Raw: "1", Normalised: "1",
		Source: domain.SourceOCR}}
	change.Pages = []domain.Page{{CaseID: c.ID, Revision: 1, Number: 1, RasterKey: "k",
		Source: domain.SourceOCR}}
	change.StageFindings = []store.StageFindings{{Stage: "validate",
		Findings: []domain.Finding{{Rule: "r", Severity: domain.SeverityInfo}}}}
	change.NewReviews = []domain.Review{openReview(c, "review", now)}
	change.Interests = []domain.Interest{{CaseID: c.ID, Person: c.Submitter,
		Reason: domain.InterestSetAmount}}
	return change
}

func TestApplyRefusedWritesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil   func(w *testEnv, change *store.Change)
		code    domain.Code // "" = not written without an error
		noLease bool
	}{
		"stale version": {spoil: func(_ *testEnv, change *store.Change) {
			change.ExpectedVersion = 99
		}},
		"stale version without a lease": {noLease: true,
			spoil: func(_ *testEnv, change *store.Change) {
				change.ExpectedVersion = 99
			}},
		"another's lease": {code: domain.LeaseLost,
			spoil: func(_ *testEnv, change *store.Change) { change.Lease.Token = domain.NewID() }},
		"lease lost and version stale": {code: domain.LeaseLost,
			spoil: func(_ *testEnv, change *store.Change) {
				change.Lease.Token, change.ExpectedVersion = domain.NewID(), 99
			}},
		"run ended in the meantime": {code: domain.LeaseLost,
			spoil: func(w *testEnv, change *store.Change) {
				w.asOwner(`UPDATE stage_runs SET status = 'cancelled' WHERE id = $1`,
					change.Lease.RunID)
			}},
		"stale review": {spoil: func(w *testEnv, change *store.Change) {
			change.NewReviews[0].Version = 7
			change.ReviewUpdates, change.NewReviews = change.NewReviews, nil
		}},
		"a field that cannot be stored": {code: domain.InvalidInput,
			spoil: func(_ *testEnv, change *store.Change) { change.Fields[0].Raw = "a\x00b" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			c, run := w.createCase()
			lease := &store.Lease{RunID: run.ID, Token: domain.NewID()}
			leased, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, lease.Token, "w",
				time.Minute)
			w.must(err)
			if tc.noLease {
				lease = nil
			}
			change := fullChange(c, leased.Now, lease)
			tc.spoil(w, change)
			before := w.dumpCase(c.ID)
			written, err := w.db.Autocommit().Apply(w.ctx, change)
			if written {
				t.Error("reported as written")
			}
			if tc.code == "" {
				w.must(err)
			} else {
				wantCode(t, err, tc.code)
			}
			if after := w.dumpCase(c.ID); after != before {
				t.Errorf("something was written:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// The lease is revoked by a transaction that commits while the step already waits for the case.
func TestApplyLosesItsLeaseWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	token := domain.NewID()
	leased, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, token, "w", time.Minute)
	w.must(err)
	blocker, err := w.owner.Begin(w.ctx)
	w.must(err)
	_, err = blocker.Exec(w.ctx, `SELECT FROM cases WHERE id = $1 FOR UPDATE`, c.ID)
	w.must(err)
	_, err = blocker.Exec(w.ctx, `UPDATE stage_runs SET status = 'pending', lease_token = $2
		WHERE id = $1`, run.ID, domain.NoID)
	w.must(err)

	answer := make(chan error, 1)
	go func() {
		_, err := w.db.Autocommit().Apply(w.ctx,
			fullChange(c, leased.Now, &store.Lease{RunID: run.ID, Token: token}))
		answer <- err
	}()
	w.waitForLock()
	w.must(blocker.Commit(w.ctx))
	wantCode(t, <-answer, domain.LeaseLost)
	if got, err := w.read().Case(w.ctx, c.ID); err != nil || got.Version != c.Version {
		t.Errorf("version %d, want %d: %v", got.Version, c.Version, err)
	}
	if n := w.rows("events", "seq > 2"); n != 0 {
		t.Errorf("%d events written", n)
	}
}

// waitForLock returns when a connection of this database waits for a lock.
func (w *testEnv) waitForLock() {
	w.t.Helper()
	const query = `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE a.datname = current_database() AND NOT l.granted)`
	for deadline := w.now().Add(time.Minute); w.now().Before(deadline); {
		var waits bool
		w.must(w.owner.QueryRow(w.ctx, query).Scan(&waits))
		if waits {
			return
		}
	}
	w.t.Fatal("no connection waits for a lock")
}

// Of many steps that read the same version, one is written.
func TestApplyRace(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	now := w.now()
	const racers = 16
	var wins sync.Map
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() {
			written, err := w.db.Autocommit().Apply(w.ctx, nextChange(c, now))
			if err != nil {
				t.Error(err)
			}
			if written {
				wins.Store(i, true)
			}
		})
	}
	group.Wait()
	count := 0
	wins.Range(func(any, any) bool { count++; return true })
	if count != 1 || w.rows("events", "seq = 3") != 1 {
		t.Errorf("%d steps were written, %d events", count, w.rows("events", "seq = 3"))
	}
}

func TestApplyReplacesPagesAndFields(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	box := &domain.Box{X: 1, Y: 2, W: 3, H: 4}
	first := nextChange(c, w.now())
	first.Fields = []domain.Field{
		{Name: "total", Raw: "1,00", Normalised: "1.00", Page: 1, Box: box, Confidence: 0.5,
			Source: domain.SourceOCR, Grounded: true, Revision: 1},
		{Name: "date", Raw: "x", Source: domain.SourceOCR, Revision: 1},
		{Name: "vendor", Raw: "Me", Normalised: "me", Source: domain.SourceHuman, Revision: 1,
			SetBy: c.Submitter}}
	first.Pages = []domain.Page{
		{CaseID: c.ID, Revision: 1, Number: 1, RasterKey: "a", Width: 10, Height: 20, DPI: 300,
			Rotation: 90, Source: domain.SourceOCR, Engine: "both", Text: "one",
			Words: []domain.Word{{Text: "ünï", Box: *box, Confidence: 0.25, Line: 3}}},
		{CaseID: c.ID, Revision: 1, Number: 2, RasterKey: "b", Width: 1, Height: 2, DPI: 72,
			Source: domain.SourceText}}
	first.StageFindings = []store.StageFindings{
		{Stage: "validate", Findings: []domain.Finding{
			{Rule: "old", RuleVersion: 1, Severity: domain.SeverityInfo, Score: 1, Message: "m",
				Revision: 1},
			{Rule: "kept", RuleVersion: 1, Severity: domain.SeverityInfo, Score: 2, Message: "m",
				Revision: 1}}},
		{Stage: "assess", Findings: []domain.Finding{{Rule: "kept", RuleVersion: 1,
			Severity: domain.SeverityBlocking, Score: 50, Message: "n"}}}}
	w.apply(first)

	fields, err := w.read().Fields(w.ctx, c.ID)
	w.must(err)
	if len(fields) != 3 || !reflect.DeepEqual(fields[1].Field, first.Fields[0]) ||
		!reflect.DeepEqual(fields[2].Field, first.Fields[2]) {
		t.Errorf("fields %+v", fields)
	}
	pages, err := w.read().Pages(w.ctx, c.ID, 1)
	w.must(err)
	first.Pages[1].Words = []domain.Word{}
	if !reflect.DeepEqual(pages, first.Pages) {
		t.Errorf("pages\n%+v, wrote\n%+v", pages, first.Pages)
	}

	second := nextChange(first.Case, w.now())
	second.DeleteFieldSources = machineSources
	second.Fields = []domain.Field{{Name: "total", Raw: "2", Normalised: "2.00",
		Source: domain.SourceXML, Confidence: 1, Revision: 2}}
	second.Pages = []domain.Page{{CaseID: c.ID, Revision: 1, Number: 1, RasterKey: "c",
		Source: domain.SourceText, Text: "again"}}
	second.StageFindings = []store.StageFindings{{Stage: "validate", Findings: []domain.Finding{
		{Rule: "kept", RuleVersion: 2, Severity: domain.SeverityWarning, Score: 3, Message: "new",
			Evidence: map[string]string{"a": "b"}, Revision: 2}}}}
	w.apply(second)

	fields, err = w.read().Fields(w.ctx, c.ID)
	w.must(err)
	if len(fields) != 2 || !reflect.DeepEqual(fields[0].Field, second.Fields[0]) ||
		fields[1].Source != domain.SourceHuman {
		t.Errorf("after the second reading: %+v", fields)
	}
	pages, err = w.read().Pages(w.ctx, c.ID, 1)
	w.must(err)
	if len(pages) != 2 || pages[0].RasterKey != "c" || pages[1].RasterKey != "b" {
		t.Errorf("pages after the second reading: %+v", pages)
	}
	findings, err := w.read().Findings(w.ctx, c.ID)
	w.must(err)
	want := second.StageFindings[0].Findings[0]
	if len(findings) != 2 || findings[0].Stage != "assess" ||
		!reflect.DeepEqual(findings[1].Finding, want) {
		t.Errorf("findings %+v", findings)
	}

	third := nextChange(second.Case, w.now())
	third.DeleteFieldSources, third.StageFindings = machineSources,
		[]store.StageFindings{{Stage: "assess"}}
	w.apply(third)
	if n, m := w.rows("fields", "true"), w.rows("findings", "true"); n != 1 || m != 1 {
		t.Errorf("%d fields and %d findings left, want 1 and 1", n, m)
	}
}

func TestApplyReviews(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	got, err := w.read().Review(w.ctx, review.ID)
	w.must(err)
	review.CreatedAt = got.CreatedAt
	if !reflect.DeepEqual(got, review) || got.CreatedAt.IsZero() {
		t.Errorf("opened\n%+v, wrote\n%+v", got, review)
	}
	reviewer := w.person(domain.RoleL1)
	_, claimed := w.claim(c, review, reviewer.ID)
	got, err = w.read().Review(w.ctx, review.ID)
	w.must(err)
	if !reflect.DeepEqual(got, claimed) {
		t.Errorf("claimed\n%+v, wrote\n%+v", got, claimed)
	}
	all, err := w.read().ReviewsOf(w.ctx, c.ID)
	w.must(err)
	if len(all) != 1 {
		t.Errorf("reviews of the case: %+v", all)
	}
	other, unheld := w.underReview()
	named, err := w.read().ReviewsWithAssignees(w.ctx, c.ID, other.ID)
	w.must(err)
	if len(named) != 2 || !reflect.DeepEqual(named[0].Review, claimed) ||
		named[0].AssigneeName != reviewer.Name ||
		named[1].ID != unheld.ID || named[1].AssigneeName != "" {
		t.Errorf("with their holders' names: %+v", named)
	}
	loads, err := w.read().OpenReviewCounts(w.ctx, []domain.ID{reviewer.ID, c.Submitter})
	w.must(err)
	if loads[reviewer.ID] != 1 || loads[c.Submitter] != 0 {
		t.Errorf("loads %v", loads)
	}
}

func TestApplyCancels(t *testing.T) {
	t.Parallel()
	statuses := func(w *testEnv, c domain.ID) map[string]domain.RunStatus {
		runs, err := w.read().RunsOf(w.ctx, c)
		w.must(err)
		found := map[string]domain.RunStatus{}
		for _, run := range runs {
			found[run.Node] = run.Status
		}
		return found
	}
	prepare := func(w *testEnv) (domain.Case, *store.Lease) {
		c, run := w.createCase()
		change := nextChange(c, w.now())
		for _, node := range []string{"a", "b", "done"} {
			change.Runs = append(change.Runs, stageRun(c.ID, node, change.Case.UpdatedAt))
		}
		w.apply(change)
		w.asOwner(`UPDATE stage_runs SET status = 'done' WHERE node = 'done'`)
		w.asOwner(`UPDATE stage_runs SET status = 'incident' WHERE node = 'b'`)
		lease := &store.Lease{RunID: run.ID, Token: domain.NewID()}
		_, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, lease.Token, "w", time.Minute)
		w.must(err)
		return change.Case, lease
	}
	t.Run("nodes", func(t *testing.T) {
		t.Parallel()
		w := newTestEnv(t)
		c, lease := prepare(w)
		change := nextChange(c, w.now())
		change.CancelNodes = []store.NodeRuns{{Node: "b"},
			{Node: "read", Kind: domain.RunKindStage}}
		change.Lease, change.RunResult = lease, store.RunResult{Status: domain.RunDone}
		w.apply(change)
		want := map[string]domain.RunStatus{"read": domain.RunDone, "a": domain.RunPending,
			"b": domain.RunCancelled, "done": domain.RunDone}
		if got := statuses(w, c.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("all", func(t *testing.T) {
		t.Parallel()
		w := newTestEnv(t)
		c, _ := prepare(w)
		change := nextChange(c, w.now())
		change.CancelAll = true
		w.apply(change)
		want := map[string]domain.RunStatus{"read": domain.RunCancelled, "a": domain.RunCancelled,
			"b": domain.RunCancelled, "done": domain.RunDone}
		if got := statuses(w, c.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// A second document is a new revision, and the newest revision is current.
func TestApplyReplacesTheDocument(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	change := w.newCaseChange(w.person().ID, domain.NoID)
	w.apply(change)
	replacement := *change.Document
	replacement.ID, replacement.Revision, replacement.FileName = domain.NewID(), 2, "better.pdf"
	second := nextChange(change.Case, w.now())
	second.Document = &replacement
	w.apply(second)
	all, err := w.read().Documents(w.ctx, change.Case.ID)
	w.must(err)
	newest, err := w.read().Document(w.ctx, change.Case.ID)
	w.must(err)
	if len(all) != 2 || all[0].Revision != 2 || newest.FileName != "better.pdf" {
		t.Errorf("documents %+v, newest %+v", all, newest)
	}
	if _, err := w.read().Document(w.ctx, domain.NewID()); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("no document: %v", err)
	}
}
