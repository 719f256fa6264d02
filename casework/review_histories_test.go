package casework_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
	"countersign/facts"
	"countersign/internal/riskmodel"
)

// Thresholds of the built-in processes in minor units of the base currency.
const (
	straightInvoice, straightRemittance = 100000, 10000000
	secondReview                        = 100000000
)

// answer answers a returned case, as its submitter.
func (c *liveCase) answer() {
	c.t.Helper()
	if c.order.Reference != "" && c.random.IntN(2) == 0 {
		c.order.Amount = pick(c, "700.00", "20000.00", "1200000.00")
		c.order.Country = pick(c, "DE", "FR")
		c.order.Payee = pick(c, "Hafen Logistik GmbH", "Alster Werke GmbH")
		c.try("restate", c.restate(c.sam, c.id, c.order))
		return
	}
	if c.random.IntN(4) == 0 {
		c.try("enter", errOf(c.svc.EnterFields(c.ctx, c.sam, casework.EnterFields{
			CaseTarget: casework.CaseTarget{CaseID: c.id}, Fields: []casework.FieldInput{
				{Name: domain.FieldTotal, Value: pick(c, "500.00", "33.00")}}})))
		return
	}
	c.try("resubmit", errOf(c.svc.ResubmitCase(c.ctx, c.sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: c.id}, Comment: "again"})))
}

// changeControls lists a country as risky, if the case has an administrator.
func (c *liveCase) changeControls() {
	c.t.Helper()
	if c.admin.UserID == domain.NoID {
		return
	}
	country := pick(c, "FR", "NL")
	_, err := c.setCountry(c.admin, country, "high")
	c.try("list "+country, err)
	c.sweepControls()
}

// furtherCommand runs a command that histories use less often.
func (c *liveCase) furtherCommand(
	command int, review domain.Review, by domain.Actor, on casework.ReviewTarget,
) {
	c.t.Helper()
	switch command {
	case 10:
		if finding := c.anyFinding(); finding != "" {
			c.try("override "+finding, errOf(c.svc.OverrideFindings(c.ctx, by,
				casework.OverrideFindings{ReviewTarget: on,
					Overrides: overridesOf([]string{finding, "known"})})))
		}
	case 11:
		results, err := c.svc.ReassignReviews(c.ctx, by, casework.ReassignReviews{
			Reviews: []domain.ID{review.ID}, To: pick(c, c.people...).UserID, Reason: "workload"})
		if err == nil {
			err = results[0].Err
		}
		c.try("reassign", err)
	case 12:
		results, err := c.svc.ApproveReviews(c.ctx, by,
			casework.BulkReviews{Reviews: []domain.ID{review.ID}, Reason: "known"})
		if err == nil {
			err = results[0].Err
		}
		c.try("approve in bulk", err)
		if err == nil {
			c.try("undo", errOf(c.svc.UndoDecision(c.ctx, by, on)))
		}
	default:
		c.orderCommand(by, on)
	}
}

// orderCommand is about the payment order of a case; without one, it corrects the country.
func (c *liveCase) orderCommand(by domain.Actor, on casework.ReviewTarget) {
	c.t.Helper()
	switch {
	case c.order.Reference == "" || c.random.IntN(4) == 0:
		c.try("set country", errOf(c.svc.CorrectFields(c.ctx, by, casework.CorrectFields{
			ReviewTarget: on, Confirm: true, Fields: []casework.FieldInput{{
				Name: domain.FieldCountry, Value: pick(c, "DE", "FR", "IR")}}})))
	case c.random.IntN(3) == 0:
		c.try("accept", errOf(c.svc.AcceptOrder(c.ctx, by, on)))
	case c.random.IntN(2) == 0:
		c.try("state a ground", errOf(c.svc.StateOrderGround(c.ctx, by,
			casework.StateOrderGround{ReviewTarget: on, Ground: casework.GroundInput{
				Kind: pick(c, domain.GroundKinds()...), Explanation: "agreed"}})))
	default:
		c.try("confirm a ground", errOf(c.svc.ConfirmOrderGround(c.ctx, by,
			casework.ConfirmOrderGround{ReviewTarget: on, Number: 1})))
	}
}

