package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// One administrator trusts no proxy more; the setting of the server counts once.
func TestTrustedProxiesNeedTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	trusted := func() []string {
		t.Helper()
		networks, _, err := env.svc.TrustedProxies(env.ctx, 0)
		must(t, err)
		return networks
	}
	for _, setting := range [][]string{{"10.0.0.0/8", "192.0.2.1/32"}, {"0.0.0.0/0"}} {
		got, err := env.svc.SeedTrustedProxies(env.ctx, setting)
		must(t, err)
		if want := []string{"10.0.0.0/8", "192.0.2.1/32"}; !slices.Equal(got, want) || !slices.Equal(trusted(), want) {
			t.Fatalf("with the setting %v: %v", setting, got)
		}
	}
	set := func(by domain.Actor, networks ...string) casework.ControlResult {
		t.Helper()
		done, err := env.svc.SetTrustedProxies(env.ctx, by,
			casework.SetTrustedProxies{Networks: networks, Reason: "another proxy"})
		must(t, err)
		return done
	}
	// What is taken away counts immediately, what is added waits.
	changed := set(ada, "0.0.0.0/0", "192.0.2.1/32")
	if got := trusted(); !slices.Equal(got, []string{"192.0.2.1/32"}) || changed.ProposalID == domain.NoID {
		t.Fatalf("one administrator: %v, %+v", got, changed)
	}
	_, err := env.confirmed(ada, changed.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, version, err := env.svc.TrustedProxies(env.ctx, 0)
	must(t, err)
	_, err = env.confirmed(adam, changed.ProposalID)
	must(t, err)
	networks, _, err := env.svc.TrustedProxies(env.ctx, version)
	if err != nil || !slices.Equal(networks, []string{"0.0.0.0/0", "192.0.2.1/32"}) {
		t.Fatalf("confirmed: %v, %v", networks, err)
	}
	stale := set(ada, "0.0.0.0/0", "192.0.2.1/32", "198.51.100.0/24")
	if done := set(adam); done.ProposalID != domain.NoID || len(trusted()) != 0 {
		t.Fatalf("taking all away waits: %+v", done)
	}
	_, err = env.confirmed(adam, stale.ProposalID)
	wantCode(t, err, domain.StaleVersion)
	_, err = env.svc.SetTrustedProxies(env.ctx, env.person("max", domain.RoleManager),
		casework.SetTrustedProxies{Networks: []string{"0.0.0.0/0"}, Reason: "x"})
	wantCode(t, err, domain.NotPermitted)
}
