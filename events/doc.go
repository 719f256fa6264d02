// Package events holds the contracts of the event log: one JSON Schema per type and version, its
// audience, its sentence for users, and the encoding of its body. events/gen generates Go and
// TypeScript types from the schemas. events/land writes landed.lock; a test compares the contracts
// with it and allows only new optional fields.
//
// Belongs here: schemas and pure functions over bodies and events.
//
// Never here: I/O, the wall clock, goroutines, decisions about a case.
//
// Readers ignore unknown fields, so a new optional field is compatible. Any other change needs a
// new version of the type.
package events

//go:generate go run ./gen -root ..