// anyFinding returns the rule of a random finding of the case, "" without one.
func (c *liveCase) anyFinding() string {
	c.t.Helper()
	rules := c.findingRules(c.id)
	if len(rules) == 0 {
		return ""
	}
	return pick(c, rules...)
}

// submitRandom submits an invoice, a remittance, or a remittance with a payment order.
func (c *liveCase) submitRandom() {
	c.t.Helper()
	kind := c.random.IntN(4)
	switch kind {
	case 0:
		c.submitInvoice()
		return
	case 3:
		c.submitVoted()
		return
	}
	c.reader.others = nil
	total := pick(c, "900.00", "20000.00", "1200000.00")
	number := "L-" + letters(c.random, 10)
	if c.random.IntN(2) == 0 {
		c.reader.lines, c.reader.xml = nil, invoiceXML(total, number)
	} else {
		c.reader.xml, c.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", number,
			total), "or 500.00 USD 700.00", "Alster Werke GmbH")
	}
	if kind == 1 {
		c.reader.others = pick(c, nil, [][]string{{"Hafen Logistik GmbH", "Total USD 50000.00"}},
			[][]string{{"Hafen Logistik GmbH", "Total USD 950.00"}, {"Hafen Logistik GmbH", "Total 30000.00"}})
		declared := pick(c, []string{"", ""}, []string{"700.00", "EUR"},
			[]string{"1500000.00", "USD"})
		c.id = c.submitDeclared(c.sam, "cross_border_remittance", "remittance", declared[0],
			declared[1], pick(c, "", "DE", "FR", "IR"))
		return
	}
	c.order = order(pick(c, total, "700.00", "1200000.00"), "EUR", number)
	c.order.Payee = pick(c, "Hafen Logistik GmbH", "Muster Werke GmbH")
	c.id = c.mustOrder(c.sam, c.order)
}

// submitVoted submits a remittance that needs several approvals, with the first of them, so that the
// history is about what changes after a vote.
func (c *liveCase) submitVoted() {
	c.t.Helper()
	need := pick(c, []string{"20000.00", "IR"}, []string{"1200000.00", "DE"},
		[]string{"1200000.00", "IR"})
	c.reader.lines, c.reader.xml = nil,
		invoiceXML(need[0], "L-"+letters(c.random, 10))
	c.id = c.submitDeclared(c.sam, "cross_border_remittance", "remittance", need[0], "EUR",
		need[1])
	c.before = c.caseByID(c.id)
	on := casework.ReviewTarget{ReviewID: c.openReview(c.id).ID}
	for _, by := range c.people {
		if errOf(c.svc.ClaimReview(c.ctx, by, on)) == nil {
			c.try("approve", c.decide(by, on.ReviewID, domain.Approve, "checked"))
			break
		}
	}
	c.drainQueue()
}

// Whatever random people do in random order, the risk basis falls only by a decision of the people
// that resolving demands, and no case is archived with fewer or other people than the riskiest values
// demand that were ever asserted and are not resolved.
func TestRandomHistoriesAreDecidedByThePeopleTheyNeed(t *testing.T) {
	t.Parallel()
	for _, people := range []int{3, 4, 6} {
		t.Run(fmt.Sprintf("%d people", people), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			env.knowVendors()
			env.approvedBefore("Hafen Logistik GmbH", "remittance", invoiceAccount)
			sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
			team := []domain.Actor{env.reviewer("jan", domain.RoleL1),
				env.reviewer("mia", domain.RoleManager),
				env.reviewer("al", domain.RoleAML, domain.RoleSenior),
				env.reviewer("sid", domain.RoleSenior), env.reviewer("joe", domain.RoleL1),
				env.reviewer("max", domain.RoleManager, domain.RoleAML)}[:people]
			forHistories(t, 3, func(random *rand.Rand) {
				c := &liveCase{testEnv: env, random: random, sam: sam, people: team, admin: ada}
				c.afterStep = c.requirePeople
				c.submitRandom()
				c.afterStep()
				c.run()
			})
		})
	}
}

