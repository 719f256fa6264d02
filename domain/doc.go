// Package domain defines the types of document review and the rules that need no infrastructure:
// cases, documents, reviews, decisions, money, and the closed sets of statuses, event types and
// error codes.
//
// What may enter: values and pure functions of them, names that all packages share. What never
// happens here: I/O, SQL, wire formats, context values, imports of other packages of Countersign.
package domain
