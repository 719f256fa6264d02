package domain_test

import (
	"testing"

	"countersign/domain"
)

func TestLeastLoaded(t *testing.T) {
	t.Parallel()
	rita, lea, mia, max := domain.ID{1}, domain.ID{2}, domain.ID{3}, domain.ID{4}
	reviewers := []domain.User{{ID: rita, Roles: []domain.Role{domain.RoleL1}},
		{ID: lea, Roles: []domain.Role{domain.RoleL1}}}
	managers := []domain.User{{ID: mia, Roles: []domain.Role{domain.RoleManager, domain.RoleL1}},
		{ID: max, Roles: []domain.Role{domain.RoleManager}}}
	all := append(append([]domain.User{}, managers...), reviewers...)
	loads := map[domain.ID]int{rita: 5, lea: 4, max: 1}
	for name, row := range map[string]struct {
		people   []domain.User
		excluded []domain.ID
		want     domain.ID
	}{
		"reviewers before managers":    {all, nil, lea},
		"not the assignee":             {all, []domain.ID{lea}, rita},
		"a manager if no one else can": {all, []domain.ID{lea, rita}, mia},
		"not the caller":               {managers, []domain.ID{mia}, max},
		"no one":                       {managers, []domain.ID{mia, max}, domain.NoID},
	} {
		if got := domain.LeastLoaded(row.people, loads, row.excluded...); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
