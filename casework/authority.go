package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// loadPolicy reads the newest policy, or the default policy if none is stored.
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

// Authorizer returns the policy that is in force, for reads that filter by it.
func (svc *Service) Authorizer(ctx context.Context) (*authz.Authority, error) {
	current, err := svc.currentAuthority(ctx)
	if err != nil {
		return nil, err
	}
	return current.authorizer, nil
}
