// Package export holds the formats in which lists and the result of a case leave Countersign: records
// as CSV and JSON lines with a last record that says that they are complete, and the result of a case
// with its JSON Schema.
//
// What may enter: records of what a reader may see, and a writer. What never happens here: reads, and
// decisions about who may see a record (package views).
package export
