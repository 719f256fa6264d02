// Package identity authenticates: email and password, passkeys, sessions of browsers, API tokens of programs.
//
// What may enter: password hashing, lockout, the creation of secrets, Authenticate, and the context
// that carries the actor from an adapter to a command. Its own writes (sessions, sign-in failures
// and their lines of the access log) run in store.InTx, the one exception to the service layer.
// What never happens here: a decision about what a user may do; HTTP; storing a secret instead of
// its SHA-256; caching the result of an authentication, because a revoked credential must be
// refused immediately.
package identity
