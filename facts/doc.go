// Package facts computes what is known about a case from everything that was asserted about it.
//
// A case has assertions: values of fields, each by one source (the submitter, an e-invoice, a
// reading, an external program, a reviewer). From them this package computes the value in force of
// each field, the risk basis, which rules judge in place of the values in force, and whether a
// correction may resolve a difference without a second person.
//
// What may enter: pure functions over assertions.
// What never happens here: I/O, a clock, knowledge of processes or of rights, which callers pass in.
// Nothing drops an assertion; only one that resolves ends the effect of earlier ones.
package facts
