// Package layout checks the structure of the source: which package may import which, which package
// owns which library, how long files and functions may be, which words and calls no source may
// contain. Its tests read the whole tree and report each violation.
//
// What may enter: the tables of packages, libraries and words, and checks over the source. A new
// package or library is added to the tree and to these tables in one commit. What never happens
// here: a check of behaviour; an exception without a reason beside it.
//
// A single line is excused by a comment on it, //nolint:RULE // reason. The rules that listen to it
// are forbidigo (clock, environment), funlen (long functions) and paralleltest (a test that cannot
// run beside others).
package layout
