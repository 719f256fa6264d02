package graph

import (
	"context"
	"errors"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/transport"
)

// base is what every refusal says.
type base struct {
	code, message string
	wayOut, field *string
	detail        map[string]string
	values        []donotuse.NameValue // the same, in order
}

func (b base) value(name string) *string { return optional(b.detail[name]) }

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// presentation is how one code looks to a client: as a typed user error of a mutation where refusal is set, and as a
// GraphQL error everywhere else. Safe replaces a message that was meant for the log.
type presentation struct {
	refusal func(base) donotuse.UserError
	safe    string
	logged  slog.Level
}

const quiet = slog.LevelDebug

// presentations is the door's one table of errors.
var presentations = map[domain.Code]presentation{
	domain.InvalidInput:      {refusal: validationFailed, logged: quiet},
	domain.ValidationFailed:  {refusal: validationFailed, logged: quiet},
	domain.UnsoundDefinition: {refusal: validationFailed, logged: quiet},
	domain.InvalidExpression: {refusal: validationFailed, logged: quiet},
	domain.UnsupportedFile:   {refusal: fileRefused, logged: quiet},
	domain.FileTooLarge:      {refusal: fileRefused, logged: quiet},
	domain.EmptyFile:         {refusal: fileRefused, logged: quiet},
	domain.EncryptedFile:     {refusal: fileRefused, logged: quiet},
	domain.DamagedFile:       {refusal: fileRefused, logged: quiet},
	domain.FileTooComplex:    {refusal: fileRefused, logged: quiet},
	domain.QueryTooComplex:   {logged: quiet},
	domain.Unauthenticated:   {logged: quiet},
	domain.SessionExpired:    {logged: quiet},
	domain.LockedOut:         {logged: slog.LevelWarn},
	domain.NotPermitted: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.NotPermitted{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.ApprovalLimit: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.ApprovalLimitExceeded{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Limit: b.value("limit")}
	}},
	domain.ConflictOfInterest: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.ConflictOfInterest{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.FourEyes: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.FourEyes{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.OwnDocument: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.OwnDocument{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.NotEligible: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.NotEligible{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.NotFound: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.NotFound{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.AlreadyClaimed: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.AlreadyClaimed{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.NotClaimedByYou: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.NotClaimedByYou{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.AlreadyDecided: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.AlreadyDecided{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.StaleVersion: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.StaleVersion{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, CurrentVersion: b.value("currentVersion")}
	}},
	domain.IdempotencyMismatch: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.IdempotencyMismatch{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.StateMismatch: {logged: quiet, refusal: stateMismatch},
	domain.RateMissing:   {logged: slog.LevelWarn, refusal: stateMismatch},
	domain.NothingToClaim: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.NothingToClaim{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.ConfirmationNeeded: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.ConfirmationNeeded{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.Busy: {logged: quiet, refusal: func(b base) donotuse.UserError {
		return donotuse.Busy{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.LeaseLost:          {logged: quiet, refusal: stateMismatch},
	domain.ProcessorNotFound:  {logged: slog.LevelError},
	domain.AmbiguousProcessor: {logged: slog.LevelError},
	domain.ExpressionFailed:   {logged: slog.LevelError, refusal: stateMismatch},
	domain.SchemaTooOld:       {logged: slog.LevelError, safe: "The service is being updated. Try again in a minute."},
	domain.EngineFailed:       {logged: slog.LevelError},
	domain.TimedOut:           {logged: slog.LevelWarn},
	domain.SandboxUnavailable: {logged: slog.LevelError, safe: "Documents cannot be read just now."},
	domain.RateLimited:        {logged: quiet},
	domain.Unavailable:        {logged: slog.LevelWarn},
	domain.Internal:           {logged: slog.LevelError, safe: "Something went wrong on our side. It has been noted; tell us the request id if you ask about it."},
}

func validationFailed(b base) donotuse.UserError {
	return donotuse.ValidationFailed{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
}

func fileRefused(b base) donotuse.UserError {
	return donotuse.FileRefused{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
}

func stateMismatch(b base) donotuse.UserError {
	return donotuse.StateMismatch{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Present: b.value("status")}
}

// known finds our error in the chain; a stranger is Internal.
func known(err error) *domain.Error {
	var ours *domain.Error
	if errors.As(err, &ours) {
		return ours
	}
	return &domain.Error{Code: domain.Internal, Err: err}
}

// refused turns a refusal into user errors; a failure of the machine stays an error. nil gives an empty list.
func refused(err error) ([]donotuse.UserError, error) {
	if err == nil {
		return []donotuse.UserError{}, nil
	}
	ours := known(err)
	shown := presentations[ours.Code]
	if shown.refusal == nil {
		return nil, err
	}
	return []donotuse.UserError{shown.refusal(base{code: string(ours.Code), message: ours.Message,
		wayOut: optional(ours.WayOut), field: optional(ours.Field), detail: ours.Detail, values: namedValues(ours.Detail)})}, nil
}

// presenter shows an error of any kind to a client, and logs once what a person of ours should see.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := shownAs(ctx, err)
		if protocolError(err) {
			return shown
		}
		ours := known(err)
		look, listed := presentations[ours.Code]
		if !listed {
			ours, look = &domain.Error{Code: domain.Internal, Err: err}, presentations[domain.Internal]
		}
		requestID := transport.Caller(ctx).RequestID
		if !errors.Is(err, context.Canceled) && look.logged > quiet {
			log.Log(ctx, look.logged, "request failed", "code", ours.Code, "error", err, "request", requestID, "path", shown.Path.String())
		}
		shown.Message = ours.Message
		if look.safe != "" {
			shown.Message = look.safe
		}
		shown.Extensions = map[string]any{"code": string(ours.Code), "kind": string(ours.Code.Kind()), "requestId": requestID}
		for name, text := range map[string]string{"wayOut": ours.WayOut, "field": ours.Field} {
			if text != "" {
				shown.Extensions[name] = text
			}
		}
		if len(ours.Detail) > 0 && look.safe == "" {
			shown.Extensions["values"] = ours.Detail
		}
		return shown
	}
}

// shownAs keeps path and locations of the error, or makes those of the field being resolved.
func shownAs(ctx context.Context, err error) *gqlerror.Error {
	var shown *gqlerror.Error
	if errors.As(err, &shown) {
		return &gqlerror.Error{Message: shown.Message, Path: shown.Path, Locations: shown.Locations, Extensions: shown.Extensions}
	}
	return &gqlerror.Error{Path: graphql.GetPath(ctx)}
}

// protocolError tells an error of the library about the document or its variables, which has no cause of ours.
func protocolError(err error) bool {
	var shown *gqlerror.Error
	return errors.As(err, &shown) && shown.Err == nil
}
