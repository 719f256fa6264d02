// Package audit makes the event log verifiable. Every stream is a hash chain, the heads of streams
// are leaves of an RFC 6962 log with signed checkpoints, and an export can be verified offline. The
// package also defines the archive manifest.
//
// What may enter: events and bytes as values, and the hashing and signing of them. What never
// happens here: I/O other than through a reader or iterator passed in, SQL, the wall clock,
// decisions.
package audit
