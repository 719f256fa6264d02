package identity_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/identity"
	"countersign/store"
)

const ada = "ada@example.com"

// from signs in from a network, with the secret of a device's cookie or without one.
func (w *testEnv) from(client, device, email, password string) (identity.SignInResult, error) {
	return w.authenticator.SignIn(w.ctx, identity.SignInRequest{Email: email, Password: password,
		Client: client, Device: device, RequestID: "r-1"})
}

// smallAllowances are used up by few attempts, each of which costs a hash.
func smallAllowances(s *identity.Settings) {
	s.AccountAttempts, s.ClientAttempts = store.Attempts{Most: 12, Every: 10 * time.Minute},
		store.Attempts{Most: 12, Every: 20 * time.Second}
}

// device signs the user in once and returns the secret of the device.
func (w *testEnv) device(client, email string) string {
	w.t.Helper()
	begun, err := w.from(client, "", email, password)
	must(w.t, err)
	return begun.Device
}

// guesses makes n wrong guesses and counts the outcomes.
func (w *testEnv) guesses(n int, guess func(i int) error) map[domain.Code]int {
	w.t.Helper()
	codes := map[domain.Code]int{}
	for i := range n {
		codes[domain.CodeOf(guess(i))]++
	}
	return codes
}

func (w *testEnv) guessFrom(client, email string) error {
	_, err := w.from(client, "", email, "wrong password")
	return err
}

// An attacker who knows the email locks no one out: neither a known device nor a new one elsewhere.
func TestOneAddressLocksOnlyItselfOut(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	laptop := w.device("office", ada)
	if codes := w.guesses(30, func(int) error {
		return w.guessFrom("attacker",
			ada)
	}); codes[domain.Unauthenticated] != 5 || codes[domain.LockedOut] != 25 {
		t.Fatalf("one address, 30 guesses: %v, want 5 looked at", codes)
	}
	begun, err := w.from("office", laptop, ada, password)
	if err != nil {
		t.Fatalf("the owner from a known device: %v", err)
	}
	if _, err := w.from("home", "", ada, password); err != nil {
		t.Errorf("the owner from a new device: %v", err)
	}
	if _, err := w.from("attacker", begun.Device, ada, password); err != nil {
		t.Errorf("the owner's known device behind the attacker's address: %v", err)
	}
	_, err = w.from("attacker", "", ada, password)
	wantCode(t, err, domain.LockedOut)
}

// An attacker may share the proxy of the owner's office: known devices can sign in whatever the
// attacker does.
func TestKnownDevicesSignInBehindASharedAddress(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	laptop := w.device("office", ada)
	for round := range 3 {
		w.guesses(10, func(int) error { return w.guessFrom("office", ada) })
		begun, err := w.from("office", laptop, ada, password)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if begun.Device == laptop {
			t.Error("the device's secret was not rotated")
		}
		laptop = begun.Device
	}
	// The owner's success from the device did not clear the attacker's failures.
	wantCode(t, w.guessFrom("office", ada), domain.LockedOut)
}

// Many addresses guess no faster than the account allows, and known devices are not affected.
func TestManyAddressesAreLimitedByTheAccount(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	laptop := w.device("office", ada)
	w.stopClock(0)
	codes := w.guesses(300, func(i int) error { return w.guessFrom(strconv.Itoa(i), ada) })
	if codes[domain.Unauthenticated] != 100 || codes[domain.LockedOut] != 200 {
		t.Fatalf("300 addresses: %v, want 100 looked at", codes)
	}
	if _, err := w.from("office", laptop, ada, password); err != nil {
		t.Errorf("the owner from a known device: %v", err)
	}
	refusal := w.refusalOf("new", ada)
	if seconds, _ := strconv.Atoi(refusal.Detail["retryAfterSeconds"]); seconds < 60 ||
		seconds > 600 {
		t.Errorf("a new device must wait %d s, want ten minutes at most", seconds)
	}
	// In the following hours six guesses an hour are possible, from any number of addresses.
	looked := 0
	for hour := range 6 {
		w.stopClock(time.Duration(hour+1) * time.Hour)
		codes := w.guesses(12, func(i int) error {
			return w.guessFrom(fmt.Sprint("later", hour, ".",
				i), ada)
		})
		looked += codes[domain.Unauthenticated]
	}
	if looked > 37 || looked < 35 {
		t.Errorf("%d guesses in the next 6 hours, want six an hour", looked)
	}
}

func (w *testEnv) refusalOf(client, email string) *domain.Error {
	w.t.Helper()
	err := w.guessFrom(client, email)
	wantCode(w.t, err, domain.LockedOut)
	var refusal *domain.Error
	errors.As(err, &refusal)
	return refusal
}

// One password tried on every account from one address is limited over all accounts.
func TestSprayingIsLimitedByTheAddress(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	laptop := w.device("office", ada)
	w.stopClock(0)
	codes := w.guesses(100, func(i int) error {
		return w.guessFrom("office",
			fmt.Sprintf("person%d@example.com", i))
	})
	if codes[domain.Unauthenticated] != 60 || codes[domain.LockedOut] != 40 {
		t.Fatalf("100 accounts: %v, want 60 looked at", codes)
	}
	if _, err := w.from("office", laptop, ada, password); err != nil {
		t.Errorf("a known device behind the same address: %v", err)
	}
	if _, err := w.from("elsewhere", "", ada, password); err != nil {
		t.Errorf("another address: %v", err)
	}
	w.stopClock(21 * time.Second)
	if _, err := w.from("office", "", ada, password); err != nil {
		t.Errorf("the next attempt from the address: %v", err)
	}
}

