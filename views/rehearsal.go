package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// MaxRehearsed limits the cases of one rehearsal.
const MaxRehearsed = 1000

// MaxCasesForRules limits the cases of one comparison of rule sets. Each takes about ten statements.
const MaxCasesForRules = 50

// maxTypes limits the document types whose cases are read.
const maxTypes = 20

// Rehearsal compares how recent cases ran with how they would have run under another definition.
type Rehearsal struct {
	Cases, Same int
	Different   []Rehearsed
}

// Rehearsed is a case whose route would differ. Before and After are node ids in the order of their
// definition.
type Rehearsed struct {
	Case           domain.Case
	Before, After  []string
	Added, Dropped []string // node ids of reviews
	Problem        string   // why the definition has no route for the case
}

// Rehearse simulates the most recent cases of the process on their own version and on the given
// definition, with every review approved. It reads only.
func (v *Views) Rehearse(ctx context.Context, actor domain.Actor, document string, last int) (
	Rehearsal, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActPublish)
	if err != nil {
		return Rehearsal{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish); err != nil {
		return Rehearsal{}, err
	}
	if last < 1 || last > MaxRehearsed {
		return Rehearsal{}, domain.Invalid("last", "Rehearse between 1 and %d cases.", MaxRehearsed)
	}
	def, err := workflow.Parse([]byte(document))
	if err != nil {
		return Rehearsal{}, err
	}
	filter, err := viewer.policy.ReadFilter(viewer.user)
	if err != nil {
		return Rehearsal{}, err
	}
	cases, err := v.reader.CaseList(ctx, filter, store.CaseQuery{Process: def.Key, Limit: last})
	if err != nil {
		return Rehearsal{}, err
	}
	facts, err := v.processFacts(ctx, cases)
	if err == nil {
		err = v.redactFacts(ctx, viewer, cases, facts)
	}
	if err != nil {
		return Rehearsal{}, err
	}
	rehearsal := Rehearsal{Cases: len(cases)}
	for _, c := range cases {
		old, err := v.definition(ctx, c)
		if err != nil {
			return rehearsal, err
		}
		one := rehearseCase(c, old, def, facts[c.ID])
		if one.Problem == "" && slices.Equal(one.Before, one.After) {
			rehearsal.Same++
			continue
		}
		rehearsal.Different = append(rehearsal.Different, one)
	}
	return rehearsal, nil
}

// CasesForRules returns the most recent cases of the document types of a rule set, for a comparison of
// findings. It leaves out cases with confidential reviews that the user does not see, because a rule
// of their own could ask for any value of such a case.
func (v *Views) CasesForRules(ctx context.Context, actor domain.Actor, document string, last int) (
	[]domain.Case, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActPublish)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish); err != nil {
		return nil, err
	}
	if last < 1 || last > MaxCasesForRules {
		return nil, domain.Invalid("last", "Compare between 1 and %d cases.", MaxCasesForRules)
	}
	set, err := rules.ParsePublished([]byte(document))
	if err != nil {
		return nil, err
	}
	filter, err := viewer.policy.ReadFilter(viewer.user)
	if err != nil {
		return nil, err
	}
	var visible []domain.Case
	shown := v.caseViewer(viewer)
	for _, documentType := range set.DocumentTypes[:min(len(set.DocumentTypes), maxTypes)] {
		query := store.CaseQuery{DocumentType: documentType, Limit: last}
		if documentType == rules.AnyType {
			query.DocumentType = ""
		}
		cases, err := v.reader.CaseList(ctx, filter, query)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			seen, err := shown.Case(ctx, c)
			if err != nil {
				return nil, err
			}
			listed := slices.ContainsFunc(visible,
				func(other domain.Case) bool { return other.ID == c.ID })
			if !seen.Redacted && !listed {
				visible = append(visible, c)
			}
		}
	}
	slices.SortStableFunc(visible, func(a, b domain.Case) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return visible[:min(len(visible), last)], nil
}

// rehearseCase simulates one case on both definitions.
func rehearseCase(c domain.Case, old, def *workflow.Definition,
	facts domain.ProcessFacts) Rehearsed {
	one := Rehearsed{Case: c}
	// a partial route if the facts have no continuation
	one.Before, _ = workflow.Simulate(old, facts)
	var err error
	if one.After, err = workflow.Simulate(def, facts); err != nil {
		one.Problem = err.Error()
	}
	before, after := reviewsOn(old, one.Before), reviewsOn(def, one.After)
	one.Added = slices.DeleteFunc(slices.Clone(after),
		func(id string) bool { return slices.Contains(before, id) })
	one.Dropped = slices.DeleteFunc(before, func(id string) bool {
		return slices.Contains(after, id)
	})
	return one
}

func reviewsOn(def *workflow.Definition, route []string) []string {
	return slices.DeleteFunc(slices.Clone(route), func(id string) bool {
		node, ok := def.Node(id)
		return !ok || node.Kind != workflow.KindReview
	})
}

// processFacts reads the facts that guards of the process may use, in two statements for all cases.
func (v *Views) processFacts(ctx context.Context, cases []domain.Case) (
	map[domain.ID]domain.ProcessFacts, error) {
	ids := make([]domain.ID, 0, len(cases))
	facts := make(map[domain.ID]domain.ProcessFacts, len(cases))
	for _, c := range cases {
		ids = append(ids, c.ID)
		facts[c.ID] = domain.ProcessFacts{Amount: c.Amount, AmountKnown: c.AmountKnown,
			BaseMinor: c.BaseMinor, Currency: c.Amount.Currency,
			Country: c.Country, DocumentType: c.DocumentType, Channel: c.Channel, Risk: c.Risk,
			Missing: c.Missing, Unstated: c.Unstated}
	}
	if len(ids) == 0 {
		return facts, nil
	}
	fields, err := v.reader.Fields(ctx, ids...)
	if err != nil {
		return nil, err
	}
	fieldsOf := map[domain.ID][]domain.Field{}
	for _, field := range fields {
		fieldsOf[field.CaseID] = append(fieldsOf[field.CaseID], field.Field)
	}
	for _, c := range cases {
		of := facts[c.ID]
		of.AddFields(fieldsOf[c.ID])
		kind, err := v.DocumentTypeOf(ctx, c)
		if err != nil {
			return nil, err
		}
		of.UnsureFields = rules.Unsure(kind, fieldsOf[c.ID], c.DeclaredAmount, c.DifferingFields)
		if c.Marking.Visits[workflow.Returned] > 0 {
			of.UnsureFields = rules.DecisiveFields(kind)
		}
		facts[c.ID] = of
	}
	findings, err := v.reader.Findings(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, finding := range findings {
		of := facts[finding.CaseID]
		of.Findings = append(of.Findings, finding.Finding)
		facts[finding.CaseID] = of
	}
	return facts, nil
}
