// Package tracing follows one document through requests, queue, processes and pages: which trace a
// piece of work belongs to, and its spans.
//
// What may enter: the trace context of W3C, the sampling decision, spans behind an interface. What
// never happens here: an exporter (package otlp has it, and only programs import it), a value of a
// field or a person's name in a span, a decision that depends on a trace. Without an exporter every
// call returns immediately; only a caller's trace id is still taken over and passed on.
package tracing

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Kind is the role of a span between two programs.
type Kind int

// The kinds.
const (
	Internal Kind = iota
	Server
	Producer
	Consumer
	Client
)

// Span is a span under way.
type Span interface {
	// Set adds attributes. Their values are ids, names of the program and numbers.
	Set(attributes ...slog.Attr)
	// Link names an earlier trace that this span continues.
	Link(earlier Context)
	// End ends the span. code is the code of the failure, "" without one: messages may contain
	// values of documents.
	End(code string)
}

// Start describes a span to an exporter.
type Start struct {
	Name       string
	Kind       Kind
	Parent     Context // the zero value begins a trace
	Links      []Context
	Attributes []slog.Attr
	Began      time.Time // the zero value is now
}

// Finished is a span that another program made and that has ended, such as one of a page.
type Finished struct {
	Name         string
	Kind         Kind
	At           Context // of the span itself
	Parent       [8]byte // a span of the same trace; the zero value begins the trace
	Began, Ended time.Time
	Attributes   []slog.Attr
}

// Exporter makes spans and sends them away. It never blocks.
type Exporter interface {
	Start(ctx context.Context, start Start) (context.Context, Context, Span)
	// Record sends a span of another program away.
	Record(span Finished)
	// Inherit puts the span of another context into ctx.
	Inherit(ctx, from context.Context) context.Context
	// PostgresTracer returns the tracer of the driver of Postgres.
	PostgresTracer() any
}

// installed is the exporter of this process with the ratio of traces that it records.
type installed struct {
	exporter Exporter
	ratio    float64
}

var current atomic.Pointer[installed]

// Install sets the exporter of this process; nil removes it. Programs call it before they open
// anything else.
func Install(exporter Exporter, ratio float64) {
	if exporter == nil {
		current.Store(nil)
		return
	}
	current.Store(&installed{exporter, ratio})
}

// Installed reports whether this process has an exporter.
func Installed() bool { return current.Load() != nil }

// PostgresTracer returns the tracer of the driver of Postgres, nil without an exporter.
func PostgresTracer() any {
	if now := current.Load(); now != nil {
		return now.exporter.PostgresTracer()
	}
	return nil
}

type contextKey struct{}

// WithContext puts the trace context into ctx.
func WithContext(ctx context.Context, trace Context) context.Context {
	return context.WithValue(ctx, contextKey{}, trace)
}

// Of returns the trace context of ctx, or the zero value.
func Of(ctx context.Context) Context {
	trace, _ := ctx.Value(contextKey{}).(Context)
	return trace
}

// noSpan is the span of work that is not recorded.
type noSpan struct{}

func (noSpan) Set(...slog.Attr) {}
func (noSpan) Link(Context)     {}
func (noSpan) End(string)       {}

// NoSpan returns the span of work that has none.
func NoSpan() Span { return noSpan{} }

// Inherit puts the span of another context into ctx, which keeps its own end.
func Inherit(ctx, from context.Context) context.Context {
	if now := current.Load(); now != nil {
		ctx = now.exporter.Inherit(ctx, from)
	}
	return WithContext(ctx, Of(from))
}

// Recording reports whether ctx belongs to a recorded trace, for callers whose attributes cost
// something.
func Recording(ctx context.Context) bool { return current.Load() != nil && Of(ctx).Sampled }

// Begin begins a span inside the trace of ctx. Work outside of a recorded trace gets none.
func Begin(ctx context.Context, name string, attributes ...slog.Attr) (context.Context, Span) {
	return begin(ctx, Start{Name: name, Parent: Of(ctx), Attributes: attributes})
}

// Past records a span inside the trace of ctx that has ended already.
func Past(ctx context.Context, name string, began time.Time, attributes ...slog.Attr) {
	_, span := begin(ctx, Start{Name: name, Parent: Of(ctx), Attributes: attributes, Began: began})
	span.End("")
}

// Record records a span of another program. The caller bounds how many there are.
func Record(span Finished) {
	if now := current.Load(); now != nil {
		now.exporter.Record(span)
	}
}

// LinkStored links the span to a stored traceparent of another trace than that of ctx.
func LinkStored(ctx context.Context, span Span, traceparent string) {
	if !Recording(ctx) {
		return
	}
	if earlier, ok := Parse(traceparent); ok && earlier.Trace != Of(ctx).Trace {
		span.Link(earlier)
	}
}

// Traceparent returns the header of ctx, "" outside of a trace.
func Traceparent(ctx context.Context) string { return Of(ctx).String() }

// Request begins the trace of a request from outside. The caller's trace id is taken over, but
// whether the trace is recorded is drawn here: a caller can neither force nor prevent it.
func Request(ctx context.Context, name, traceparent string, attributes ...slog.Attr) (
	context.Context, Span) {
	caller, _ := Parse(traceparent)
	now := current.Load()
	caller.Sampled = now != nil && drawn(now.ratio)
	if !caller.Sampled {
		if !caller.Valid() && now != nil {
			caller = newContext()
		}
		if caller.Valid() {
			ctx = WithContext(ctx, caller)
		}
		return ctx, noSpan{}
	}
	start := Start{Name: name, Kind: Server, Attributes: attributes}
	if caller.Valid() {
		start.Parent = caller
	}
	return begin(ctx, start)
}

// Continue begins a span of work that another process, or an earlier step of this one, asked for.
// It was stored by this program, so its sampling decision holds.
func Continue(ctx context.Context, kind Kind, name, traceparent string, attributes ...slog.Attr) (
	context.Context, Span) {
	trace, ok := Parse(traceparent)
	if !ok {
		return ctx, noSpan{}
	}
	return begin(WithContext(ctx, trace), Start{Name: name, Kind: kind, Parent: trace,
		Attributes: attributes})
}

// AfterWait begins a trace of its own that is linked to the stored one, for work that waited for
// people or for a deadline. It is recorded if the earlier one was.
func AfterWait(ctx context.Context, name, traceparent string, attributes ...slog.Attr) (
	context.Context, Span) {
	earlier, ok := Parse(traceparent)
	if !ok {
		return ctx, noSpan{}
	}
	if !earlier.Sampled {
		return WithContext(ctx, newContext()), noSpan{}
	}
	return begin(ctx, Start{Name: name, Kind: Consumer, Links: []Context{earlier},
		Attributes: attributes})
}

func begin(ctx context.Context, start Start) (context.Context, Span) {
	now := current.Load()
	if now == nil || start.Parent.Valid() && !start.Parent.Sampled ||
		!start.Parent.Valid() && start.Kind == Internal {
		return ctx, noSpan{}
	}
	ctx, trace, span := now.exporter.Start(ctx, start)
	return WithContext(ctx, trace), span
}

// drawn reports whether a new trace is recorded.
func drawn(ratio float64) bool {
	return ratio >= 1 || ratio > 0 && rand.Float64() < ratio //nolint:gosec // no secret
}
