package identity

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"countersign/domain"
)

// Bounds of a password in characters; a longer one would only cost us work.
const (
	minPasswordRunes = 8
	maxPasswordRunes = 1024
)

// hashParams is what one guess costs: 19 MiB and two passes, 40-70 ms of one processor.
var hashParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashSlots caps the hashes computed at one time, each of which takes 19 MiB and a processor.
var hashSlots = make(chan struct{}, max(2, runtime.NumCPU()))

// HashPassword makes what is kept of a password. Too short, too long or not UTF-8 is InvalidInput.
func HashPassword(password string) (string, error) {
	switch {
	case !utf8.ValidString(password):
		return "", domain.Invalid("password", "The password holds characters that are not text.")
	case utf8.RuneCountInString(password) < minPasswordRunes:
		return "", domain.Invalid("password", "A password of at least %d characters is needed.", minPasswordRunes)
	case domain.Longer(password, maxPasswordRunes):
		return "", domain.Invalid("password", "The password is longer than %d characters.", maxPasswordRunes)
	}
	hashSlots <- struct{}{}
	defer func() { <-hashSlots }()
	hash, err := argon2id.CreateHash(password, hashParams)
	if err != nil {
		return "", fmt.Errorf("identity: hash password: %w", err)
	}
	return hash, nil
}

// dummyHash is compared where there is no password to compare, so that unknown takes as long as wrong.
var dummyHash = sync.OnceValues(func() (string, error) { return argon2id.CreateHash(randomSecret(), hashParams) })

// comparePassword reports whether the password is the hash's. An empty hash costs the same and is never right. It waits for its
// turn; when the context ends first the error is Busy.
func comparePassword(ctx context.Context, password, hash string) (bool, error) {
	select {
	case hashSlots <- struct{}{}:
		defer func() { <-hashSlots }()
	case <-ctx.Done():
		return false, domain.Errorf(domain.Busy, "Too many people are signing in at this moment.").WithRemedy("Try again in a few seconds.").WithCause(ctx.Err())
	}
	known := hash != ""
	if !known {
		var err error
		if hash, err = dummyHash(); err != nil {
			return false, fmt.Errorf("identity: compare password: %w", err)
		}
	}
	if domain.Longer(password, maxPasswordRunes) {
		password, known = password[:maxPasswordRunes], false
	}
	right, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("identity: compare password: %w", err)
	}
	return right && known, nil
}
