package casework_test

import (
	"maps"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) settingsOf(person domain.Actor) map[domain.PersonSetting]int {
	env.t.Helper()
	settings, err := env.db.Reader().PersonSettings(env.ctx, person.UserID)
	must(env.t, err)
	return settings
}

// Settings belong to the person who sends them, whatever the request says on whose behalf it is.
func TestSettingsAreOnesOwn(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lea, rob := env.person("lea", domain.RoleL1), env.person("rob", domain.RoleL1)
	set := func(by domain.Actor, name domain.PersonSetting, value int, key string) error {
		return env.svc.SetPersonSetting(env.ctx, by, casework.SetPersonSetting{Name: name, Value: value,
			Once: casework.Once{Key: key}})
	}
	events := env.queryInt(`SELECT count(*) FROM events`)
	accesses := env.queryInt(`SELECT count(*) FROM access_log`)
	for range 2 { // each is delivered twice
		must(t, set(lea, domain.SettingSideWidth, 470, "a"))
		must(t, set(lea, domain.SettingHiddenMenu, 1, "b"))
	}
	must(t, set(lea, domain.SettingSideWidth, 520, ""))  // of another browser: the last one counts
	must(t, set(lea, domain.SettingSideWidth, 470, "a")) // the answer of the first one was lost
	behalf := rob
	behalf.OnBehalfOf = lea.UserID
	if err := set(behalf, domain.SettingHiddenMenu, 0, ""); err == nil { // a name in the request changes nothing
		want := map[domain.PersonSetting]int{domain.SettingHiddenMenu: 0}
		if got := env.settingsOf(rob); !maps.Equal(got, want) {
			t.Errorf("settings of the sender %v, want %v", got, want)
		}
	}
	want := map[domain.PersonSetting]int{domain.SettingSideWidth: 520, domain.SettingHiddenMenu: 1}
	if got := env.settingsOf(lea); !maps.Equal(got, want) {
		t.Errorf("settings %v, want %v", got, want)
	}
	if after := env.queryInt(`SELECT count(*) FROM events`); after != events {
		t.Errorf("%d events record settings", after-events)
	}
	if after := env.queryInt(`SELECT count(*) FROM access_log`); after != accesses {
		t.Errorf("%d lines of the access log record settings", after-accesses)
	}
}

func TestSettingsAreBounded(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lea := env.person("lea", domain.RoleL1)
	for _, tc := range []struct {
		name  domain.PersonSetting
		value int
	}{
		{"", 1}, {"anything", 1}, {domain.SettingHiddenMenu, 2}, {domain.SettingHiddenMenu, -1},
		{domain.SettingSideWidth, -1}, {domain.SettingSideWidth, 10_001}, {domain.SettingSideWidth, 1 << 31},
	} {
		for range 2 {
			wantCode(t, env.svc.SetPersonSetting(env.ctx, lea,
				casework.SetPersonSetting{Name: tc.name, Value: tc.value}), domain.InvalidInput)
		}
	}
	token := lea
	token.Scopes = []string{string(domain.ActRead)}
	wantCode(t, env.svc.SetPersonSetting(env.ctx, token,
		casework.SetPersonSetting{Name: domain.SettingHiddenMenu, Value: 1}), domain.NotPermitted)
	if got := env.settingsOf(lea); len(got) != 0 {
		t.Errorf("refused settings are stored: %v", got)
	}
}
