package store_test

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// BenchmarkHot measures the statements that process a document, with two years of partitions, under
// each way of planning. Run it with -benchtime=2s -cpu=1; the time is that of the round trip on the
// loopback, including Postgres.
func BenchmarkHot(b *testing.B) {
	for _, mode := range []string{"auto", "force_custom_plan", "force_generic_plan"} {
		b.Run(mode, func(b *testing.B) {
			w := newTestEnvOn(b, pgtest.NewWith(b, schemaOfTwoYears(b)))
			submitter := w.person().ID
			var cases []domain.Case
			for range 2000 {
				change := w.newCaseChange(submitter, domain.NoID)
				change.NewReviews = []domain.Review{openReview(change.Case, "review",
					change.Case.CreatedAt)}
				change.Fields = []domain.Field{{Name: "total", Raw: "1", Source: domain.SourceOCR},
					{Name: "date", Raw: "1", Source: domain.SourceOCR}}
				w.apply(change)
				cases = append(cases, change.Case)
			}
			w.asOwner("ANALYZE")
			separator := "?"
			if strings.Contains(w.database.AppURL, "?") {
				separator = "&"
			}
			w.db = w.open(w.database.AppURL + separator + "plan_cache_mode=" + mode +
				"&pool_max_conns=1")
			benchSteps(b, w, cases)
			benchReads(b, w, cases)
		})
	}
}

func benchSteps(b *testing.B, w *testEnv, cases []domain.Case) {
	run := 0
	b.Run("lease and apply", func(b *testing.B) {
		for b.Loop() {
			i := run % len(cases)
			run++
			next := applyStep(w, cases[i])
			cases[i] = next
		}
	})
	w.asOwner(`UPDATE stage_runs SET status = 'pending'`)
	w.asOwner("VACUUM ANALYZE stage_runs")
	b.Run("sweep of 1000", func(b *testing.B) {
		for b.Loop() {
			w.asOwner(`UPDATE stage_runs SET next_ring_at = clock(), lease_until = '-infinity'`)
			_, err := w.db.Autocommit().Sweep(w.ctx, 1000)
			w.must(err)
		}
	})
	w.asOwner("VACUUM ANALYZE stage_runs")
	b.Run("sweep of none", func(b *testing.B) {
		w.asOwner(`UPDATE stage_runs SET next_ring_at = clock() + interval '1 h'`)
		for b.Loop() {
			_, err := w.db.Autocommit().Sweep(w.ctx, 1000)
			w.must(err)
		}
	})
}

// applyStep leases the case's newest run and ends it, opening the next.
func applyStep(w *testEnv, c domain.Case) domain.Case {
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	lease := &store.Lease{RunID: runs[len(runs)-1].ID, Token: domain.NewID()}
	leased, err := w.db.Autocommit().Lease(w.ctx, c.ID, lease.RunID, lease.Token, "w", time.Minute)
	w.must(err)
	change := nextChange(leased.Case, leased.Now)
	change.Lease, change.RunResult = lease, store.RunResult{Status: domain.RunDone}
	change.Runs = []domain.StageRun{stageRun(c.ID, "extract", leased.Now)}
	change.Runs[0].Attempt = len(runs) + 1
	written, err := w.db.Autocommit().Apply(w.ctx, change)
	w.must(err)
	if !written {
		w.t.Fatal("not written")
	}
	return change.Case
}

func benchReads(b *testing.B, w *testEnv, cases []domain.Case) {
	ids := make([]domain.ID, 0, 50)
	for _, c := range cases[:50] {
		ids = append(ids, c.ID)
	}
	reads := map[string]func() error{
		"events after": func() error {
			_, err := w.read().EventsAfter(w.ctx, ids[0], 1, 100)
			return err
		},
		"fields of 1":  func() error { _, err := w.read().Fields(w.ctx, ids[0]); return err },
		"fields of 50": func() error { _, err := w.read().Fields(w.ctx, ids...); return err },
		"runs of 1":    func() error { _, err := w.read().RunsOf(w.ctx, ids[0]); return err },
		"last events of 50": func() error {
			_, err := w.read().LastEvents(w.ctx, 5, ids...)
			return err
		},
		"related cases": func() error {
			_, err := w.read().RelatedCases(w.ctx, relatedQuery(ids[0], ids[0], "R-1", ids[0][:]))
			return err
		},
		"queue page": func() error {
			_, err := w.read().QueuePage(w.ctx, queueFilter(), store.DueAny, nil, 50)
			return err
		},
		"pulse of 50": func() error {
			_, err := w.read().WatchState(w.ctx, ids, ids, ids)
			return err
		},
	}
	for name, read := range reads {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.must(read())
			}
		})
	}
}

// queueFilter is the policy's filter for a level-1 reviewer.
func queueFilter() domain.Filter {
	person := domain.NewID()
	return domain.All(domain.Where(domain.ColStatus, "==", "open"),
		domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in",
			Values: []string{"L1"}}}, domain.Where(domain.ColBaseMinor, "<=", int64(50000000)),
		domain.Without(domain.AntiVote, person), domain.Without(domain.AntiInterest, person),
		domain.Without(domain.AntiConflict, person))
}
