package casework_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// abuseRounds is how often each way of abuse is tried; make faults asks for more.
var abuseRounds = flag.Int("abuse-rounds", 0, "rounds of each abuse test; 0 = as many as fit into make test")

func rounds(usual int) int {
	if *abuseRounds > 0 {
		return *abuseRounds
	}
	if testing.Short() {
		return max(usual/10, 5)
	}
	return usual
}

// second is another process over the same database.
func (w *world) second() *casework.Hall {
	w.t.Helper()
	db, err := store.Open(w.ctx, w.appURL, 8)
	must(w.t, err)
	w.t.Cleanup(db.Close)
	hall, err := casework.New(db, casework.Ports{Reader: w.desk, Blobs: folder{w.t.TempDir()}, Bell: w.bell}, casework.Settings{},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(w.t, err)
	w.t.Cleanup(func() { hall.Close(context.WithoutCancel(w.ctx)) })
	return hall
}

// inReview submits and works one more document up to its review.
func (w *world) inReview(by domain.Actor, n int) domain.ID {
	w.t.Helper()
	w.desk.mu.Lock()
	w.desk.xml = invoiceXML("120000.00", fmt.Sprintf("A-%d", n))
	w.desk.mu.Unlock()
	id := w.submit(by, fmt.Sprintf("abuse %d", n))
	w.work()
	return id
}

// number runs a query of one number as the schema's owner.
func (w *world) number(sql string, args ...any) int {
	w.t.Helper()
	var n int
	must(w.t, w.owner.QueryRow(w.ctx, sql, args...).Scan(&n))
	return n
}

// Two people race for one review over two processes: one has it, one decision is taken, by who had it.
func TestRacingPairs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	sam := w.person("sam", domain.RoleSubmitter)
	rita, rolf := w.person("rita", domain.RoleL1), w.person("rolf", domain.RoleL1)
	halls, people := []*casework.Hall{w.hall, other}, []domain.Actor{rita, rolf}
	id := w.inReview(sam, 0)
	claims, decisions := rounds(200), rounds(40)
	for range claims {
		review := w.openReview(id)
		claimed := make([]error, 2)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() { _, claimed[i] = halls[i].ClaimReview(w.ctx, people[i], casework.OnReview{ReviewID: review.ID}) })
		}
		wait.Wait()
		winner := slices.Index(claimed, nil)
		if winner < 0 || claimed[1-winner] == nil {
			t.Fatalf("claims %v", claimed)
		}
		_, err := halls[1-winner].ReleaseReview(w.ctx, people[winner], casework.OnReview{ReviewID: review.ID})
		must(t, err)
	}
	for n := range decisions {
		id := w.inReview(sam, n+1)
		review := w.openReview(id)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() {
				_, _ = halls[i].ClaimReview(w.ctx, people[i], casework.OnReview{ReviewID: review.ID})
				for range 2 { // and each twice at once
					wait.Go(func() {
						_, _ = halls[i].DecideReview(w.ctx, people[i], casework.DecideReview{OnReview: casework.OnReview{ReviewID: review.ID}, Verdict: domain.Approve})
					})
				}
			})
		}
		wait.Wait()
		if got := w.number(`SELECT count(*) FROM decisions WHERE case_id = $1`, id); got != 1 {
			t.Errorf("round %d: %d decisions", n, got)
		}
	}
	if wrong := w.number(`SELECT count(*) FROM decisions d JOIN reviews r ON r.id = d.review_id WHERE d.actor <> r.assignee`) +
		w.number(`SELECT count(*) FROM (SELECT FROM votes GROUP BY case_id, duty, person HAVING count(*) > 1) v`); wrong != 0 {
		t.Errorf("%d violations", wrong)
	}
	t.Logf("%d races for a claim, %d for a decision: 0 violations", claims, decisions)
}

