package views

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// AfterApprovalStep is a kind of step that follows an approval.
type AfterApprovalStep string

// The steps that can follow an approval.
const (
	AfterReview   = AfterApprovalStep(workflow.NextReview)
	AfterArchive  = AfterApprovalStep(workflow.NextArchive)
	AfterPayment  = AfterApprovalStep(workflow.NextPayment)
	AfterOthers   = AfterApprovalStep(workflow.NextOthers)
	AfterContinue = AfterApprovalStep(workflow.NextUnknown)
)

// AfterApproval is what follows an approval of a review.
type AfterApproval struct {
	Step  AfterApprovalStep
	Queue string // of the review that opens; "" for other steps
	Level int
}

// AfterApproval returns what follows an approval of the review now, nil if it is decided or enters
// missing values. A viewer who must not learn of confidential reviews sees no step that depends on them.
func (q *AccessQuestion) AfterApproval() (*AfterApproval, error) {
	if AudienceOn(q.viewer.user, q.record) != domain.AudienceStaff || q.afterApproval == nil {
		return nil, nil
	}
	return q.afterApproval()
}

func (v *Views) afterApproval(ctx context.Context, viewer viewer, c domain.Case, review domain.Review) (
	*AfterApproval, error) {
	if !undecided(review) || review.Repairs() {
		return nil, nil
	}
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	seen, err := v.caseViewer(viewer).Case(ctx, c)
	if err != nil {
		return nil, err
	}
	// The next step would disclose hidden votes, or be computed without them.
	if seen.Redacted && def.ConfidentialNear(review.Node) || def.HidesVotesAt(c.Marking) {
		return &AfterApproval{Step: AfterContinue}, nil
	}
	known, err := v.factsOfProcess(ctx, def, c)
	if err != nil {
		return nil, err
	}
	next := workflow.NextAfterApproval(def, c.Marking, review, known)
	return &AfterApproval{Step: AfterApprovalStep(next.Step), Queue: next.Queue, Level: next.Level}, nil
}

// factsOfProcess returns the facts by which the process of the case chooses its route.
func (v *Views) factsOfProcess(ctx context.Context, def *workflow.Definition, c domain.Case) (
	domain.ProcessFacts, error) {
	byCase, err := v.processFacts(ctx, v.reader, []domain.Case{c})
	known := byCase[c.ID]
	known.Attributes = domain.AttributeFacts(def.Attributes, c.Attributes)
	return known, err
}
