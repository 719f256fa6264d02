// Package country recognises countries in what documents and people write, and in the codes that
// name one: IBAN, BIC and tax id. Its functions differ in trust. Parse takes a value that is meant
// to be a country. InAddress takes an address, where a country counts only in its own place. Both
// return nothing for a text that can mean two countries or none: a hint is not a fact.
package country