// Rights change in one process while a decision is taken in another: whichever is first, no decision is taken by a right
// that was gone. Both moments are read inside the locks that exclude each other, so they tell the true order.
func TestRightsChangeDuringTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	sam, rita := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1)
	system := domain.SystemActor()
	put := func(roles []domain.Role, queues []string) error {
		_, err := other.PutUser(w.ctx, system, casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com", Name: "rita", Roles: roles, Queues: queues}})
		return err
	}
	limit := func(minor int64) error {
		return other.SetLimit(w.ctx, system, domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: minor})
	}
	var conflict domain.ID
	ways := []struct {
		name         string
		take, give   func() error
		stream, kind string
	}{
		{"limit", func() error { return limit(100) }, func() error { return limit(50_000_000) }, "policy", "limit.changed"},
		{"role", func() error { return put(nil, nil) }, func() error { return put([]domain.Role{domain.RoleL1}, []string{domain.QueueL1}) }, "people", "user.changed"},
		{"conflict", func() (err error) {
			conflict, err = other.DeclareConflict(w.ctx, system, casework.DeclareConflict{Person: rita.UserID, Party: "Muster Werke GmbH"})
			return err
		}, func() error {
			return other.EndConflict(w.ctx, system, casework.EndConflict{ID: conflict, Reason: "over"})
		}, "people", "conflict.declared"},
	}
	trials, before, after, violations := rounds(200), 0, 0, 0
	id := w.inReview(sam, 0)
	for n := range trials {
		way := ways[n%len(ways)]
		review := w.claim(rita, id)
		var decided, changed error
		var wait sync.WaitGroup
		wait.Go(func() { decided = w.decide(rita, review.ID, domain.Approve, "") })
		wait.Go(func() { changed = way.take() })
		wait.Wait()
		must(t, changed)
		if decided != nil {
			after++
		} else {
			before++
			violations += w.number(`SELECT count(*) FROM decisions d WHERE d.case_id = $1 AND d.at > (SELECT max(e.at) FROM events e
				JOIN streams s ON s.id = e.case_id WHERE s.name = $2 AND e.type = $3)`, id, way.stream, way.kind)
		}
		must(t, way.give())
		if decided == nil {
			w.work()
			id = w.inReview(sam, n+1)
		}
	}
	t.Logf("%d trials: the decision first in %d, the change first in %d; %d violations", trials, before, after, violations)
	if violations != 0 || before == 0 || after == 0 {
		t.Errorf("%d violations; the decision came first %d times, the change %d times", violations, before, after)
	}
}

// The amount is forged after the first level's approval: no case is ever approved on a vote for another amount.
func TestForgedAmounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	rita, lars, lea := w.person("rita", domain.RoleManager), w.person("lars", domain.RoleL2), w.person("lea", domain.RoleL2)
	forge := map[string]func(id domain.ID) error{
		"upload": func(id domain.ID) error {
			w.desk.mu.Lock()
			w.desk.xml = invoiceXML("2000000.00", "F-2")
			w.desk.mu.Unlock()
			_, err := w.hall.ReplaceDocument(w.ctx, sam, casework.ReplaceDocument{OnCase: casework.OnCase{CaseID: id}, File: upload("forged " + id.String())})
			return err
		},
		"currency": func(id domain.ID) error {
			review := w.openReview(id)
			if _, err := w.hall.ClaimReview(w.ctx, lars, casework.OnReview{ReviewID: review.ID}); err != nil {
				return err
			}
			_, err := w.hall.CorrectFields(w.ctx, lars, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: review.ID}, Confirm: true,
				Fields: []casework.FieldInput{{Name: domain.FieldCurrency, Value: "USD"}}})
			return err
		},
		"late reading": func(id domain.ID) error { // a stage of the first reading is delivered once more
			for _, wake := range w.staleWakes(id) {
				if err := w.hall.RunStage(w.ctx, wake); err != nil {
					return err
				}
			}
			return nil
		},
	}
	names := []string{"upload", "currency", "late reading"}
	trials, forged, approved := rounds(60), 0, 0
	for n := range trials {
		w.desk.mu.Lock()
		w.desk.xml = invoiceXML("1000000.00", fmt.Sprintf("F-%d", n)) // 1.1 million USD: two levels
		w.desk.mu.Unlock()
		submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload(fmt.Sprintf("forge %d", n)),
			Process: "cross_border_remittance", DocumentType: "remittance"})
		must(t, err)
		id := submitted.CaseID
		w.work()
		review := w.claim(rita, id)
		must(t, w.decide(rita, review.ID, domain.Approve, ""))
		w.work()
		if err := forge[names[n%len(names)]](id); err == nil {
			forged++
		}
		w.work()
		for _, who := range []domain.Actor{lea, lars, rita} { // whoever may, decides on
			for range 2 {
				_, _ = w.hall.ClaimNextReview(w.ctx, who, casework.Once{})
				for _, held := range w.heldBy(who) {
					_ = w.decide(who, held, domain.Approve, "")
				}
				w.work()
			}
		}
		if w.kase(id).Status == domain.Archived {
			approved++
		}
	}
	violations := w.number(`SELECT count(*) FROM votes v JOIN cases c ON c.id = v.case_id JOIN decisions d ON d.case_id = v.case_id AND d.review_id = v.review_id
		WHERE c.status = 'archived' AND d.verdict = 'approve' AND (d.evidence->>'baseMinor')::bigint <> c.base_minor`) +
		w.number(`SELECT count(*) FROM cases c WHERE c.status = 'archived' AND NOT EXISTS (SELECT FROM votes v WHERE v.case_id = c.id)`)
	t.Logf("%d trials, %d forged, %d archived: %d violations", trials, forged, approved, violations)
	if violations != 0 || forged == 0 || approved == 0 {
		t.Errorf("%d violations, %d forged, %d archived", violations, forged, approved)
	}
}

