// Package domain holds the nouns of document review and the law that is true without any machine:
// cases, documents, reviews, decisions, money, the closed sets of statuses, event types and error codes.
//
// What may enter: values and pure functions over them, names the whole house shares.
// What never happens here: I/O, SQL, wire formats, context values, imports of our other rooms.
package domain
