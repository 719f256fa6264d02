// Package blob keeps originals, page rasters, e-invoices and archive manifests, write-once. A key is the case's id and the
// SHA-256 of the content: the same bytes are one file, and other bytes can never take its place.
//
// A small file is at its final path at once, but its bytes are flushed as a record of a journal, together with those of all
// who put one meanwhile. A segment of the journal belongs to one process and goes when the files it names have been
// flushed; what a process that died has left is replayed by whoever opens the folder next. So after Put a file is on disk,
// and after OpenFolder it is at its place.
//
// What may enter: the local folder and stores that speak its few verbs; checking that what is read is what was written.
// What never happens here: a decision, a right, a name that a person chose as part of a path.
package blob
