package otlp

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"countersign/domain"
)

// boundedQueue is the SDK's queue, which drops spans without telling. It counts those that ended
// and not yet reached the exporter, and drops further ones itself.
type boundedQueue struct {
	sdktrace.SpanProcessor
	waiting, dropped atomic.Int64
}

func newBoundedQueue(exporter sdktrace.SpanExporter) *boundedQueue {
	q := &boundedQueue{}
	q.SpanProcessor = sdktrace.NewBatchSpanProcessor(takenFrom{exporter, q},
		// The margin holds spans that are counted and not yet queued, so the SDK never drops one.
		sdktrace.WithMaxQueueSize(queueSize+batchSize), sdktrace.WithMaxExportBatchSize(batchSize),
		sdktrace.WithBatchTimeout(flushEvery), sdktrace.WithExportTimeout(exportTimeout))
	return q
}

// OnEnd implements the SDK's processor.
func (q *boundedQueue) OnEnd(span sdktrace.ReadOnlySpan) {
	if q.waiting.Add(1) > queueSize {
		q.waiting.Add(-1)
		q.dropped.Add(1)
		return
	}
	q.SpanProcessor.OnEnd(span)
}

// takenFrom tells the queue what was taken from it.
type takenFrom struct {
	sdktrace.SpanExporter
	queue *boundedQueue
}

// ExportSpans implements the SDK's exporter.
func (t takenFrom) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	defer t.queue.waiting.Add(-int64(len(spans)))
	return t.SpanExporter.ExportSpans(ctx, spans)
}

// receiver returns the address of the receiver's traces.
func receiver(endpoint string) (string, error) {
	address, err := url.Parse(endpoint)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return "", domain.Invalid("OTEL_EXPORTER_OTLP_ENDPOINT",
			"The receiver of traces must be an address like http://127.0.0.1:4318.")
	}
	return address.JoinPath("v1/traces").String(), nil
}

// statementName names the span of a statement by its verb: the text may be long, and partitions
// would make it many names.
func statementName(sql string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	verb = strings.TrimFunc(verb, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(verb) > 16 {
		verb = verb[:16]
	}
	return strings.ToUpper(verb)
}
