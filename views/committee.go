package views

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// Committee returns the committee to which the review belongs; nil if there is none or it has decided. The viewer
// may see the review, so they see its committee also if the other reviews of the case are hidden from them.
func (v *Views) Committee(
	ctx context.Context, c CaseView, review domain.Review,
) (*workflow.Committee, error) {
	def, err := v.definition(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	marking := c.Marking
	if c.Redacted {
		marking = c.unredacted
	}
	found, ok := workflow.CommitteeAt(def, marking, review.Node, review.Visit)
	if !ok {
		return nil, nil
	}
	if c.Redacted {
		found = found.WithoutConfidential(def, review.Node)
	}
	return &found, nil
}
