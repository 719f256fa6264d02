package casework_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// From every state that random commands reach with drawn reviewers, a person can continue after at
// most a few deadlines.
func TestSomeoneCanAlwaysGoOnWithDraws(t *testing.T) {
	t.Parallel()
	for _, people := range []int{3, 4, 6} {
		t.Run(fmt.Sprintf("%d people", people), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, team := env.person("sam", domain.RoleSubmitter), env.team(people-1)
			env.setMark("document_approval", 5_000_00)
			forHistories(t, 3, func(random *rand.Rand) {
				for _, role := range []domain.Role{domain.RoleManager, domain.RoleAML} {
					must(t, env.svc.SetLimit(env.ctx, domain.SystemActor(), domain.Limit{
						Role: role, Action: domain.ActDecide, Unlimited: random.IntN(2) == 0,
						BaseMinor: 140000000}))
				}
				c := &liveCase{testEnv: env, random: random, sam: sam, people: team}
				c.afterStep = func() {
					c.requireLive()
					c.requireDrawnLive()
				}
				c.submitInvoice()
				c.run()
			})
		})
	}
}

// requireDrawnLive checks that the person of a drawn review can claim it, or that a few draws later
// another one can.
func (c *liveCase) requireDrawnLive() {
	c.t.Helper()
	record := c.caseByID(c.id)
	if record.Status.Final() || record.Status == domain.Returned {
		return
	}
	for range 2 * len(c.people) {
		for _, review := range c.undecidedReviews(c.id) {
			if !review.Drawn() || review.Status == domain.ReviewClaimed {
				return // as in requireLive
			}
			by := domain.Actor{UserID: review.Assignee, Channel: domain.ChannelAPI}
			if review.Assignee != domain.NoID && errOf(c.svc.ClaimReview(c.ctx, by,
				casework.ReviewTarget{ReviewID: review.ID})) == nil {
				return
			}
		}
		c.setClockOffset(c.clockOffset + 121*time.Minute)
		c.drainQueue()
		must(c.t, errOf(c.svc.DrawReviewers(c.ctx)))
		c.drainQueue()
	}
	for _, review := range c.undecidedReviews(c.id) {
		c.t.Logf("%+v", review)
	}
	c.t.Fatalf("no one who was drawn can continue after %v", c.commands)
}
