package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
)

const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
	mediaStream   = "text/event-stream"
)

// responseWriter writes one HTTP response in the media type that the client accepts.
type responseWriter struct {
	handler   *Handler
	w         http.ResponseWriter
	mediaType string
	stream    bool
	status    int // of a refused operation, if the media type leaves the choice
}

func newResponseWriter(h *Handler, w http.ResponseWriter, r *http.Request) *responseWriter {
	a := &responseWriter{handler: h, w: w, mediaType: mediaJSON}
	switch {
	case accepts(r, mediaStream):
		a.stream = true
	case accepts(r, mediaResponse):
		a.mediaType = mediaResponse
	}
	return a
}

// accepts reports whether the Accept header contains the media type without q=0.
func accepts(r *http.Request, mediaType string) bool {
	for _, line := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), mediaType) &&
				!strings.Contains(strings.ReplaceAll(parameters, " ", "")+";", "q=0;") {
				return true
			}
		}
	}
	return false
}

// payload is a response by the specification: without data if nothing was executed.
type payload struct {
	Errors     gqlerror.List   `json:"errors,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Path       ast.Path        `json:"path,omitempty"`
	Extensions map[string]any  `json:"extensions,omitempty"`
}

func encode(response *graphql.Response, executed bool) []byte {
	p := payload{Errors: response.Errors, Data: response.Data, Path: response.Path,
		Extensions: response.Extensions}
	if executed && len(p.Data) == 0 {
		p.Data = json.RawMessage("null")
	}
	body, err := json.Marshal(p)
	if err != nil { // a scalar wrote invalid JSON
		body, _ = json.Marshal(
			payload{Errors: gqlerror.List{{Message: "The response could not be encoded."}}})
	}
	return body
}

// write sends the result of an execution.
//
// Data alone, the usual case, are sent as they are: the executor has written valid JSON, and to check, compact
// and copy it again took a tenth of a list's time.
func (a *responseWriter) write(status int, response *graphql.Response) {
	if len(response.Data) > 0 && len(response.Errors) == 0 && len(response.Path) == 0 && len(response.Extensions) == 0 {
		a.send(status, []byte(`{"data":`), response.Data, []byte(`}`))
		return
	}
	a.send(status, encode(response, true))
}

// reject responds to an operation that was not started: invalid, or beyond a limit.
func (a *responseWriter) reject(ctx context.Context, errs gqlerror.List) {
	status := a.status
	if status == 0 && a.mediaType == mediaResponse {
		status = http.StatusBadRequest
	}
	if status == 0 {
		status = http.StatusOK
	}
	a.send(status, encode(a.handler.options.Executor.DispatchError(ctx, errs), false))
}

// fail responds to an invalid request with the status of the error.
func (a *responseWriter) fail(ctx context.Context, err error) { a.refuse(ctx, statusOf(err), err) }

func (a *responseWriter) refuse(ctx context.Context, status int, err error) {
	if seconds, passes := domain.RetryAfter(err); passes {
		a.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	a.send(status, encode(a.handler.options.Executor.DispatchError(withOperation(ctx, nil),
		errorList(err)), false))
}

// send sends a body, which may have several parts.
func (a *responseWriter) send(status int, body ...[]byte) {
	length := 0
	for _, part := range body {
		length += len(part)
	}
	header := a.w.Header()
	header.Set("Content-Type", a.mediaType+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(length))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	a.w.WriteHeader(status)
	for _, part := range body {
		_, _ = a.w.Write(part)
	}
}

// statusOf returns the HTTP status of a failed request.
func statusOf(err error) int {
	code := domain.CodeOf(err)
	switch code {
	case domain.FileTooLarge:
		return http.StatusRequestEntityTooLarge
	case domain.RateLimited:
		return http.StatusTooManyRequests
	}
	switch code.Kind() {
	case domain.KindInvalid:
		return http.StatusBadRequest
	case domain.KindUnauthenticated:
		return http.StatusUnauthorized
	case domain.KindForbidden:
		return http.StatusForbidden
	case domain.KindNotFound:
		return http.StatusNotFound
	case domain.KindConflict, domain.KindFailedPrecondition:
		return http.StatusConflict
	case domain.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