// heldBy are the reviews that the person has claimed.
func (w *world) heldBy(who domain.Actor) []domain.ID {
	w.t.Helper()
	held, err := w.db.Reader().HeldBy(w.ctx, []domain.ID{who.UserID}, 10)
	must(w.t, err)
	var ids []domain.ID
	for _, review := range held {
		if review.Status == domain.ReviewClaimed {
			ids = append(ids, review.ID)
		}
	}
	return ids
}

// staleWakes are the runs of the case that ended, as late tasks would name them.
func (w *world) staleWakes(id domain.ID) []casework.Waking {
	w.t.Helper()
	rows, err := w.owner.Query(w.ctx, `SELECT id FROM stage_runs WHERE case_id = $1 AND kind = 'stage' AND status = 'done'`, id)
	must(w.t, err)
	defer rows.Close()
	var late []casework.Waking
	for rows.Next() {
		waking := casework.Waking{CaseID: id, Worker: "late"}
		must(w.t, rows.Scan(&waking.RunID))
		late = append(late, waking)
	}
	must(w.t, rows.Err())
	rand.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
	return late
}

// A key is one person's, for one request: another's key finds nothing, another body is refused, and the same command in
// another's name is another request.
func TestIdempotencyKeysOfOthers(t *testing.T) {
	t.Parallel()
	w, sam, id := reviewed(t, "120000.00")
	rita, rolf := w.person("rita", domain.RoleL1), w.person("rolf", domain.RoleL1)
	second := w.inReview(sam, 7)
	first := casework.OnReview{Once: casework.Once{Key: "k"}, ReviewID: w.openReview(id).ID}
	_, err := w.hall.ClaimReview(w.ctx, rita, first)
	must(t, err)
	_, err = w.hall.ClaimReview(w.ctx, rolf, first)
	wantCode(t, err, domain.AlreadyClaimed) // not rita's outcome
	_, err = w.hall.ClaimReview(w.ctx, rita, casework.OnReview{Once: first.Once, ReviewID: w.openReview(second).ID})
	wantCode(t, err, domain.IdempotencyMismatch)
	w.lend(rolf, rita, domain.Scope{})
	_, err = w.hall.ClaimReview(w.ctx, inNameOf(rita, rolf), first)
	wantCode(t, err, domain.IdempotencyMismatch)
	decide := casework.DecideReview{OnReview: first, Verdict: domain.Approve}
	_, err = w.hall.DecideReview(w.ctx, rolf, decide)
	wantCode(t, err, domain.NotClaimedByYou)
	for range 2 {
		_, err = w.hall.DecideReview(w.ctx, rita, decide)
		must(t, err)
	}
	decide.Verdict, decide.Reason = domain.Reject, "no"
	_, err = w.hall.DecideReview(w.ctx, rita, decide)
	wantCode(t, err, domain.IdempotencyMismatch)
	if got := strings.Count(fmt.Sprint(w.types(id)), string(domain.ReviewWasDecided)); got != 1 {
		t.Errorf("%d decisions told", got)
	}
}
