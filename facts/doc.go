// Package facts computes what is known about a case from everything that was asserted about it.
//
// A case has assertions: values of fields, each by one source (the submitter, an e-invoice, a
// reading, an external program, a reviewer). From them this package computes the value in force of
// each field, the risk basis, which rules judge in place of the values in force, and whether a
// correction may resolve a difference without a second person.
//
// Pure functions over values may enter. No I/O, no clock and no knowledge of processes or of users'
// rights: callers pass what these functions need. No function here ever drops an assertion; only an
// assertion that resolves ends the effect of earlier ones.
package facts
