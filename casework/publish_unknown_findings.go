package casework

import (
	"context"
	"fmt"
	"slices"

	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// unknownFindingReference is a finding that a gateway of a process waits for in vain: the rule set that judges the document type does not
// have the rule, so the branch is decided as if the rule never spoke.
type unknownFindingReference struct {
	process, node, rule, set, documentType string
	line                                   int
}

// unknownFindingReferences lists what a process waits for that no set in force can tell it. A process that takes any document is asked with
// every set.
func unknownFindingReferences(def *workflow.Definition, sets []*rules.Set) []unknownFindingReference {
	var found []unknownFindingReference
	add := func(set *rules.Set, documentType string) {
		for _, asked := range def.FindingReferences() {
			if _, has := set.Rule(asked.Rule); !has {
				found = append(found, unknownFindingReference{def.Key, asked.Node.ID, asked.Rule, set.Key, documentType, asked.Node.Line})
			}
		}
	}
	for _, documentType := range def.Types() {
		if documentType == "" {
			for _, set := range sets {
				add(set, documentType)
			}
		} else if set, err := ruleSetFor(sets, documentType); err == nil {
			add(set, documentType)
		}
	}
	return found
}

// values are what the sentence about it names.
func (a unknownFindingReference) values() map[string]string {
	return map[string]string{"process": a.process, "node": a.node, "rule": a.rule, "set": a.set, "documentType": a.documentType}
}

// describeRuleSet says which set is meant, and for which documents.
func (a unknownFindingReference) describeRuleSet() string {
	if a.documentType == "" {
		return fmt.Sprintf("the rule set %s", a.set)
	}
	return fmt.Sprintf("the rule set %s for documents of the type %q", a.set, a.documentType)
}

// unknownFindingsOfProcess tells the author of a process what it waits for in vain.
func (svc *Service) unknownFindingsOfProcess(ctx context.Context, r store.Reader, def *workflow.Definition) ([]workflow.Problem, error) {
	sets, err := svc.currentRuleSets(ctx, r)
	if err != nil {
		return nil, err
	}
	var warnings []workflow.Problem
	for _, a := range unknownFindingReferences(def, sets) {
		warnings = append(warnings, workflow.Problem{Line: a.line, Node: a.node, Rule: "finding_unknown", Values: a.values(),
			Message: fmt.Sprintf("it asks for a finding of the rule %s, which %s does not have: it never comes", a.rule, a.describeRuleSet())})
	}
	return warnings, nil
}

// unknownFindingsOfRuleSet tells the author of a rule set which processes in force would wait in vain once the set is published: for a
// rule that it does not have, or because it leaves documents to another set.
func (svc *Service) unknownFindingsOfRuleSet(ctx context.Context, r store.Reader, set *rules.Set, sets []*rules.Set) ([]workflow.Problem, error) {
	after := append(slices.DeleteFunc(slices.Clone(sets), func(other *rules.Set) bool { return other.Key == set.Key }), set)
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
				continue // another set's affair
			}
			warnings = append(warnings, workflow.Problem{Rule: "finding_awaited", Values: a.values(),
				Message: fmt.Sprintf("the process %s asks at %s for a finding of the rule %s, which %s would not have: it would never come",
					a.process, a.node, a.rule, a.describeRuleSet())})
		}
	}
	return warnings, nil
}

// currentRuleSets are the newest version of every rule set.
func (svc *Service) currentRuleSets(ctx context.Context, r store.Reader) ([]*rules.Set, error) {
	rows, err := r.RuleSets(ctx)
	if err != nil {
		return nil, err
	}
	return svc.ruleSets.newestSets(ctx, r, int64(len(rows)))
}
