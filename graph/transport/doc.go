// Package transport serves GraphQL operations over HTTP (POST, GET, multipart), server-sent events
// and WebSocket with an executor. It refuses before execution what is too large, too deep, too slow
// or unauthenticated.
//
// What may enter: wire protocols, limits of size and time, and the format of responses. What never
// happens here: schemas, resolvers and rules. Authentication and rate limits are called through
// Options.
package transport
