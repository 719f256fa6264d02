package graph

import (
	"context"
	"fmt"
	"net/url"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

var comparisonRefusals = map[casework.ComparisonRefusal]donotuse.ComparisonRefusal{
	casework.ComparisonNotDeciding: donotuse.ComparisonRefusalNotDeciding,
	casework.ComparisonUnavailable: donotuse.ComparisonRefusalUnavailable,
}

func (r queryResolver) Comparison(ctx context.Context, reviewID, reference string) (
	*donotuse.Comparison, error) {
	key, err := scalar.IDOf(scalar.KindReview, "reviewId", reviewID)
	if err != nil {
		return nil, err
	}
	compared, err := r.service.CompareCases(ctx, callerOf(ctx),
		casework.CompareCases{ReviewID: key, Reference: reference})
	if err != nil {
		return nullIfNotFound(&donotuse.Comparison{}, err)
	}
	if refusal, refused := comparisonRefusals[compared.Refusal]; refused {
		return &donotuse.Comparison{Refusal: &refusal}, nil
	}
	shown, err := r.views.ComparisonCase(ctx, callerOf(ctx), compared.Other)
	if err != nil {
		return nil, err
	}
	other, err := comparisonCase(ctx, key, shown)
	return &donotuse.Comparison{Other: other}, err
}

func comparisonCase(ctx context.Context, review domain.ID, shown views.ComparisonCase) (
	*donotuse.ComparisonCase, error) {
	other := &donotuse.ComparisonCase{Reference: shown.Reference, Status: shown.Status,
		Version:   shown.Version,
		CreatedAt: shown.CreatedAt, DecidedAt: timeOrNil(shown.DecidedAt),
		DecidedBy: []domain.User{}, Pages: []donotuse.ComparisonPage{},
		Fields: []donotuse.ComparisonField{}}
	for _, id := range shown.DecidedBy {
		person, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		if person != nil {
			other.DecidedBy = append(other.DecidedBy, *person)
		}
	}
	// The HTTP adapter serves these paths and asks for the right itself.
	for _, page := range shown.Pages {
		other.Pages = append(other.Pages, donotuse.ComparisonPage{Number: page.Number,
			Width: page.Width, Height: page.Height, Path: fmt.Sprintf("/compared/%s/%s/pages/%d",
				review, url.PathEscape(shown.Reference), page.Number)})
	}
	for _, field := range shown.Fields {
		other.Fields = append(other.Fields, donotuse.ComparisonField{Name: field.Spec.Name,
			Labels: labelsOf(field.Spec.English, field.Spec.Chinese), Raw: field.Raw,
			Normalised: field.Normalised})
	}
	return other, nil
}
