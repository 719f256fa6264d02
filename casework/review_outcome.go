package casework

import (
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/rules"
	"countersign/workflow"
)

// riskOutcome is what rules and process make of a risk basis.
type riskOutcome struct {
	countries  []string
	duplicates []rules.DuplicateHit
	conflicted []domain.ID // the people with a conflict of interest
	reviews    []string    // the reviews that a new case would need
	findings   []string    // the rules with a warning or a blocking finding
}

// outcomeStays reports whether a smaller risk basis finds the same duplicates, excludes the same
// people and leads to the same reviews, and why not. If sameFindings is true, no warning and no blocking
// finding may disappear either.
func (c *command) outcomeStays(
	earlier, resolved facts.History, fieldsBefore, fieldsAfter []domain.Field, sameFindings bool,
) (facts.NeedsSecondPerson, error) {
	before, err := c.outcomeOf(earlier, fieldsBefore)
	if err != nil {
		return "", err
	}
	after, err := c.outcomeOf(resolved, fieldsAfter)
	if err != nil {
		return "", err
	}
	switch {
	case !slices.Equal(before.countries, after.countries):
		return facts.CountryChanged, nil
	case !containsAll(after.conflicted, before.conflicted):
		return facts.PartyChanged, nil
	case !containsAll(after.duplicates, before.duplicates),
		sameFindings && !containsAll(after.findings, before.findings):
		return facts.RulesEasier, nil
	}
	// The review at which the case waits is avoided too if it is returned then. Only a repair ends by
	// the correction itself.
	avoided := func(review string) bool {
		node, known := c.def.Node(review)
		return !slices.Contains(after.reviews, review) && (!known || !node.Repairs() || !c.waitsAt(review))
	}
	if slices.ContainsFunc(before.reviews, avoided) {
		return facts.RouteEasier, nil
	}
	return facts.NoSecondPerson, nil
}

// outcomeOf evaluates the rules and the process on everything asserted and the fields in force.
func (c *command) outcomeOf(
	history facts.History, fields []domain.Field,
) (outcome riskOutcome, err error) {
	found, err := c.keyFacts(c.before, fields, history)
	if err != nil {
		return outcome, err
	}
	record := c.before
	found.applyTo(&record)
	outcome.countries = slices.Sorted(slices.Values(record.Countries()))
	exclusions, err := c.tx.Exclusions(c.ctx, record.ID, record.Parties())
	if err != nil {
		return outcome, err
	}
	outcome.conflicted = exclusions.Conflicted
	inputs, err := c.ruleInputsOf(record, fields, history)
	if err != nil {
		return outcome, err
	}
	outcome.duplicates = inputs.duplicates
	stored, err := c.storedFindings()
	if err != nil {
		return outcome, err
	}
	evaluated, score, err := c.evaluateStages(record, inputs)
	if err != nil {
		return outcome, err
	}
	for _, finding := range allFindings(evaluated) {
		if finding.Severity != domain.SeverityInfo {
			outcome.findings = append(outcome.findings, finding.Rule)
		}
	}
	record.Risk = score
	facts, err := c.processFacts(record, fields, putFindings(findingsByStage(stored), evaluated))
	if err != nil {
		return outcome, err
	}
	outcome.reviews, err = workflow.ExpectedReviews(c.def, facts)
	return outcome, err
}

// containsAll reports whether the values include all of the wanted ones.
func containsAll[T comparable](values, wanted []T) bool {
	return !slices.ContainsFunc(wanted, func(v T) bool { return !slices.Contains(values, v) })
}

// waitsAt reports whether the case is at the node.
func (c *command) waitsAt(node string) bool {
	return slices.ContainsFunc(c.before.Marking.Tokens,
		func(token domain.Token) bool { return token.Node == node })
}
