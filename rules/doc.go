// Package rules judges what was read from a document: validation rules say what is wrong with it, risk rules how much a
// person should look at it, both as named findings with points.
//
// What may enter: fields, amounts, today's date and what the caller found out (duplicates, whether the vendor is known).
// What never happens here: I/O, a clock, a decision about a case; a finding never says what to do with the document.
package rules
