// Package doctype reads the definitions of document types: which fields the documents of a type
// have, and how people and the extractor find and enter them. A new type is a text, not code.
//
// What may enter: the YAML of a definition and the types of domain. What never happens here: I/O,
// and a decision about a process or a rule set that uses the type, which casework makes when the
// type is published.
package doctype
