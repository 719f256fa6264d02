// Package languagemodel asks a language model for structured JSON, at any endpoint that speaks
// OpenAI's chat completions.
//
// What may enter: the client, its bounds, its retries, and the reading of answers. What never
// happens here: decisions about a case, prompts of a document type, budgets, access to the database.
//
// An answer is data of an untrusted program. Its size, time, nesting and numbers are bounded before
// anything is decoded, it must match the schema of the request, and it can call nothing.
package languagemodel
