package web

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"countersign/domain"
	"countersign/identity"
)

// statuses is this door's table: every code of the project and the HTTP status it is answered with.
var statuses = map[domain.Code]int{
	domain.InvalidInput:          http.StatusBadRequest,
	domain.ValidationFailed:      http.StatusUnprocessableEntity,
	domain.UnsupportedFile:       http.StatusUnsupportedMediaType,
	domain.FileTooLarge:          http.StatusRequestEntityTooLarge,
	domain.EmptyFile:             http.StatusUnprocessableEntity,
	domain.EncryptedFile:         http.StatusUnprocessableEntity,
	domain.DamagedFile:           http.StatusUnprocessableEntity,
	domain.FileTooComplex:        http.StatusUnprocessableEntity,
	domain.QueryTooComplex:       http.StatusBadRequest,
	domain.UnsoundDefinition:     http.StatusUnprocessableEntity,
	domain.InvalidExpression:     http.StatusUnprocessableEntity,
	domain.Unauthenticated:       http.StatusUnauthorized,
	domain.SessionExpired:        http.StatusUnauthorized,
	domain.LockedOut:             http.StatusTooManyRequests,
	domain.NotPermitted:          http.StatusForbidden,
	domain.IntrospectionDisabled: http.StatusForbidden,
	domain.ApprovalLimit:         http.StatusForbidden,
	domain.ConflictOfInterest:    http.StatusForbidden,
	domain.FourEyes:              http.StatusForbidden,
	domain.OwnDocument:           http.StatusForbidden,
	domain.NotEligible:           http.StatusForbidden,
	domain.NotFound:              http.StatusNotFound,
	domain.AlreadyClaimed:        http.StatusConflict,
	domain.NotClaimedByYou:       http.StatusConflict,
	domain.StaleVersion:          http.StatusConflict,
	domain.AlreadyDecided:        http.StatusConflict,
	domain.IdempotencyMismatch:   http.StatusConflict,
	domain.LeaseLost:             http.StatusConflict,
	domain.StateMismatch:         http.StatusConflict,
	domain.NothingToClaim:        http.StatusConflict,
	domain.ConfirmationNeeded:    http.StatusConflict,
	domain.RateMissing:           http.StatusConflict,
	domain.ProcessorNotFound:     http.StatusConflict,
	domain.AmbiguousProcessor:    http.StatusConflict,
	domain.ExpressionFailed:      http.StatusConflict,
	domain.SchemaTooOld:          http.StatusServiceUnavailable,
	domain.EngineFailed:          http.StatusServiceUnavailable,
	domain.TimedOut:              http.StatusGatewayTimeout,
	domain.SandboxUnavailable:    http.StatusServiceUnavailable,
	domain.Busy:                  http.StatusServiceUnavailable,
	domain.RateLimited:           http.StatusTooManyRequests,
	domain.Unavailable:           http.StatusServiceUnavailable,
	domain.Internal:              http.StatusInternalServerError,
}

// errorBody is the body of every answer that is an error.
type errorBody struct {
	Code      domain.Code       `json:"code"`
	Message   string            `json:"message"`
	WayOut    string            `json:"wayOut,omitempty"`
	Field     string            `json:"field,omitempty"`
	Detail    map[string]string `json:"detail,omitempty"`
	RequestID string            `json:"requestId"`
}

// writeError answers with the error. What a person cannot act on is logged once and shown as the request's id alone.
func (d *Handler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	if ctx.Err() != nil { // the client has gone: nobody reads an answer, and nothing is wrong here
		w.WriteHeader(statusClientGone)
		return
	}
	answer := errorBody{Code: domain.CodeOf(err), RequestID: identity.RequestOf(ctx).ID}
	var known *domain.Error
	if errors.As(err, &known) && known.Code != domain.Internal {
		answer.Message, answer.WayOut, answer.Field, answer.Detail = known.Message, known.Remedy, known.Field, known.Detail
	}
	status, ok := statuses[answer.Code]
	if !ok || answer.Message == "" {
		status, answer.Code = http.StatusInternalServerError, domain.Internal
		answer.Message = "Something went wrong on our side."
		answer.WayOut = "Try again; if it stays, tell an operator the request id."
	}
	if status >= http.StatusInternalServerError {
		d.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err), slog.String("code", string(answer.Code)),
			slog.String("request_id", answer.RequestID))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="countersign"`)
	}
	if seconds, passes := domain.RetryAfter(err); passes {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	d.writeJSON(w, status, map[string]errorBody{"error": answer})
}

// statusClientGone is what proxies log for a client that did not wait; it is never seen by anyone.
const statusClientGone = 499

// writeJSON writes a JSON body that no cache may keep.
func (d *Handler) writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // the bodies of this door are plain structs
		d.log.Error("encode an answer", "error", err)
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone is its own affair
}
