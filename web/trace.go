package web

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/tracing"
)

// traceRequest takes over the caller's trace id and correlation id, if they are well-formed, and
// begins the span of the request. Pages of the application and probes have none, nor do sockets and
// streams, which last as long as a page is open. Neither id gives a right.
func traceRequest(r *http.Request) (context.Context, tracing.Span) {
	ctx := tracing.WithCorrelation(r.Context(), r.Header.Get("X-Correlation-Id"))
	if !isTraced(r) {
		return ctx, tracing.NoSpan()
	}
	return tracing.Request(ctx, "http "+knownMethod(r.Method), onlyValue(r.Header["Traceparent"]))
}

// endRequest ends the span of a request with its route, which has no ids.
func endRequest(span tracing.Span, r *http.Request, response *recordedResponse) {
	span.Set(slog.String("http.route", r.Pattern), slog.Int("http.status", response.status))
	code := ""
	if response.status >= http.StatusInternalServerError {
		code = strconv.Itoa(response.status)
	}
	span.End(code)
}

// isTraced reports whether the request belongs to an API and ends soon.
func isTraced(r *http.Request) bool {
	if r.Header.Get("Upgrade") != "" ||
		strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return false
	}
	for _, prefix := range []string{"/graphql", "/auth/", "/cases/", uploadsPath} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return true
		}
	}
	return false
}

// onlyValue returns the value of a header that was sent once; otherwise none of them can be meant.
func onlyValue(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// knownMethod keeps names of spans few, whatever a client sends.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodPut:
		return method
	}
	return "other"
}
