package views_test

import (
	"strings"
	"testing"

	"countersign/domain"
)

// A reference finds exactly the cases of the list. Every other one, also that of a party in conflict,
// is answered like one that does not exist, because references can be counted through.
func TestCasesAreFoundByReferenceAsTheyAreListed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	rita, eva := env.person("rita", domain.RoleL1), env.person("eva", domain.RoleL1)
	lena, nora := env.person("lena", domain.RoleL2), env.person("nora")
	aud := env.person("aud", domain.RoleAuditor)
	own, other := env.submit(sam, "2000.00"), env.submit(sue, "3000.00", "Beta AG")
	env.declareConflict(eva, "Beta AG")
	_, missing := env.views.CaseByReference(env.ctx, aud, "CS-2026-999999")
	wantCode(t, missing, domain.NotFound)
	for _, tc := range []struct {
		actor      domain.Actor
		own, other bool
	}{{sam, true, false}, {sue, false, true}, {rita, true, true}, {eva, true, false},
		{lena, false, false}, {nora, false, false}, {aud, true, true}} {
		for id, want := range map[domain.ID]bool{own: tc.own, other: tc.other} {
			c, err := env.db.Reader().Case(env.ctx, id)
			must(t, err)
			for _, name := range []string{c.Reference, " " + strings.ToLower(c.Reference)} {
				seen, err := env.views.CaseByReference(env.ctx, tc.actor, name)
				switch {
				case want && (err != nil || seen.ID != id):
					t.Errorf("%s, %s: %v %v", tc.actor.Name, name, seen.ID, err)
				case !want && (err == nil || err.Error() != missing.Error()):
					t.Errorf("%s, %s: %v, a missing case yields %v", tc.actor.Name, name, err, missing)
				}
			}
		}
	}
	byReference, err := env.views.CaseByReference(env.ctx, sam, referenceOf(env, own))
	must(t, err)
	byID, err := env.views.Case(env.ctx, sam, own)
	must(t, err)
	if byReference.Audience != byID.Audience || byReference.Redacted != byID.Redacted {
		t.Errorf("by reference %+v, by id %+v", byReference, byID)
	}
	for _, odd := range []string{"", "%", "CS-", strings.Repeat("9", 40)} {
		_, err := env.views.CaseByReference(env.ctx, aud, odd)
		wantCode(t, err, domain.NotFound)
	}
}

func referenceOf(env *testEnv, id domain.ID) string {
	env.t.Helper()
	c, err := env.db.Reader().Case(env.ctx, id)
	must(env.t, err)
	return c.Reference
}
