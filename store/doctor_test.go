package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// A consistent database has no findings.
func TestDoctorFindsNothingInAConsistentDatabase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createCase()
	w.underReview()
	for name, ask := range checksOf(w) {
		if found, err := ask(); err != nil || len(found) != 0 {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
}

func checksOf(w *testEnv) map[string]func() ([]store.Inconsistency, error) {
	r := w.read()
	return map[string]func() ([]store.Inconsistency, error){
		"stalled cases": func() ([]store.Inconsistency, error) {
			return r.StalledCases(w.ctx, 10)
		},
		"mismatched incidents": func() ([]store.Inconsistency, error) {
			return r.MismatchedIncidents(w.ctx, 10)
		},
		"overdue runs": func() ([]store.Inconsistency, error) {
			return r.OverdueRuns(w.ctx, time.Minute, 10)
		},
		"runs of final cases": func() ([]store.Inconsistency, error) {
			return r.RunsOfFinalCases(w.ctx, 10)
		},
		"orphan rows": func() ([]store.Inconsistency, error) {
			return r.OrphanRows(w.ctx, 10)
		},
		"stray rows": func() ([]store.Inconsistency, error) {
			return r.DefaultPartitionRows(w.ctx)
		},
	}
}

// Each inconsistency is found by its own query, with its case.
func TestDoctorFindsEachInconsistency(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(w *testEnv, c domain.Case)
		found []string // the queries that report it
	}{
		"a case whose run vanished": {func(w *testEnv, _ domain.Case) {
			w.asOwner(`DELETE FROM stage_runs`)
		}, []string{"stalled cases"}},
		"an incident without a cause": {func(w *testEnv, _ domain.Case) {
			w.asOwner(`UPDATE cases SET status = 'incident'`)
		}, []string{"mismatched incidents"}},
		"a cause without an incident": {func(w *testEnv, _ domain.Case) {
			w.asOwner(`UPDATE stage_runs SET status = 'incident', ended_at = clock()`)
		}, []string{"mismatched incidents", "stalled cases"}},
		"overdue enqueue": {func(w *testEnv, _ domain.Case) {
			w.shiftClock(2 * time.Minute)
		}, []string{"overdue runs"}},
		"expired lease": {func(w *testEnv, _ domain.Case) {
			w.asOwner(`UPDATE stage_runs SET status = 'leased', lease_token = id,
				lease_until = clock() - interval '2 min', worker = 'dead'`)
		}, []string{"overdue runs"}},
		"a run of a case that is over": {func(w *testEnv, _ domain.Case) {
			w.asOwner(`UPDATE cases SET status = 'abandoned', manifest_key = 'm'`)
		}, []string{"runs of final cases"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			c, _ := w.createCase()
			tc.spoil(w, c)
			for check, ask := range checksOf(w) {
				found, err := ask()
				w.must(err)
				if slices.Contains(tc.found, check) != (len(found) == 1) ||
					(len(found) == 1 && (found[0].CaseID != c.ID ||
						found[0].Reference != c.Reference)) {
					t.Errorf("%s: %+v", check, found)
				}
			}
		})
	}
}

func TestDoctorFindsOrphanRowsAndDefaultPartitions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	kept, _ := w.createCase()
	far := w.createCaseAt(w.now().AddDate(9, 0, 0))
	stray, err := w.read().DefaultPartitionRows(w.ctx)
	w.must(err)
	tables := map[string]int64{}
	for _, row := range stray {
		tables[row.Object] = row.Count
	}
	if want := map[string]int64{"documents": 1, "events": 2,
		"stage_runs": 1}; !reflect.DeepEqual(tables, want) {
		t.Errorf("stray rows %v, want %v", tables, want)
	}
	w.asOwner(`DELETE FROM case_interests WHERE case_id = $1`, far.ID)
	w.asOwner(`DELETE FROM cases WHERE id = $1`, far.ID)
	w.inTx(func(tx *store.Tx) error { // a system stream's events are no orphans
		if _, err := tx.LockStream(w.ctx, domain.PolicyStream); err != nil {
			return err
		}
		return tx.AppendStream(w.ctx,
			[]domain.Event{event(domain.PolicyStream.ID, 1, domain.PolicyPublished,
				kept.CreatedAt)})
	})
	orphans, err := w.read().OrphanRows(w.ctx, 10)
	w.must(err)
	tables = map[string]int64{}
	for _, row := range orphans {
		tables[row.Object] = row.Count
		if row.CaseID != far.ID {
			t.Errorf("row %+v is of an existing case", row)
		}
	}
	if want := map[string]int64{"documents": 1, "events": 2,
		"stage_runs": 1}; !reflect.DeepEqual(tables, want) {
		t.Errorf("orphan rows %v, want %v", tables, want)
	}
	if first, err := w.read().OrphanRows(w.ctx, 1); err != nil || len(first) != 1 {
		t.Errorf("at most one: %v %v", first, err)
	}
}

