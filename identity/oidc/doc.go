// Package oidc confirms who a person is by an OpenID Connect provider: authorization code with PKCE and
// nonce, ID tokens, logout tokens.
//
// What may enter: the settings of providers, discovery, exchanging a code, verifying tokens. What never
// happens here: SQL, sessions, accounts and roles; a decision that rests on a claim of an unverified
// token; a request to another address than those of a configured provider.
package oidc
