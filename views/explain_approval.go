package views

import (
	"context"
	"errors"

	"countersign/domain"
	"countersign/facts"
	"countersign/workflow"
)

// explainApproval explains an approval: what the payment order of the case does not allow comes
// first, then the right to decide.
func (q *AccessQuestion) explainApproval() (Explanation, error) {
	if AudienceOn(q.viewer.user, q.record) == domain.AudienceStaff {
		refusal, err := q.orderObstacle()
		var known *domain.Error
		if errors.As(refusal, &known) {
			return Explanation{Rule: "payment order", Sentence: known.Message, Remedy: known.Remedy,
				Code: known.Code, Values: known.Detail,
				PolicyVersion: q.viewer.policy.Explain(q.viewer.user, domain.ActDecide,
					*q.reviewFacts).PolicyVersion}, err
		}
		if err != nil {
			return Explanation{}, err
		}
	}
	return q.Explain(domain.ActDecide)
}

// approvalObstacle returns why an approval of the review would be refused because of the payment
// order; nil if it would not. The service layer decides again.
func (v *Views) approvalObstacle(
	ctx context.Context, c domain.Case, review domain.Review,
) (refusal, err error) {
	def, err := v.definition(ctx, c)
	if err != nil || c.OrderRevision == 0 && !def.RequiresOrder() ||
		!undecided(review) || review.Repairs() {
		return nil, err
	}
	passes, err := v.approvalPasses(ctx, def, c, review)
	if err != nil || !passes {
		return nil, err
	}
	if c.OrderRevision == 0 {
		corrects, err := v.reader.Corrects(ctx, c.ID)
		if err != nil || corrects != domain.NoID { // a correction pays nothing
			return nil, err
		}
		return domain.NewOrderRequired(def.Key), nil
	}
	history, err := v.reader.Assertions(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	grounds, err := v.reader.OrderGrounds(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	check, known := facts.CheckOrder(history, grounds)
	if !known {
		return nil, nil
	}
	shared, err := v.shareEvidence(ctx, c.ID, true)
	if err != nil {
		return nil, err
	}
	return check.Refusal(shared), nil
}

// approvalPasses reports whether an approval of the review lets the case be paid or archived, so that
// no other person decides in between.
func (v *Views) approvalPasses(
	ctx context.Context, def *workflow.Definition, c domain.Case, review domain.Review,
) (bool, error) {
	processFacts, err := v.processFacts(ctx, []domain.Case{c})
	if err != nil {
		return false, err
	}
	step, err := workflow.Advance(def, c.Marking, workflow.Event{Kind: workflow.ReviewDecided,
		Node: review.Node, Visit: review.Visit, Seat: review.Seat, Verdict: domain.Approve},
		processFacts[c.ID])
	if err != nil { // the decision is refused for another reason
		return false, nil //nolint:nilerr // what the engine refuses does not pass
	}
	return workflow.LetsPass(step.Effects), nil
}
