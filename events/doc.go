// Package events holds the contracts of the event log: one JSON Schema per type and version, who may see it, how it
// reads in words, and the encoding of its body. The Go and TypeScript types are generated from the schemas by
// events/gen; events/land writes landed.lock, against which a test lets a landed contract grow only by optional fields.
//
// What may enter: schemas, pure functions over bodies and events.
// What never happens here: I/O, the wall clock, goroutines, decisions about a case.
//
// Readers ignore fields they do not know, so that a new optional field breaks nobody; a change of any other kind is a
// new version of the type.
package events

//go:generate go run ./gen -root ..
