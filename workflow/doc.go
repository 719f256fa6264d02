// Package workflow represents processes as data and advances cases through them: the definition
// format and its parser, the verification that a definition is sound, the engine that computes the
// next marking, and the choice of the most specific processor.
//
// Belongs here: pure functions over definitions, markings, events and facts.
//
// Never here: I/O, a clock, a goroutine, or anything that depends on a document type by name.
package workflow