// requirePeople compares the case with the model of everything asserted about it.
func (c *liveCase) requirePeople() {
	c.t.Helper()
	record := c.caseByID(c.id)
	model, sets := c.modelOf(record)
	risk := model.Risk()
	if record.BaseMinor < risk.Largest {
		c.t.Fatalf("%d is at risk, at least %d must be, after %v\n%+v", record.BaseMinor,
			risk.Largest, c.commands, sets)
	}
	have := map[string][]string{domain.FieldCountry: record.Countries(),
		domain.FieldNumber: record.Numbers(), domain.FieldVendor: c.partyKeys(record)}
	for field, values := range have {
		for _, value := range risk.Values[field] {
			if field == domain.FieldVendor {
				value = casework.PartyKey(value)
			}
			if value != "" && !slices.Contains(values, value) {
				c.t.Fatalf("the %s %q does not count beside %v after %v\n%s", field, value,
					values, c.commands, textOf(sets))
			}
		}
	}
	c.requireSeen(record)
	if record.Status == domain.Archived {
		c.requireVotes(record, risk, sets)
	}
}

// voteKey identifies a vote of a case.
type voteKey struct{ review, person domain.ID }

// seenCase is the case on which a vote was given: its row, and the account.
type seenCase struct {
	record  domain.Case
	account string
}

// requireSeen remembers on what each vote was given. It checks that the votes with which a case was
// archived were given on everything that is at risk, on its account and on its counterparty. It
// compares rows of the case, and not what the program stored with the votes.
func (c *liveCase) requireSeen(record domain.Case) {
	c.t.Helper()
	exclusions, err := c.db.Reader().Exclusions(c.ctx, c.id, record.Parties())
	must(c.t, err)
	counting := map[voteKey]seenCase{}
	for _, vote := range exclusions.Votes {
		key := voteKey{vote.ReviewID, vote.Person}
		seen, known := c.seen[key]
		if !known { // votes change no facts
			seen = seenCase{c.before, c.field(c.id, domain.FieldIBAN).Normalised}
		}
		counting[key] = seen
		if record.Status == domain.Archived {
			if lacks := seen.lacks(record, c.field(c.id, domain.FieldIBAN).Normalised); lacks != "" {
				c.t.Fatalf("a vote was given on another %s: %+v, archived %+v, after %v", lacks,
					seen, record, c.commands)
			}
		}
	}
	c.seen = counting
}

// modelOf returns the model of everything asserted about the case.
func (c *liveCase) modelOf(record domain.Case) (*riskmodel.Model, []domain.AssertionSet) {
	c.t.Helper()
	sets, err := c.db.Reader().Assertions(c.ctx, c.id)
	must(c.t, err)
	if len(sets) == 0 {
		sets = facts.HistoryOf(record, nil, nil)
	}
	model := riskmodel.New(func(m domain.Money) int64 {
		if m.Currency == "EUR" {
			return m.ToBase(1_100_000)
		}
		return m.ToBase(1_000_000)
	})
	users, err := c.db.Reader().Users(c.ctx, nil)
	must(c.t, err)
	for _, set := range sets {
		if set.Source != domain.SourceHuman || set.By == record.Submitter {
			model.Add(set)
			continue
		}
		by := riskmodel.Reviewer{Persons: []domain.ID{set.By},
			MayResolve: func(largest int64) bool {
				return slices.ContainsFunc(users, func(user domain.User) bool {
					return user.ID == set.By &&
						authz.CoversAmount(user, record.DocumentType, largest)
				})
			},
			SameRoute: func(before, after riskmodel.Risk) bool {
				return len(before.Values[domain.FieldCountry]) ==
					len(after.Values[domain.FieldCountry]) &&
					(record.ProcessKey == "document_approval" ||
						(before.Largest > secondReview) == (after.Largest > secondReview))
			}}
		if slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool { return a.Order }) {
			model.Accept(set, by)
			continue
		}
		model.Correct(set, by)
	}
	return model, sets
}

