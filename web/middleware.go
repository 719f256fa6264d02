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
)

// pagePolicy is what a page of ours may load: its own files, and styles that its components write.
const pagePolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; font-src 'self' data:; " +
	"connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// filePolicy is for files that came from outside: should one ever be shown as a page, it may do nothing at all.
const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

type requestLogKey struct{}

// requestLog gathers what the log line says of a request; handlers inside write to it.
type requestLog struct{ caller domain.Actor }

// recordCaller tells the log line who sent the request.
func recordCaller(ctx context.Context, actor domain.Actor) {
	if n, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		n.caller = actor
	}
}

// instrument is what happens to every request: an id, headers, the refusal of foreign pages, a log line, no panic let out.
func (d *Handler) instrument(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := d.clock.Now()
		request := identity.Request{ID: requestID(r.Header.Get("X-Request-Id")), Locale: languageOf(r.Header.Get("Accept-Language"))}
		n := &requestLog{}
		r = r.WithContext(context.WithValue(identity.WithRequest(r.Context(), request), requestLogKey{}, n))
		response := &recordedResponse{ResponseWriter: w}
		defer func() {
			if trouble := recover(); trouble != nil {
				d.recoverPanics(response, r, trouble)
			}
			d.logRequest(r, response, request.ID, n.caller, d.clock.Now().Sub(began))
		}()
		d.setHeaders(w.Header(), request.ID)
		if err := d.crossOrigin.Check(r); err != nil {
			d.writeError(response, r, domain.Errorf(domain.NotPermitted, "This request came from a page of another site.").
				WithRemedy("Open Countersign itself and try there.").WithCause(err))
			return
		}
		next.ServeHTTP(response, r)
	})
}

func (d *Handler) setHeaders(header http.Header, requestID string) {
	header.Set("X-Request-Id", requestID)
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=()")
	if d.secure {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// requestID takes over a well-formed id of a proxy before us, else makes one.
func requestID(given string) string {
	const plain = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_."
	if len(given) >= 8 && len(given) <= 64 && strings.Trim(given, plain) == "" {
		return given
	}
	return domain.NewID().String()
}

// recoverPanics answers 500 where nothing was answered yet; the rest of the server goes on.
func (d *Handler) recoverPanics(response *recordedResponse, r *http.Request, trouble any) {
	if trouble == http.ErrAbortHandler { //nolint:errorlint // the very value, as net/http documents it
		panic(trouble)
	}
	d.log.ErrorContext(r.Context(), "panic", "panic", fmt.Sprint(trouble), "request_id", identity.RequestOf(r.Context()).ID, "stack", string(debug.Stack()))
	if response.status == 0 && !response.hijacked {
		d.writeError(response, r, errors.New("panic"))
	}
}

// logRequest writes one line a request: its path, never its query, body or secrets.
func (d *Handler) logRequest(r *http.Request, response *recordedResponse, id string, caller domain.Actor, took time.Duration) {
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
		d.requestMetrics.observe(r.Pattern, status, took)
	}
	attributes := []slog.Attr{slog.String("request_id", id), slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.Int("status", status), slog.Int64("bytes", response.written), slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("from", d.options.Proxies.Of(r).String())}
	if caller.UserID != domain.NoID {
		attributes = append(attributes, slog.String("user", caller.UserID.String()))
	}
	d.log.LogAttrs(r.Context(), level, "request", attributes...)
}

func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

// recordedResponse remembers what was answered. It unwraps, streams and can be taken over, so that sockets and streams work.
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
	// What a library answers, or a handler that had no error at hand, says when to come back too.
	if (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) && a.Header().Get("Retry-After") == "" {
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

// Unwrap serves http.ResponseController.
func (a *recordedResponse) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush sends what was written so far.
func (a *recordedResponse) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Hijack hands the connection over to a socket.
func (a *recordedResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(a.ResponseWriter).Hijack()
	a.hijacked = err == nil
	return conn, buffer, err
}
