package casework_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

var (
	histories = flag.Int("histories", 0, "random histories for each number of people, 0 for those of make test")
	length    = flag.Duration("histories-for", 0, "run random histories for this long instead")
	seed      = flag.Uint64("seed", 0, "seed of the random histories, 0 for a random one")
)

// mostTime bounds the histories of one number of people in make test.
const mostTime = 40 * time.Second

// forHistories runs random histories, each with its own random numbers: as many as make test needs, or
// as the flags say. A failed one is repeated, with those before it, by the command that is logged.
func forHistories(t *testing.T, usual int, run func(*rand.Rand)) {
	t.Helper()
	first := *seed
	if first == 0 {
		first = rand.Uint64()
	}
	began, ran := time.Now(), 0
	defer func() { t.Logf("seed %d, %d histories in %s", first, ran, time.Since(began)) }()
	more := func(n int) bool {
		spent := time.Since(began)
		return n < *histories || spent < *length ||
			*histories == 0 && *length == 0 && n < usual && spent < mostTime
	}
	for ; more(ran); ran++ {
		runHistory(t, first, ran, run)
	}
}

func runHistory(t *testing.T, first uint64, n int, run func(*rand.Rand)) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("history %d; again: go test ./casework -run '^%s$' -seed %d -histories %d", n,
				strings.ReplaceAll(t.Name(), "/", "$/^"), first, n+1)
		}
	}()
	run(rand.New(rand.NewPCG(first, uint64(n))))
}

// liveCase is a case that random people change.
type liveCase struct {
	*testEnv
	id       domain.ID
	random   *rand.Rand
	sam      domain.Actor
	people   []domain.Actor
	commands []string
	// afterStep, if set, checks the case after each command.
	afterStep func()
	order     casework.OrderInput // zero without a payment order
	admin     domain.Actor
	// before is the case as it was before the last command.
	before domain.Case
	// seen is what each vote that counts was given on. It is filled by requirePeople.
	seen map[voteKey]seenCase
	// heads names one account of a person for each further one.
	heads map[domain.ID]domain.ID
}

// head returns the account that is named for the person of an account.
func (c *liveCase) head(account domain.ID) domain.ID {
	if head, known := c.heads[account]; known {
		return head
	}
	return account
}

// team creates reviewers who may decide at every level, as many as a process with two approvals and an
// anti-money-laundering review needs, and one more for each that is excluded.
func (env *testEnv) team(reviewers int) []domain.Actor {
	env.t.Helper()
	var people []domain.Actor
	for n := range reviewers {
		people = append(people, env.reviewer(fmt.Sprintf("rev%d", n), domain.RoleManager,
			domain.RoleAML))
	}
	return people
}

// reviewer creates a user with the roles and every queue.
func (env *testEnv) reviewer(name string, roles ...domain.Role) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Roles: roles,
		Queues: []string{domain.QueueL1, domain.QueueL2, domain.QueueAML, domain.QueueRepair}}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// From every state that random commands reach, a person can continue: an eligible reviewer can claim
// the open review, or the submitter can resubmit. Abandoning the case does not count.
func TestSomeoneCanAlwaysGoOn(t *testing.T) {
	t.Parallel()
	for _, people := range []int{3, 4, 6} {
		t.Run(fmt.Sprintf("%d people", people), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, team := env.person("sam", domain.RoleSubmitter), env.team(people-1)
			forHistories(t, 3, func(random *rand.Rand) {
				for _, role := range []domain.Role{domain.RoleManager, domain.RoleAML} {
					must(t, env.svc.SetLimit(env.ctx, domain.SystemActor(), domain.Limit{
						Role: role, Action: domain.ActDecide, Unlimited: random.IntN(2) == 0,
						BaseMinor: 140000000}))
				}
				c := &liveCase{testEnv: env, random: random, sam: sam, people: team}
				c.afterStep = c.requireLive
				c.submitInvoice()
				c.run()
			})
		})
	}
}

func pick[T any](c *liveCase, values ...T) T { return values[c.random.IntN(len(values))] }

// submitInvoice submits an invoice that a reviewer must see.
func (c *liveCase) submitInvoice() {
	c.t.Helper()
	total := pick(c, "900.00", "20000.00", "900000.00")
	if len(c.people) > 2 { // two approvals need two reviewers besides one who is excluded
		total = pick(c, total, "1200000.00")
	}
	vendor := "Hafen Logistik GmbH"
	c.reader.xml, c.reader.lines = nil, append(invoiceLines(vendor,
		"L-"+letters(c.random, 10), total), "or 500.00 USD 700.00", "Alster Werke GmbH")
	declared := pick(c, []string{"", ""}, []string{"700.00", "EUR"})
	c.id = c.submitDeclared(c.sam, "document_approval", "invoice", declared[0], declared[1], "")
}

func (c *liveCase) run() {
	c.t.Helper()
	for range 14 {
		c.before = c.caseByID(c.id)
		if c.before.Status.Final() {
			break
		}
		c.step(c.before.Status)
		c.drainQueue()
		c.afterStep()
	}
	c.verifyCaseLog(c.id)
}

