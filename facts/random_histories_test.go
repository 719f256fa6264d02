package facts_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/facts"
	"countersign/internal/riskmodel"
)

var (
	histories = flag.Int("histories", 5000, "random histories of assertions")
	seed      = flag.Uint64("seed", 0, "seed of the random histories, 0 for a random one")
)

// randomFields are the fields of random histories with their values. "" removes a value.
var randomFields = []struct {
	name   string
	values []string
}{
	{domain.FieldTotal, []string{"", "10", "20", "30", "500"}},
	{domain.FieldCurrency, []string{"", "USD", "JPY"}},
	{domain.FieldCountry, []string{"", "DE", "FR", "IR"}},
	{domain.FieldPayerCountry, []string{"", "DE", "IR"}},
	{domain.FieldDeliveryCountry, []string{"", "DE", "IR"}},
	{domain.FieldVendor, []string{"", "Acme", "Bolt", "Cord"}},
	{domain.FieldNumber, []string{"", "N-1", "N-2"}},
	{domain.FieldDate, []string{"", "2026-01-01", "2026-01-02"}},
	{domain.FieldIBAN, []string{"", "A", "B"}},
	{domain.FieldBIC, []string{"", "DEUTDEFF", "BKCHCNBJ", "BMJIIRTH"}},
}

