// Package country recognises countries in what documents and people write, and in the codes that
// name one: IBAN, BIC and tax id.
//
// Its functions differ in trust. Parse takes a value that is meant to be a country. InAddress takes
// an address, where a country counts only in its own place.
//
// What may enter: names of countries, formats of codes with their check digits. What never happens
// here: I/O, and a guess; a text that can mean two countries or none has no country.
package country
