// Package sampling computes the quality sample of archived cases: which cases are drawn, whether two
// readings of a document agree, and how often cases were archived wrongly.
//
// What may enter: pure functions over values, shares and a key that callers pass in.
// What never happens here: I/O, a clock, knowledge of rights or processes.
package sampling
