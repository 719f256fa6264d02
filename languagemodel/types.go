package languagemodel

import (
	"encoding/json"
	"time"
)

// Image is the image of one page: PNG, JPEG or WebP.
type Image struct {
	Label     string // text before the image, such as its page; "" for none
	MediaType string
	Bytes     []byte
}

// Request is one question. The answer must match Schema.
type Request struct {
	System, User string
	Images       []Image
	// SchemaName has 1 to 64 letters, digits, hyphens and underscores.
	SchemaName string
	Schema     json.RawMessage
	MaxTokens  int // bound of the answer; 0 = DefaultMaxTokens
}

// Usage counts tokens. Counts that the endpoint does not report, or that cannot be true, are
// estimated from the number of bytes and images.
type Usage struct{ InputTokens, OutputTokens int }

// The outcomes of a call.
const (
	Answered = "answered"
	// Timeout: no complete answer within the timeout of a call, or before the caller's deadline.
	Timeout     = "timeout"
	RateLimited = "rate_limited"
	// Unavailable: no connection, another certificate, or an error of the endpoint.
	Unavailable = "unavailable"
	// Refused: the endpoint refused the request (400, 401, 403, 404, a redirect), or the model
	// refused to answer; then the status is 200.
	Refused = "refused"
	// Cut: the connection ended within the answer.
	Cut = "cut"
	// TooLarge: the answer exceeds its bound of bytes or tokens.
	TooLarge    = "too_large"
	InvalidJSON = "invalid_json"
	SchemaMiss  = "schema_miss"
)

// Outcomes returns every outcome.
func Outcomes() []string {
	return []string{Answered, Timeout, RateLimited, Unavailable, Refused, Cut, TooLarge, InvalidJSON,
		SchemaMiss}
}

// OutcomeDetail is the detail of an error that holds the outcome of the last call. While the circuit
// breaker is open no call is made, and it is Unavailable.
const OutcomeDetail = "outcome"

// Call is one HTTP request. Status is 0 if there was no response.
type Call struct {
	Started time.Time
	Took    time.Duration
	Status  int
	Outcome string
	Usage   Usage
}

// Answer is what the model answered. Calls and Usage are also set if Ask fails, and Text if there
// was a complete answer.
type Answer struct {
	JSON  json.RawMessage // matches the schema; compact, without duplicate names
	Text  string          // as the model wrote it
	Model string          // as the endpoint names it
	Usage Usage           // of all calls
	Calls []Call
}
