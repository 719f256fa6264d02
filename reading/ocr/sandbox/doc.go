// Package sandbox runs external programs on untrusted files: without network, with one writable
// folder and an own user id, with limits on memory, processor time, output and wall-clock time, and
// with guaranteed termination.
//
// What may enter: bubblewrap, Landlock, seccomp and resource limits, and the job folders. What
// never happens here: decoding, interpreting an exit code for a document, falling back to a weaker
// mode silently.
package sandbox
