package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/rules"
)

// ComparedRules contains how the findings of past cases would differ under a proposed rule set.
type ComparedRules struct {
	// Cases is the number of compared cases, and Same of those without a difference.
	Cases, Same int
	Different   []ComparedCase
}

// ComparedCase is a case whose findings or points would differ.
type ComparedCase struct {
	Case domain.Case
	// Found and Lost are the rules that only the proposed and only the published set finds.
	Found, Lost   []string
	Before, After int // points
	// Problem explains why the proposed set could not be evaluated for the case.
	Problem string
}

// CompareRules evaluates a rule set text and the published rule set on cases in their present state,
// without storing anything. It leaves out cases that the user may not read. Comparing with stored findings would also show what changed since then.
func (svc *Service) CompareRules(
	ctx context.Context, actor domain.Actor, document string, cases []domain.ID,
) (ComparedRules, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return ComparedRules{}, err
	}
	set, err := rules.ParsePublished([]byte(document))
	if err != nil {
		return ComparedRules{}, err
	}
	var compared ComparedRules
	for _, id := range cases {
		c, inputs, err := svc.ruleInputsOf(ctx, actor, id)
		if domain.HasCode(err, domain.NotFound) {
			continue // the case has no document, or the user may not read it
		}
		if err != nil && !domain.HasCode(err, domain.ProcessorNotFound) {
			return ComparedRules{}, err
		}
		if inputs.set != nil && inputs.set.Key != set.Key &&
			!slices.Contains(set.DocumentTypes, c.DocumentType) {
			continue // another set names the type of the case
		}
		compared.Cases++
		one, err := svc.compareRules(ctx, c, inputs, set)
		if err != nil {
			return ComparedRules{}, err
		}
		if one.Problem == "" && one.Before == one.After && len(one.Found)+len(one.Lost) == 0 {
			compared.Same++
			continue
		}
		compared.Different = append(compared.Different, one)
	}
	return compared, nil
}

// compareRules compares the findings of one case. Without a published set it has none before.
func (svc *Service) compareRules(
	ctx context.Context, c domain.Case, inputs ruleInputs, proposed *rules.Set,
) (ComparedCase, error) {
	one := ComparedCase{Case: c}
	var before []string
	var err error
	if inputs.set != nil {
		if before, one.Before, err = svc.rulesFound(ctx, c, inputs); err != nil {
			// The published set fails for the case, which is an incident of the case.
			before = nil
		}
	}
	inputs.set = proposed
	after, points, err := svc.rulesFound(ctx, c, inputs)
	if err != nil {
		if ctx.Err() != nil {
			return one, ctx.Err()
		}
		one.Problem = err.Error()
		return one, nil
	}
	one.After = points
	one.Found = slices.DeleteFunc(slices.Clone(after),
		func(rule string) bool { return slices.Contains(before, rule) })
	one.Lost = slices.DeleteFunc(before,
		func(rule string) bool { return slices.Contains(after, rule) })
	return one, nil
}

// rulesFound returns the rules that have a finding, and the points.
func (svc *Service) rulesFound(
	ctx context.Context, c domain.Case, inputs ruleInputs,
) (found []string, points int, err error) {
	validation, risk, points, err := svc.evaluateRules(ctx, c, inputs)
	for _, finding := range append(validation, risk...) {
		found = append(found, finding.Rule)
	}
	return found, points, err
}

// ruleInputsOf loads a case that the user may read with the inputs of its rules.
func (svc *Service) ruleInputsOf(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (domain.Case, ruleInputs, error) {
	r := svc.db.Reader()
	c, err := svc.loadReadableCase(ctx, r, actor, id)
	if err != nil {
		return c, ruleInputs{}, err
	}
	fields, err := r.Fields(ctx, id)
	if err != nil {
		return c, ruleInputs{}, err
	}
	newest, err := r.Document(ctx, id)
	if err != nil {
		return c, ruleInputs{}, err
	}
	now, err := r.Clock(ctx)
	if err != nil {
		return c, ruleInputs{}, err
	}
	inputs, err := svc.loadRuleInputs(ctx, r, c, fieldsFromRows(fields), newest, now, nil, nil)
	return c, inputs, err
}
