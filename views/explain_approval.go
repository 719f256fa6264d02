package views

import (
	"context"
	"errors"

	"countersign/domain"
	"countersign/facts"
	"countersign/workflow"
)

// explainApproval explains an approval: what the payment order of the case does not allow comes
// first, then a change that another person has to confirm, then the right to decide.
func (q *AccessQuestion) explainApproval() (Explanation, error) {
	if AudienceOn(q.viewer.user, q.record) == domain.AudienceStaff {
		refusal, err := q.approvalObstacle()
		var known *domain.Error
		if errors.As(refusal, &known) {
			return Explanation{Rule: "state of the document", Sentence: known.Message, Remedy: known.Remedy,
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

// approvalObstacle returns why an approval of the review by the viewer would be refused because of the
// payment order or of a change by the viewer; nil if it would not. The service layer decides again.
func (v *Views) approvalObstacle(
	ctx context.Context, viewer viewer, c domain.Case, review domain.Review,
) (refusal, err error) {
	if refusal, err = v.orderObstacle(ctx, c, review); refusal != nil || err != nil ||
		len(c.DifferingFields) == 0 {
		return refusal, err
	}
	sets, err := v.reader.Assertions(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	history := facts.History(sets)
	people := append([]domain.ID{viewer.user.ID}, viewer.user.OtherAccounts...)
	if len(history.AwaitingOther(people)) == 0 {
		return nil, nil // as in the service layer, the votes and the people need not be read
	}
	approvals, err := v.approvals(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	authors, err := v.reader.Users(ctx, history.People())
	if err != nil {
		return nil, err
	}
	refusal = history.ConfirmFirst(people, approvals, facts.PersonsOf(authors))
	if refusal == nil {
		return nil, nil
	}
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	if passes, err := v.approvalPasses(ctx, def, c, review); !passes {
		return nil, err
	}
	return refusal, nil
}

// approvals returns a vote for each approval of the case, also for one that no longer counts: the people
// who gave it may have to approve again, so that others decide after the viewer.
func (v *Views) approvals(ctx context.Context, id domain.ID) (votes []domain.Vote, err error) {
	decisions, err := v.reader.Decisions(ctx, id)
	for _, decision := range decisions {
		if decision.Verdict != domain.Approve {
			continue
		}
		votes = append(votes,
			domain.Vote{CaseID: id, Person: decision.Actor, ReviewID: decision.ReviewID})
		if decision.OnBehalfOf != domain.NoID {
			votes = append(votes,
				domain.Vote{CaseID: id, Person: decision.OnBehalfOf, ReviewID: decision.ReviewID})
		}
	}
	return votes, err
}

// orderObstacle returns why an approval of the review would be refused because of the payment order; nil
// if it would not.
func (v *Views) orderObstacle(
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
	known, err := v.factsOfProcess(ctx, def, c)
	if err != nil {
		return false, err
	}
	return workflow.ApprovalPasses(def, c.Marking, review, known), nil
}
