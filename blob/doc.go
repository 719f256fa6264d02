// Package blob keeps originals, page rasters, e-invoices and archive manifests, write-once. A key is the case's id and the
// SHA-256 of the content: the same bytes are one file, and other bytes can never take its place.
//
// What may enter: the local folder and stores that speak its few verbs; checking that what is read is what was written.
// What never happens here: a decision, a right, a name that a person chose as part of a path.
package blob
