package graph

import (
	"testing"

	"countersign/domain"
)

// A manager sees who works here, but neither sees e-mails nor finds people by them.
func TestEMailsAreForThoseWhoManagePeople(t *testing.T) {
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
			t.Errorf("%s looks for %q: %v, want %d with e-mail %v", c.by, c.text, people, c.found, c.email)
		}
	}
}
