// Package transport carries GraphQL operations over HTTP (POST, GET, multipart), server-sent events and WebSocket to an
// executor, and holds what must be refused before anything runs: too much, too deep, too slow, or nobody known.
//
// What may enter: wire protocols, limits of size and time, the shapes of answers.
// What never happens here: a schema, a resolver, a rule; who someone is and how often they may ask is asked through
// Options.
package transport
