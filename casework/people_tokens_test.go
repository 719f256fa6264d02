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

func (env *testEnv) now() time.Time {
	env.t.Helper()
	now, err := env.db.Reader().Clock(env.ctx)
	must(env.t, err)
	return now
}

func (env *testEnv) tokenLive(id domain.ID) bool {
	env.t.Helper()
	state, err := env.db.Reader().Credential(env.ctx, domain.Actor{TokenID: id})
	must(env.t, err)
	return state.Holds
}

func (env *testEnv) authority() store.AuthorityVersions {
	env.t.Helper()
	authority, err := env.db.Reader().AuthorityVersion(env.ctx)
	must(env.t, err)
	return authority
}

func TestCreateAndRevokeOwnToken(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleSubmitter)
	token, err := env.svc.CreateToken(env.ctx, ada,
		casework.CreateToken{Name: " ci ", Scopes: []string{"submit", "read"},
			Hash: tokenHash("one")})
	must(t, err)
	if token.Name != "ci" || token.UserID != ada.UserID || token.CreatedAt.IsZero() ||
		!slices.Equal(token.Scopes, []string{"submit", "read"}) || !env.tokenLive(token.ID) {
		t.Errorf("created %+v", token)
	}
	before := env.authority().Version
	revoked, err := env.svc.RevokeToken(env.ctx, ada, token.ID)
	must(t, err)
	if revoked.RevokedAt.IsZero() || env.tokenLive(token.ID) {
		t.Errorf("revoked %+v", revoked)
	}
	if env.authority().Version <= before {
		t.Error("the authority's version did not rise: running subscriptions would not end")
	}
	var lines int
	must(t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM access_log WHERE action IN ('createToken', 'revokeToken') AND code = ''
		AND actor = $1 AND object = $2`, ada.UserID, "token:"+token.ID.String()).Scan(&lines))
	if lines != 2 {
		t.Errorf("%d lines of the access log, want 2", lines)
	}
}

func TestTokensOfOthers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, ben, root := env.person("ada", domain.RoleSubmitter),
		env.person("ben", domain.RoleManager), env.person("root", domain.RoleAdmin)
	token, err := env.svc.CreateToken(env.ctx, ada,
		casework.CreateToken{Name: "ci", Hash: tokenHash("one")})
	must(t, err)
	_, err = env.svc.RevokeToken(env.ctx, ben, token.ID)
	wantCode(t, err, domain.NotFound)
	_, err = env.svc.RevokeToken(env.ctx, ben, domain.NewID())
	wantCode(t, err, domain.NotFound)
	if !env.tokenLive(token.ID) {
		t.Fatal("another user revoked the token")
	}
	_, err = env.svc.RevokeToken(env.ctx, root, token.ID)
	must(t, err)
	// An administrator who could create a manager's token could decide on the manager's behalf.
	_, err = env.svc.CreateToken(env.ctx, root,
		casework.CreateToken{Name: "ci", Hash: tokenHash("two"), OwnerID: ben.UserID})
	wantCode(t, err, domain.NotPermitted)
	created, err := env.svc.CreateToken(env.ctx, domain.SystemActor(),
		casework.CreateToken{Name: "ci", Hash: tokenHash("three"), OwnerID: ben.UserID})
	must(t, err)
	if created.UserID != ben.UserID {
		t.Errorf("created for %s", created.UserID)
	}
}

func TestTokenCannotCreateBroaderToken(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleSubmitter)
	until := env.now().Add(time.Hour)
	first, err := env.svc.CreateToken(env.ctx, ada,
		casework.CreateToken{Name: "first", Scopes: []string{"read", "submit", "account"},
			ExpiresAt: until, Hash: tokenHash("first")})
	must(t, err)
	acting := ada
	acting.TokenID, acting.Scopes = first.ID, first.Scopes
	for name, tc := range map[string]struct {
		in   casework.CreateToken
		code domain.Code
	}{
		"no scopes": {casework.CreateToken{ExpiresAt: until}, domain.NotPermitted},
		"another scope": {casework.CreateToken{Scopes: []string{"read", "retry"},
			ExpiresAt: until}, domain.NotPermitted},
		"no expiry": {casework.CreateToken{Scopes: []string{"read"}},
			domain.NotPermitted},
		"a later expiry": {casework.CreateToken{Scopes: []string{"read"},
			ExpiresAt: until.Add(time.Second)}, domain.NotPermitted},
		"an unknown scope": {casework.CreateToken{Scopes: []string{"everything"},
			ExpiresAt: until}, domain.InvalidInput},
		"already expired": {casework.CreateToken{Scopes: []string{"read"},
			ExpiresAt: env.now().Add(-time.Second)}, domain.InvalidInput},
		"narrower": {casework.CreateToken{Scopes: []string{"read"}, ExpiresAt: until}, ""},
	} {
		tc.in.Name, tc.in.Hash = name, tokenHash(name)
		_, err := env.svc.CreateToken(env.ctx, acting, tc.in)
		if got := domain.CodeOf(err); got != tc.code {
			t.Errorf("%s: %q, want %q (%v)", name, got, tc.code, err)
		}
	}
	_, err = env.svc.CreateToken(env.ctx, ada,
		casework.CreateToken{Name: "  ", Hash: tokenHash("blank")})
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.RevokeToken(env.ctx, ada, first.ID)
	must(t, err)
	_, err = env.svc.CreateToken(env.ctx, acting,
		casework.CreateToken{Name: "late", Scopes: []string{"read"}, ExpiresAt: until,
			Hash: tokenHash("late")})
	wantCode(t, err, domain.Unauthenticated)
}

func TestDisabledUserCannotCreateToken(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleSubmitter)
	user, err := env.db.Reader().User(env.ctx, ada.UserID)
	must(t, err)
	user.Disabled = true
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	_, err = env.svc.CreateToken(env.ctx, ada,
		casework.CreateToken{Name: "ci", Hash: tokenHash("one")})
	wantCode(t, err, domain.Unauthenticated)
}
