// Package audit makes the event log provable: every stream is a chain of hashes, heads of streams are leaves of an
// RFC 6962 log whose checkpoints are signed, and an export verifies without us. It also holds the archive manifest.
//
// What may enter: events and bytes as values, hashing and signatures over them.
// What never happens here: I/O other than a reader or iterator handed in, SQL, the wall clock, decisions.
package audit
