// Package parsing is what a language model is asked about a document, and what of its answer the page
// shows: the prompt and the JSON Schema from the fields of the document type, the values that must not
// leave, and the search for each stated value in the words of the pages.
//
// What may enter: the wording of the prompt, forms of values as they are printed. What never happens
// here: I/O, the clock, calls of a model, rights, decisions about a case.
package parsing
