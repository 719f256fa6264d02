// Package workflow holds the process as data and the engine that moves a case through it: the definition format and its
// parser, the checks that a definition is sound, the marking's next step, and which processor is most specific.
//
// What may enter: definitions, markings, events and facts as values.
// What never happens here: I/O, a clock, a goroutine; nor anything that depends on a document type by name.
package workflow
