package tracing

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
)

// Context identifies a span of a trace (W3C Trace Context, version 00).
type Context struct {
	Trace   [16]byte
	Span    [8]byte
	Sampled bool // the trace is recorded
}

// traceparentLength is the length of a header of version 00.
const traceparentLength = 55

// Valid reports whether the context names a span.
func (c Context) Valid() bool { return c.Trace != [16]byte{} && c.Span != [8]byte{} }

// Parse reads a traceparent of version 00. Anything else, whatever its length, is no context: it is
// ignored as if it had not been sent.
func Parse(traceparent string) (Context, bool) {
	var c Context
	if len(traceparent) != traceparentLength || traceparent[:3] != "00-" ||
		traceparent[35] != '-' || traceparent[52] != '-' {
		return Context{}, false
	}
	var flags [1]byte
	if !lowerHex(c.Trace[:], traceparent[3:35]) || !lowerHex(c.Span[:], traceparent[36:52]) ||
		!lowerHex(flags[:], traceparent[53:]) || !c.Valid() {
		return Context{}, false
	}
	c.Sampled = flags[0]&1 == 1
	return c, true
}

// lowerHex decodes text, in which the standard allows no capital letters.
func lowerHex(to []byte, text string) bool {
	for i := range len(text) {
		if text[i] >= 'A' && text[i] <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}

// String returns the traceparent, "" of the zero value.
func (c Context) String() string {
	if !c.Valid() {
		return ""
	}
	text := make([]byte, traceparentLength)
	copy(text, "00-")
	hex.Encode(text[3:], c.Trace[:])
	text[35] = '-'
	hex.Encode(text[36:], c.Span[:])
	copy(text[52:], "-00")
	if c.Sampled {
		text[54] = '1'
	}
	return string(text)
}

// TraceID returns the id of the trace of ctx in hexadecimal, "" without one.
func TraceID(ctx context.Context) string {
	c := Of(ctx)
	if !c.Valid() {
		return ""
	}
	return hex.EncodeToString(c.Trace[:])
}

// newContext returns a context of its own that is not recorded, so that log lines can still be
// joined.
func newContext() Context {
	var c Context
	for i := 0; i < len(c.Trace); i += 8 {
		put(c.Trace[i:], rand.Uint64()|1) //nolint:gosec // no secret
	}
	put(c.Span[:], rand.Uint64()|1) //nolint:gosec // no secret
	return c
}

func put(to []byte, value uint64) {
	for i := range 8 {
		to[i] = byte(value >> (8 * i))
	}
}

type correlationKey struct{}

// WithCorrelation puts the correlation id of a caller into ctx if it is well-formed: 8 to 64
// letters, digits, "-", "_" or ".".
func WithCorrelation(ctx context.Context, id string) context.Context {
	if len(id) < 8 || len(id) > 64 {
		return ctx
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' &&
			c != '_' && c != '.' {
			return ctx
		}
	}
	return context.WithValue(ctx, correlationKey{}, id)
}

// Correlation returns the caller's correlation id, or "".
func Correlation(ctx context.Context) string {
	id, _ := ctx.Value(correlationKey{}).(string)
	return id
}
