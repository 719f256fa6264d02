package graph

import (
	"context"

	"countersign/graph/shape"
	"countersign/views"
)

func (caseResolver) Suggestions(ctx context.Context, c *shape.Case) (
	[]views.FieldSuggestion, error) {
	history, err := historyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	viewer, err := assertionViewer(ctx, c)
	return viewer.Suggestions(history), err
}
