// Package extraction finds the fields of an invoice or receipt in the words of its pages, by
// labels, formats, positions and sums, and in e-invoice XML.
//
// What may enter: labels of more languages, formats of dates and amounts, formats of e-invoices.
// What never happens here: I/O, the clock, goroutines, rules for one vendor or template, validation
// of the document.
package extraction
