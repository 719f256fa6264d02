package casework_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

func tokenHash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func (w *world) now() time.Time {
	w.t.Helper()
	now, err := w.db.Reader().Clock(w.ctx)
	must(w.t, err)
	return now
}

func (w *world) tokenLive(id domain.ID) bool {
	w.t.Helper()
	live, err := w.db.Reader().TokenLive(w.ctx, id)
	must(w.t, err)
	return live
}

func (w *world) authority() store.Authority {
	w.t.Helper()
	authority, err := w.db.Reader().AuthorityVersion(w.ctx)
	must(w.t, err)
	return authority
}

func TestAPersonMakesAndRevokesTheirToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada", domain.RoleSubmitter)
	token, err := w.hall.CreateToken(w.ctx, ada, casework.CreateToken{Name: " ci ", Scopes: []string{"submit", "read"}, Hash: tokenHash("one")})
	must(t, err)
	if token.Name != "ci" || token.UserID != ada.UserID || token.CreatedAt.IsZero() || !slices.Equal(token.Scopes, []string{"submit", "read"}) || !w.tokenLive(token.ID) {
		t.Errorf("made %+v", token)
	}
	before := w.authority().Version
	revoked, err := w.hall.RevokeToken(w.ctx, ada, token.ID)
	must(t, err)
	if revoked.RevokedAt.IsZero() || w.tokenLive(token.ID) {
		t.Errorf("revoked %+v", revoked)
	}
	if w.authority().Version <= before {
		t.Error("the authority's version did not rise: running subscriptions would not notice")
	}
	var lines int
	must(t, w.owner.QueryRow(w.ctx, `SELECT count(*) FROM access_log WHERE action IN ('createToken', 'revokeToken') AND code = ''
		AND actor = $1 AND object = $2`, ada.UserID, "token:"+token.ID.String()).Scan(&lines))
	if lines != 2 {
		t.Errorf("%d lines of the access log, want 2", lines)
	}
}

func TestTokensOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben, root := w.person("ada", domain.RoleSubmitter), w.person("ben", domain.RoleManager), w.person("root", domain.RoleAdmin)
	token, err := w.hall.CreateToken(w.ctx, ada, casework.CreateToken{Name: "ci", Hash: tokenHash("one")})
	must(t, err)
	_, err = w.hall.RevokeToken(w.ctx, ben, token.ID)
	wantCode(t, err, domain.NotFound)
	_, err = w.hall.RevokeToken(w.ctx, ben, domain.NewID())
	wantCode(t, err, domain.NotFound)
	if !w.tokenLive(token.ID) {
		t.Fatal("somebody else revoked the token")
	}
	_, err = w.hall.RevokeToken(w.ctx, root, token.ID)
	must(t, err)
	// An administrator who could make a manager's token could decide in the manager's name.
	_, err = w.hall.CreateToken(w.ctx, root, casework.CreateToken{Name: "ci", Hash: tokenHash("two"), For: ben.UserID})
	wantCode(t, err, domain.NotPermitted)
	made, err := w.hall.CreateToken(w.ctx, domain.SystemActor(), casework.CreateToken{Name: "ci", Hash: tokenHash("three"), For: ben.UserID})
	must(t, err)
	if made.UserID != ben.UserID {
		t.Errorf("made for %s", made.UserID)
	}
}

func TestATokenMakesNoWiderToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada", domain.RoleSubmitter)
	until := w.now().Add(time.Hour)
	first, err := w.hall.CreateToken(w.ctx, ada, casework.CreateToken{Name: "first", Scopes: []string{"read", "submit"}, ExpiresAt: until, Hash: tokenHash("first")})
	must(t, err)
	acting := ada
	acting.TokenID, acting.Scopes = first.ID, first.Scopes
	for name, tc := range map[string]struct {
		in   casework.CreateToken
		code domain.Code
	}{
		"no scopes":          {casework.CreateToken{ExpiresAt: until}, domain.NotPermitted},
		"another scope":      {casework.CreateToken{Scopes: []string{"read", "retry"}, ExpiresAt: until}, domain.NotPermitted},
		"no end":             {casework.CreateToken{Scopes: []string{"read"}}, domain.NotPermitted},
		"a later end":        {casework.CreateToken{Scopes: []string{"read"}, ExpiresAt: until.Add(time.Second)}, domain.NotPermitted},
		"no such action":     {casework.CreateToken{Scopes: []string{"everything"}, ExpiresAt: until}, domain.InvalidInput},
		"over already":       {casework.CreateToken{Scopes: []string{"read"}, ExpiresAt: w.now().Add(-time.Second)}, domain.InvalidInput},
		"narrower, the same": {casework.CreateToken{Scopes: []string{"read"}, ExpiresAt: until}, ""},
	} {
		tc.in.Name, tc.in.Hash = name, tokenHash(name)
		_, err := w.hall.CreateToken(w.ctx, acting, tc.in)
		if got := domain.CodeOf(err); got != tc.code {
			t.Errorf("%s: %q, want %q (%v)", name, got, tc.code, err)
		}
	}
	_, err = w.hall.CreateToken(w.ctx, ada, casework.CreateToken{Name: "  ", Hash: tokenHash("blank")})
	wantCode(t, err, domain.InvalidInput)
	_, err = w.hall.RevokeToken(w.ctx, ada, first.ID)
	must(t, err)
	_, err = w.hall.CreateToken(w.ctx, acting, casework.CreateToken{Name: "late", Scopes: []string{"read"}, ExpiresAt: until, Hash: tokenHash("late")})
	wantCode(t, err, domain.Unauthenticated)
}

func TestADisabledPersonMakesNoToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.person("ada", domain.RoleSubmitter)
	user, err := w.db.Reader().User(w.ctx, ada.UserID)
	must(t, err)
	user.Disabled = true
	_, err = w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	_, err = w.hall.CreateToken(w.ctx, ada, casework.CreateToken{Name: "ci", Hash: tokenHash("one")})
	wantCode(t, err, domain.Unauthenticated)
}
