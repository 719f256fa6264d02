// Package web is the adapter for all HTTP except GraphQL: sign-in, page images, originals, exports,
// health, metrics and the single-page application.
//
// What may enter: handlers that parse the request, call casework, views or identity once, and write
// the response; and the middleware around every request: request id, actor, locale, limits,
// security headers and the log line. What never happens here: transactions, rules and authorization
// decisions. The GraphQL handler is mounted unchanged.
package web
