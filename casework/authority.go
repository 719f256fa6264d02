package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// loadPolicy reads the newest policy; before the first one is stored, the one that comes with the program holds.
func loadPolicy(ctx context.Context, r store.Reader) (authz.Policy, error) {
	version, rules, err := r.Policy(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return authz.DefaultPolicy(), nil
	}
	if err != nil {
		return authz.Policy{}, err
	}
	return authz.ParseRules(version, rules)
}

// Authorizer returns the policy in force, for reads that filter by it.
func (svc *Service) Authorizer(ctx context.Context) (*authz.Authority, error) {
	held, err := svc.currentAuthority(ctx)
	if err != nil {
		return nil, err
	}
	return held.authorizer, nil
}
