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

// refusalBase is the common part of all refusals.
type refusalBase struct {
	code, message string
	remedy, field *string
	detail        map[string]string
	values        []donotuse.NameValue // the same as an ordered list
}

// common is the refusal without fields of its own; every refusal with the same fields converts from
// it. WayOut is the deprecated name of Remedy.
func (b refusalBase) common() donotuse.ValidationFailed {
	return donotuse.ValidationFailed{Code: b.code, Message: b.message, Remedy: b.remedy,
		WayOut: b.remedy, Field: b.field, Values: b.values}
}

func (b refusalBase) value(name string) *string { return optional(b.detail[name]) }

func optional[T comparable](value T) *T {
	if none := *new(T); value == none {
		return nil
	}
	return &value
}

// presentation defines how one code is presented to clients: as a typed user error of a mutation if
// refusal is set, otherwise as a GraphQL error. safe replaces messages that are intended for the
// log.
type presentation struct {
	refusal func(refusalBase) donotuse.UserError
	safe    string
	logged  slog.Level
}

const levelQuiet = slog.LevelDebug

// presentations maps every error code to its presentation.
var presentations = map[domain.Code]presentation{
	domain.InvalidInput:          {refusal: validationFailed, logged: levelQuiet},
	domain.ValidationFailed:      {refusal: validationFailed, logged: levelQuiet},
	domain.UnsoundDefinition:     {refusal: validationFailed, logged: levelQuiet},
	domain.InvalidExpression:     {refusal: validationFailed, logged: levelQuiet},
	domain.UnsupportedFile:       {refusal: fileRefused, logged: levelQuiet},
	domain.FileTooLarge:          {refusal: fileRefused, logged: levelQuiet},
	domain.EmptyFile:             {refusal: fileRefused, logged: levelQuiet},
	domain.EncryptedFile:         {refusal: fileRefused, logged: levelQuiet},
	domain.DamagedFile:           {refusal: fileRefused, logged: levelQuiet},
	domain.FileTooComplex:        {refusal: fileRefused, logged: levelQuiet},
	domain.QueryTooComplex:       {logged: levelQuiet},
	domain.IntrospectionDisabled: {logged: levelQuiet},
	domain.Unauthenticated:       {logged: levelQuiet},
	domain.SessionExpired:        {logged: levelQuiet},
	domain.LockedOut:             {logged: slog.LevelWarn},
	domain.NotPermitted: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotPermitted(b.common())
	}},
	domain.ApprovalLimit: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ApprovalLimitExceeded{Code: b.code, Message: b.message, Remedy: b.remedy,
			WayOut: b.remedy, Field: b.field, Values: b.values, Limit: b.value("limit")}
	}},
	domain.ConflictOfInterest: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ConflictOfInterest(b.common())
	}},
	domain.FourEyes: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.FourEyes(b.common())
	}},
	domain.OwnDocument: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.OwnDocument(b.common())
	}},
	domain.NotEligible: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotEligible(b.common())
	}},
	domain.NotFound: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotFound(b.common())
	}},
	domain.AlreadyClaimed: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.AlreadyClaimed{Code: b.code, Message: b.message, Remedy: b.remedy,
			WayOut: b.remedy, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.NotClaimedByYou: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotClaimedByYou{Code: b.code, Message: b.message, Remedy: b.remedy,
			WayOut: b.remedy, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.AlreadyDecided: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.AlreadyDecided(b.common())
	}},
	domain.StaleVersion: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.StaleVersion{Code: b.code, Message: b.message, Remedy: b.remedy,
			WayOut: b.remedy, Field: b.field, Values: b.values,
			CurrentVersion: b.value("currentVersion")}
	}},
	domain.IdempotencyMismatch: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.IdempotencyMismatch(b.common())
	}},
	domain.StateMismatch:    {logged: levelQuiet, refusal: stateMismatch},
	domain.RateMissing:      {logged: slog.LevelWarn, refusal: stateMismatch},
	domain.OrderUnsupported: {logged: levelQuiet, refusal: stateMismatch},
	domain.OrderRequired:    {logged: levelQuiet, refusal: stateMismatch},
	domain.SignatureRequired: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.SignatureRequired(b.common())
	}},
	domain.SignatureInvalid: {logged: slog.LevelWarn, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.SignatureInvalid(b.common())
	}},
	domain.PasskeyRequired: {logged: levelQuiet},
	domain.NothingToClaim: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NothingToClaim(b.common())
	}},
	domain.ClaimLimitReached: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NothingToClaim(b.common())
	}},
	domain.ConfirmationNeeded: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ConfirmationNeeded(b.common())
	}},
	domain.Busy: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.Busy(b.common())
	}},
	domain.LeaseLost:          {logged: levelQuiet, refusal: stateMismatch},
	domain.ProcessorNotFound:  {logged: slog.LevelError},
	domain.AmbiguousProcessor: {logged: slog.LevelError},
	domain.ExpressionFailed:   {logged: slog.LevelError, refusal: stateMismatch},
	domain.SchemaTooOld: {logged: slog.LevelError,
		safe: "The service is being updated. Try again in a minute."},
	domain.EngineFailed: {logged: slog.LevelError},
	domain.TimedOut:     {logged: slog.LevelWarn},
	domain.SandboxUnavailable: {logged: slog.LevelError,
		safe: "Documents cannot be read at the moment. Try again later."},
	domain.RateLimited: {logged: levelQuiet},
	domain.Unavailable: {logged: slog.LevelWarn},
	domain.Internal: {logged: slog.LevelError,
		safe: "An internal error occurred. Try again. If it happens again, send the request id to your administrator."},
}