// step runs one random command; refusals are results like others.
func (c *liveCase) step(status domain.Status) {
	c.t.Helper()
	if status == domain.Returned {
		c.answer()
		return
	}
	open := c.undecidedReviews(c.id)
	if len(open) == 0 || c.random.IntN(20) == 0 {
		c.changeControls()
		return
	}
	review, by := open[c.random.IntN(len(open))], pick(c, c.people...)
	if review.Status == domain.ReviewClaimed && c.random.IntN(4) > 0 {
		by.UserID = review.Assignee
	}
	on := casework.ReviewTarget{ReviewID: review.ID}
	command := pick(c, 8, c.random.IntN(14), c.random.IntN(14), c.random.IntN(14))
	if len(c.seen) > 0 { // corrections after a vote, which may not cover them, and then a decision
		command = pick(c, 1, 8, 8, command)
	}
	switch {
	case review.Status == domain.ReviewOpen || command == 0:
		c.claimFirst(by, on)
	case command < 5:
		field := pick(c, [][]string{{domain.FieldTotal, "500.00", "700.00", "1500000.00", "33.00"},
			{domain.FieldVendor, "Alster Werke GmbH", "Invented GmbH", ""},
			{domain.FieldNumber, "L-9", ""}, {domain.FieldCurrency, "USD", "EUR"},
			{domain.FieldCountry, "FR", "NL"},
			{domain.FieldIBAN, "GB33BUKB20201555555555"}}...)
		value := pick(c, field[1:]...)
		c.try("set "+field[0]+"="+value, errOf(c.svc.CorrectFields(c.ctx, by, casework.CorrectFields{
			ReviewTarget: on, Confirm: true,
			Fields: []casework.FieldInput{{Name: field[0], Value: value}}})))
	case command == 5:
		c.try("confirm", errOf(c.svc.ConfirmFields(c.ctx, by, casework.ConfirmFields{
			ReviewTarget: on, Confirm: true, Names: []string{pick(c, domain.FieldTotal,
				domain.FieldVendor, domain.FieldIBAN)}})))
	case command == 6:
		c.try("release", errOf(c.svc.ReleaseReview(c.ctx, by, on)))
	case command == 7:
		other := pick(c, c.people...)
		c.try("absence", errOf(c.svc.SetAbsence(c.ctx, by, casework.SetAbsence{Person: by.UserID,
			Substitute: other.UserID, From: time.Now().Add(c.clockOffset),
			Until: time.Now().Add(c.clockOffset + time.Hour)})))
	case command < 10:
		verdict := pick(c, domain.Approve, domain.Approve, domain.Approve, domain.Return,
			domain.Escalate)
		if review.Repairs() {
			verdict = domain.Repaired
		}
		c.try(string(verdict), c.decide(by, review.ID, verdict, "checked"))
	default:
		c.furtherCommand(command, review, by, on)
	}
}

// claimFirst claims a review for a person, or at times for the first of the others who may.
func (c *liveCase) claimFirst(by domain.Actor, on casework.ReviewTarget) {
	c.t.Helper()
	err := errOf(c.svc.ClaimReview(c.ctx, by, on))
	c.try("claim", err)
	for at := 0; err != nil && at < len(c.people) && c.random.IntN(4) > 0; at++ {
		err = errOf(c.svc.ClaimReview(c.ctx, c.people[at], on))
		c.try("claim", err)
	}
}

// try records a command. Only refusals that are written for users may happen.
func (c *liveCase) try(command string, err error) {
	c.t.Helper()
	var refusal *domain.Error
	if err != nil && (!errors.As(err, &refusal) || refusal.Code == domain.Internal) {
		c.t.Fatalf("%v, %s: %v", c.commands, command, err)
	}
	c.commands = append(c.commands, fmt.Sprintf("%s %s", command, domain.CodeOf(err)))
}

// requireLive checks that a person can continue.
func (c *liveCase) requireLive() {
	c.t.Helper()
	record := c.caseByID(c.id)
	if record.Status.Final() || record.Status == domain.Returned {
		return
	}
	if record.Status != domain.InReview {
		c.t.Fatalf("the case is %s after %v", record.Status, c.commands)
	}
	authorizer, err := c.svc.Authorizer(c.ctx)
	must(c.t, err)
	users, err := c.db.Reader().Users(c.ctx, nil)
	must(c.t, err)
	exclusions, err := c.db.Reader().Exclusions(c.ctx, c.id, record.Parties())
	must(c.t, err)
	now, err := c.db.Reader().Clock(c.ctx)
	must(c.t, err)
	if !slices.ContainsFunc(c.undecidedReviews(c.id), func(review domain.Review) bool {
		facts := store.NewReviewFacts(record, review, exclusions, true, now)
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewOpen, domain.NoID, false
		if len(authorizer.Eligible(users, domain.ActClaim, facts)) > 0 {
			return true
		}
		facts.BaseMinor, facts.AmountKnown = 0, true
		return c.canClaim(review, authorizer.Eligible(users, domain.ActClaim, facts))
	}) {
		c.t.Fatalf("no person can go on at %+v after %v; %d are excluded", record.Marking,
			c.commands, len(exclusions.Interested))
	}
}

// canClaim reports whether one of the people can claim a review whose amount is above every limit. A
// review that waits for its next draw is claimable only after it: requireDrawnLive checks these.
func (c *liveCase) canClaim(review domain.Review, people []domain.User) bool {
	c.t.Helper()
	on := casework.ReviewTarget{ReviewID: review.ID}
	if review.Status == domain.ReviewClaimed {
		return slices.ContainsFunc(people,
			func(person domain.User) bool { return person.ID == review.Assignee })
	}
	if review.AwaitsDraw() {
		return len(people) > 0
	}
	return slices.ContainsFunc(people, func(person domain.User) bool {
		by := domain.Actor{UserID: person.ID, Name: person.Name, Channel: domain.ChannelAPI}
		if errOf(c.svc.ClaimReview(c.ctx, by, on)) != nil {
			return false
		}
		must(c.t, errOf(c.svc.ReleaseReview(c.ctx, by, on)))
		return true
	})
}
