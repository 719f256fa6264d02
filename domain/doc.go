// Package domain holds the nouns of document review and the rules that hold without infrastructure:
// cases, documents, reviews, decisions, money, the closed sets of statuses, event types and error codes.
//
// What may enter: values and pure functions over them, names that all packages share.
// What never happens here: I/O, SQL, wire formats, context values, imports of our other packages.
package domain
