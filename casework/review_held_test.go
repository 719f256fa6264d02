package casework_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// heldEnv has open reviews, the earliest deadline first, that a person claims at most a few of.
type heldEnv struct {
	*testEnv
	sam, jo, jill domain.Actor
	reviews       []domain.Review
}

func newHeldEnv(t *testing.T, limit, reviews int) heldEnv {
	t.Helper()
	env := heldEnv{testEnv: newTestEnvWithSettings(t, casework.Settings{ClaimLimit: limit})}
	env.sam = env.person("sam", domain.RoleSubmitter)
	env.jo, env.jill = env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	for i := range reviews {
		env.reviews = append(env.reviews, env.openReview(env.submitRemittance(env.sam, "H-"+strconv.Itoa(i))))
	}
	return env
}

func (env heldEnv) next(by domain.Actor, in casework.ClaimNext) domain.ID {
	env.t.Helper()
	got, err := env.svc.ClaimNextReview(env.ctx, by, in)
	must(env.t, err)
	return got.ReviewID
}

func (env heldEnv) ids(indexes ...int) []domain.ID {
	ids := make([]domain.ID, 0, len(indexes))
	for _, i := range indexes {
		ids = append(ids, env.reviews[i].ID)
	}
	return ids
}

// The next review is first one that the person has claimed, by its deadline. It is returned without a
// change, and reviews to skip are not returned.
func TestClaimedReviewsAreNextFirst(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 0, 5)
	env.claim(env.jo, env.reviews[3].CaseID)
	env.claim(env.jo, env.reviews[1].CaseID)
	env.claim(env.jill, env.reviews[0].CaseID)
	before := env.openReview(env.reviews[1].CaseID)
	for range 2 {
		first := env.next(env.jo, casework.ClaimNext{Once: casework.Once{Key: "first"}, ClaimedFirst: true})
		second := env.next(env.jo, casework.ClaimNext{ClaimedFirst: true, Skip: env.ids(1)})
		if first != env.reviews[1].ID || second != env.reviews[3].ID {
			t.Fatalf("next are %s and %s", first, second)
		}
	}
	if after := env.openReview(before.CaseID); after.Version != before.Version || after.Status != before.Status {
		t.Errorf("the claimed review became %+v", after)
	}
	for range 2 { // repeated with its key, the same review
		got := env.next(env.jo, casework.ClaimNext{Once: casework.Once{Key: "new"}, ClaimedFirst: true,
			Skip: env.ids(1, 3)})
		if got != env.reviews[2].ID {
			t.Fatalf("with both skipped, %s was claimed", got)
		}
	}
	if got := env.next(env.jo, casework.ClaimNext{}); got != env.reviews[4].ID {
		t.Errorf("a caller that does not ask for claimed reviews got %s", got)
	}
}

// A person who does not hold a review gets none by asking for claimed ones: not another person's, not an
// expired one, and none after a decision that was refused.
func TestOnlyLiveClaimsOfOneselfAreNext(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 0, 3)
	env.claim(env.jo, env.reviews[0].CaseID)
	asked := casework.ClaimNext{ClaimedFirst: true}
	refused := asked
	refused.After = env.reviews[0].ID
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, env.jo, refused)), domain.StateMismatch)
	if got := env.next(env.jill, asked); got != env.reviews[1].ID {
		t.Errorf("Jill got %s", got)
	}
	if got := env.next(env.jo, asked); got != env.reviews[0].ID {
		t.Errorf("Jo got %s", got)
	}
	env.setClockOffset(31 * time.Minute)
	if got := env.next(env.jo, asked); got != env.reviews[2].ID {
		t.Errorf("after the claim expired Jo got %s", got)
	}
}

// Claims of one person that run concurrently, by every command and from two accounts, do not exceed the
// limit together.
func TestConcurrentClaimsStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 3
	env := newHeldEnv(t, limit, 8)
	second := env.person("jo+2", domain.RoleL1)
	if !env.samePerson(env.jo, second) {
		t.Fatal("the accounts are two persons")
	}
	var group sync.WaitGroup
	start := make(chan struct{})
	for i, review := range env.reviews {
		by := []domain.Actor{env.jo, second}[i%2]
		group.Go(func() {
			<-start
			var err error
			switch i % 3 {
			case 0:
				_, err = env.svc.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
			case 1:
				_, err = env.svc.ClaimNextReview(env.ctx, by, casework.ClaimNext{})
			default:
				_, err = env.svc.ClaimReviews(env.ctx, by, casework.BulkReviews{Reviews: env.ids(i, (i+1)%8)})
			}
			if err != nil && !domain.HasCode(err, domain.ClaimLimitReached) &&
				!domain.HasCode(err, domain.AlreadyClaimed) {
				t.Errorf("claim: %v", err)
			}
		})
	}
	close(start)
	group.Wait()
	if held := len(env.claimedBy(env.jo)) + len(env.claimedBy(second)); held != limit {
		t.Errorf("one person holds %d reviews, want %d", held, limit)
	}
}

