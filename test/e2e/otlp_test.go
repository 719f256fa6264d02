package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receivedSpan is a span with the program that sent it.
type receivedSpan struct {
	*trace.Span
	program string
}

func (s receivedSpan) trace() string  { return hex.EncodeToString(s.TraceId) }
func (s receivedSpan) id() string     { return hex.EncodeToString(s.SpanId) }
func (s receivedSpan) parent() string { return hex.EncodeToString(s.ParentSpanId) }

// otlpReceiver is a receiver of traces over OTLP/HTTP.
type otlpReceiver struct {
	url   string
	mu    sync.Mutex
	spans []receivedSpan
}

func newReceiver(t *testing.T) *otlpReceiver {
	t.Helper()
	r := &otlpReceiver{}
	server := httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *otlpReceiver) receive(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var sent collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &sent)
	}
	if err != nil || request.URL.Path != "/v1/traces" {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range sent.ResourceSpans {
		program := ""
		for _, attribute := range resource.Resource.Attributes {
			if attribute.Key == "service.name" {
				program = strings.TrimPrefix(attribute.Value.GetStringValue(), "countersign-")
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				r.spans = append(r.spans, receivedSpan{span, program})
			}
		}
	}
}

// all returns the spans received so far.
func (r *otlpReceiver) all() []receivedSpan {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// named returns the spans of a program whose names begin with a text.
func (r *otlpReceiver) named(program, name string) []receivedSpan {
	return slices.DeleteFunc(r.all(), func(s receivedSpan) bool {
		return s.program != program || !strings.HasPrefix(s.Name, name)
	})
}

// path returns the names from the root of the span's trace to the span.
func (r *otlpReceiver) path(span receivedSpan) []string {
	byID := map[string]receivedSpan{}
	for _, s := range r.all() {
		byID[s.id()] = s
	}
	names := []string{span.program + ": " + span.Name}
	for range byID {
		above, found := byID[span.parent()]
		if !found {
			break
		}
		span = above
		names = append([]string{span.program + ": " + span.Name}, names...)
	}
	return names
}
