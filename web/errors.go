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

// statuses maps every error code to the HTTP status of its response.
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
	domain.PasskeyRequired:       http.StatusUnauthorized,
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
	domain.OrderUnsupported:      http.StatusConflict,
	domain.OrderRequired:         http.StatusConflict,
	domain.SignatureRequired:     http.StatusConflict,
	domain.SignatureInvalid:      http.StatusConflict,
	domain.NothingToClaim:        http.StatusConflict,
	domain.ClaimLimitReached:     http.StatusConflict,
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

// errorBody is the body of every error response.
type errorBody struct {
	Code    domain.Code `json:"code"`
	Message string      `json:"message"`
	Remedy  string      `json:"remedy,omitempty"`
	// WayOut is the deprecated name of Remedy.
	WayOut    string            `json:"wayOut,omitempty"`
	Field     string            `json:"field,omitempty"`
	Detail    map[string]string `json:"detail,omitempty"`
	RequestID string            `json:"requestId"`
}

// writeError writes the error as a response. An internal error is logged once, and the response
// contains only the request id.
func (h *Handler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	if ctx.Err() != nil { // the client disconnected, so no response is possible and nothing failed
		w.WriteHeader(statusClientGone)
		return
	}
	answer := errorBody{Code: domain.CodeOf(err), RequestID: identity.RequestOf(ctx).ID}
	var known *domain.Error
	if errors.As(err, &known) && known.Code != domain.Internal {
		answer.Message, answer.Remedy, answer.Field, answer.Detail = known.Message, known.Remedy,
			known.Field, known.Detail
	}
	status, ok := statuses[answer.Code]
	if !ok || answer.Message == "" {
		status, answer.Code = http.StatusInternalServerError, domain.Internal
		answer.Message = "An internal error occurred."
		answer.Remedy = "Try again. If it happens again, send the request id to your administrator."
	}
	answer.WayOut = answer.Remedy
	if status >= http.StatusInternalServerError {
		h.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.Any("error", err),
			slog.String("code", string(answer.Code)),
			slog.String("request_id", answer.RequestID))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="countersign"`)
	}
	if seconds, passes := domain.RetryAfter(err); passes {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	h.writeJSON(w, status, map[string]errorBody{"error": answer})
}

// statusClientGone is the status that proxies log for a client that disconnected. No client ever
// receives it.
const statusClientGone = 499

// writeJSON writes a JSON body that must not be cached.
func (h *Handler) writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // cannot happen: the bodies of this package are plain structs
		h.log.Error("encoding a response failed", "error", err)
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}
