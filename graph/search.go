package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
)

func (r queryResolver) Search(_ context.Context, _ string, first int, _ *string) (
	*donotuse.SearchConnection, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	return nil, domain.Errorf(domain.Unavailable, "The search is not available in this version.")
}
