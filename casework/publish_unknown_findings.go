package casework

import (
	"context"
	"fmt"
	"slices"

	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// unknownFindingReference is a reference of a gateway to a finding that the document type's rule
// set does not define. The gateway always takes the branch for an absent finding.
type unknownFindingReference struct {
	process, node, rule, set, documentType string
	line                                   int
}

// unknownFindingReferences lists findings that gateways reference but no published rule set
// defines. A process for any document type is checked against every set.
func unknownFindingReferences(
	def *workflow.Definition, sets []*rules.Set,
) []unknownFindingReference {
	var found []unknownFindingReference
	add := func(set *rules.Set, documentType string) {
		for _, reference := range def.FindingReferences() {
			if _, has := set.Rule(reference.Rule); !has {
				found = append(found,
					unknownFindingReference{def.Key, reference.Node.ID, reference.Rule, set.Key,
						documentType, reference.Node.Line})
			}
		}
	}
	for _, documentType := range def.Types() {
		if documentType == "" {
			for _, set := range sets {
				add(set, documentType)
			}
		} else if set, err := rules.SetFor(sets, documentType); err == nil {
			add(set, documentType)
		}
	}
	return found
}

// values returns the values that the problem's message contains.
func (a unknownFindingReference) values() map[string]string {
	return map[string]string{"process": a.process, "node": a.node, "rule": a.rule, "set": a.set,
		"documentType": a.documentType}
}

// describeRuleSet names the rule set, and the document type if there is one.
func (a unknownFindingReference) describeRuleSet() string {
	if a.documentType == "" {
		return fmt.Sprintf("the rule set %s", a.set)
	}
	return fmt.Sprintf("the rule set %s for documents of the type %q", a.set, a.documentType)
}

// unknownFindingsOfProcess returns a warning for each unknown finding that the process references.
func (svc *Service) unknownFindingsOfProcess(
	ctx context.Context, r store.Reader, def *workflow.Definition,
) ([]workflow.Problem, error) {
	sets, err := svc.currentRuleSets(ctx, r)
	if err != nil {
		return nil, err
	}
	var warnings []workflow.Problem
	for _, a := range unknownFindingReferences(def, sets) {
		warnings = append(warnings,
			workflow.Problem{Line: a.line, Node: a.node, Rule: "finding_unknown",
				Values: a.values(), Message: fmt.Sprintf(
					"it references a finding of the rule %s, which %s "+
						"does not define, so it never occurs", a.rule, a.describeRuleSet())})
	}
	return warnings, nil
}

// unknownFindingsOfRuleSet returns a warning for each process in force that would reference an
// unknown finding if the set were published, because it lacks the rule or no longer covers a
// document type.
func (svc *Service) unknownFindingsOfRuleSet(
	ctx context.Context, r store.Reader, set *rules.Set, sets []*rules.Set,
) ([]workflow.Problem, error) {
	after := append(
		slices.DeleteFunc(slices.Clone(sets),
			func(other *rules.Set) bool { return other.Key == set.Key }), set)
	rows, err := r.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var warnings []workflow.Problem
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		def, err := svc.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			return nil, err
		}
		before := unknownFindingReferences(def, sets)
		for _, a := range unknownFindingReferences(def, after) {
			if a.set != set.Key && slices.Contains(before, a) {
				continue // not caused by this set
			}
			warnings = append(warnings,
				workflow.Problem{Rule: "finding_awaited", Values: a.values(),
					Message: fmt.Sprintf(
						"the process %s references at %s a finding of the rule %s, "+
							"which %s would not define, so it would never occur", a.process, a.node,
						a.rule, a.describeRuleSet())})
		}
	}
	return warnings, nil
}

// currentRuleSets returns the newest version of every rule set.
func (svc *Service) currentRuleSets(ctx context.Context, r store.Reader) ([]*rules.Set, error) {
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	return svc.ruleSets.newestSets(ctx, r, int64(len(rows)))
}
