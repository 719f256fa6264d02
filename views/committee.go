package views

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// Committee returns the committee to which the review belongs; nil if there is none or it has decided.
func (v *Views) Committee(
	ctx context.Context, c domain.Case, review domain.Review,
) (*workflow.Committee, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	found, ok := workflow.CommitteeAt(def, c.Marking, review.Node, review.Visit)
	if !ok {
		return nil, nil
	}
	return &found, nil
}

// StepTitles returns the names of a node of the case's process by language.
func (v *Views) StepTitles(ctx context.Context, c domain.Case, node string) (map[string]string, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	found, ok := def.Node(node)
	if !ok {
		return nil, nil
	}
	return found.Title, nil
}
