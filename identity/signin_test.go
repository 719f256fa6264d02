package identity_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/identity"
)

func TestSessionLastsTwelveHours(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	begun, err := w.signIn("  ADA@example.com ", password)
	must(t, err)
	if got := begun.Session.ExpiresAt.Sub(begun.Session.CreatedAt); got != 12*time.Hour {
		t.Errorf("the session lives %s", got)
	}
	actor, err := w.cookie(begun.Secret)
	must(t, err)
	if actor.UserID != user.ID || actor.SessionID != begun.Session.ID || actor.Name != "ada" ||
		actor.Channel != domain.ChannelWeb || len(actor.Scopes) != 0 {
		t.Errorf("actor %+v", actor)
	}
	known, err := w.authenticator.Identify(w.ctx, identity.Credential{Cookie: begun.Secret})
	must(t, err)
	if known.Locale != "zh" {
		t.Errorf("locale %q", known.Locale)
	}
	var kept int
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT count(*) FROM sessions WHERE encode(token_hash, 'escape') LIKE '%' || $1 || '%'",
		begun.Secret).Scan(&kept))
	if kept != 0 {
		t.Error("the secret itself is kept")
	}
	w.wantHolds(actor, true)
	w.shiftClock(12*time.Hour - time.Minute)
	_, err = w.cookie(begun.Secret)
	must(t, err)
	w.shiftClock(12*time.Hour + time.Second)
	_, err = w.cookie(begun.Secret)
	wantCode(t, err, domain.SessionExpired)
	w.wantHolds(actor, false)
}

func TestSignOutEndsTheSessionInEveryTab(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	begun, err := w.signIn("ada@example.com", password)
	must(t, err)
	elsewhere, err := w.signIn("ada@example.com", password)
	must(t, err)
	actor, err := w.cookie(begun.Secret)
	must(t, err)
	for range 2 {
		must(t, w.authenticator.SignOut(w.ctx, actor))
	}
	_, err = w.cookie(begun.Secret)
	wantCode(t, err, domain.SessionExpired)
	if _, err = w.cookie(elsewhere.Secret); err != nil {
		t.Errorf("another browser was signed out too: %v", err)
	}
	if got, want := w.accesses(), []string{"signIn  true", "signIn  true",
		"signOut  true"}; !slices.Equal(got, want) {
		t.Errorf("access log %q, want %q", got, want)
	}
	wantCode(t, w.authenticator.SignOut(w.ctx, domain.Actor{UserID: actor.UserID,
		TokenID: domain.NewID()}), domain.InvalidInput)
}

// A guess reveals nothing: an unknown email, a wrong password, a disabled user and a user without a
// password get the same response.
func TestAllRefusalsAreTheSame(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	gone := w.person("gone")
	gone.Disabled = true
	w.put(gone, "")
	w.put(domain.User{ID: domain.NewID(), Email: "new@example.com", Name: "new"}, "")
	var first *domain.Error
	for _, try := range [][2]string{
		{"ada@example.com", "wrong password"}, {"nobody@example.com", password},
		{"gone@example.com", password}, {"new@example.com", ""},
		{"new@example.com", password}, {"", ""}, {"ada@example.com\x00", password},
		{"a\xffb", "\xff"}, {"ada@example.com", ""},
		{"system@localhost", ""}, {strings.Repeat("a", 100_000), strings.Repeat("p", 100_000)},
		{"ada@example.com", password + strings.Repeat("x", 2000)},
	} {
		_, err := w.signIn(try[0], try[1])
		wantCode(t, err, domain.Unauthenticated)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || len(refusal.Detail) != 0 {
			t.Fatalf("%q: %v", try[0], err)
		}
		if first == nil {
			first = refusal
		}
		if refusal.Message != first.Message || refusal.Remedy != first.Remedy {
			t.Errorf("%.30q is answered %q, another %q", try[0], refusal.Message, first.Message)
		}
	}
}

