// Package archivecopy writes the archive copy of a document: a PDF with the images of its pages, as
// they were read, under each of which the recognised words are invisible text at their places. A
// viewer can so search and copy what the image shows. The file follows the clauses of ISO 19005-2
// (PDF/A-2u) that docs/adr/0084-archive-copies.md names.
//
// The compressed pixels of a PNG are also those of an image in a PDF, so they are copied: no pixel is
// decoded here. The same pages give the same bytes, so a copy need not be kept.
//
// What may enter: images and words, one page after the other; the structure of the file, its font
// and colour profile. What never happens here: I/O beside the given reader and writer, a clock, a
// decision whether the images are the right ones.
package archivecopy
