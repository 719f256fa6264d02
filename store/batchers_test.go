package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// runConcurrently calls do n times side by side.
func runConcurrently(n int, do func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

// Batched reads return what single reads inside a transaction return.
func TestBatchedReadsEqualSingleReads(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	var cases []domain.Case
	for i := range 6 {
		change := w.newCaseChange(w.person(domain.RoleSubmitter).ID,
			w.party(fmt.Sprintf("p%d", i/2)))
		change.Fields = []domain.Field{{Name: "total", Raw: fmt.Sprint(i),
			Source: domain.SourceOCR}}
		change.StageFindings = []store.StageFindings{{Stage: "validate",
			Findings: []domain.Finding{{Rule: "r", Severity: domain.SeverityInfo, Score: i}}}}
		if i%2 == 0 {
			change.NewReviews = []domain.Review{openReview(change.Case, "review",
				change.Case.CreatedAt)}
		}
		w.apply(change)
		cases = append(cases, change.Case)
	}
	missing := domain.NewID()
	ask := func(r store.Reader, c domain.Case) []any {
		var got []any
		note := func(value any, err error) { got = append(got, value, domain.CodeOf(err)) }
		note(asAny(r.Case(w.ctx, c.ID)))
		note(asAny(r.Case(w.ctx, missing)))
		note(asAny(r.User(w.ctx, c.Submitter)))
		note(asAny(r.User(w.ctx, missing)))
		note(asAny(r.Documents(w.ctx, c.ID)))
		note(asAny(r.Fields(w.ctx, c.ID)))
		note(asAny(r.Findings(w.ctx, c.ID)))
		note(asAny(r.ReviewsOf(w.ctx, c.ID)))
		note(asAny(r.Decisions(w.ctx, c.ID)))
		note(asAny(r.Exclusions(w.ctx, c.ID, c.Parties())))
		related, err := r.RelatedCases(w.ctx, relatedQuery(c.ID, c.PartyID, "R-1", hash32()))
		related.SumsAt = time.Time{}
		note(related, err)
		note(asAny(r.RateAt(w.ctx, "USD", c.CreatedAt)))
		note(asAny(r.RateAt(w.ctx, "XXX", c.CreatedAt)))
		note(asAny(r.EventsAfter(w.ctx, c.ID, 1, 10)))
		note(asAny(r.EventsAfter(w.ctx, c.ID, 99, 10)))
		note(asAny(r.EventsAfter(w.ctx, missing, 0, 10)))
		note(asAny(r.EventsAfter(w.ctx, domain.PeopleStream.ID, 0, 10)))
		return got
	}
	alone := make([][]any, len(cases))
	for i, c := range cases {
		w.inTx(func(tx *store.Tx) error { alone[i] = ask(tx.Reader, c); return nil })
	}
	runConcurrently(4*len(cases), func(i int) {
		got, want := ask(w.read(), cases[i%len(cases)]), alone[i%len(cases)]
		for j := range got {
			if fmt.Sprintf("%+v", got[j]) != fmt.Sprintf("%+v", want[j]) {
				t.Errorf("answer %d: together %+v, alone %+v", j, got[j], want[j])
			}
		}
	})
}

func asAny[A any](value A, err error) (any, error) { return value, err }

// Of many concurrent requests for a new party one creates it, and all return the same.
func TestPartiesInOneBatch(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const n = 24
	ids := make([]domain.ID, n)
	var created atomic.Int64
	runConcurrently(n, func(i int) {
		id, isNew, err := w.db.Autocommit().EnsureParty(w.ctx, fmt.Sprint("party ", i%3), "P")
		if err != nil {
			t.Error(err)
		}
		if ids[i] = id; isNew {
			created.Add(1)
		}
	})
	for i := range ids {
		if ids[i] != ids[i%3] {
			t.Errorf("party %d: %v and %v", i%3, ids[i], ids[i%3])
		}
	}
	if n := w.rows("parties", "true"); n != 3 || created.Load() != 3 {
		t.Errorf("%d parties, %d times new", n, created.Load())
	}
}

// A result is never older than its request.
func TestAnswersAreNotOlderThanTheirQuestions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	runConcurrently(8, func(int) {
		last := w.now()
		for range 100 {
			now, err := w.read().Clock(w.ctx)
			if err != nil || !now.After(last) {
				t.Errorf("%v after %v: %v", now, last, err)
				return
			}
			last = now
		}
	})
}
