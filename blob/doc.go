// Package blob stores originals, page rasters, e-invoices and archive manifests, write-once. A key
// is the case's id and the SHA-256 of the content: the same bytes are one file, and other bytes can
// never replace it.
//
// A small file is at its final path immediately, but it is made durable by a record in a journal,
// so that one flush serves all files put concurrently. A journal segment belongs to one process and
// is deleted after its files have been flushed; OpenFolder replays the segments of processes that
// died. So a file is durable when Put returns, and at its path when OpenFolder returns.
//
// What may enter: the local folder and stores with the same few operations; verifying content
// against its key.
// What never happens here: a decision, a permission, a user-chosen name in a path.
package blob
