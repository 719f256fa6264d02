// Package web is the adapter   # graph, web, tasks; in test/browser "the server" for all HTTP that is not GraphQL: sign-in, page images, originals, health, metrics, the SPA.
//
// What may enter: handlers of the shape parse, one call of casework, views or identity, answer; the middleware around
// every request: request id, actor, locale, limits, security headers, the log line.
// What never happens here: a transaction, a rule, a right decided; GraphQL, whose handler is mounted as it is given.
package web
