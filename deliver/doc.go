// Package deliver reads the feed for each connector and hands its events to the receiver: in order
// within a stream, concurrently over streams, at least once.
//
// One program at a time leads a connector by a row lease. A round reads the next page, attempts each
// event, and records in one transaction the new cursor and a row for each event that was not
// delivered. A crash before the record repeats the round.
//
// What may enter: rounds, their order and their pace. What never happens here: SQL, the wire format of
// a receiver (package connect), and decisions about who may see an event (package views).
package deliver
