// Package sampling computes draws by a keyed hash: the quality sample of archived cases, whether two
// readings of a document agree, how often cases were archived wrongly, and the drawn reviewers.
//
// What may enter: pure functions over values, shares, candidates and a key that callers pass in.
// What never happens here: I/O, a clock, knowledge of rights or processes.
package sampling
