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

// abuseRounds overrides the number of rounds of each race test; make faults uses more.
var abuseRounds = flag.Int("abuse-rounds", 0,
	"rounds of each race test; 0 = the number that make test uses")

func raceRounds(usual int) int {
	if *abuseRounds > 0 {
		return *abuseRounds
	}
	if testing.Short() {
		return max(usual/10, 5)
	}
	return usual
}

// newServiceOnOwnPool returns another service with its own pool on the same database, like another
// process.
func (env *testEnv) newServiceOnOwnPool() *casework.Service {
	env.t.Helper()
	db, err := store.Open(env.ctx, env.appURL, 8)
	must(env.t, err)
	env.t.Cleanup(db.Close)
	svc, err := casework.New(db,
		casework.Ports{Reader: env.reader, Blobs: dirBlobs{env.t.TempDir()},
			Notifier: env.notifier}, casework.Settings{},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(env.t, err)
	env.t.Cleanup(func() { svc.Close(context.WithoutCancel(env.ctx)) })
	return svc
}

// submitForReview submits one more document and processes it up to its review.
func (env *testEnv) submitForReview(by domain.Actor, n int) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML("120000.00", fmt.Sprintf("A-%d", n))
	env.reader.mu.Unlock()
	id := env.submit(by, fmt.Sprintf("race %d", n))
	env.drainQueue()
	return id
}

// queryInt runs a query of one number as the schema's owner.
func (env *testEnv) queryInt(sql string, args ...any) int {
	env.t.Helper()
	var n int
	must(env.t, env.owner.QueryRow(env.ctx, sql, args...).Scan(&n))
	return n
}

// Two people race for one review over two processes: one claim succeeds, and one decision is made,
// by the person who claimed it.
func TestConcurrentClaimsAndDecisions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	other := env.newServiceOnOwnPool()
	sam := env.person("sam", domain.RoleSubmitter)
	rita, rolf := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1)
	services, people := []*casework.Service{env.svc, other}, []domain.Actor{rita, rolf}
	id := env.submitForReview(sam, 0)
	claims, decisions := raceRounds(200), raceRounds(40)
	for range claims {
		review := env.openReview(id)
		claimed := make([]error, 2)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() {
				_, claimed[i] = services[i].ClaimReview(env.ctx, people[i],
					casework.ReviewTarget{ReviewID: review.ID})
			})
		}
		wait.Wait()
		winner := slices.Index(claimed, nil)
		if winner < 0 || claimed[1-winner] == nil {
			t.Fatalf("claims %v", claimed)
		}
		_, err := services[1-winner].ReleaseReview(env.ctx, people[winner],
			casework.ReviewTarget{ReviewID: review.ID})
		must(t, err)
	}
	for n := range decisions {
		id := env.submitForReview(sam, n+1)
		review := env.openReview(id)
		var wait sync.WaitGroup
		for i := range people {
			wait.Go(func() {
				_, _ = services[i].ClaimReview(env.ctx, people[i],
					casework.ReviewTarget{ReviewID: review.ID})
				for range 2 { // each twice, concurrently
					wait.Go(func() {
						_, _ = services[i].DecideReview(env.ctx, people[i],
							casework.DecideReview{
								ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
								Verdict:      domain.Approve})
					})
				}
			})
		}
		wait.Wait()
		if got := env.queryInt(`SELECT count(*) FROM decisions WHERE case_id = $1`, id); got != 1 {
			t.Errorf("round %d: %d decisions", n, got)
		}
	}
	if wrong := env.queryInt(
		`SELECT count(*) FROM decisions d JOIN reviews r ON r.id = d.review_id WHERE d.actor <> r.assignee`) +
		env.queryInt(
			`SELECT count(*) FROM (SELECT FROM votes GROUP BY case_id, duty, person HAVING count(*) > 1) v`); wrong != 0 {
		t.Errorf("%d violations", wrong)
	}
	t.Logf("%d races for a claim, %d for a decision: 0 violations", claims, decisions)
}

