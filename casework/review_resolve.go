package casework

import (
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/workflow"
)

// resolveCorrections returns the set of assertions that a person's corrections make. Each
// correction that one person may make alone resolves the earlier assertions of its field; the
// others stay unresolved, so that the riskier value counts until a second person has confirmed.
// The reasons are written into the corrections.
func (c *command) resolveCorrections(
	history facts.History, before, after []domain.Field,
	corrections []generated.FieldsCorrectedV1Field,
) (domain.AssertionSet, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return domain.AssertionSet{}, err
	}
	set := domain.AssertionSet{CaseID: c.before.ID, Revision: c.change.Case.FactsRevision,
		Source: domain.SourceHuman, By: c.actor.UserID, DocumentRevision: document.Revision,
		At: c.now}
	page, err := c.printedPage(document)
	if err != nil {
		return set, err
	}
	for i := range corrections {
		correction := &corrections[i]
		at := slices.IndexFunc(after, func(f domain.Field) bool { return f.Name == correction.Name })
		assertion := facts.AssertionOf(after[at])
		assertion.Grounded = page.shows(correction.Name, correction.After,
			fieldValue(after, domain.FieldCurrency))
		needs, err := c.judgeCorrection(history, set, assertion, before, after)
		if err != nil {
			return set, err
		}
		if correction.Name == domain.FieldCurrency && needs == facts.NoSecondPerson {
			needs = pendingTotal(set)
		}
		assertion.Resolves = needs == facts.NoSecondPerson
		assertion.Pending, correction.Pending = string(needs), string(needs)
		set.Assertions = append(set.Assertions, assertion)
	}
	return set, nil
}

// pendingTotal returns why the total in the set waits for a second person. The currency of the same
// correction then waits too, because otherwise an amount would count that was never stated: the total
// of one source in the currency of another.
func pendingTotal(set domain.AssertionSet) facts.NeedsSecondPerson {
	for _, assertion := range set.Assertions {
		if assertion.Field == domain.FieldTotal {
			return facts.NeedsSecondPerson(assertion.Pending)
		}
	}
	return facts.NoSecondPerson
}

// judgeCorrection decides whether a person may make one correction alone, after those already in
// the set.
func (c *command) judgeCorrection(
	history facts.History, set domain.AssertionSet, assertion domain.Assertion,
	before, after []domain.Field,
) (facts.NeedsSecondPerson, error) {
	earlier := withSets(history, set)
	set.Assertions = append(slices.Clone(set.Assertions), assertion)
	set.Assertions[len(set.Assertions)-1].Resolves = true
	resolved := withSets(history, set)
	riskBefore, riskAfter := facts.RiskOf(earlier, countryOf), facts.RiskOf(resolved, countryOf)
	base, err := c.ratesOf(riskBefore, riskAfter)
	if err != nil {
		return "", err
	}
	var failure error
	needs := facts.Resolve(riskBefore, riskAfter, base, earlier.Unresolved(assertion.Field),
		facts.Correction{Field: assertion.Field, Value: assertion.Value,
			OnPage: assertion.Grounded},
		func() (needs facts.NeedsSecondPerson) {
			needs, failure = c.routeStays(riskBefore, riskAfter, base, before, after)
			return needs
		})
	if failure == nil && c.confirmsAnother(earlier, assertion) {
		needs = facts.NoSecondPerson
	}
	if needs == facts.NoSecondPerson && !riskAfter.Covers(riskBefore, base) &&
		!c.mayDecide(max(riskBefore.Largest(base), riskAfter.Largest(base))) {
		needs = facts.LimitExceeded
	}
	return needs, failure
}

// mayDecide reports whether the limits of everybody who acts cover the amount.
func (c *command) mayDecide(baseMinor int64) bool {
	return !c.def.HasAmount || !slices.ContainsFunc(c.persons, func(person domain.User) bool {
		return !authz.CoversAmount(person, c.before.DocumentType, baseMinor)
	})
}

// confirmsAnother reports whether another person has asserted the same value and waits for a second
// one.
func (c *command) confirmsAnother(history facts.History, assertion domain.Assertion) bool {
	return slices.ContainsFunc(history.Unresolved(assertion.Field), func(e facts.Entry) bool {
		return e.Set.Source == domain.SourceHuman && e.Value == assertion.Value &&
			!slices.ContainsFunc(c.persons,
				func(person domain.User) bool { return person.ID == e.Set.By })
	})
}

// ratesOf returns the conversion of the amounts at risk to the base currency.
func (c *command) ratesOf(risks ...facts.Risk) (func(domain.Money) int64, error) {
	converted := map[domain.Money]int64{}
	for _, risk := range risks {
		for _, amount := range risk.Amounts {
			if _, done := converted[amount]; done {
				continue
			}
			base, _, err := baseAmount(c.ctx, c.tx, c.before, amount, c.now)
			if err != nil {
				return nil, err
			}
			converted[amount] = base
		}
	}
	return func(amount domain.Money) int64 { return converted[amount] }, nil
}

// routeStays reports whether a smaller risk basis leads to the same reviews, and why not.
func (c *command) routeStays(
	before, after facts.Risk, base func(domain.Money) int64, fieldsBefore, fieldsAfter []domain.Field,
) (facts.NeedsSecondPerson, error) {
	if !slices.Equal(before.Countries, after.Countries) {
		return facts.CountryChanged, nil
	}
	findingRows, err := c.tx.Findings(c.ctx, c.before.ID)
	if err != nil {
		return "", err
	}
	found := findingsByStage(findingRows)
	reviewsFor := func(risk facts.Risk, fields []domain.Field) ([]string, error) {
		record := c.before
		if largest := risk.Largest(base); largest > 0 {
			record.BaseMinor = largest
		}
		return workflow.ExpectedReviews(c.def, processFacts(record, fields, found))
	}
	wanted, err := reviewsFor(before, fieldsBefore)
	if err != nil {
		return "", err
	}
	left, err := reviewsFor(after, fieldsAfter)
	if err != nil {
		return "", err
	}
	for _, review := range wanted {
		if !slices.Contains(left, review) && !c.waitsAt(review) {
			return facts.RouteEasier, nil
		}
	}
	return facts.NoSecondPerson, nil
}

// waitsAt reports whether the case is at the node, so that the review there takes place whatever
// the route is.
func (c *command) waitsAt(node string) bool {
	return slices.ContainsFunc(c.before.Marking.Tokens,
		func(token domain.Token) bool { return token.Node == node })
}
