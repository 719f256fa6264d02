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

// Bounds of a password in characters; hashing a longer one would only waste resources.
const (
	minPasswordRunes = 8
	maxPasswordRunes = 1024
)

// hashParams is the cost of one guess: 19 MiB and two passes, 40-70 ms of one processor.
var hashParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16,
	KeyLength: 32}

// hashSlots limits concurrent hashes, each of which takes 19 MiB and a processor.
var hashSlots = make(chan struct{}, max(2, runtime.NumCPU()))

// HashPassword returns the hash to store. InvalidInput if the password is too short, too long or
// not UTF-8.
func HashPassword(password string) (string, error) {
	switch {
	case !utf8.ValidString(password):
		return "", domain.Invalid("password", "The password contains invalid characters.")
	case utf8.RuneCountInString(password) < minPasswordRunes:
		return "", domain.Invalid("password", "The password must have at least %d characters.",
			minPasswordRunes)
	case domain.Longer(password, maxPasswordRunes):
		return "", domain.Invalid("password", "The password must have at most %d characters.",
			maxPasswordRunes)
	}
	hashSlots <- struct{}{}
	defer func() { <-hashSlots }()
	hash, err := argon2id.CreateHash(password, hashParams)
	if err != nil {
		return "", fmt.Errorf("identity: hash password: %w", err)
	}
	return hash, nil
}

// dummyHash is compared if there is no password hash, so that an unknown user takes as long as a
// wrong password.
var dummyHash = sync.OnceValues(func() (string, error) {
	return argon2id.CreateHash(randomSecret(), hashParams)
})

// comparePassword reports whether the password matches the hash. An empty hash takes the same time
// and never matches. It waits for a slot; Busy if the context ends first.
func comparePassword(ctx context.Context, password, hash string) (bool, error) {
	select {
	case hashSlots <- struct{}{}:
		defer func() { <-hashSlots }()
	case <-ctx.Done():
		return false, domain.Errorf(domain.Busy, "Too many people are signing in at the moment.").
			WithRemedy("Try again in a few seconds.").WithCause(ctx.Err())
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