// Permissions change in one process while a decision is made in another. Whichever is first, no
// decision is made with a right that was revoked. Both times are read while holding locks that
// exclude each other, so they show the true order.
func TestRightsChangeDuringTheDecision(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	other := env.newServiceOnOwnPool()
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	system := domain.SystemActor()
	put := func(roles []domain.Role, queues []string) error {
		_, err := other.PutUser(env.ctx, system,
			casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com",
				Name: "rita", Roles: roles, Queues: queues}})
		return err
	}
	limit := func(minor int64) error {
		return other.SetLimit(env.ctx, system,
			domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: minor})
	}
	var conflict domain.ID
	changes := []struct {
		name          string
		revoke, grant func() error
		stream, kind  string
	}{
		{"limit", func() error { return limit(100) }, func() error { return limit(50_000_000) },
			"policy", "limit.changed"},
		{"role", func() error { return put(nil, nil) },
			func() error { return put([]domain.Role{domain.RoleL1}, []string{domain.QueueL1}) },
			"people", "user.changed"},
		{"conflict", func() (err error) {
			conflict, err = other.DeclareConflict(env.ctx, system,
				casework.DeclareConflict{Person: rita.UserID, Party: "Muster Werke GmbH"})
			return err
		}, func() error {
			return env.endConflict(ada, adam, conflict)
		}, "people", "conflict.declared"},
	}
	trials, before, after, violations := raceRounds(200), 0, 0, 0
	id := env.submitForReview(sam, 0)
	for n := range trials {
		change := changes[n%len(changes)]
		review := env.claim(rita, id)
		var decided, changed error
		var wait sync.WaitGroup
		wait.Go(func() { decided = env.decide(rita, review.ID, domain.Approve, "") })
		wait.Go(func() { changed = change.revoke() })
		wait.Wait()
		must(t, changed)
		if decided != nil {
			after++
		} else {
			before++
			violations += env.queryInt(`SELECT count(*) FROM decisions d WHERE d.case_id = $1 AND d.at > (SELECT max(e.at) FROM events e
				JOIN streams s ON s.id = e.case_id WHERE s.name = $2 AND e.type = $3)`, id, change.stream, change.kind)
		}
		must(t, change.grant())
		if decided == nil {
			env.drainQueue()
			id = env.submitForReview(sam, n+1)
		}
	}
	t.Logf("%d trials: the decision first in %d, the change first in %d; %d violations", trials,
		before, after, violations)
	if violations != 0 || before == 0 || after == 0 {
		t.Errorf("%d violations; the decision came first %d times, the change %d times", violations,
			before, after)
	}
}

// The amount is forged after the first level's approval: no case is ever approved by a vote for
// another amount.
func TestForgedAmounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	rita, lars, lea := env.person("rita", domain.RoleManager), env.person("lars", domain.RoleL2),
		env.person("lea", domain.RoleL2)
	forge := map[string]func(id domain.ID) error{
		"upload": func(id domain.ID) error {
			env.reader.mu.Lock()
			env.reader.xml = invoiceXML("2000000.00", "F-2")
			env.reader.mu.Unlock()
			_, err := env.svc.ReplaceDocument(env.ctx, sam,
				casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
					File: upload("forged " + id.String())})
			return err
		},
		"currency": func(id domain.ID) error {
			review := env.openReview(id)
			if _, err := env.svc.ClaimReview(env.ctx, lars,
				casework.ReviewTarget{ReviewID: review.ID}); err != nil {
				return err
			}
			_, err := env.svc.CorrectFields(env.ctx, lars,
				casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
					Confirm: true, Fields: []casework.FieldInput{
						{Name: domain.FieldCurrency, Value: "USD"}}})
			return err
		},
		// a stage of the first reading is delivered again
		"late reading": func(id domain.ID) error {
			for _, pendingRun := range env.completedRunRequests(id) {
				if err := env.svc.RunStage(env.ctx, pendingRun); err != nil {
					return err
				}
			}
			return nil
		},
	}
	names := []string{"upload", "currency", "late reading"}
	trials, forged, approved := raceRounds(60), 0, 0
	for n := range trials {
		env.reader.mu.Lock()
		// 1.1 million USD, which requires two levels
		env.reader.xml = invoiceXML("1000000.00", fmt.Sprintf("F-%d", n))
		env.reader.mu.Unlock()
		submitted, err := env.svc.SubmitDocument(env.ctx, sam,
			casework.SubmitDocument{File: upload(fmt.Sprintf("forge %d", n)),
				Process: "cross_border_remittance", DocumentType: "remittance"})
		must(t, err)
		id := submitted.CaseID
		env.drainQueue()
		review := env.claim(rita, id)
		must(t, env.decide(rita, review.ID, domain.Approve, "checked"))
		env.drainQueue()
		if err := forge[names[n%len(names)]](id); err == nil {
			forged++
		}
		env.drainQueue()
		for _, actor := range []domain.Actor{lea, lars, rita} { // all eligible reviewers decide
			for range 2 {
				_, _ = env.svc.ClaimNextReview(env.ctx, actor, casework.ClaimNext{})
				for _, reviewID := range env.claimedBy(actor) {
					_ = env.decide(actor, reviewID, domain.Approve, "checked")
				}
				env.drainQueue()
			}
		}
		if env.caseByID(id).Status == domain.Archived {
			approved++
		}
	}
	violations := env.queryInt(`SELECT count(*) FROM votes v JOIN cases c ON c.id = v.case_id JOIN decisions d ON d.case_id = v.case_id AND d.review_id = v.review_id
		WHERE c.status = 'archived' AND d.verdict = 'approve' AND (d.evidence->>'baseMinor')::bigint <> c.base_minor`) +
		env.queryInt(
			`SELECT count(*) FROM cases c WHERE c.status = 'archived' AND NOT EXISTS (SELECT FROM votes v WHERE v.case_id = c.id)`)
	t.Logf("%d trials, %d forged, %d archived: %d violations", trials, forged, approved, violations)
	if violations != 0 || forged == 0 || approved == 0 {
		t.Errorf("%d violations, %d forged, %d archived", violations, forged, approved)
	}
}

