// Package sandbox runs one foreign program at a time on files that strangers sent: no network, one folder to write to,
// a user id of its own, bounded memory, processor time, output and wall clock, and a certain end.
//
// What may enter: bubblewrap, Landlock, seccomp and resource limits, and the folders they enclose.
// What never happens here: decoding, deciding what an exit code means for a document, falling back to a weaker mode in
// silence.
package sandbox