// route is what rules and process make of a risk basis: who decides, whom a conflict excludes, and
// which duplicates are found. A country that no longer counts is always another route.
func route(risk riskmodel.Risk) string {
	var parts []string
	if risk.Largest >= 2000 {
		parts = append(parts, "manager")
	}
	for _, part := range [][]string{{domain.FieldVendor, "Acme"}, {domain.FieldNumber, "N-1"},
		{domain.FieldCountry, "DE"}, {domain.FieldCountry, "FR"}, {domain.FieldCountry, "IR"},
		{domain.FieldPayerCountry, "DE"}, {domain.FieldPayerCountry, "IR"},
		{domain.FieldDeliveryCountry, "DE"}, {domain.FieldDeliveryCountry, "IR"},
		{domain.FieldBIC, "DE"}, {domain.FieldBIC, "CN"}, {domain.FieldBIC, "IR"}} {
		if risk.Includes(part[0], part[1]) {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	return strings.Join(parts, ", ")
}

// randomCase is one random history: what the program makes of it, beside the model.
type randomCase struct {
	t       *testing.T
	random  *rand.Rand
	history facts.History
	model   *riskmodel.Model
	steps   []step
	// submitter is one of the people, or none of them.
	submitter domain.ID
}

// randomAccounts are the accounts of the people: the last one is a further account of the first person.
var randomAccounts = []domain.ID{{1}, {2}, {3}, {4}}

// headOf returns the account that is named for the person of an account.
func headOf(account domain.ID) domain.ID {
	if account == (domain.ID{4}) {
		return domain.ID{1}
	}
	return account
}

// accountsOf returns all accounts of people.
func accountsOf(people []domain.ID) (accounts []domain.ID) {
	for _, account := range randomAccounts {
		if slices.ContainsFunc(people,
			func(id domain.ID) bool { return headOf(id) == headOf(account) }) {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// step is one set of assertions, of a reviewer with the persons who act and their limit.
type step struct {
	set     domain.AssertionSet
	persons []domain.ID
	limit   int64
}

// Whatever sources and reviewers assert in whatever order, the risk basis falls only by a correction
// of the people that the specification demands.
func TestRandomHistoriesKeepTheRisk(t *testing.T) {
	t.Parallel()
	first := *seed
	if first == 0 {
		first = rand.Uint64()
	}
	t.Logf("seed %d", first)
	for n := range uint64(*histories) {
		c := &randomCase{t: t, random: rand.New(rand.NewPCG(first, n)),
			model: riskmodel.New(minor), submitter: domain.ID{9}}
		if c.random.IntN(3) == 0 {
			c.submitter = randomAccounts[c.random.IntN(len(randomAccounts))]
		}
		for range 3 + c.random.IntN(10) {
			c.step()
			if problem := c.check(); problem != "" {
				for _, step := range c.steps {
					t.Logf("%s %v up to %d: %s", step.set.Source, step.persons, step.limit,
						described(step.set.Assertions))
				}
				t.Fatalf("-seed %d, history %d, submitted by %v: %s", first, n, c.submitter[0], problem)
			}
		}
	}
}

func (c *randomCase) step() {
	source := []domain.FieldSource{domain.SourceDeclared, domain.SourceXML, domain.SourceOCR,
		domain.SourceText, domain.SourceExternal, domain.SourceHuman, domain.SourceHuman,
		domain.SourceHuman, domain.SourceHuman}[c.random.IntN(9)]
	if len(c.history) == 0 {
		source = domain.SourceDeclared
	}
	set := domain.AssertionSet{Source: source, Revision: int64(len(c.history) + 1),
		DocumentRevision: 1 + c.random.IntN(2)}
	for _, field := range randomFields {
		if c.random.IntN(3) > 0 {
			continue
		}
		value := field.values[c.random.IntN(len(field.values))]
		set.Assertions = append(set.Assertions, domain.Assertion{Field: field.name, Value: value,
			Confidence: c.random.Float64(), Grounded: value != "" && c.random.IntN(4) > 0})
	}
	if source == domain.SourceHuman {
		c.correct(set)
		return
	}
	if source.IsMachine() && c.random.IntN(3) == 0 {
		set.Assertions = append(set.Assertions, c.otherDocuments()...)
	}
	c.steps = append(c.steps, step{set: set})
	c.history = append(c.history, set)
	c.model.Add(set)
}

// otherDocuments are what a reading found in further documents of the file: totals with the currency of their
// page, totals without one, and currencies that belong to no total.
func (c *randomCase) otherDocuments() (found []domain.Assertion) {
	pick := func(values ...string) string { return values[c.random.IntN(len(values))] }
	for range 1 + c.random.IntN(3) {
		total := domain.Assertion{Field: domain.FieldTotal, Value: pick("20", "500", "40.50")}
		currency := domain.Assertion{Field: domain.FieldCurrency, Value: pick("USD", "JPY", "KWD")}
		switch c.random.IntN(5) {
		case 0:
			found = append(found, total)
		case 1:
			found = append(found, currency)
		case 2: // the currency is found already, or that of another source
			total.Currency = currency.Value
			found = append(found, total)
		default:
			total.Currency, currency.OfTotals = currency.Value, true
			found = append(found, total, currency)
		}
	}
	return found
}

// correct makes the corrections of one set by one reviewer, on behalf of another at times: a total
// with its currency, the other fields one by one, as the service does.
func (c *randomCase) correct(set domain.AssertionSet) {
	persons := []domain.ID{randomAccounts[c.random.IntN(len(randomAccounts))]}
	if c.random.IntN(4) == 0 {
		for _, delegator := range randomAccounts[c.random.IntN(len(randomAccounts)):][:1] {
			if headOf(delegator) != headOf(persons[0]) {
				persons = append(persons, delegator)
			}
		}
	} else if c.submitter == (domain.ID{9}) && c.random.IntN(6) == 0 {
		persons[0] = c.submitter
	}
	acting := append(accountsOf(persons), persons...)
	submits := slices.Contains(acting, c.submitter)
	for i := range set.Assertions {
		if len(persons) > 1 {
			set.Assertions[i].OnBehalfOf = persons[1]
		}
	}
	limit := []int64{1500, 3000, 1 << 40}[c.random.IntN(3)]
	set.By = persons[0]
	var groups [][]domain.Assertion
	var amount []domain.Assertion
	for _, a := range set.Assertions {
		if a.Field == domain.FieldTotal || a.Field == domain.FieldCurrency {
			amount = append(amount, a)
			continue
		}
		groups = append(groups, []domain.Assertion{a})
	}
	groups = append(groups, amount)
	asserted := set
	asserted.Assertions = nil
	for _, group := range groups {
		p := facts.Propose(c.history, asserted, group,
			c.proposers(acting), domain.UndefinedDocumentType("invoice"), countryOfBank)
		needs := p.Judge(minor,
			func(largest int64, _ []domain.ID) bool { return largest <= limit },
			func(bool) facts.NeedsSecondPerson {
				if route(viewOf(p.Before)) != route(viewOf(p.After)) {
					return facts.RouteEasier
				}
				return facts.NoSecondPerson
			})
		for _, a := range group {
			a.Resolves = needs == facts.NoSecondPerson && !submits
			asserted.Assertions = append(asserted.Assertions, a)
		}
	}
	c.steps = append(c.steps, step{asserted, persons, limit})
	c.history = append(c.history, asserted)
	c.play(asserted, persons, submits, limit)
}

// proposers returns who makes corrections, and whose values confirm none.
func (c *randomCase) proposers(acting []domain.ID) facts.Proposers {
	by := facts.Proposers{Acting: acting, Submitter: c.submitter, Persons: facts.Persons{}}
	for _, account := range randomAccounts {
		by.Persons[account] = headOf(account)
		if account != c.submitter && headOf(account) == headOf(c.submitter) {
			by.SubmitterAccounts = append(by.SubmitterAccounts, account)
		}
	}
	return by
}

// play makes the corrections in the model, in which each person has one account.
func (c *randomCase) play(set domain.AssertionSet, persons []domain.ID, submits bool, limit int64) {
	set.By, set.Assertions = headOf(set.By), slices.Clone(set.Assertions)
	for i := range set.Assertions {
		set.Assertions[i].OnBehalfOf = headOf(set.Assertions[i].OnBehalfOf)
	}
	if submits {
		c.model.Add(set)
		return
	}
	heads := []domain.ID{}
	for _, person := range persons {
		heads = append(heads, headOf(person))
	}
	c.model.Correct(set, riskmodel.Reviewer{Persons: heads, Submitter: headOf(c.submitter),
		MayResolve: func(largest int64) bool { return largest <= limit },
		SameRoute: func(before, after riskmodel.Risk) bool {
			return route(before) == route(after)
		}})
}

// countryOfBank returns the country of a BIC.
func countryOfBank(field, value string) string {
	if field == domain.FieldBIC {
		return value[4:6]
	}
	return ""
}

// viewOf returns a risk basis of the program in the form of the model.
func viewOf(risk facts.Risk) riskmodel.Risk {
	view := riskmodel.Risk{Largest: risk.Largest(minor), Values: map[string][]string{
		domain.FieldVendor: risk.Names, domain.FieldNumber: risk.Numbers,
		domain.FieldDate: risk.Dates, domain.FieldIBAN: risk.Accounts}}
	for _, country := range risk.CountryRoles {
		if slices.Contains(risk.Countries, country.Code) {
			view.Values[country.Field] = append(view.Values[country.Field], country.Code)
		}
	}
	return view
}

// check says what the model counts and the program does not, "" if nothing.
func (c *randomCase) check() string {
	want, have := c.model.Risk(), viewOf(facts.RiskOf(c.history, countryOfBank))
	if have.Largest < want.Largest {
		return fmt.Sprintf("%d is at risk, at least %d must be", have.Largest, want.Largest)
	}
	for field, values := range want.Values {
		for _, value := range values {
			if !have.Includes(field, value) {
				return fmt.Sprintf("the %s %q does not count", field, value)
			}
		}
	}
	return ""
}

// described returns the assertions in short.
func described(assertions []domain.Assertion) string {
	var parts []string
	for _, a := range assertions {
		part := fmt.Sprintf("%s=%q", a.Field, a.Value)
		if a.Grounded {
			part += " on the page"
		}
		if a.Resolves {
			part += " resolves"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