// claimedBy returns the reviews that the person has claimed.
func (env *testEnv) claimedBy(actor domain.Actor) []domain.ID {
	env.t.Helper()
	reviews, err := env.db.Reader().UndecidedReviewsOf(env.ctx, []domain.ID{actor.UserID}, 10)
	must(env.t, err)
	var ids []domain.ID
	for _, review := range reviews {
		if review.Status == domain.ReviewClaimed {
			ids = append(ids, review.ID)
		}
	}
	return ids
}

// completedRunRequests returns requests for the completed runs of the case, as late tasks would
// send them.
func (env *testEnv) completedRunRequests(id domain.ID) []casework.RunRequest {
	env.t.Helper()
	rows, err := env.owner.Query(env.ctx,
		`SELECT id FROM stage_runs WHERE case_id = $1 AND kind = 'stage' AND status = 'done'`, id)
	must(env.t, err)
	defer rows.Close()
	var late []casework.RunRequest
	for rows.Next() {
		request := casework.RunRequest{CaseID: id, Worker: "late"}
		must(env.t, rows.Scan(&request.RunID))
		late = append(late, request)
	}
	must(env.t, rows.Err())
	rand.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
	return late
}

// An idempotency key belongs to one person and one request: another person's key is unrelated,
// another request is refused, and the same request on behalf of another user is another request.
func TestIdempotencyKeysOfOthers(t *testing.T) {
	t.Parallel()
	env, sam, id := newReviewEnv(t, "120000.00")
	rita, rolf := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1)
	second := env.submitForReview(sam, 7)
	first := casework.ReviewTarget{Once: casework.Once{Key: "k"}, ReviewID: env.openReview(id).ID}
	_, err := env.svc.ClaimReview(env.ctx, rita, first)
	must(t, err)
	_, err = env.svc.ClaimReview(env.ctx, rolf, first)
	wantCode(t, err, domain.AlreadyClaimed) // not rita's outcome
	_, err = env.svc.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{Once: first.Once, ReviewID: env.openReview(second).ID})
	wantCode(t, err, domain.IdempotencyMismatch)
	env.delegate(rolf, rita, domain.Scope{})
	_, err = env.svc.ClaimReview(env.ctx, onBehalfOf(rita, rolf), first)
	wantCode(t, err, domain.IdempotencyMismatch)
	decide := casework.DecideReview{ReviewTarget: first, Verdict: domain.Approve}
	_, err = env.svc.DecideReview(env.ctx, rolf, decide)
	wantCode(t, err, domain.NotClaimedByYou)
	for range 2 {
		_, err = env.svc.DecideReview(env.ctx, rita, decide)
		must(t, err)
	}
	decide.Verdict, decide.Reason = domain.Reject, "no"
	_, err = env.svc.DecideReview(env.ctx, rita, decide)
	wantCode(t, err, domain.IdempotencyMismatch)
	if got := strings.Count(fmt.Sprint(env.eventTypes(id)),
		string(domain.ReviewDecidedEvent)); got != 1 {
		t.Errorf("%d decision events", got)
	}
}
