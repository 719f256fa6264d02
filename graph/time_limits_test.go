package graph

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

// limitOf returns the lines of a time limit in the process of invoices.
func limitOf(after string) string {
	return "    timeout: {after: " + after + ", to: seal_rejected}\n"
}

const endsShown = `query($i: ID!) { review(id: $i) { status decideBy endsAt pausedAt } }`

// endOf returns the end of the review's step and its deadline to decide; zero if they are null.
func endOf(w *testEnv, by, review string) (ends, decide time.Time) {
	w.t.Helper()
	got := w.mustExecute(by, endsShown, "i", review)
	ends, _ = time.Parse(time.RFC3339Nano, got.text("review", "endsAt"))
	decide, _ = time.Parse(time.RFC3339Nano, got.text("review", "decideBy"))
	return ends, decide
}

// The time limit of a step is reported beside the deadline to decide, which is the limit if that comes first, for a
// committee and for a review of one person.
func TestTheTimeLimitOfAStepIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seats string
		after time.Duration // of the step, 24 h to decide; 0 means no limit
	}{
		"a committee, before the deadline": {majorityOfThree + limitOf("4m"), 4 * time.Minute},
		"one reviewer, before it":          {limitOf("1h"), time.Hour},
		"one reviewer, after it":           {limitOf("72h"), 72 * time.Hour},
		"no limit":                         {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := newCommitteeCase(t, c.seats)
			ends, decide := endOf(w, "rita", seatOf(w, "rita", domain.QueueL1))
			if c.after == 0 {
				if !ends.IsZero() {
					t.Errorf("ends %v without a limit", ends)
				}
				return
			}
			if c.after < 24*time.Hour && !ends.Equal(decide) {
				t.Errorf("ends %v, decide by %v", ends, decide)
			}
			opened := decide.Add(-min(c.after, 24*time.Hour))
			if off := ends.Sub(opened.Add(c.after)); off.Abs() > time.Second || opened.After(ends) {
				t.Errorf("ends %v, decide by %v: %v off", ends, decide, off)
			}
		})
	}
}

// A pause of the deadlines does not stop the time limit, so it is still reported. A review that was decided, and one
// that the time limit ended, have none.
func TestAnEndedReviewHasNoTimeLimit(t *testing.T) {
	t.Parallel()
	w, id := newCommitteeCase(t, majorityOfThree+limitOf("4m"))
	seat := seatOf(w, "rita", domain.QueueL1)
	before, _ := endOf(w, "rita", seat)
	w.mustExecute("max", `mutation($i: PauseDeadlinesInput!) { pauseDeadlines(input: $i) {
		userErrors { __typename } } }`, "i", map[string]any{"reviewId": seat, "reason": "holiday"})
	if got := w.mustExecute("rita", endsShown, "i", seat); got.text("review", "pausedAt") == "" {
		t.Fatalf("not paused: %+v", got.Data)
	}
	if paused, _ := endOf(w, "rita", seat); !paused.Equal(before) || paused.IsZero() {
		t.Errorf("paused: ends %v, before %v", paused, before)
	}
	vote(w, "rob", domain.QueueL1, "APPROVE")
	for _, decided := range reviewsIn(w, "max", id, "DECIDED") {
		if ends, _ := endOf(w, "max", decided); !ends.IsZero() {
			t.Errorf("a decided review ends %v", ends)
		}
	}
	open := reviewsIn(w, "max", id, "OPEN")
	for range 2 { // the timer is delivered twice
		fireTimers(w, id)
	}
	if len(open) != 2 {
		t.Fatalf("%d open seats, want 2", len(open))
	}
	for _, review := range open {
		got := w.mustExecute("max", endsShown, "i", review)
		if got.at("review", "endsAt") != nil || got.text("review", "status") != "CANCELLED" {
			t.Errorf("after the time limit: %+v", got.Data)
		}
	}
}

// Who only submitted the case, and reviewers who may not see the review, learn of no time limit.
func TestTheTimeLimitIsForThoseWhoSeeTheReview(t *testing.T) {
	t.Parallel()
	w, id := newCommitteeCase(t, "    queue: AML\n    level: 2\n"+limitOf("4m"),
		"    queue: L1\n    level: 1\n    duty: approval\n", "    duty: approval\n")
	review := seatOf(w, "amy", domain.QueueAML)
	if ends, _ := endOf(w, "amy", review); ends.IsZero() {
		t.Fatal("its reviewer sees no time limit")
	}
	for _, by := range []string{"sam", "rob", "max", "ada"} {
		got := w.mustExecute(by, endsShown, "i", review)
		of := w.execute(by, `query($i: ID!) { case(id: $i) { reviews { endsAt } } }`, "i", id)
		listed, _ := of.at("case", "reviews").([]any)
		if got.text("review", "endsAt") != "" || len(listed) > 0 {
			t.Errorf("%s sees %+v %+v", by, got.Data, of.Data)
		}
	}
}

func TestTimeLimitStatementsDoNotGrowWithLength(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w := newTestEnvOn(t, m.URL)
	publishCommittee(w, limitOf("4m"))
	for i := range 12 {
		w.submit("sam", fmt.Sprintf("%d.00", 90_000+i))
	}
	w.runPending()
	const list = `query($first: Int!) { reviews(first: $first) { nodes { id endsAt } } }`
	w.mustExecute("rita", list, "first", 1)
	took := map[int]int64{}
	// The fewest of the reads count: what is cached for a time may be read again.
	for _, first := range []int{1, 12, 1, 12, 1, 12, 1, 12} {
		before := m.Executed()
		got := w.mustExecute("rita", list, "first", first)
		took[first] = min(m.Executed()-before, cmp.Or(took[first], math.MaxInt64))
		if got.text("reviews", "nodes", first-1, "endsAt") == "" {
			t.Errorf("row %d has no end", first)
		}
	}
	t.Logf("statements: %v", took)
	if took[12] > took[1] {
		t.Errorf("1 review took %d statements, 12 took %d", took[1], took[12])
	}
}

// reviewsIn returns the reviews of a case with the status.
func reviewsIn(w *testEnv, by, id, status string) (found []string) {
	got := w.mustExecute(by, `query($i: ID!) { case(id: $i) { reviews { id status } } }`, "i", id)
	listed, _ := got.at("case", "reviews").([]any)
	for i := range listed {
		if got.text("case", "reviews", i, "status") == status {
			found = append(found, got.text("case", "reviews", i, "id"))
		}
	}
	return found
}

// fireTimers runs the timers of the case as if their time had come.
func fireTimers(w *testEnv, id string) {
	w.t.Helper()
	caseID, err := scalar.IDOf(scalar.KindCase, "id", id)
	must(w.t, err)
	w.turnClock(5 * time.Minute)
	runs, err := w.db.Reader().RunsOf(w.t.Context(), caseID)
	must(w.t, err)
	for _, run := range runs {
		if run.Kind == domain.RunKindTimer {
			must(w.t, w.service.RunStage(w.t.Context(),
				casework.RunRequest{CaseID: run.CaseID, RunID: run.ID, Worker: "w"}))
		}
	}
}