// Users of a large office sign in one after the other: only failures count for their address.
func TestSuccessesSpendNothing(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, smallAllowances)
	w.person("ada")
	for i := range 15 {
		if _, err := w.from("office", "", ada, password); err != nil {
			t.Fatalf("sign-in %d: %v", i, err)
		}
	}
}

// Concurrent guesses count like sequential ones, under all counters.
func TestConcurrentGuessesCount(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	laptop := w.device("office", ada)
	var group sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for i := range 40 {
		group.Go(func() {
			client, device := strconv.Itoa(i%4), ""
			if i >= 20 {
				client, device = "device", laptop
			}
			_, err := w.from(client, device, ada, "wrong password")
			mu.Lock()
			defer mu.Unlock()
			codes[fmt.Sprint(device != "", " ", domain.CodeOf(err))]++
		})
	}
	group.Wait()
	// 20 guesses from four addresses, five each; 20 more from one device.
	if codes["false Unauthenticated"] != 20 || codes["true Unauthenticated"] != 5 ||
		codes["true LockedOut"] != 15 {
		t.Errorf("outcomes %v", codes)
	}
}

// A device is known only for the user who signed in on it, until it expires, is rotated, or the
// password changes.
func TestDevicesBelongToTheirUser(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	w.person("eve")
	key := func(email, device string) bool {
		name, err := w.authenticator.DeviceKey(w.ctx, email, device)
		must(t, err)
		return name != ""
	}
	first := w.device("office", ada)
	var kept int
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT count(*) FROM sign_in_devices WHERE encode(token_hash, 'escape') LIKE '%' || $1 || '%'", first).Scan(&kept))
	if kept != 0 || !key(" ADA@example.com ", first) || key("eve@example.com", first) ||
		key("nobody@example.com", first) || key(ada, "") || key(ada, first[1:]) {
		t.Error("a device is known for another user, or its secret is stored")
	}
	// Eve signs in on the same device: both are known there, only by the new secret.
	shared, err := w.from("office", first, "eve@example.com", password)
	must(t, err)
	if key(ada, first) || !key(ada, shared.Device) || !key("eve@example.com", shared.Device) {
		t.Error("a shared device lost a user, or its old secret is still valid")
	}
	if left := time.Until(shared.DeviceUntil); left < 179*24*time.Hour || left > 181*24*time.Hour {
		t.Errorf("known for %s", left)
	}
	// The device itself is limited strictly: with its stolen secret one can guess no more than from
	// an address.
	codes := w.guesses(8, func(int) error {
		_, err := w.from("thief", shared.Device, ada, "wrong password")
		return err
	})
	if codes[domain.Unauthenticated] != 5 {
		t.Errorf("from the device: %v", codes)
	}
	w.shiftClock(181 * 24 * time.Hour)
	if key(ada, shared.Device) {
		t.Error("an expired device is known")
	}
	w.shiftClock(0)
	for i := range 25 {
		w.device("office"+strconv.Itoa(i), "eve@example.com")
	}
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT count(*) FROM sign_in_devices d JOIN users u ON u.id = d.user_id WHERE u.email = 'eve@example.com'").Scan(&kept))
	if kept != 20 {
		t.Errorf("%d devices are kept, want 20", kept)
	}
	hash, err := identity.HashPassword("another long password")
	must(t, err)
	w.put(user, hash)
	if key(ada, shared.Device) {
		t.Error("a device outlives the password")
	}
}

// An unknown email is locked by the same counters at the same attempt, with the same message.
func TestUnknownAccountsHaveTheSameLockout(t *testing.T) {
	t.Parallel()
	messages := map[string][]string{}
	for _, email := range []string{ada, "nobody@example.com"} {
		w := newTestEnv(t, smallAllowances)
		w.person("ada")
		for i := range 40 { // two addresses often, then many once
			client := strconv.Itoa(i)
			if i < 14 {
				client = strconv.Itoa(i % 2)
			}
			err := w.guessFrom(client, email)
			var refusal *domain.Error
			errors.As(err, &refusal)
			messages[email] = append(messages[email], fmt.Sprint(refusal.Code, refusal.Message,
				len(refusal.Detail)))
		}
	}
	for i := range messages[ada] {
		if messages[ada][i] != messages["nobody@example.com"][i] {
			t.Fatalf("attempt %d: %q and %q", i, messages[ada][i],
				messages["nobody@example.com"][i])
		}
	}
}

// An attempt that is refused before the password is compared spends nothing.
func TestRefusedAttemptsAreNotCounted(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, smallAllowances)
	w.person("ada")
	for range 50 {
		_ = w.guessFrom("attacker", ada)
	}
	if codes := w.guesses(7, func(i int) error {
		return w.guessFrom(strconv.Itoa(i),
			ada)
	}); codes[domain.Unauthenticated] != 7 {
		t.Errorf("after 45 refused attempts only %v", codes)
	}
	var rows int
	w.shiftClock(48 * time.Hour)
	for i := range 12 {
		_ = w.guessFrom("cleaner", "x"+strconv.Itoa(i)+"@example.com")
	}
	must(t, w.owner.QueryRow(w.ctx,
		"SELECT (SELECT count(*) FROM sign_in_failures) + (SELECT count(*) FROM sign_in_allowances)").Scan(&rows))
	if rows > 30 {
		t.Errorf("%d rows are kept of what is long over", rows)
	}
}
