package casework

import (
	"slices"
	"strings"

	"countersign/authz"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
)

// resolveCorrections returns the set of assertions that a person's corrections make. Each
// correction that one person may make alone resolves the earlier assertions of its field; the
// others stay unresolved, so that the riskier value counts until a second person has confirmed. A value
// that replaces a misreading needs no second person and resolves nothing: both count, so that the
// misread one still finds a duplicate or a conflict. The reasons are written into the corrections.
// Their order does not matter.
func (c *command) resolveCorrections(
	history facts.History, before, after []domain.Field,
	corrections []generated.FieldsCorrectedV1Field,
) (domain.AssertionSet, error) {
	document, err := c.newestDocument()
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
	for _, group := range correctionGroups(corrections) {
		if why := group[0].Undetermined; why != "" {
			set.Assertions = append(set.Assertions, domain.Assertion{Field: group[0].Name,
				Undetermined: why, Resolves: true})
			continue
		}
		asserted := make([]domain.Assertion, len(group))
		for i, correction := range group {
			at := slices.IndexFunc(after,
				func(f domain.Field) bool { return f.Name == correction.Name })
			asserted[i] = facts.AssertionOf(after[at])
			asserted[i].Grounded = page.shows(correction.Name, correction.After,
				fieldValue(after, domain.FieldCurrency))
		}
		needs, err := c.judgeCorrections(history, set, asserted, before, after)
		if err != nil {
			return set, err
		}
		resolves := needs == facts.NoSecondPerson
		if needs == facts.NotOnPage && (facts.ReplacesDoubtful(history, asserted[0]) ||
			c.countsBeside(group[0].Name) && page.showsMisread(group[0].Name, group[0].After)) {
			if needs, err = c.outcomeBeside(history, set, asserted, before, after); err != nil {
				return set, err
			}
		}
		for i, correction := range group {
			asserted[i].Resolves = resolves
			asserted[i].Pending, correction.Pending = string(needs), string(needs)
		}
		set.Assertions = append(set.Assertions, asserted...)
	}
	return set, nil
}

// outcomeBeside judges corrections that resolve nothing, so that they count beside the earlier values:
// they still need a second person if fewer or other people would then decide.
func (c *command) outcomeBeside(
	history facts.History, set domain.AssertionSet, asserted []domain.Assertion,
	before, after []domain.Field,
) (facts.NeedsSecondPerson, error) {
	beside := set
	beside.Assertions = slices.Concat(set.Assertions, asserted)
	return c.outcomeStays(withSets(history, set), withSets(history, beside), before, after)
}

// countsBeside reports whether an earlier value of the field, of which the engine was sure, may count
// beside the corrected one. The vendor of a document that is the evidence of an order may not: the
// earlier name would keep stopping the order until a second person confirms.
func (c *command) countsBeside(field string) bool {
	return field != domain.FieldVendor || c.before.OrderRevision == 0
}

// correctionGroups returns the corrections in the order in which they are judged, which depends on
// their fields only. A total and its currency are judged together, because otherwise an amount would
// count that was never stated: the total of one source in the currency of another.
func correctionGroups(
	corrections []generated.FieldsCorrectedV1Field,
) [][]*generated.FieldsCorrectedV1Field {
	ordered := make([]*generated.FieldsCorrectedV1Field, len(corrections))
	for i := range corrections {
		ordered[i] = &corrections[i]
	}
	slices.SortFunc(ordered,
		func(a, b *generated.FieldsCorrectedV1Field) int { return strings.Compare(a.Name, b.Name) })
	var amount []*generated.FieldsCorrectedV1Field
	var groups [][]*generated.FieldsCorrectedV1Field
	for _, correction := range ordered {
		if correction.Undetermined == "" && (correction.Name == domain.FieldTotal ||
			correction.Name == domain.FieldCurrency) {
			amount = append(amount, correction)
			continue
		}
		groups = append(groups, []*generated.FieldsCorrectedV1Field{correction})
	}
	if len(amount) > 0 {
		groups = append(groups, amount)
	}
	return groups
}

// judgeCorrections decides whether a person may make corrections alone, after those already in the
// set.
func (c *command) judgeCorrections(
	history facts.History, set domain.AssertionSet, asserted []domain.Assertion,
	before, after []domain.Field,
) (facts.NeedsSecondPerson, error) {
	kind, err := c.documentType()
	if err != nil {
		return "", err
	}
	proposal := facts.Propose(history, set, asserted, c.personIDs(), kind, countryOf)
	base, err := c.ratesOf(proposal.Before, proposal.After)
	if err != nil {
		return "", err
	}
	var failure error
	needs := proposal.Judge(base,
		func(largest int64, confirmed []domain.ID) bool {
			if c.mayDecide(largest) {
				return true
			}
			highest, err := c.resolvesAboveLimits(largest, confirmed)
			failure = firstError(failure, err)
			return highest
		},
		func() facts.NeedsSecondPerson {
			needs, err := c.outcomeStays(proposal.Earlier, proposal.Resolved, before, after)
			failure = firstError(failure, err)
			return needs
		})
	return needs, failure
}

// mayDecide reports whether the limits of everybody who acts cover the amount.
func (c *command) mayDecide(baseMinor int64) bool {
	return !c.def.HasAmount || !slices.ContainsFunc(c.persons, func(person domain.User) bool {
		return !authz.CoversAmount(person, c.before.DocumentType, baseMinor)
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
