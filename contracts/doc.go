// Package contracts checks what the consumers of the feed expect against the contracts of the events.
// A consumer commits a file to contracts/consumers with the fields and values that it reads, so that
// a change that would break it fails a test here and names it.
//
// What may enter: expectation files and their comparison with contracts, as values. What never
// happens here: changes of contracts, and judging what a consumer does with an event.
package contracts
