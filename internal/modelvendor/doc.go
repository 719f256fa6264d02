// Package modelvendor is an HTTP server that speaks OpenAI's chat completions, for tests, the demo
// and benchmarks. It reads the values that it answers from the text of the request and from images
// that it has drawn itself, and misbehaves on demand.
//
// What may enter: the protocol, a small deterministic extractor, ways to misbehave. What never
// happens here: code of the product. Only tests, benchmarks and the demo start it.
package modelvendor
