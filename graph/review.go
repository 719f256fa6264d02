package graph

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (reviewResolver) ID(_ context.Context, review *domain.Review) (string, error) {
	return scalar.GlobalID(scalar.KindReview, review.ID), nil
}

func (reviewResolver) Version(ctx context.Context, review *domain.Review) (string, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil {
		return "", err
	}
	return casework.ReviewVersion(*review, c.FactsRevision), nil
}

func (reviewResolver) Case(ctx context.Context, review *domain.Review) (*shape.Case, error) {
	return loadersFrom(ctx).cases.Load(ctx, review.CaseID)
}

func (reviewResolver) Assignee(ctx context.Context, review *domain.Review) (*domain.User, error) {
	return loadPerson(ctx, review.Assignee)
}

// Only the author of a draft may read it.
func (reviewResolver) Draft(ctx context.Context, review *domain.Review) (json.RawMessage, error) {
	if review.Assignee != callerOf(ctx).UserID {
		return nil, nil
	}
	return review.Draft, nil
}

func (reviewResolver) Overdue(ctx context.Context, review *domain.Review) (bool, error) {
	now, err := loadersFrom(ctx).now()
	return views.Overdue(*review, now), err
}

func (reviewResolver) AtRisk(ctx context.Context, review *domain.Review) (bool, error) {
	now, err := loadersFrom(ctx).now()
	return views.AtRisk(*review, now), err
}

func (reviewResolver) Decision(ctx context.Context, review *domain.Review) (
	*domain.Decision, error) {
	if review.Status != domain.ReviewDecided {
		return nil, nil
	}
	decisions, err := shareOfCase(loadersFrom(ctx).batchOf(review.CaseID).decisions())(
		review.CaseID)
	for i := range decisions {
		if decisions[i].ReviewID == review.ID {
			return &decisions[i], nil
		}
	}
	return nil, err
}

func (decisionResolver) Actor(ctx context.Context, d *domain.Decision) (*domain.User, error) {
	return loadPerson(ctx, d.Actor)
}

func (decisionResolver) OnBehalfOf(ctx context.Context, d *domain.Decision) (*domain.User, error) {
	return loadPerson(ctx, d.OnBehalfOf)
}

// Revoked reports whether the vote of the decision no longer counts. It is null in a redacted case, because a
// confidential review can be the reason, and for who only submitted the case.
func (decisionResolver) Revoked(ctx context.Context, d *domain.Decision) (*bool, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, d.CaseID)
	if err != nil || c == nil || c.Redacted || !isStaff(c) || !d.Verdict.Votes() {
		return nil, err
	}
	votes, err := shareOfCase(loadersFrom(ctx).batchOf(d.CaseID).votes())(d.CaseID)
	revoked := !slices.ContainsFunc(votes, func(v domain.Vote) bool { return v.ReviewID == d.ReviewID })
	return &revoked, err
}

func (decisionResolver) Evidence(ctx context.Context, d *domain.Decision) (
	json.RawMessage, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, d.CaseID)
	if err != nil || c == nil {
		return json.RawMessage("null"), err
	}
	findings, err := findingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	return json.Marshal(c.CaseView.Evidence(d.Evidence, findings))
}

func (r casePayloadResolver) Case(ctx context.Context, p *donotuse.CasePayload) (
	*shape.Case, error) {
	loadersFrom(ctx).forget(p.CaseID)
	return r.caseByID(ctx, p.CaseID)
}

func (r submitPayloadResolver) Case(ctx context.Context, p *donotuse.SubmitDocumentPayload) (
	*shape.Case, error) {
	return r.caseByID(ctx, p.CaseID)
}

func (r submitPayloadResolver) Duplicates(ctx context.Context, p *donotuse.SubmitDocumentPayload) (
	[]shape.Case, error) {
	duplicates := make([]shape.Case, 0, len(p.Twins))
	for _, id := range p.Twins {
		duplicate, err := r.caseByID(ctx, id) // nil if the viewer may not read it
		if err != nil {
			return nil, err
		}
		if duplicate != nil {
			duplicates = append(duplicates, *duplicate)
		}
	}
	return duplicates, nil
}

func (r reviewPayloadResolver) Review(ctx context.Context, p *donotuse.ReviewPayload) (
	*domain.Review, error) {
	review, err := r.reviewByID(ctx, p.ReviewID)
	if review != nil {
		loadersFrom(ctx).forget(review.CaseID)
	}
	return review, err
}

func (r reassignResolver) Review(ctx context.Context, result *donotuse.ReassignResult) (
	*domain.Review, error) {
	return r.reviewByID(ctx, result.Done)
}

// caseByID reads one case as the viewer may see it; nil if there is none.
func (r *resolver) caseByID(ctx context.Context, id domain.ID) (*shape.Case, error) {
	if id == domain.NoID {
		return nil, nil
	}
	c, err := r.views.Case(ctx, callerOf(ctx), id)
	return nullIfNotFound(&shape.Case{CaseView: c}, err)
}

func (r *resolver) reviewByID(ctx context.Context, id domain.ID) (*domain.Review, error) {
	if id == domain.NoID {
		return nil, nil
	}
	review, err := r.views.Review(ctx, callerOf(ctx), id)
	return nullIfNotFound(&review, err)
}

// BulkApproval compares the case of the review with the limits of its step.
func (r reviewResolver) BulkApproval(ctx context.Context, review *domain.Review) (
	*donotuse.BulkApproval, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil || !isStaff(c) {
		return nil, err
	}
	findings, err := findingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	found, err := r.views.BulkApproval(ctx, c.CaseView, review.Node, findings,
		func() ([]views.FieldForm, error) { return (caseResolver(r)).FieldForm(ctx, c) })
	if err != nil {
		return nil, err
	}
	if found.Outside == "" {
		requirements, err := (caseResolver(r)).ApprovalRequirements(ctx, c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(requirements,
			func(needs domain.ApprovalRequirement) bool { return !needs.Satisfied }) {
			found.Outside = "finding"
		}
	}
	if found.Outside == "" {
		signs, err := r.views.SignsApproval(ctx, c.Case, *review)
		if err != nil {
			return nil, err
		}
		if signs {
			found.Outside = "signature"
		}
	}
	shown := &donotuse.BulkApproval{Within: found.Outside == "", Outside: found.Outside}
	if found.Limits != nil {
		shown.MaxRisk = &found.Limits.MaxRisk
		shown.MaxAmount = &domain.Money{Minor: found.Limits.MaxBaseMinor, Currency: domain.BaseCurrency}
	}
	return shown, nil
}
