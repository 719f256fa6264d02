package graph

import (
	"context"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

type (
	bulkResultResolver struct{ *resolver }
	loadChangeResolver struct{ *resolver }
)

// bulkOf parses the items of a bulk command on reviews.
func bulkOf(items []donotuse.ReviewItemInput, key *string) (casework.BulkReviews, error) {
	command := casework.BulkReviews{Once: casework.Once{Key: valueOrEmpty(key)},
		Expected: map[domain.ID]string{}}
	for _, item := range items {
		id, err := scalar.IDOf(scalar.KindReview, "items", item.ReviewID)
		if err != nil {
			return command, err
		}
		command.Reviews = append(command.Reviews, id)
		command.Expected[id] = valueOrEmpty(item.ExpectedVersion)
	}
	return command, nil
}

// expectedOf pairs the reviews with their expected versions.
func expectedOf(reviews []domain.ID, versions []string) (map[domain.ID]string, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	if len(versions) != len(reviews) {
		return nil, domain.Invalid("expectedVersions",
			"There are %d reviews but %d versions. Send one version for each review.", len(reviews),
			len(versions))
	}
	expected := make(map[domain.ID]string, len(reviews))
	for i, id := range reviews {
		expected[id] = versions[i]
	}
	return expected, nil
}

func (r mutationResolver) ClaimReviews(ctx context.Context, in donotuse.ClaimReviewsInput) (
	*donotuse.BulkPayload, error) {
	command, err := bulkOf(in.Items, in.IdempotencyKey)
	return r.runBulk(ctx, command, err, r.service.ClaimReviews)
}

func (r mutationResolver) ReleaseReviews(ctx context.Context, in donotuse.ReleaseReviewsInput) (
	*donotuse.BulkPayload, error) {
	command, err := bulkOf(in.Items, in.IdempotencyKey)
	return r.runBulk(ctx, command, err, r.service.ReleaseReviews)
}

func (r mutationResolver) ApproveReviews(ctx context.Context, in donotuse.ApproveReviewsInput) (
	*donotuse.BulkPayload, error) {
	command, err := bulkOf(in.Items, in.IdempotencyKey)
	command.Reason = valueOrEmpty(in.Reason)
	return r.runBulk(ctx, command, err, r.service.ApproveReviews)
}

func (r mutationResolver) runBulk(ctx context.Context, command casework.BulkReviews, err error,
	run func(context.Context, domain.Actor, casework.BulkReviews) ([]casework.BulkResult, error),
) (*donotuse.BulkPayload, error) {
	payload := &donotuse.BulkPayload{Results: []donotuse.BulkResult{}}
	var items []casework.BulkResult
	if err == nil {
		items, err = run(ctx, callerOf(ctx), command)
	}
	for _, item := range items {
		result := donotuse.BulkResult{ReviewID: scalar.GlobalID(scalar.KindReview, item.ReviewID)}
		failure := item.Err
		if failure == nil {
			result.Done = item.ReviewID
		}
		if result.UserErrors, failure = userErrorsOf(failure); failure != nil {
			return nil, failure
		}
		payload.Results = append(payload.Results, result)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r bulkResultResolver) Review(ctx context.Context, result *donotuse.BulkResult) (
	*domain.Review, error) {
	return r.reviewByID(ctx, result.Done)
}

func (r mutationResolver) UndoDecision(ctx context.Context, in donotuse.UndoDecisionInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, nil, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.UndoDecision(ctx, callerOf(ctx), on))
}

func (r mutationResolver) ReopenCase(ctx context.Context, in donotuse.ReopenCaseInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.ReopenCase(ctx, callerOf(ctx),
		casework.ReopenCase{CaseTarget: on, Reason: in.Reason}))
}

// UndoUntil returns when the effect of the decision will be executed, while it is pending.
func (reviewResolver) UndoUntil(ctx context.Context, review *domain.Review) (*time.Time, error) {
	if review.Status != domain.ReviewDecided {
		return nil, nil
	}
	runs, err := shareOfCase(loadersFrom(ctx).batchOf(review.CaseID).runs())(review.CaseID)
	for _, run := range runs {
		if run.Kind == domain.RunKindUndoBy && run.Subject == review.ID &&
			run.Status == domain.RunPending {
			return timeOrNil(run.RunAfter), nil
		}
	}
	return nil, err
}

// Undoable returns the verdicts that can be undone if the decision asks for it.
func (r reviewResolver) Undoable(ctx context.Context, review *domain.Review) (
	[]domain.Verdict, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil || !isStaff(c) {
		return []domain.Verdict{}, err
	}
	findings, err := findingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	return r.views.UndoableVerdicts(ctx, c.CaseView, review.Node, findings)
}

func (r queryResolver) ReassignPreview(ctx context.Context, reviewIDs []string, to *string) (
	*donotuse.ReassignPreview, error) {
	command, err := reassignment(donotuse.ReassignReviewsInput{ReviewIds: reviewIDs, To: to})
	if err != nil {
		return nil, err
	}
	found, err := r.views.PreviewReassignment(ctx, callerOf(ctx), command.Reviews,
		command.To)
	if err != nil {
		return nil, err
	}
	preview := &donotuse.ReassignPreview{Loads: found.Loads, Refused: []string{}, Kept: found.Kept,
		Drawn: found.Drawn}
	for _, id := range found.Refused {
		preview.Refused = append(preview.Refused, scalar.GlobalID(scalar.KindReview, id))
	}
	return preview, nil
}

func (loadChangeResolver) Person(ctx context.Context, change *views.LoadChange) (
	*domain.User, error) {
	return loadPerson(ctx, change.Person)
}
