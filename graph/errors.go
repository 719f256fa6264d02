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

// refusalBase is what every refusal says.
type refusalBase struct {
	code, message string
	wayOut, field *string
	detail        map[string]string
	values        []donotuse.NameValue // the same, in order
}

func (b refusalBase) value(name string) *string { return optional(b.detail[name]) }

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// presentation is how one code looks to a client: as a typed user error of a mutation where refusal is set, and as a
// GraphQL error everywhere else. Safe replaces a message that was meant for the log.
type presentation struct {
	refusal func(refusalBase) donotuse.UserError
	safe    string
	logged  slog.Level
}

const levelQuiet = slog.LevelDebug

// presentations is the adapter   # graph, web, tasks; in test/browser "the server"'s one table of errors.
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
		return donotuse.NotPermitted{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.ApprovalLimit: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ApprovalLimitExceeded{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Limit: b.value("limit")}
	}},
	domain.ConflictOfInterest: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ConflictOfInterest{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.FourEyes: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.FourEyes{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.OwnDocument: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.OwnDocument{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.NotEligible: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotEligible{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.NotFound: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotFound{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.AlreadyClaimed: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.AlreadyClaimed{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.NotClaimedByYou: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NotClaimedByYou{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Holder: b.value("holder")}
	}},
	domain.AlreadyDecided: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.AlreadyDecided{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.StaleVersion: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.StaleVersion{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, CurrentVersion: b.value("currentVersion")}
	}},
	domain.IdempotencyMismatch: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.IdempotencyMismatch{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.StateMismatch: {logged: levelQuiet, refusal: stateMismatch},
	domain.RateMissing:   {logged: slog.LevelWarn, refusal: stateMismatch},
	domain.NothingToClaim: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.NothingToClaim{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.ConfirmationNeeded: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.ConfirmationNeeded{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.Busy: {logged: levelQuiet, refusal: func(b refusalBase) donotuse.UserError {
		return donotuse.Busy{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
	}},
	domain.LeaseLost:          {logged: levelQuiet, refusal: stateMismatch},
	domain.ProcessorNotFound:  {logged: slog.LevelError},
	domain.AmbiguousProcessor: {logged: slog.LevelError},
	domain.ExpressionFailed:   {logged: slog.LevelError, refusal: stateMismatch},
	domain.SchemaTooOld:       {logged: slog.LevelError, safe: "The service is being updated. Try again in a minute."},
	domain.EngineFailed:       {logged: slog.LevelError},
	domain.TimedOut:           {logged: slog.LevelWarn},
	domain.SandboxUnavailable: {logged: slog.LevelError, safe: "Documents cannot be read just now."},
	domain.RateLimited:        {logged: levelQuiet},
	domain.Unavailable:        {logged: slog.LevelWarn},
	domain.Internal:           {logged: slog.LevelError, safe: "Something went wrong on our side. It has been noted; tell us the request id if you ask about it."},
}

func validationFailed(b refusalBase) donotuse.UserError {
	return donotuse.ValidationFailed{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
}

func fileRefused(b refusalBase) donotuse.UserError {
	return donotuse.FileRefused{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values}
}

func stateMismatch(b refusalBase) donotuse.UserError {
	return donotuse.StateMismatch{Code: b.code, Message: b.message, WayOut: b.wayOut, Field: b.field, Values: b.values, Present: b.value("status")}
}

// asDomainError finds our error in the chain; a stranger is Internal.
func asDomainError(err error) *domain.Error {
	var ours *domain.Error
	if errors.As(err, &ours) {
		return ours
	}
	return &domain.Error{Code: domain.Internal, Err: err}
}

// userErrorsOf turns a refusal into user errors; a failure of the machine stays an error. nil gives an empty list.
func userErrorsOf(err error) ([]donotuse.UserError, error) {
	if err == nil {
		return []donotuse.UserError{}, nil
	}
	ours := asDomainError(err)
	shown := presentations[ours.Code]
	if shown.refusal == nil {
		return nil, err
	}
	return []donotuse.UserError{shown.refusal(refusalBase{code: string(ours.Code), message: ours.Message,
		wayOut: optional(ours.Remedy), field: optional(ours.Field), detail: ours.Detail, values: namedValues(ours.Detail)})}, nil
}

// presenter shows an error of any kind to a client, and logs once what a person of ours should see.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := toGraphQLError(ctx, err)
		if isProtocolError(err) {
			return shown
		}
		ours := asDomainError(argumentError(ctx, err))
		look, listed := presentations[ours.Code]
		if !listed {
			ours, look = &domain.Error{Code: domain.Internal, Err: err}, presentations[domain.Internal]
		}
		requestID := transport.Caller(ctx).RequestID
		if !errors.Is(err, context.Canceled) && look.logged > levelQuiet {
			log.Log(ctx, look.logged, "request failed", "code", ours.Code, "error", err, "request", requestID, "path", shown.Path.String())
		}
		shown.Message = ours.Message
		if look.safe != "" {
			shown.Message = look.safe
		}
		shown.Extensions = map[string]any{"code": string(ours.Code), "kind": string(ours.Code.Kind()), "requestId": requestID}
		if seconds, passes := domain.RetryAfter(err); passes {
			shown.Extensions[domain.RetryAfterDetail] = seconds
		}
		for name, text := range map[string]string{"wayOut": ours.Remedy, "field": ours.Field} {
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

// toGraphQLError keeps path and locations of the error, or makes those of the field being resolved.
func toGraphQLError(ctx context.Context, err error) *gqlerror.Error {
	var shown *gqlerror.Error
	if errors.As(err, &shown) {
		return &gqlerror.Error{Message: shown.Message, Path: shown.Path, Locations: shown.Locations, Extensions: shown.Extensions}
	}
	return &gqlerror.Error{Path: graphql.GetPath(ctx)}
}

// argumentError turns an error of the library about the value of an argument into InvalidInput: it is the client's. Such
// an error comes before the field has its arguments; what a resolver or a scalar of ours says stays as it is.
func argumentError(ctx context.Context, err error) error {
	field := graphql.GetFieldContext(ctx)
	var ours *domain.Error
	if field == nil || field.Args != nil || field.Field.Field == nil || field.Field.Definition == nil ||
		len(field.Field.Definition.Arguments) == 0 || errors.As(err, &ours) {
		return err
	}
	var shown *gqlerror.Error
	path := field.Field.Name
	if errors.As(err, &shown) && len(shown.Path) > 0 {
		path = shown.Path.String()
	}
	return domain.Invalid(path, "The value of %s is not of the type that the schema asks for.", path).WithCause(err)
}

// isProtocolError tells an error of the library about the document or its variables, which has no cause of ours.
func isProtocolError(err error) bool {
	var shown *gqlerror.Error
	return errors.As(err, &shown) && shown.Err == nil
}
