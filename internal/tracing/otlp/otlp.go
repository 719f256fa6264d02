// Package otlp exports spans over OTLP. It is the only package that imports OpenTelemetry, so that
// compiling it is paid once.
//
// What may enter: the SDK, its exporter over HTTP, the tracer of the driver of Postgres. What never
// happens here: waiting for the receiver. Spans wait in a bounded queue and are dropped, and
// counted, when it is full or the receiver does not accept them.
package otlp

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/exaring/otelpgx"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"countersign/domain"
	"countersign/internal/tracing"
)

const (
	// queueSize is the number of spans that may wait for the receiver, some 4 MB.
	queueSize = 4096
	batchSize = 512
	// exportTimeout limits one request to the receiver, flushEvery how long a span waits for more.
	exportTimeout = 5 * time.Second
	flushEvery    = time.Second
)

// Exporter sends spans to one receiver.
type Exporter struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	counted  *countedExporter
	queue    *boundedQueue
}

// New returns an exporter to the receiver's address, such as http://127.0.0.1:4318. The path
// /v1/traces is added, as the standard says. It does not connect yet. Its error has the code
// InvalidInput.
func New(ctx context.Context, endpoint, program, version string, log *slog.Logger) (*Exporter,
	error) {
	address, err := receiver(endpoint)
	if err != nil {
		return nil, err
	}
	// Repeated attempts would hold the queue while the receiver is away; the next batch is the next
	// attempt.
	client := otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(address),
		otlptracehttp.WithTimeout(exportTimeout),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}))
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, domain.Invalid("OTEL_EXPORTER_OTLP_ENDPOINT",
			"The receiver of traces cannot be used.").WithCause(err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // counted, and logged once a while
	e := &Exporter{counted: &countedExporter{next: exporter, log: log}}
	e.queue = newBoundedQueue(e.counted)
	e.provider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(e.queue),
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // tracing has drawn before
		sdktrace.WithIDGenerator(idSource{}),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "countersign-"+program),
			attribute.String("service.version", version))))
	e.tracer = e.provider.Tracer("countersign")
	return e, nil
}

// Dropped returns the number of spans that were not delivered.
func (e *Exporter) Dropped() int64 { return e.counted.dropped.Load() + e.queue.dropped.Load() }

// Sent returns the number of spans that the receiver accepted.
func (e *Exporter) Sent() int64 { return e.counted.sent.Load() }

// Close sends the waiting spans, as far as the context allows, and ends the exporter.
func (e *Exporter) Close(ctx context.Context) { _ = e.provider.Shutdown(ctx) }

// PostgresTracer implements tracing.Exporter. Parameters are values of documents, so spans have the
// text of statements only.
func (e *Exporter) PostgresTracer() any {
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(e.provider),
		otelpgx.WithDisableConnectionDetailsInAttributes(),
		otelpgx.WithDisableSQLStatementInAttributes(),
		otelpgx.WithSpanNameFunc(statementName))
}

// Start implements tracing.Exporter.
func (e *Exporter) Start(ctx context.Context, start tracing.Start) (context.Context,
	tracing.Context, tracing.Span) {
	parent := trace.SpanContext{}
	if start.Parent.Valid() {
		parent = spanContext(start.Parent)
	}
	if present := trace.SpanContextFromContext(ctx); !present.Equal(parent) {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kinds[start.Kind]),
		trace.WithAttributes(attributes(start.Attributes)...)}
	for _, link := range start.Links {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: spanContext(link)}))
	}
	if !start.Began.IsZero() {
		options = append(options, trace.WithTimestamp(start.Began))
	}
	ctx, begun := e.tracer.Start(ctx, start.Name, options...)
	at := begun.SpanContext()
	return ctx, tracing.Context{Trace: at.TraceID(), Span: at.SpanID(), Sampled: at.IsSampled()},
		span{begun}
}

// Inherit implements tracing.Exporter.
func (e *Exporter) Inherit(ctx, from context.Context) context.Context {
	return trace.ContextWithSpan(ctx, trace.SpanFromContext(from))
}

var kinds = map[tracing.Kind]trace.SpanKind{tracing.Internal: trace.SpanKindInternal,
	tracing.Server: trace.SpanKindServer, tracing.Producer: trace.SpanKindProducer,
	tracing.Consumer: trace.SpanKindConsumer, tracing.Client: trace.SpanKindClient}

func spanContext(c tracing.Context) trace.SpanContext {
	config := trace.SpanContextConfig{TraceID: c.Trace, SpanID: c.Span}
	if c.Sampled {
		config.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(config)
}

func attributes(list []slog.Attr) []attribute.KeyValue {
	converted := make([]attribute.KeyValue, 0, len(list))
	for _, a := range list {
		switch value := a.Value.Resolve(); value.Kind() {
		case slog.KindInt64:
			converted = append(converted, attribute.Int64(a.Key, value.Int64()))
		case slog.KindBool:
			converted = append(converted, attribute.Bool(a.Key, value.Bool()))
		default:
			converted = append(converted, attribute.String(a.Key, value.String()))
		}
	}
	return converted
}

// span is a span of the SDK.
type span struct{ trace.Span }

// Set implements tracing.Span.
func (s span) Set(list ...slog.Attr) { s.SetAttributes(attributes(list)...) }

// Link implements tracing.Span.
func (s span) Link(earlier tracing.Context) {
	s.AddLink(trace.Link{SpanContext: spanContext(earlier)})
}

// End implements tracing.Span.
func (s span) End(code string) {
	if code != "" {
		s.SetStatus(codes.Error, code)
	}
	s.Span.End()
}

// countedExporter counts what the receiver accepted and what it did not, and logs at most one
// failure a minute.
type countedExporter struct {
	next          sdktrace.SpanExporter
	log           *slog.Logger
	sent, dropped atomic.Int64
	loggedAt      atomic.Int64 // seconds
}

// ExportSpans implements the SDK's exporter.
func (c *countedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.next.ExportSpans(ctx, spans)
	if err == nil {
		c.sent.Add(int64(len(spans)))
		return nil
	}
	c.dropped.Add(int64(len(spans)))
	now := time.Now().Unix() //nolint:forbidigo // an interval between log lines
	if before := c.loggedAt.Load(); now-before >= 60 && c.loggedAt.CompareAndSwap(before, now) {
		c.log.Warn("traces are not delivered; nothing else depends on them", "error", err)
	}
	return err
}

// Shutdown implements the SDK's exporter.
func (c *countedExporter) Shutdown(ctx context.Context) error { return c.next.Shutdown(ctx) }
