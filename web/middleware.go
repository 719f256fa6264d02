package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/tracing"
)

// pagePolicy lets the application's pages load only their own files, and inline styles that
// components write.
const pagePolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; font-src 'self' data:; " +
	"connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// filePolicy applies to submitted files: if one is ever displayed as a page, it may do nothing.
const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

type requestLogKey struct{}

// requestLog collects what the handlers contribute to the request's log line.
type requestLog struct{ caller domain.Actor }

// recordCaller adds the actor to the request's log line.
func recordCaller(ctx context.Context, actor domain.Actor) {
	if entry, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		entry.caller = actor
	}
}

// instrument wraps every request: request id, headers, refusal of cross-origin requests, log line,
// and recovery from panics.
func (h *Handler) instrument(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := h.clock.Now()
		request := identity.Request{ID: requestID(r.Header.Get("X-Request-Id")),
			Locale: languageOf(r.Header.Get("Accept-Language"))}
		entry := &requestLog{}
		ctx, span := traceRequest(r)
		r = r.WithContext(context.WithValue(identity.WithRequest(ctx, request),
			requestLogKey{}, entry))
		response := &recordedResponse{ResponseWriter: w}
		finish := func() {
			h.logRequest(r, response, request.ID, entry.caller, h.clock.Now().Sub(began))
			endRequest(span, r, response)
		}
		defer finish()
		defer func() {
			if cause := recover(); cause != nil {
				h.recoverPanics(response, r, cause)
			}
		}()
		h.setHeaders(w.Header(), request.ID)
		if tracing.Recording(ctx) { // so that the page sends its spans of this trace
			w.Header().Set("Traceresponse", tracing.Traceparent(ctx))
		}
		if err := h.crossOrigin.Check(r); err != nil {
			h.writeError(response, r, domain.Errorf(domain.NotPermitted,
				"This request came from another site.").
				WithRemedy("Open Countersign and try again there.").WithCause(err))
			return
		}
		next.ServeHTTP(response, r)
	})
}

func (h *Handler) setHeaders(header http.Header, requestID string) {
	header.Set("X-Request-Id", requestID)
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=()")
	if h.secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// requestID returns the well-formed id of an upstream proxy, or a new one.
func requestID(given string) string {
	const plain = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_."
	if len(given) >= 8 && len(given) <= 64 && strings.Trim(given, plain) == "" {
		return given
	}
	return domain.NewID().String()
}

// recoverPanics responds with 500 if no response was started, so that a panic does not end the
// server.
func (h *Handler) recoverPanics(response *recordedResponse, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares the value itself
		panic(cause)
	}
	h.log.ErrorContext(r.Context(), "panic", "panic", fmt.Sprint(cause), "request_id",
		identity.RequestOf(r.Context()).ID, "stack", string(debug.Stack()))
	if response.status == 0 && !response.hijacked {
		h.writeError(response, r, errors.New("panic"))
	}
}

// logRequest writes one line per request: its path, but never its query, body or secrets.
func (h *Handler) logRequest(r *http.Request, response *recordedResponse, id string,
	caller domain.Actor, took time.Duration) {
	level := slog.LevelInfo
	if isProbe(r.URL.Path) {
		level = slog.LevelDebug
	}
	status := response.status
	switch {
	case response.hijacked:
		status = http.StatusSwitchingProtocols
	case status == 0:
		status = http.StatusOK
	}
	if !response.hijacked {
		h.requestMetrics.observe(r.Pattern, status, took)
	}
	attributes := []slog.Attr{slog.String("request_id", id), slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.Int("status", status), slog.Int64("bytes", response.written),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("from", h.options.Proxies.Of(r).String())}
	if trace := tracing.TraceID(r.Context()); trace != "" {
		attributes = append(attributes, slog.String("trace_id", trace))
	}
	if caller.UserID != domain.NoID {
		attributes = append(attributes, slog.String("user", caller.UserID.String()))
	}
	h.log.LogAttrs(r.Context(), level, "request", attributes...)
}

func isProbe(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics"
}

// recordedResponse records the status. It supports Unwrap, Flush and Hijack, so that streams and
// sockets work.
type recordedResponse struct {
	http.ResponseWriter
	status   int
	written  int64
	hijacked bool
}

func (a *recordedResponse) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
	// Responses of libraries and of handlers without an error value get a Retry-After header too.
	if (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) &&
		a.Header().Get("Retry-After") == "" {
		a.Header().Set("Retry-After", "5")
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *recordedResponse) Write(text []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(text)
	a.written += int64(n)
	return n, err
}

// Unwrap implements the interface of http.ResponseController.
func (a *recordedResponse) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush sends the buffered data.
func (a *recordedResponse) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Hijack hands over the connection to a socket.
func (a *recordedResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(a.ResponseWriter).Hijack()
	a.hijacked = err == nil
	return conn, buffer, err
}
