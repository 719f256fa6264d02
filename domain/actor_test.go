package domain_test

import (
	"slices"
	"testing"

	"countersign/domain"
)

func TestScopesOfAnActor(t *testing.T) {
	t.Parallel()
	token := func(scopes ...string) domain.Actor {
		return domain.Actor{UserID: domain.NewID(), TokenID: domain.NewID(), Scopes: scopes}
	}
	for name, tc := range map[string]struct {
		actor  domain.Actor
		needed []domain.Action
		code   domain.Code
	}{
		"without scopes": {token(), []domain.Action{domain.ActDecide}, ""},
		"of the scope":   {token("read", "decide"), []domain.Action{domain.ActDecide}, ""},
		"of another": {token("read"), []domain.Action{domain.ActDecide},
			domain.NotPermitted},
		"of one of several": {token("escalate"), []domain.Action{domain.ActDecide,
			domain.ActEscalate}, ""},
		"no scope is named": {token(), nil, domain.NotPermitted},
		"the system":        {domain.SystemActor(), nil, ""},
	} {
		if err := tc.actor.RequireScope(tc.needed...); err == nil && tc.code != "" ||
			err != nil && domain.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if slices.Contains(domain.Actions(), domain.ScopeAccount) ||
		!slices.Contains(domain.Scopes(), domain.ScopeAccount) {
		t.Error("the scope account is no action of the policy")
	}
}
