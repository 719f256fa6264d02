// Package layout holds the house together: who may import whom, which room owns which library, how long files and
// functions may be, what no source may contain. Its tests read the whole tree and name each breach.
//
// What may enter: the table of rooms and libraries, and checks over the source. A new room or library enters the tree
// and these tables together.
// What never happens here: a check of behaviour; an exception without a reason beside it.
//
// A single line is excused by a comment on it, //nolint:RULE // reason. The rules that listen to it are forbidigo
// (clock, environment), funlen (long functions) and paralleltest (a test that cannot run beside others).
package layout
