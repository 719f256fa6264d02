package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/test/testcluster"
)

// interleaving is how a decision at one server and the change of its right at the other meet.
type interleaving struct {
	name string
	run  func(w *concurrentServers, decide, change func() answer, review domain.ID, p permissionChange) (decided answer)
}

var interleavings = []interleaving{
	{"between claim and decision",
		func(w *concurrentServers, decide, change func() answer, _ domain.ID, _ permissionChange) answer {
			w.retryBusy(change)
			return decide()
		}},
	{"concurrently", (*concurrentServers).concurrently},
	{"while the decision is under way",
		func(w *concurrentServers, decide, change func() answer, review domain.ID, _ permissionChange) answer {
			decided, _ := w.inTurn(
				`SELECT FROM cases c JOIN reviews r ON r.case_id = c.id WHERE r.id = $1 FOR UPDATE OF c`, review, decide, change, change)
			return decided
		}},
	{"while the change is under way",
		func(w *concurrentServers, decide, change func() answer, _ domain.ID, p permissionChange) answer {
			_, decided := w.inTurn(`SELECT FROM streams WHERE id = $1 FOR UPDATE`, p.stream.ID,
				change,
				decide, change)
			return decided
		}},
}

// inTurn holds the row for which the first of two requests has to wait inside its transaction,
// sends the second one when it waits, and lets both go when the second waits too. A change that was
// refused as busy is sent again.
func (w *concurrentServers) inTurn(hold string, row domain.ID, first, second,
	change func() answer) (one, two answer) {
	w.t.Helper()
	tx, err := w.rows.Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(w.t.Context()) }() // after the end it is nothing
	if _, err := tx.Exec(w.t.Context(), hold, row); err != nil {
		w.t.Fatal(err)
	}
	answers := [2]chan answer{make(chan answer, 1), make(chan answer, 1)}
	for i, send := range []func() answer{first, second} {
		go func() { answers[i] <- send() }()
		testcluster.Eventually(w.t, time.Minute, "the request waits", func() bool {
			return len(answers[i]) > 0 || w.number(`SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
				WHERE NOT l.granted AND a.datname = current_database()`) > i
		})
	}
	if err := tx.Rollback(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	one, two = <-answers[0], <-answers[1]
	if one.code == string(domain.Busy) || two.code == string(domain.Busy) {
		w.retryBusy(change) // doing it twice does no harm
	}
	return one, two
}

// concurrently sends both in parallel. The one that was last gets a small head start next time, so that
// they meet closely.
func (w *concurrentServers) concurrently(decide, change func() answer, _ domain.ID,
	_ permissionChange) answer {
	w.t.Helper()
	var decided, changed answer
	var wait sync.WaitGroup
	start := make(chan struct{})
	late := func(steps int) {
		<-start
		for range steps {
			if response, err := http.Get(w.b + "/healthz"); err == nil { //nolint:noctx // a local server, a moment long
				_ = response.Body.Close()
			}
		}
	}
	wait.Go(func() { late(w.startOffset); decided = decide() })
	wait.Go(func() { late(-w.startOffset); changed = change() })
	close(start)
	wait.Wait()
	if decided.code == "" {
		w.startOffset++
	} else {
		w.startOffset--
	}
	if changed.code != "" {
		w.retryBusy(change)
	}
	return decided
}

// What people can compete for over two servers, in one cluster: the parts run one after the other.
func TestPermissionsOverTwoServers(t *testing.T) {
	t.Parallel()
	w := newConcurrentServers(t)
	for _, part := range []struct {
		name string
		pull func(*concurrentServers)
	}{{"rights change", (*concurrentServers).testPermissionChanges},
		{"racing pairs", (*concurrentServers).testRacingReviewers},
		{"following ends", (*concurrentServers).testSubscriptionsEnd}} {
		t.Run(part.name, func(t *testing.T) {
			w.t = t
			part.pull(w)
			w.verify()
		})
	}
}

// finishReevaluation ends the evaluation of cases after earlier changes of conflicts. While it lasts,
// a decision releases its locks to evaluate its case first, so that a waiting change comes first.
func (w *concurrentServers) finishReevaluation() {
	w.t.Helper()
	if _, err := w.rows.Exec(w.t.Context(), `DELETE FROM control_changes`); err != nil {
		w.t.Fatal(err)
	}
}

