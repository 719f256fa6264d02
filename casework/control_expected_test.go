package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Two administrators have the same form open. The second one is refused with what the first one did, writes
// nothing, and succeeds with the value that applies now. Each command is delivered twice.
func TestTheLaterOfTwoChangesDoesNotWinSilently(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adil := env.person("ada", domain.RoleAdmin), env.person("adil", domain.RoleAdmin)
	jan := env.person("jan", domain.RoleL1)
	text := func(value string) *string { return &value }
	days := func(value int) *int { return &value }
	limit := func(minor int64) domain.Limit {
		return domain.Limit{Role: domain.RoleSenior, Action: domain.ActDecide, BaseMinor: minor}
	}
	present, err := env.db.Reader().Limit(env.ctx, domain.RoleSenior, domain.ActDecide, "")
	must(t, err)
	retention, err := env.db.Reader().PresentRetention(env.ctx, "")
	must(t, err)
	type send func(by domain.Actor, once casework.Once) error
	for name, row := range map[string]struct {
		// stale sends another value than the first person, based on what was present before; fresh
		// bases it on what the first person set.
		first, stale, fresh send
		says                string
	}{
		"retention": {
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetRetention(env.ctx, by, casework.SetRetention{Once: once,
					Days: retention.Days + 10, Reason: "law", ExpectedDays: days(retention.Days)}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetRetention(env.ctx, by, casework.SetRetention{Once: once,
					Days: retention.Days + 5, Reason: "law", ExpectedDays: days(retention.Days)}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetRetention(env.ctx, by, casework.SetRetention{Once: once,
					Days: retention.Days + 20, Reason: "law", ExpectedDays: days(retention.Days + 10)}))
			}, "ada changed this to"},
		"country": {
			func(by domain.Actor, once casework.Once) error {
				return env.riskOf(by, once, "NO", "elevated", text(""))
			},
			func(by domain.Actor, once casework.Once) error {
				return env.riskOf(by, once, "NO", "high", text(""))
			},
			func(by domain.Actor, once casework.Once) error {
				return env.riskOf(by, once, "NO", "high", text("elevated"))
			}, "ada changed this to elevated"},
		"limit": {
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.PutLimit(env.ctx, by, casework.PutLimit{Once: once, Limit: limit(90_00),
					Expected: &casework.ExpectedLimit{Exists: true, Unlimited: present.Unlimited,
						BaseMinor: present.BaseMinor}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.PutLimit(env.ctx, by, casework.PutLimit{Once: once, Limit: limit(80_00),
					Expected: &casework.ExpectedLimit{Exists: true, Unlimited: present.Unlimited,
						BaseMinor: present.BaseMinor}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.PutLimit(env.ctx, by, casework.PutLimit{Once: once, Limit: limit(80_00),
					Expected: &casework.ExpectedLimit{Exists: true, BaseMinor: 90_00}}))
			}, "now USD 90.00"},
		"proxies": {
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetTrustedProxies(env.ctx, by, casework.SetTrustedProxies{Once: once,
					Networks: []string{"10.0.0.0/8"}, Reason: "moved", Expected: []string{"10.0.0.0/8", "10.9.0.0/16"}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetTrustedProxies(env.ctx, by, casework.SetTrustedProxies{Once: once,
					Networks: []string{"10.9.0.0/16"}, Reason: "moved", Expected: []string{"10.9.0.0/16", "10.0.0.0/8"}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetTrustedProxies(env.ctx, by, casework.SetTrustedProxies{Once: once,
					Networks: []string{}, Reason: "moved", Expected: []string{"10.0.0.0/8"}}))
			}, "ada changed this to 10.0.0.0/8"},
		"skills": {
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetSkills(env.ctx, by, casework.SetSkills{Once: once, Person: jan.UserID,
					Skills: []string{"german"}, Expected: []string{"french", "german"}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetSkills(env.ctx, by, casework.SetSkills{Once: once, Person: jan.UserID,
					Skills: []string{"french"}, Expected: []string{"german", "french"}}))
			},
			func(by domain.Actor, once casework.Once) error {
				return errOf(env.svc.SetSkills(env.ctx, by, casework.SetSkills{Once: once, Person: jan.UserID,
					Skills: []string{}, Expected: []string{"german"}}))
			}, "now german"},
	} {
		if name == "proxies" {
			must(t, errOf(env.svc.SeedTrustedProxies(env.ctx, []string{"10.0.0.0/8", "10.9.0.0/16"})))
		}
		if name == "skills" {
			for _, other := range []string{"kim", "lee", "mia"} {
				must(t, errOf(env.svc.SetSkills(env.ctx, domain.SystemActor(), casework.SetSkills{
					Person: env.person(other, domain.RoleL1).UserID, Skills: []string{"german", "french"}})))
			}
			must(t, errOf(env.svc.SetSkills(env.ctx, domain.SystemActor(), casework.SetSkills{
				Person: jan.UserID, Skills: []string{"german", "french"}})))
		}
		for range 2 {
			must(t, row.first(ada, casework.Once{Key: name}))
		}
		for range 2 {
			err := row.stale(adil, casework.Once{Key: name + "-stale"})
			wantCode(t, err, domain.StaleVersion)
			if !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for range 2 {
			must(t, row.fresh(adil, casework.Once{Key: name + "-fresh"}))
		}
	}
}

func (env *testEnv) riskOf(by domain.Actor, once casework.Once, country, level string, expected *string) error {
	return errOf(env.svc.SetCountryRisks(env.ctx, by, casework.SetCountryRisks{Once: once, Reason: "list",
		Changes: []casework.CountryRiskChange{{Country: country, Level: level, Expected: expected}}}))
}
