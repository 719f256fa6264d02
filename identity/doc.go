// Package identity knows who someone is: e-mail and password, sessions of browsers, API tokens of programs.
//
// What may enter: password hashing, the lock-out, the making of secrets, Authenticate, and the context that carries the
// actor from an adapter to a command. Its own writes (sessions, sign-in failures and their lines of the access log) run in
// store.InTx, the one exception to the service layer.
// What never happens here: the question what a person may do; HTTP; a secret that is kept, only its SHA-256 is; a cache
// of a credential's verdict, so that what was revoked is refused at once.
package identity
