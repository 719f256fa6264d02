// Package ocr reads the file of a document. It detects the type, renders every page, and returns
// the words with their positions, from the text layer of a page if it is usable, otherwise from an
// OCR engine. It also returns the e-invoice XML that the file is or contains.
//
// What may enter: untrusted files, the programs that decode them (each in a sandboxed child
// process), engines. What never happens here: interpretation (which word is the total), decisions,
// storage, decoding pixels in this process.
package ocr
