package oidc_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/identity/oidc"
	"countersign/internal/pgtest"
	"countersign/internal/testprovider"
	"countersign/store"
)

const public = "http://127.0.0.1:8080"

// testEnv is the service and the authenticator with a real provider and a real database.
type testEnv struct {
	t        *testing.T
	ctx      context.Context
	db       *store.DB
	owner    *pgxpool.Pool
	svc      *casework.Service
	sign     *identity.Authenticator
	provider *testprovider.Provider
	clock    *movedClock
}

// movedClock is the clock of the machine, moved.
type movedClock struct{ by atomic.Int64 }

// Now implements domain.Clock.
func (c *movedClock) Now() time.Time {
	return domain.SystemClock{}.Now().Add(time.Duration(c.by.Load()))
}

type quietNotifier struct{}

func (quietNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (quietNotifier) PublishHints(context.Context, []domain.Hint)  {}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func settingsOf(p *testprovider.Provider) oidc.Settings {
	return oidc.Settings{Name: "corp", Label: "Corporate", Issuer: p.Issuer,
		ClientID: testprovider.ClientID, ClientSecret: testprovider.ClientSecret,
		EmployeeClaim: "employee_id", GroupsClaim: "groups", Scopes: []string{"openid"}}
}

func newTestEnv(t *testing.T, change ...func(*identity.Settings, *casework.Settings, *oidc.Settings)) *testEnv {
	t.Helper()
	names := pgtest.New(t)
	db, err := store.Open(t.Context(), names.AppURL, 8)
	must(t, err)
	t.Cleanup(db.Close)
	env := &testEnv{t: t, ctx: t.Context(), db: db, owner: names.Owner(t), clock: &movedClock{},
		provider: testprovider.New(t, public+"/auth/oidc/corp/callback")}
	provider := settingsOf(env.provider)
	var forIdentity identity.Settings
	forService := casework.Settings{Providers: []string{"corp"}}
	for _, alter := range change {
		alter(&forIdentity, &forService, &provider)
	}
	log := slog.New(slog.DiscardHandler)
	env.svc, err = casework.New(db, casework.Ports{Notifier: quietNotifier{}}, forService, log)
	must(t, err)
	t.Cleanup(func() { env.svc.Close(context.Background()) })
	forIdentity.Accounts = env.svc
	forIdentity.Providers = []identity.Provider{oidc.New(provider, public, env.clock)}
	env.sign = identity.New(db, forIdentity, log)
	t.Cleanup(func() { env.sign.Close(context.Background()) })
	return env
}

// serviceWithoutProviders returns the service as it is after the operator has removed the providers.
func (env *testEnv) serviceWithoutProviders() *casework.Service {
	env.t.Helper()
	svc, err := casework.New(env.db, casework.Ports{Notifier: quietNotifier{}}, casework.Settings{},
		slog.New(slog.DiscardHandler))
	must(env.t, err)
	env.t.Cleanup(func() { svc.Close(context.Background()) })
	return svc
}

// account makes an account with an employee id at the operator's command line.
func (env *testEnv) account(name, employee string, roles ...domain.Role) domain.Actor {
	env.t.Helper()
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{EmployeeID: &employee,
		User: domain.User{Email: name + "@example.com", Name: name, Roles: roles, Locale: "en"}})
	must(env.t, err)
	return domain.Actor{UserID: id, Name: name}
}

func (env *testEnv) user(actor domain.Actor) domain.User {
	env.t.Helper()
	user, err := env.db.Reader().User(env.ctx, actor.UserID)
	must(env.t, err)
	return user
}

// start begins a sign-in and lets the person sign in at the provider; it returns what the browser
// brings back.
func (env *testEnv) start(subject string) identity.ProviderCallback {
	env.t.Helper()
	begun, err := env.sign.BeginProviderSignIn(env.ctx, "corp", "/cases", "")
	must(env.t, err)
	back := env.provider.SignIn(env.t, begun.URL, subject)
	if !strings.HasPrefix(back.String(), public+"/auth/oidc/corp/callback?") {
		env.t.Fatalf("the provider sent the browser to %s", back)
	}
	return identity.ProviderCallback{Provider: "corp", State: back.Query().Get("state"),
		Code: back.Query().Get("code"), Issuer: back.Query().Get("iss"), Browser: begun.Browser,
		RequestID: "r-1"}
}

// signIn signs a person in through the provider.
func (env *testEnv) signIn(subject string) (identity.SignInResult, error) {
	env.t.Helper()
	begun, to, err := env.sign.FinishProviderSignIn(env.ctx, env.start(subject))
	if err == nil && to != "/cases" {
		env.t.Errorf("returned to %q", to)
	}
	return begun, err
}

// session signs in and returns the actor of the session.
func (env *testEnv) session(subject string) domain.Actor {
	env.t.Helper()
	begun, err := env.signIn(subject)
	must(env.t, err)
	return env.actorOf(begun.Secret)
}

func (env *testEnv) actorOf(secret string) domain.Actor {
	env.t.Helper()
	actor, err := env.sign.Authenticate(env.ctx, identity.Credential{Cookie: secret})
	must(env.t, err)
	return actor
}

// shiftClock moves the clock of the database. That of the program stays, as that of the provider does.
func (env *testEnv) shiftClock(offset time.Duration) {
	env.t.Helper()
	_, err := env.owner.Exec(env.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz
		LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d milliseconds'''`, offset.Milliseconds()))
	must(env.t, err)
}

// events counts the events of a type.
func (env *testEnv) events(kind string) (n int) {
	env.t.Helper()
	must(env.t, env.owner.QueryRow(env.ctx, "SELECT count(*) FROM events WHERE type = $1", kind).Scan(&n))
	return n
}

// refusals counts the lines of the access log with a code.
func (env *testEnv) refusals(code domain.Code) (n int) {
	env.t.Helper()
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM access_log WHERE action = 'signIn'
		AND object = 'provider:corp' AND code = $1`, string(code)).Scan(&n))
	return n
}

func wantReason(t testing.TB, err error, code domain.Code, reason string) {
	t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != code || refusal.Detail["reason"] != reason {
		t.Fatalf("got %v, want %s with the reason %q", err, code, reason)
	}
	if !strings.HasSuffix(refusal.Message, ".") || refusal.Remedy == "" {
		t.Errorf("the refusal is no sentence with a remedy: %q %q", refusal.Message, refusal.Remedy)
	}
}

func wantCode(t testing.TB, err error, code domain.Code) {
	t.Helper()
	if got := domain.CodeOf(err); got != code {
		t.Fatalf("code %q, want %q (%v)", got, code, err)
	}
}
