package casework

import (
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
)

// The event of an evaluation names as its causes only what the changed results depend on, because a case that is
// evaluated for one reason is evaluated with everything that has changed since.

// causeParties is the cause of a conflict of interest or a group of parties.
const causeParties = "parties"

// controlCauses are the causes in events by the control data that has changed. A mark changes no evaluation.
var controlCauses = map[store.ControlChangeKind]string{
	store.CountryChanged: string(rules.Countries), store.CurrencyChanged: string(rules.Rates),
	store.PartyChanged: causeParties,
}

// maxNamedCauses is the number of other cases that an event names.
const maxNamedCauses = 20

// emitReevaluated emits that the case was evaluated again, with what made the result another one. kind is the change
// of control data that the evaluation is for, severalCauses if it is for none or for all of them.
func (c *command) emitReevaluated(kind store.ControlChangeKind, raised bool, revoked []domain.Review) error {
	causes, cases, err := c.findingCauses(raised)
	if err != nil {
		return err
	}
	if raised {
		causes = append(causes, string(rules.Rates))
	}
	if len(c.change.Claims) > 0 {
		causes = append(causes, string(rules.OtherCases))
	}
	// The votes do not cover the facts any more, or a voter is in conflict.
	if len(revoked) > 0 && len(causes) == 0 {
		kinds := []store.ControlChangeKind{kind}
		if kind == severalCauses {
			if kinds, err = c.tx.PendingControlKinds(c.ctx); err != nil {
				return err
			}
		}
		for _, kind := range kinds {
			if cause := controlCauses[kind]; cause != "" {
				causes = append(causes, cause)
			}
		}
	}
	slices.Sort(causes)
	slices.Sort(cases)
	cases = slices.Compact(cases)
	c.emit(generated.RouteReevaluatedV2{Causes: othersLast(slices.Compact(causes)),
		Cases: cases[:min(len(cases), maxNamedCauses)], FactsRevision: c.change.Case.FactsRevision})
	return nil
}

// othersLast moves the other cases to the end, because the sentence names them after the causes.
func othersLast(causes []string) []string {
	others := string(rules.OtherCases)
	if slices.Contains(causes, others) {
		causes = append(slices.DeleteFunc(causes, func(c string) bool { return c == others }), others)
	}
	return causes
}

// findingCauses returns what the findings depend on that the command adds, changes or removes, and the references
// of the cases that they name since, or name no more. Rates are a cause only if they have raised the amount.
func (c *command) findingCauses(raised bool) (causes, cases []string, err error) {
	stored, err := c.storedFindings()
	if err != nil {
		return nil, nil, err
	}
	before := findingsByStage(stored)
	for _, stage := range c.change.StageFindings {
		changed := slices.Concat(findingsNotIn(stage.Findings, before[stage.Stage]),
			findingsNotIn(before[stage.Stage], stage.Findings))
		for _, finding := range changed {
			rule, err := rules.RuleOf(c.svc.ruleSets.compiled, finding, c.tx.RuleSetText(c.ctx))
			if err != nil {
				return nil, nil, err
			}
			if rule == nil {
				continue
			}
			for _, outside := range rule.Outside() {
				if outside != rules.Rates || raised {
					causes = append(causes, string(outside))
				}
			}
			cases = append(cases, namedOnlyHere(finding, changed)...)
		}
	}
	return causes, cases, nil
}

func findingsNotIn(findings, others []domain.Finding) []domain.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(one domain.Finding) bool {
		return slices.ContainsFunc(others, saysSame(one))
	})
}

// namedOnlyHere returns the cases that a finding names and that its other state does not.
func namedOnlyHere(finding domain.Finding, changed []domain.Finding) []string {
	return slices.DeleteFunc(finding.NamedCases(), func(reference string) bool {
		return slices.ContainsFunc(changed, func(other domain.Finding) bool {
			return other.Rule == finding.Rule && other.Hash() != finding.Hash() &&
				slices.Contains(other.NamedCases(), reference)
		})
	})
}