// An unknown email costs a hash, as a wrong password does. The fastest of five each is compared, in
// alternating order because the machine is shared; without the hash it would take a tenth of the
// time.
func TestUnknownTakesAsLongAsWrong(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	fastest := map[string]time.Duration{"hash": time.Hour, "wrong": time.Hour, "unknown": time.Hour}
	for i := range 5 {
		for what, email := range map[string]string{"hash": "", "wrong": "ada@example.com",
			"unknown": "nobody" + strconv.Itoa(i) + "@example.com"} {
			start := time.Now()
			if what == "hash" {
				_, err := identity.HashPassword(password)
				must(t, err)
			} else {
				_, err := w.signIn(email, "wrong password")
				wantCode(t, err, domain.Unauthenticated)
			}
			fastest[what] = min(fastest[what], time.Since(start))
		}
	}
	t.Logf("fastest: %v", fastest)
	if fastest["unknown"] < fastest["hash"]/4 || fastest["wrong"] < fastest["hash"]/4 {
		t.Errorf("the response took less time than a hash: %v", fastest)
	}
}

func TestFiveFailuresLockForAGrowingTime(t *testing.T) {
	t.Parallel()
	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		t.Run(email, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t)
			w.person("ada")
			for range 5 {
				_, err := w.signIn(email, "wrong password")
				wantCode(t, err, domain.Unauthenticated)
			}
			var elapsed time.Duration
			for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
				wait := lockedFor(t, w, email)
				if wait > want || wait < want-30*time.Second {
					t.Fatalf("locked for %s, want about %s", wait, want)
				}
				elapsed += want
				w.shiftClock(elapsed)
				_, err := w.signIn(email, "wrong password")
				wantCode(t, err, domain.Unauthenticated)
			}
			// After the lockout the right password clears all failures.
			w.shiftClock(elapsed + 8*time.Minute)
			if _, err := w.signIn("ada@example.com", password); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				_, err := w.signIn("ada@example.com", "wrong password")
				wantCode(t, err, domain.Unauthenticated)
			}
			if _, err := w.signIn("ada@example.com", password); err != nil {
				t.Fatalf("the fifth attempt, with the right password: %v", err)
			}
		})
	}
}

// lockedFor tries the right password while locked and returns the wait in the response.
func lockedFor(t *testing.T, w *testEnv, email string) time.Duration {
	t.Helper()
	_, err := w.signIn(email, password)
	wantCode(t, err, domain.LockedOut)
	var refusal *domain.Error
	errors.As(err, &refusal)
	seconds, err := strconv.Atoi(refusal.Detail["retryAfterSeconds"])
	must(t, err)
	if !strings.Contains(refusal.Remedy, "minute") && !strings.Contains(refusal.Remedy, "second") {
		t.Errorf("way out %q", refusal.Remedy)
	}
	return time.Duration(seconds) * time.Second
}

func TestConcurrentGuessesLock(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	var group sync.WaitGroup
	var mu sync.Mutex
	codes := map[domain.Code]int{}
	for range 25 {
		group.Go(func() {
			_, err := w.signIn("ada@example.com", "wrong password")
			mu.Lock()
			defer mu.Unlock()
			codes[domain.CodeOf(err)]++
		})
	}
	group.Wait()
	if codes[domain.Unauthenticated] != 5 || codes[domain.LockedOut] != 20 {
		t.Errorf("outcomes %v, want 5 looked at and 20 locked out", codes)
	}
}

func TestRefusalsAreInTheAccessLog(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	_, _ = w.signIn("nobody@example.com", password)
	for range 6 {
		_, _ = w.signIn("ada@example.com", "wrong password")
	}
	want := []string{"signIn Unauthenticated false"}
	for range 5 {
		want = append(want, "signIn Unauthenticated true")
	}
	want = append(want, "signIn LockedOut false")
	if got := w.accesses(); !slices.Equal(got, want) {
		t.Errorf("access log %q, want %q", got, want)
	}
}

func TestDisabledUserIsRefusedImmediately(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	begun, err := w.signIn(user.Email, password)
	must(t, err)
	actor, err := w.cookie(begun.Secret)
	must(t, err)
	user.Disabled = true
	w.put(user, "")
	_, err = w.cookie(begun.Secret)
	wantCode(t, err, domain.Unauthenticated)
	w.wantHolds(actor, false)
}

func TestHashPasswordBounds(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "short", strings.Repeat("x", 1025), "bad\xffbytes"} {
		_, err := identity.HashPassword(bad)
		wantCode(t, err, domain.InvalidInput)
	}
	one, err := identity.HashPassword("密码密码密码密码")
	must(t, err)
	two, err := identity.HashPassword("密码密码密码密码")
	must(t, err)
	if one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes %s and %s", one, two)
	}
}