func TestRunStatusesAndQueues(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	got, err := w.read().Run(w.ctx, c.ID, run.ID)
	w.must(err)
	if got.ID != run.ID || got.Node != run.Node || !got.RunAfter.Equal(run.RunAfter) {
		t.Errorf("run %+v", got)
	}
	_, err = w.read().Run(w.ctx, c.ID, domain.NewID())
	wantCode(t, err, domain.NotFound)
	states, err := w.read().RunStatuses(w.ctx, []domain.ID{c.ID, c.ID},
		[]domain.ID{run.ID, domain.NewID()})
	w.must(err)
	if want := map[domain.ID]domain.RunStatus{run.ID: domain.RunPending}; !reflect.DeepEqual(states,
		want) {
		t.Errorf("states %v", states)
	}
	later, _ := w.createCase()
	outside, _ := w.createCase()
	w.asOwner(`UPDATE stage_runs SET queue = 'external', topic = 'translation' WHERE case_id = $1`,
		outside.ID)
	queues, err := w.read().WaitingQueues(w.ctx)
	w.must(err)
	if want := []store.WaitingQueue{{Queue: "light", Runs: 2}}; !reflect.DeepEqual(queues, want) {
		t.Errorf("queues %v", queues)
	}
	waiting, err := w.read().WaitingRuns(w.ctx, "light", 10)
	w.must(err)
	if len(waiting) != 2 || waiting[0] != (store.WaitingRun{CaseID: c.ID, Reference: c.Reference,
		Node: run.Node, Kind: run.Kind, RunAfter: got.RunAfter}) ||
		waiting[1].CaseID != later.ID {
		t.Errorf("waiting %+v", waiting)
	}
	if first, err := w.read().WaitingRuns(w.ctx, "light", 1); err != nil || len(first) != 1 ||
		first[0].CaseID != c.ID {
		t.Errorf("at most one: %+v %v", first, err)
	}
}

// Events without a case or system stream are found page by page; those of existing streams are not.
func TestOrphanStreams(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createCase()
	w.inTx(func(tx *store.Tx) error {
		head, err := tx.LockStream(w.ctx, domain.PolicyStream)
		if err != nil || head.Case {
			t.Errorf("the policy's head %+v: %v", head, err)
		}
		return tx.AppendStream(w.ctx,
			[]domain.Event{event(domain.PolicyStream.ID, 1, domain.PolicyPublished, w.now())})
	})
	heads, err := w.read().Heads(w.ctx, domain.NoID, 10)
	w.must(err)
	cases := 0
	for _, head := range heads {
		if head.Case {
			cases++
		}
	}
	if cases != 1 || len(heads) < 2 {
		t.Errorf("heads %+v", heads)
	}
	if found, err := w.read().OrphanStreams(w.ctx, domain.NoID, 10); err != nil || len(found) != 0 {
		t.Errorf("in order: %+v %v", found, err)
	}
	deleted, _ := w.createCase()
	w.asOwner(`DELETE FROM case_interests WHERE case_id = $1`, deleted.ID)
	w.asOwner(`DELETE FROM cases WHERE id = $1`, deleted.ID)
	w.asOwner(`DELETE FROM streams WHERE id = $1`, domain.PolicyStream.ID)
	first, err := w.read().OrphanStreams(w.ctx, domain.NoID, 1)
	w.must(err)
	if want := []store.OrphanStream{{Stream: domain.PolicyStream.ID, FirstSeq: 1,
		EventCount: 1}}; !reflect.DeepEqual(first, want) {
		t.Fatalf("first %+v", first)
	}
	rest, err := w.read().OrphanStreams(w.ctx, first[0].Stream, 10)
	w.must(err)
	if want := []store.OrphanStream{{Stream: deleted.ID, FirstSeq: 1,
		EventCount: 2}}; !reflect.DeepEqual(rest, want) {
		t.Errorf("rest %+v", rest)
	}
}

func TestRowsAndBlobs(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	var cases []domain.Case
	for range 3 {
		c, _ := w.createCase()
		change := nextChange(c, w.now())
		change.Case.ManifestKey = c.ID.String() + "/manifest"
		change.Pages = []domain.Page{{CaseID: c.ID, Revision: 1, Number: 1,
			RasterKey: c.ID.String() + "/raster", Source: domain.SourceOCR}}
		w.apply(change)
		cases = append(cases, c)
	}
	var all []store.BlobReference
	after := domain.NoID
	for {
		rows, last, err := w.read().BlobReferences(w.ctx, after, 2)
		w.must(err)
		if last == domain.NoID {
			break
		}
		all, after = append(all, rows...), last
	}
	what := map[string]int{}
	for _, row := range all {
		what[row.Kind]++
	}
	if want := map[string]int{"document": 3, "page image": 3,
		"manifest": 3}; !reflect.DeepEqual(what, want) {
		t.Errorf("named files %v, want %v", what, want)
	}
	id := cases[0].ID.String()
	unknown, err := w.read().UnreferencedBlobs(w.ctx, []string{id + "/aa", id + "/raster",
		id + "/manifest", id + "/other", domain.NewID().String() + "/aa"})
	w.must(err)
	if len(unknown) != 2 || !slices.Contains(unknown, id+"/other") {
		t.Errorf("unknown %v", unknown)
	}
}
