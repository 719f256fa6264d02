package main

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// An option with an empty value, as of an unset variable of a script, must not create a token with
// every right, or one that never expires.
func TestTokensWithoutABoundAreNotCreatedByAccident(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	for option, message := range map[string]string{
		"--scope=":      "The option --scope is empty. Leave it out to include all rights of the person.",
		"--scope=,":     `Unknown scope "".`,
		"--scope=reed":  `Unknown scope "reed".`,
		"--valid=0s":    "The lifetime 0s is not above zero.",
		"--valid=-720h": "The lifetime -720h0m0s is not above zero.",
		"--name=":       "Enter a name",
	} {
		o.refused(exitUsage, message, "token", "create", anna, "--name", "ci", option)
	}
	if list := o.ok("token", "list", anna); list != "none\n" {
		t.Errorf("a refused token was created:\n%s", list)
	}
}

// Only the token itself is on the standard output, so that a script can capture it; it is stored as
// a hash and never shown again.
func TestTokenIsShownOnce(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	code, out, messages := o.run("token", "create", anna, "--name", "ci", "--scope", "read,submit",
		"--valid", "720h")
	secret := strings.TrimSuffix(out, "\n")
	if code != exitDone || !strings.HasPrefix(secret, "cs_") || strings.ContainsAny(secret, " \n") ||
		!strings.HasSuffix(messages, " of "+anna+", shown only once:\n") {
		t.Fatalf("exit code %d, output %q, messages %q", code, out, messages)
	}
	var created struct{ ID, Token string }
	o.decoded(&created, "token", "create", anna, "--name", "second")
	lists := o.ok("token", "list", anna) + o.ok("--json", "token", "list", anna)
	if strings.Contains(lists, secret) || strings.Contains(lists, created.Token) ||
		!strings.Contains(lists, created.ID) || created.Token == secret {
		t.Errorf("the list is\n%s", lists)
	}
	o.operator(func(op *operator) {
		for token, scopes := range map[string][]string{secret: {"read", "submit"},
			created.Token: {}} {
			hash := sha256.Sum256([]byte(token))
			found, err := op.db.Reader().TokenByHash(t.Context(), hash[:])
			if err != nil || !slices.Equal(found.Token.Scopes, scopes) {
				t.Errorf("%+v, %v", found, err)
			}
		}
	})
}

// listedToken is a token of token list --json.
type listedToken struct {
	ID, Name                       string
	Scopes                         []string
	CreatedAt                      time.Time
	ExpiresAt, RevokedAt, LastUsed *time.Time
}

// In JSON, what has not happened is null. A zero time would read as an expired or revoked token.
func TestTokensInJSON(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	for _, args := range [][]string{{"--name", "short", "--valid", "1h"}, {"--name", "long"}} {
		if code, _, messages := o.run(append([]string{"token", "create", anna},
			args...)...); code != 0 {
			t.Fatalf("%v: %s", args, messages)
		}
	}
	list := func() map[string]listedToken {
		var rows []listedToken
		o.decoded(&rows, "token", "list", anna)
		byName := map[string]listedToken{}
		for _, row := range rows {
			byName[row.Name] = row
		}
		return byName
	}
	before := list()
	short, long := before["short"], before["long"]
	if len(before) != 2 || short.ExpiresAt == nil || long.ExpiresAt != nil ||
		short.RevokedAt != nil || short.LastUsed != nil || long.CreatedAt.IsZero() {
		t.Fatalf("%+v", before)
	}
	if lifetime := short.ExpiresAt.Sub(short.CreatedAt); lifetime <= 59*time.Minute ||
		lifetime > time.Hour {
		t.Errorf("a token for 1h lives %s", lifetime)
	}
	var revoked listedToken
	o.decoded(&revoked, "token", "revoke", long.ID)
	if revoked.Name != "long" || revoked.RevokedAt == nil {
		t.Errorf("revoked %+v", revoked)
	}
	again := o.ok("token", "revoke", long.ID) // a second time changes nothing
	if after := list(); again != long.ID+"  long  revoked\n" || after["short"].RevokedAt != nil ||
		after["long"].RevokedAt == nil || !after["long"].RevokedAt.Equal(*revoked.RevokedAt) {
		t.Errorf("%q, then %+v", again, after)
	}
}

func TestTokensOfUnknownOrDisabledPeople(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	o.ok("user", "disable", anna)
	o.refused(exitFailed, "This account does not exist or is disabled.", "token", "create", anna,
		"--name", "ci")
	for _, args := range [][]string{{"create", "x@example.test", "--name", "ci"},
		{"list", "x@example.test"}} {
		o.refused(exitFailed, "No person has the e-mail address x@example.test.",
			append([]string{"token"}, args...)...)
	}
	o.refused(exitFailed, "", "token", "revoke", domain.NewID().String())
}
