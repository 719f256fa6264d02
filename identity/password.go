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

// Bounds of a password: characters at least, bytes at most (a longer one would only cost us work).
const (
	minPasswordRunes = 8
	maxPasswordBytes = 1024
)

// strength is what one guess costs: 19 MiB and two passes, 40-70 ms of one processor.
var strength = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashing caps the hashes computed at one time, each of which takes 19 MiB and a processor.
var hashing = make(chan struct{}, max(2, runtime.NumCPU()))

// HashPassword makes what is kept of a password. Too short, too long or not UTF-8 is InvalidInput.
func HashPassword(password string) (string, error) {
	switch {
	case !utf8.ValidString(password):
		return "", domain.Invalid("password", "The password holds characters that are not text.")
	case utf8.RuneCountInString(password) < minPasswordRunes:
		return "", domain.Invalid("password", "A password of at least %d characters is needed.", minPasswordRunes)
	case len(password) > maxPasswordBytes:
		return "", domain.Invalid("password", "The password is longer than %d bytes.", maxPasswordBytes)
	}
	hashing <- struct{}{}
	defer func() { <-hashing }()
	hash, err := argon2id.CreateHash(password, strength)
	if err != nil {
		return "", fmt.Errorf("identity: hash password: %w", err)
	}
	return hash, nil
}

// nobodysHash is compared where there is no password to compare, so that unknown takes as long as wrong.
var nobodysHash = sync.OnceValues(func() (string, error) { return argon2id.CreateHash(chance(), strength) })

// compare reports whether the password is the hash's. An empty hash costs the same and is never right. It waits for its
// turn; when the context ends first the error is Busy.
func compare(ctx context.Context, password, hash string) (bool, error) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return false, domain.Fail(domain.Busy, "Too many people are signing in at this moment.").WithWayOut("Try again in a few seconds.").Because(ctx.Err())
	}
	known := hash != ""
	if !known {
		var err error
		if hash, err = nobodysHash(); err != nil {
			return false, fmt.Errorf("identity: compare password: %w", err)
		}
	}
	if len(password) > maxPasswordBytes {
		password, known = password[:maxPasswordBytes], false
	}
	right, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("identity: compare password: %w", err)
	}
	return right && known, nil
}