// partyKeys returns the keys of the parties of the case.
func (c *liveCase) partyKeys(record domain.Case) []string {
	c.t.Helper()
	var keys []string
	for _, party := range record.Parties() {
		keys = append(keys, c.queryTexts(`SELECT key FROM parties WHERE id = $1`, party)...)
	}
	return keys
}

// requireVotes checks the votes of an archived case against the riskiest values.
func (c *liveCase) requireVotes(
	record domain.Case, risk riskmodel.Risk, sets []domain.AssertionSet,
) {
	c.t.Helper()
	exclusions, err := c.db.Reader().Exclusions(c.ctx, c.id, record.Parties())
	must(c.t, err)
	reviews, err := c.db.Reader().ReviewsOf(c.ctx, c.id)
	must(c.t, err)
	queues, voters := map[string]bool{}, map[domain.ID]bool{}
	for _, vote := range exclusions.Votes {
		at := slices.IndexFunc(reviews,
			func(r domain.Review) bool { return r.ID == vote.ReviewID })
		queues[reviews[at].Queue], voters[vote.Person] = true, true
		c.requireVoter(record, vote.Person, risk, sets)
	}
	remittance := record.ProcessKey == "cross_border_remittance"
	risky := slices.ContainsFunc(risk.Values[domain.FieldCountry], func(country string) bool {
		found, err := c.db.Reader().CountryRisk(c.ctx, country)
		must(c.t, err)
		return found.Level == "high"
	})
	needed := 0
	switch {
	case !remittance && risk.Largest >= straightInvoice, risk.Largest > straightRemittance:
		needed = 1
	}
	if remittance && risk.Largest > secondReview {
		needed = 2
	}
	if len(voters) < needed || remittance && risky && !queues[domain.QueueAML] ||
		len(voters) != len(exclusions.Votes) {
		c.t.Fatalf("%d people in %v have approved %d in %v after %v\n%+v", len(voters), queues,
			risk.Largest, risk.Values[domain.FieldCountry], c.commands, sets)
	}
}

// requireVoter checks that a person could approve: their limit covers the risk, they did not submit
// the document, and none of its values in force is theirs alone.
func (c *liveCase) requireVoter(
	record domain.Case, person domain.ID, risk riskmodel.Risk, sets []domain.AssertionSet,
) {
	c.t.Helper()
	users, err := c.db.Reader().Users(c.ctx, nil)
	must(c.t, err)
	users = slices.DeleteFunc(users, func(user domain.User) bool { return c.head(user.ID) != c.head(person) })
	covers := slices.ContainsFunc(users, func(user domain.User) bool {
		return authz.CoversAmount(user, record.DocumentType, risk.Largest)
	})
	user := users[0]
	if c.head(person) == c.head(record.Submitter) || !covers {
		c.t.Fatalf("%s has approved %d after %v", user.Name, risk.Largest, c.commands)
	}
	for _, field := range []string{domain.FieldTotal, domain.FieldVendor} {
		if field == domain.FieldTotal && record.OrderRevision > 0 {
			continue // the amount of the order is paid
		}
		inForce := c.field(c.id, field)
		alone := inForce.Source == domain.SourceHuman && inForce.Normalised != "" &&
			!(field == domain.FieldVendor && onlyDoubtful(sets, person))
		for _, set := range sets {
			for _, a := range set.Assertions {
				if a.Field == field && a.Value == inForce.Normalised &&
					(a.Grounded || !c.asserted(set, a, person)) {
					alone = false
				}
			}
		}
		if alone && c.head(inForce.SetBy) == c.head(person) {
			c.t.Fatalf("%s has approved the %s %q of their own after %v\n%s", user.Name, field,
				inForce.Normalised, c.commands, textOf(sets))
		}
	}
}

// asserted reports whether a person made the assertion, with whichever account, or had it made.
func (c *liveCase) asserted(set domain.AssertionSet, a domain.Assertion, person domain.ID) bool {
	return c.head(set.By) == c.head(person) ||
		a.OnBehalfOf != domain.NoID && c.head(a.OnBehalfOf) == c.head(person)
}
