package graph

import (
	"context"
	"slices"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/facts"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
	"countersign/views"
)

func (caseResolver) AmountAtRisk(_ context.Context, c *shape.Case) (*domain.Money, error) {
	if c.AtRisk.Currency == "" {
		return nil, nil
	}
	return &c.AtRisk, nil
}

func (caseResolver) CountryRoles(ctx context.Context, c *shape.Case) (
	[]domain.CountryAtRisk, error) {
	history, err := historyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	viewer, err := assertionViewer(ctx, c)
	return viewer.CountryRoles(history, c.Country), err
}

func (caseResolver) Differences(ctx context.Context, c *shape.Case) (
	[]views.FieldDifference, error) {
	if len(c.Case.DifferingFields) == 0 {
		return []views.FieldDifference{}, nil
	}
	history, err := historyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	viewer, err := assertionViewer(ctx, c)
	return viewer.Differences(history, c.Case.DifferingFields), err
}

func (r caseResolver) FieldHistory(ctx context.Context, c *shape.Case, field string) (
	[]views.AssertedValue, error) {
	kind, err := r.views.DocumentTypeOf(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	if !kind.Has(field) && !slices.Contains(domain.FieldNames(), field) {
		return nil, domain.Invalid("field", "Unknown field %q.", field)
	}
	history, err := historyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	viewer, err := assertionViewer(ctx, c)
	return viewer.FieldHistory(history, field), err
}

// historyOf returns everything asserted about the case; the cases of a list are read together.
func historyOf(ctx context.Context, c *shape.Case) (facts.History, error) {
	batch := loadersFrom(ctx).batchOf(c.ID)
	sets, err := shareOfCase(batch.assertions())(c.ID)
	if err != nil || len(sets) > 0 {
		return sets, err
	}
	fields, err := shareOfCase(batch.fields())(c.ID)
	return facts.HistoryOf(c.CaseView.Case, nil, fields), err
}

func assertionViewer(ctx context.Context, c *shape.Case) (views.AssertionViewer, error) {
	viewer := views.AssertionViewer{Audience: c.Audience, UserID: callerOf(ctx).UserID,
		Redacted: c.Redacted}
	if !c.Redacted {
		return viewer, nil
	}
	var err error
	viewer.Reviews, err = shareOfCase(loadersFrom(ctx).batchOf(c.ID).reviews())(c.ID)
	return viewer, err
}

func (differenceResolver) Pending(_ context.Context, d *views.FieldDifference) (
	*facts.NeedsSecondPerson, error) {
	if d.Pending == facts.NoSecondPerson {
		return nil, nil
	}
	return &d.Pending, nil
}

func (assertedValueResolver) By(ctx context.Context, v *views.AssertedValue) (
	*domain.User, error) {
	return loadPerson(ctx, v.ByID)
}

func (assertedValueResolver) At(_ context.Context, v *views.AssertedValue) (*time.Time, error) {
	return timeOrNil(v.At), nil
}

func (assertedValueResolver) Undetermined(_ context.Context, v *views.AssertedValue) (
	*string, error) {
	if v.Assertion.Undetermined == "" {
		return nil, nil
	}
	return &v.Assertion.Undetermined, nil
}

func (assertedValueResolver) Currency(_ context.Context, v *views.AssertedValue) (
	*string, error) {
	if v.Currency == "" {
		return nil, nil
	}
	return &v.Currency, nil
}

func (r mutationResolver) ConfirmFields(ctx context.Context, in donotuse.ConfirmFieldsInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ConfirmFields(ctx, actor,
		casework.ConfirmFields{ReviewTarget: on, Names: in.Names, Confirm: in.Confirm}))
}
