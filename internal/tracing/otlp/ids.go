package otlp

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"

	"countersign/internal/tracing"
)

// idSource makes random ids, because the SDK does not export its own source, except for a span that
// has its ids already.
type idSource struct{}

type finishedKey struct{}

// NewIDs implements the SDK's generator.
func (s idSource) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if at, ok := ctx.Value(finishedKey{}).(tracing.Context); ok {
		return at.Trace, at.Span
	}
	var id trace.TraceID
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())   //nolint:gosec // no secret
	binary.BigEndian.PutUint64(id[8:], rand.Uint64()|1) //nolint:gosec // no secret; never zero
	return id, s.NewSpanID(ctx, id)
}

// NewSpanID implements the SDK's generator.
func (idSource) NewSpanID(ctx context.Context, _ trace.TraceID) (id trace.SpanID) {
	if at, ok := ctx.Value(finishedKey{}).(tracing.Context); ok {
		return at.Span
	}
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1) //nolint:gosec // no secret; never zero
	return id
}

// Record implements tracing.Exporter.
func (e *Exporter) Record(span tracing.Finished) {
	ctx := context.WithValue(context.Background(), finishedKey{}, span.At)
	if span.Parent != [8]byte{} {
		ctx = trace.ContextWithRemoteSpanContext(ctx, spanContext(tracing.Context{
			Trace: span.At.Trace, Span: span.Parent, Sampled: true}))
	}
	_, begun := e.tracer.Start(ctx, span.Name, trace.WithTimestamp(span.Began),
		trace.WithSpanKind(kinds[span.Kind]), trace.WithAttributes(attributes(span.Attributes)...))
	begun.End(trace.WithTimestamp(span.Ended))
}
