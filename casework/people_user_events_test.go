package casework_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// The log of people says what was changed, no more and no less: an auditor searches it for changes
// of passwords.
func TestUserEventsNameWhatWasChanged(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita := env.person("rita", domain.RoleL1)
	for _, tc := range []struct {
		name, hash, want string
		change           func(*domain.User)
	}{
		{"nothing", "", "", func(*domain.User) {}},
		{"the language", "", "locale", func(u *domain.User) { u.Locale = "zh" }},
		{"the password", "hash", "password", func(*domain.User) {}},
		{"name and password", "other", "name password", func(u *domain.User) { u.Name = "Rita" }},
		{"the address", "", "email", func(u *domain.User) { u.Email = "r@example.com" }},
		{"the queues", "", "queues", func(u *domain.User) { u.Queues = []string{"L2"} }},
		{"access", "", "disabled", func(u *domain.User) { u.Disabled = true }},
		{"everything", "third", "disabled email locale name password queues roles",
			func(u *domain.User) {
				*u = domain.User{ID: u.ID, Email: "x@example.com", Name: "X", Locale: "en"}
			}},
	} {
		user, err := env.db.Reader().User(env.ctx, rita.UserID)
		must(t, err)
		before := env.peopleEvents()
		tc.change(&user)
		_, err = env.svc.PutUser(env.ctx, domain.SystemActor(),
			casework.PutUser{User: user, PasswordHash: tc.hash})
		must(t, err)
		added := env.peopleEvents()[len(before):]
		if tc.want == "" {
			if len(added) != 0 {
				t.Errorf("%s: %s", tc.name, added[0].Body)
			}
			continue
		}
		var body generated.UserChangedV1
		if len(added) != 1 || json.Unmarshal(added[0].Body, &body) != nil ||
			strings.Join(body.Changed, " ") != tc.want || body.UserID != rita.UserID {
			t.Errorf("%s: %d events with %+v, want %s", tc.name, len(added), body, tc.want)
		}
		if (body.Disabled != nil) != strings.Contains(tc.want, "disabled") {
			t.Errorf("%s: disabled is %v", tc.name, body.Disabled)
		}
	}
}

// peopleEvents reads the log of people.
func (env *testEnv) peopleEvents() []domain.Event {
	env.t.Helper()
	page, err := env.db.Reader().EventsAfter(env.ctx, domain.PeopleStream.ID, 0, 1000)
	must(env.t, err)
	return page.Events
}