// Rights change at one server while a decision is taken at another, and between claim and decision:
// no decision is taken with a revoked right. Both moments are in the rows and were taken inside
// locks that exclude each other, so they show the true order.
func (w *concurrentServers) testPermissionChanges() {
	t := w.t
	powers := w.permissionChanges("junior", string(domain.RoleL1), domain.QueueL1)
	trials := rounds(len(powers) * len(interleavings))
	first, refusals := map[string][2]int{}, map[string]int{}
	violations := 0
	for n := range trials {
		if len(w.waiting) == 0 {
			w.addReviews(min(trials-n, 40))
		}
		p, how, review := powers[n%len(powers)], interleavings[n/len(powers)%len(interleavings)],
			w.review()
		w.must(w.b, "junior", "claimReview", onReview(review))
		w.finishReevaluation()
		decided := how.run(w, func() answer {
			return w.try(w.b, "junior", "decideReview",
				onReview(review, "decision", "APPROVE"))
		}, p.revoke, review, p)
		made := w.number(`SELECT count(*) FROM decisions WHERE review_id = $1`, review)
		if accepted := decided.code == ""; accepted != (made == 1) {
			t.Errorf("trial %d, %s %s: answered %+v, %d decisions", n, p.name, how.name, decided,
				made)
		}
		violations += w.number(
			`SELECT count(*) FROM decisions d WHERE d.review_id = $1 AND d.at >= (SELECT max(at) FROM events WHERE case_id = $2 AND type = $3)`,
			review, p.stream.ID, p.kind)
		order := first[how.name]
		order[min(1, len(decided.code))]++
		first[how.name] = order
		if decided.code == "" {
			w.markDecided()
		} else {
			refusals[decided.code]++
		}
		w.retryBusy(p.restore)
	}
	t.Logf("%d trials over two servers, %d violations; refused with %v; the decision first, the change first:", trials, violations, refusals)
	for _, name := range slices.Sorted(maps.Keys(first)) {
		t.Logf("  %-32s %3d %3d", name, first[name][0], first[name][1])
	}
	sum := [2]int{}
	for _, order := range first {
		sum = [2]int{sum[0] + order[0], sum[1] + order[1]}
	}
	if violations != 0 || sum[0] == 0 || sum[1] == 0 {
		t.Errorf("%d violations; the decision came first %d times, the change %d times", violations,
			sum[0], sum[1])
	}
	if raced := first["concurrently"]; trials >= 100 && (raced[0] == 0 || raced[1] == 0) {
		t.Errorf("sent concurrently, the decision came first %d times, the change %d times", raced[0],
			raced[1])
	}
}

// verify walks every chain.
func (w *concurrentServers) verify() {
	w.t.Helper()
	w.cluster.CLI("").WithTB(w.t).Expect(0, []string{"verified"}, "audit", "verify")
}

// Two people race for one review at two servers, and each sends the decision twice, to both: one
// holds the review, and only their decision is recorded. Sent twice under one key, both requests
// get the same answer.
func (w *concurrentServers) testRacingReviewers() {
	t := w.t
	servers, people := []string{w.a, w.b}, []string{"junior", "senior"}
	claims, decisions := rounds(20), rounds(8)
	if len(w.waiting) == 0 {
		w.addReviews(min(decisions, 40))
	}
	review := w.review()
	for n := range claims {
		claimed := make([]answer, 2)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() {
				claimed[i] = w.try(servers[(i+n)%2], people[i], "claimReview",
					onReview(review))
			})
		}
		wait.Wait()
		winner := slices.IndexFunc(claimed, func(a answer) bool { return a.code == "" })
		if winner < 0 || claimed[1-winner].code != string(domain.AlreadyClaimed) {
			t.Fatalf("claims %+v", claimed)
		}
		w.must(servers[n%2], people[winner], "releaseReview", onReview(review))
	}
	for n := range decisions {
		if len(w.waiting) == 0 {
			w.addReviews(min(decisions-n, 40))
		}
		review, input := w.review(), []string{"decision", "APPROVE"}
		if n%2 == 1 {
			input = append(input, "idempotencyKey", fmt.Sprintf("race %d", n))
		}
		taken := make([]answer, 4)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() {
				w.try(servers[i], people[i], "claimReview", onReview(review))
				for k := range servers {
					wait.Go(func() {
						taken[2*i+k] = w.try(servers[k], people[i], "decideReview",
							onReview(review, input...))
					})
				}
			})
		}
		wait.Wait()
		accepted := 0
		for _, got := range taken {
			if got.code == "" {
				accepted++
			}
		}
		if made := w.number(`SELECT count(*) FROM decisions WHERE review_id = $1`,
			review); made != 1 || accepted != 1+n%2 {
			t.Errorf("round %d: %d decisions, %d accepted: %+v", n, made, accepted, taken)
		}
		w.markDecided()
	}
	violations := w.number(
		`SELECT count(*) FROM decisions d JOIN reviews r ON r.id = d.review_id WHERE d.actor <> r.assignee`) +
		w.number(`SELECT count(*) FROM (SELECT FROM votes GROUP BY case_id, duty, person HAVING count(*) > 1) v`)
	t.Logf("over two servers %d races for a claim, %d for a decision, each sent twice by each: %d violations", claims, decisions, violations)
	if violations != 0 {
		t.Errorf("%d violations", violations)
	}
}
