// Package extraction finds the fields of an invoice or receipt: in the words of its pages, by labels, shapes, places and
// sums that must agree, and in e-invoice XML.
//
// What may enter: labels of further languages, shapes of dates and amounts, formats of e-invoices.
// What never happens here: I/O, the clock, goroutines, rules about one vendor or one template, judging whether the
// document is right.
package extraction
