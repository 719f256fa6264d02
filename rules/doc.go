// Package rules evaluates what was read from a document: validation rules report errors in it, risk
// rules report why it needs attention. Both produce named findings with a score.
//
// What may enter: fields, amounts, today's date and facts from the caller (duplicates, history of
// the vendor). What never happens here: I/O, a clock, a decision about a case; a finding never says
// what to do with the document.
package rules
