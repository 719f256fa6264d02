package graph

import (
	"testing"

	"countersign/domain"
)

// Managers see the list of people, but no e-mail addresses, and a search does not match them
// either.
func TestOnlyPeopleAdministratorsSeeEMails(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("ma", domain.RoleManager)
	const list = `query($text: String) { people(text: $text) { name email } }`
	for _, c := range []struct {
		by, text string
		found    int
		email    any
	}{
		{"ada", "ada@example.com", 1, "ada@example.com"},
		{"ma", "ada@example.com", 0, nil},
		{"ma", "ada", 1, nil},
	} {
		got := w.mustExecute(c.by, list, "text", c.text)
		people := got.at("people").([]any)
		if len(people) != c.found || got.at("people", 0, "email") != c.email {
			t.Errorf("%s looks for %q: %v, want %d with e-mail %v", c.by, c.text, people, c.found,
				c.email)
		}
	}
}
