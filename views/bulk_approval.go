package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/workflow"
)

// BulkApproval is whether a review can be among those that are approved in bulk, as far as the viewer
// sees its case. The command decides by the whole case.
type BulkApproval struct {
	Outside string               // amount, risk, missing, doubtful or not_allowed; "" if it can be
	Limits  *workflow.BulkLimits // nil if the step does not allow bulk approval
}

// BulkApproval compares a case with the limits of the step of the review. findings are those that the
// viewer may see. form returns the doubts about its fields; it is called last, and only if the answer
// depends on them, because a list asks for many reviews.
func (v *Views) BulkApproval(ctx context.Context, c CaseView, node string, findings []domain.Finding,
	form func() ([]FieldForm, error)) (BulkApproval, error) {
	def, err := v.definition(ctx, c.Case)
	if err != nil {
		return BulkApproval{}, err
	}
	step, ok := def.Node(node)
	if !ok || step.Bulk == nil {
		return BulkApproval{Outside: "not_allowed"}, nil
	}
	outside := step.Bulk.Outside(&c.Case, c.VisibleRisk(findings), def.HasAmount)
	if outside == "" && len(c.Missing) > 0 {
		outside = "missing"
	}
	if outside == "" {
		if outside, err = outsideByDoubts(c, form); err != nil {
			return BulkApproval{}, err
		}
	}
	return BulkApproval{Outside: outside, Limits: step.Bulk}, nil
}

func outsideByDoubts(c CaseView, read func() ([]FieldForm, error)) (string, error) {
	form, err := read()
	switch {
	case err != nil:
		return "", err
	case hasDoubt(form, DoubtMissing):
		return "missing", nil
	case hasDoubt(form, DoubtUnreadable), hasDoubt(form, DoubtLowConfidence),
		len(c.DifferingFields) > 0:
		return "doubtful", nil
	default:
		return "", nil
	}
}

func hasDoubt(form []FieldForm, doubt Doubt) bool {
	return slices.ContainsFunc(form, func(line FieldForm) bool {
		return slices.Contains(line.Doubts, doubt)
	})
}

// UndoableVerdicts returns the verdicts that can be undone for a time if a decision asks for it, as far
// as the viewer sees the case. The command decides by the whole case.
func (v *Views) UndoableVerdicts(ctx context.Context, c CaseView, node string,
	findings []domain.Finding) ([]domain.Verdict, error) {
	def, err := v.definition(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	step, known := def.Node(node)
	switch {
	case known && step.Undo > 0:
		verdicts := []domain.Verdict{domain.Approve, domain.Reject, domain.Return, domain.Escalate}
		if step.Abstain {
			verdicts = append(verdicts, domain.Abstain)
		}
		return verdicts, nil
	case known && step.Bulk != nil && step.Bulk.Undo > 0 &&
		step.Bulk.Outside(&c.Case, c.VisibleRisk(findings), def.HasAmount) == "":
		return []domain.Verdict{domain.Approve}, nil
	default:
		return []domain.Verdict{}, nil
	}
}
