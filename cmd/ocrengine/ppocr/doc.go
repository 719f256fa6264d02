// Package ppocr reads the words of a page with the networks of PP-OCR: one finds lines of text, one
// says which of them are upside down, one reads their characters.
//
// What may enter: grey pixels, networks as functions, geometry. What never happens here: files,
// processes, what the words mean.
package ppocr
