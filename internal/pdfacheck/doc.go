// Package pdfacheck checks a PDF against the clauses of ISO 19005-2 (PDF/A-2u) that Clauses lists. It
// is no complete validator: it knows files with one table of objects and without object streams, as
// archivecopy writes them, and reports everything else as a violation.
//
// What may enter: parsing of PDF, its fonts, profiles and metadata, for tests. What never happens
// here: writing files, product code, rendering.
package pdfacheck
