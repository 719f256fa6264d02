// Package ocr reads a document's file: it finds out what the file is, draws every page, and brings back the words with
// their places, from the text layer where the page has a sane one, else from an OCR engine, and the e-invoice XML that
// the file is or carries.
//
// What may enter: files that strangers sent, the programs that decode them (each in a sandboxed child), engines.
// What never happens here: meaning (which word is the total), decisions, storage, decoding pixels in this process.
package ocr
