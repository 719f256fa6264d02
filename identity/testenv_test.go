package identity_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/pgtest"
	"countersign/store"
)

const password = "correct horse battery"

// testEnv is an authenticator with a database of its own.
type testEnv struct {
	t             *testing.T
	ctx           context.Context
	db            *store.DB
	owner         *pgxpool.Pool
	authenticator *identity.Authenticator
	began         time.Time // a minute after the start, so that a stopped clock is never before what was recorded
}

func newTestEnv(t *testing.T, change ...func(*identity.Settings)) *testEnv {
	t.Helper()
	names := pgtest.New(t)
	db, err := store.Open(t.Context(), names.AppURL, 8)
	must(t, err)
	t.Cleanup(db.Close)
	w := &testEnv{t: t, ctx: t.Context(), db: db, owner: names.Owner(t),
		began: time.Now().Add(time.Minute)}
	// The delay is an hour: the tests close the authenticator to write the recorded uses.
	settings := identity.Settings{TokenUseDelay: time.Hour}
	for _, alter := range change {
		alter(&settings)
	}
	w.authenticator = identity.New(db, settings, slog.New(slog.NewTextHandler(io.Discard, nil)))
	t.Cleanup(func() { w.authenticator.Close(context.WithoutCancel(w.ctx)) })
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person creates a user with the password.
func (w *testEnv) person(name string) domain.User {
	w.t.Helper()
	hash, err := identity.HashPassword(password)
	must(w.t, err)
	user := domain.User{ID: domain.NewID(), Email: name + "@example.com", Name: name,
		Roles: []domain.Role{domain.RoleL1}, Locale: "zh"}
	w.put(user, hash)
	return user
}

func (w *testEnv) put(user domain.User, hash string) {
	w.t.Helper()
	must(w.t, w.db.InTx(w.ctx, func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, hash) }))
}

func (w *testEnv) signIn(email, password string) (identity.SignInResult, error) {
	return w.authenticator.SignIn(w.ctx, identity.SignInRequest{Email: email, Password: password,
		RequestID: "r-1"})
}

// cookie authenticates a session's secret.
func (w *testEnv) cookie(secret string) (domain.Actor, error) {
	return w.authenticator.Authenticate(w.ctx, identity.Credential{Cookie: secret})
}

func (w *testEnv) bearer(secret string) (domain.Actor, error) {
	return w.authenticator.Authenticate(w.ctx, identity.Credential{Bearer: secret})
}

// wantHolds checks a credential as long-lived connections do.
func (w *testEnv) wantHolds(actor domain.Actor, want bool) {
	w.t.Helper()
	state, err := w.db.Reader().Credential(w.ctx, actor)
	must(w.t, err)
	if state.Holds != want {
		w.t.Errorf("the credential holds: %t, want %t", state.Holds, want)
	}
}

// shiftClock moves the database's clock by the offset from real time.
func (w *testEnv) shiftClock(offset time.Duration) {
	w.t.Helper()
	_, err := w.owner.Exec(w.ctx,
		fmt.Sprintf(
			`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d milliseconds'''`, offset.Milliseconds()))
	must(w.t, err)
}

// stopClock stops the database's clock at the offset from the start of the test, so that no
// allowance refills while a slow machine computes hashes.
func (w *testEnv) stopClock(offset time.Duration) {
	w.t.Helper()
	_, err := w.owner.Exec(w.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT timestamptz ''%s'''`, w.began.Add(offset).UTC().Format(time.RFC3339Nano)))
	must(w.t, err)
}

// accesses lists action and code of the access log in order.
func (w *testEnv) accesses() []string {
	w.t.Helper()
	rows, err := w.owner.Query(w.ctx,
		"SELECT action || ' ' || code || ' ' || (actor <> '00000000-0000-0000-0000-000000000000') FROM access_log ORDER BY id")
	must(w.t, err)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		must(w.t, rows.Scan(&line))
		lines = append(lines, line)
	}
	return lines
}

func wantCode(t *testing.T, err error, code domain.Code) {
	t.Helper()
	if got := domain.CodeOf(err); got != code {
		t.Fatalf("code %q, want %q (%v)", got, code, err)
	}
}