// A bulk claim claims up to the limit and refuses the rest with what the person holds. A claimed review can
// be claimed again, and each release frees a place, also one by a bulk release.
func TestBulkClaimsEndAtTheLimit(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 3, 5)
	all := casework.BulkReviews{Once: casework.Once{Key: "all"}, Reviews: env.ids(0, 1, 2, 3, 4)}
	for range 2 {
		results, err := env.svc.ClaimReviews(env.ctx, env.jo, all)
		must(t, err)
		for i, result := range results {
			if want := map[bool]domain.Code{true: domain.ClaimLimitReached}[i > 2]; result.Code != want {
				t.Errorf("review %d: %q, want %q", i, result.Code, want)
			}
		}
	}
	_, err := env.svc.ClaimReview(env.ctx, env.jo, casework.ReviewTarget{ReviewID: env.reviews[4].ID})
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Detail["held"] != "3" || refusal.Detail["most"] != "3" {
		t.Errorf("the refusal says %v", err)
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, env.jo, casework.ReviewTarget{ReviewID: env.reviews[0].ID})))
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, env.jo, casework.ClaimNext{})), domain.ClaimLimitReached)
	if got := env.next(env.jo, casework.ClaimNext{ClaimedFirst: true}); got != env.reviews[0].ID {
		t.Errorf("at the limit the next is %s", got)
	}
	release := casework.BulkReviews{Once: casework.Once{Key: "back"}, Reviews: env.ids(1, 4, 2)}
	for range 2 {
		results, err := env.svc.ReleaseReviews(env.ctx, env.jo, release)
		must(t, err)
		if results[0].Code != "" || results[1].Code == "" || results[2].Code != "" {
			t.Errorf("the releases end with %+v", results)
		}
	}
	if len(env.claimedBy(env.jo)) != 1 {
		t.Errorf("Jo holds %d reviews", len(env.claimedBy(env.jo)))
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, env.jo, casework.ReviewTarget{ReviewID: env.reviews[4].ID})))
}

// A bulk release releases no review of another person, and none for a token without the scope.
func TestBulkReleaseIsForOneself(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 0, 2)
	env.claim(env.jo, env.reviews[0].CaseID)
	env.claim(env.jill, env.reviews[1].CaseID)
	release := casework.BulkReviews{Reviews: env.ids(0, 1)}
	results, err := env.svc.ReleaseReviews(env.ctx, env.jill, release)
	must(t, err)
	if results[0].Code == "" || results[1].Code != "" || len(env.claimedBy(env.jo)) != 1 {
		t.Errorf("Jill released %+v", results)
	}
	token := env.jo
	token.TokenID, token.Scopes = domain.NewID(), []string{string(domain.ActClaim)}
	wantCode(t, errOf(env.svc.ReleaseReviews(env.ctx, token, release)), domain.NotPermitted)
	release.Reviews = nil
	wantCode(t, errOf(env.svc.ReleaseReviews(env.ctx, env.jill, release)), domain.InvalidInput)
}

// A claim that has expired is not held any more.
func TestExpiredClaimsAreNotHeld(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 1, 2)
	env.claim(env.jo, env.reviews[0].CaseID)
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, env.jo, casework.ClaimNext{})), domain.ClaimLimitReached)
	env.setClockOffset(31 * time.Minute)
	if got := env.next(env.jo, casework.ClaimNext{}); got != env.reviews[1].ID {
		t.Errorf("claimed %s", got)
	}
}

// A manager can assign a review to a person who is at the limit. A queue that assigns in turn prefers the
// people below it, and assigns to a person at the limit if there is no other.
func TestAssignmentsPreferPeopleBelowTheLimit(t *testing.T) {
	t.Parallel()
	env := newHeldEnv(t, 2, 3)
	mia := env.person("mia", domain.RoleManager)
	env.claim(env.jo, env.reviews[0].CaseID)
	env.claim(env.jo, env.reviews[1].CaseID)
	results, err := env.svc.ReassignReviews(env.ctx, mia, casework.ReassignReviews{Reviews: env.ids(2),
		To: env.jo.UserID, Reason: "Jo knows this vendor"})
	must(t, err)
	if results[0].Code != "" {
		t.Errorf("the manager was refused: %s", results[0].Message)
	}
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyRoundRobin})
	for i := range 6 { // Jill and Mia have the first four, then all are at the limit
		assigned := env.openReview(env.submitRemittance(env.sam, "T-"+strconv.Itoa(i))).Assignee
		if assigned == domain.NoID || i < 4 && assigned == env.jo.UserID {
			t.Errorf("review %d was assigned to %s", i, assigned)
		}
	}
}

// A bulk approval needs no free place, because it decides each review that it claims.
func TestBulkApprovalsNeedNoPlace(t *testing.T) {
	t.Parallel()
	env := newTestEnvWithSettings(t, casework.Settings{ClaimLimit: 1})
	env.publish(routedProcess)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	var reviews []domain.Review
	for _, name := range []string{"B-1", "B-2"} {
		env.reader.xml = invoiceXML("1200.00", name)
		reviews = append(reviews, env.reviewAt(env.submitTo(sam, "routed", "invoice", name), "review"))
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, jo, casework.ReviewTarget{ReviewID: reviews[0].ID})))
	if codes := env.approveTogether(jo, "key", "", reviews[1]); codes[0] != "" {
		t.Errorf("the approval ends with %q", codes)
	}
	if env.countEvents(reviews[1].CaseID, "review.claimed") != 1 {
		t.Error("the approved review was not claimed once")
	}
}