func validationFailed(b refusalBase) donotuse.UserError {
	return b.common()
}

func fileRefused(b refusalBase) donotuse.UserError {
	return donotuse.FileRefused(b.common())
}

func stateMismatch(b refusalBase) donotuse.UserError {
	return donotuse.StateMismatch{Code: b.code, Message: b.message, Remedy: b.remedy,
		WayOut: b.remedy, Field: b.field, Values: b.values, Present: b.value("status")}
}

// asDomainError returns the domain error in the chain; any other error becomes Internal.
func asDomainError(err error) *domain.Error {
	var ours *domain.Error
	if errors.As(err, &ours) {
		return ours
	}
	return &domain.Error{Code: domain.Internal, Err: err}
}

// userErrorsOf converts a refusal to user errors; a technical failure remains an error. nil gives
// an empty list.
func userErrorsOf(err error) ([]donotuse.UserError, error) {
	if err == nil {
		return []donotuse.UserError{}, nil
	}
	var joined interface{ Unwrap() []error } // of several values, each with its field
	if errors.As(err, &joined) {
		var refusals []donotuse.UserError
		for _, one := range joined.Unwrap() {
			refusal, err := userErrorsOf(one)
			if err != nil {
				return nil, err
			}
			refusals = append(refusals, refusal...)
		}
		return refusals, nil
	}
	ours := asDomainError(err)
	presented := presentations[ours.Code]
	if presented.refusal == nil {
		return nil, err
	}
	return []donotuse.UserError{presented.refusal(
		refusalBase{code: string(ours.Code), message: ours.Message,
			remedy: optional(ours.Remedy), field: optional(ours.Field), detail: ours.Detail,
			values: namedValues(ours.Detail)})}, nil
}

// presenter presents errors to clients, and logs once those that operators should see.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		result := toGraphQLError(ctx, err)
		if isProtocolError(err) {
			return result
		}
		ours := asDomainError(argumentError(ctx, err))
		presented, known := presentations[ours.Code]
		if !known {
			ours, presented = &domain.Error{Code: domain.Internal, Err: err},
				presentations[domain.Internal]
		}
		requestID := transport.Caller(ctx).RequestID
		if !errors.Is(err, context.Canceled) && presented.logged > levelQuiet {
			log.Log(ctx, presented.logged, "request failed", "code", ours.Code, "error", err,
				"request", requestID, "path", result.Path.String())
		}
		result.Message = ours.Message
		if presented.safe != "" {
			result.Message = presented.safe
		}
		result.Extensions = map[string]any{"code": string(ours.Code),
			"kind": string(ours.Code.Kind()), "requestId": requestID}
		if seconds, ok := domain.RetryAfter(err); ok {
			result.Extensions[domain.RetryAfterDetail] = seconds
		}
		for name, text := range map[string]string{"remedy": ours.Remedy,
			"wayOut": ours.Remedy, // deprecated name of remedy
			"field":  ours.Field} {
			if text != "" {
				result.Extensions[name] = text
			}
		}
		if len(ours.Detail) > 0 && presented.safe == "" {
			result.Extensions["values"] = ours.Detail
		}
		return result
	}
}

// toGraphQLError keeps the path and locations of a GraphQL error, or sets those of the field being
// resolved.
func toGraphQLError(ctx context.Context, err error) *gqlerror.Error {
	var result *gqlerror.Error
	if errors.As(err, &result) {
		return &gqlerror.Error{Message: result.Message, Path: result.Path,
			Locations: result.Locations, Extensions: result.Extensions}
	}
	return &gqlerror.Error{Path: graphql.GetPath(ctx)}
}

// argumentError converts the library's error about an argument's value to InvalidInput. Such an
// error occurs before the field has its arguments; errors of our resolvers and scalars stay
// unchanged.
func argumentError(ctx context.Context, err error) error {
	field := graphql.GetFieldContext(ctx)
	var ours *domain.Error
	if field == nil || field.Args != nil || field.Field.Field == nil ||
		field.Field.Definition == nil ||
		len(field.Field.Definition.Arguments) == 0 || errors.As(err, &ours) {
		return err
	}
	var result *gqlerror.Error
	path := field.Field.Name
	if errors.As(err, &result) && len(result.Path) > 0 {
		path = result.Path.String()
	}
	return domain.Invalid(path, "The value of %s does not have the type that the schema requires.",
		path).WithCause(err)
}

// isProtocolError reports whether the error is the library's, about the document or its variables,
// without a cause of ours.
func isProtocolError(err error) bool {
	var result *gqlerror.Error
	return errors.As(err, &result) && result.Err == nil
}
