package domain

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ErrorKind groups the codes. Adapters choose their response by it.
type ErrorKind string

// The eight kinds.
const (
	KindInvalid            ErrorKind = "invalid"
	KindUnauthenticated    ErrorKind = "unauthenticated"
	KindForbidden          ErrorKind = "forbidden"
	KindNotFound           ErrorKind = "not_found"
	KindConflict           ErrorKind = "conflict"
	KindFailedPrecondition ErrorKind = "failed_precondition"
	KindUnavailable        ErrorKind = "unavailable"
	KindInternal           ErrorKind = "internal"
)

// Code is the reason of an error. The set is closed; Codes returns all of them.
type Code string

// The codes, by kind.
const (
	InvalidInput       Code = "InvalidInput"
	ValidationFailed   Code = "ValidationFailed"
	UnsupportedFile    Code = "UnsupportedFile"
	FileTooLarge       Code = "FileTooLarge"
	EmptyFile          Code = "EmptyFile"
	EncryptedFile      Code = "EncryptedFile"
	DamagedFile        Code = "DamagedFile"
	FileTooComplex     Code = "FileTooComplex"
	QueryTooComplex    Code = "QueryTooComplex"
	UnsoundDefinition  Code = "UnsoundDefinition"
	InvalidExpression  Code = "InvalidExpression"
	Unauthenticated    Code = "Unauthenticated"
	SessionExpired     Code = "SessionExpired"
	LockedOut          Code = "LockedOut"
	NotPermitted       Code = "NotPermitted"
	ApprovalLimit      Code = "ApprovalLimitExceeded"
	ConflictOfInterest Code = "ConflictOfInterest"
	FourEyes           Code = "FourEyes"
	OwnDocument        Code = "OwnDocument"
	// IntrospectionDisabled is returned for introspection outside development and demo.
	IntrospectionDisabled Code = "IntrospectionDisabled"
	NotFound              Code = "NotFound"
	AlreadyClaimed        Code = "AlreadyClaimed"
	NotClaimedByYou       Code = "NotClaimedByYou"
	StaleVersion          Code = "StaleVersion"
	AlreadyDecided        Code = "AlreadyDecided"
	IdempotencyMismatch   Code = "IdempotencyMismatch"
	LeaseLost             Code = "LeaseLost"
	StateMismatch         Code = "StateMismatch"
	NothingToClaim        Code = "NothingToClaim"
	NotEligible           Code = "NotEligible"
	// ClaimLimitReached is returned when a person holds as many reviews as one person can hold.
	ClaimLimitReached  Code = "ClaimLimitReached"
	ConfirmationNeeded Code = "ConfirmationNeeded"
	RateMissing        Code = "RateMissing"
	// OrderUnsupported is returned when a payment order would pass that its evidence does not
	// support.
	OrderUnsupported Code = "OrderUnsupported"
	// OrderRequired is returned when a process requires a payment order and there is none.
	OrderRequired Code = "OrderRequired"
	// SignatureRequired is returned when an approval needs the reviewer's signature by passkey.
	SignatureRequired Code = "SignatureRequired"
	// SignatureInvalid is returned for a signature of another person, key or statement.
	SignatureInvalid Code = "SignatureInvalid"
	// PasskeyRequired is returned for the right password of an account that signs in by passkey.
	PasskeyRequired    Code = "PasskeyRequired"
	ProcessorNotFound  Code = "ProcessorNotFound"
	AmbiguousProcessor Code = "AmbiguousProcessor"
	ExpressionFailed   Code = "ExpressionFailed"
	SchemaTooOld       Code = "SchemaTooOld"
	EngineFailed       Code = "EngineFailed"
	TimedOut           Code = "TimedOut"
	SandboxUnavailable Code = "SandboxUnavailable"
	Busy               Code = "Busy"
	RateLimited        Code = "RateLimited"
	Unavailable        Code = "Unavailable"
	Internal           Code = "Internal"
)

var kinds = map[Code]ErrorKind{
	InvalidInput: KindInvalid, ValidationFailed: KindInvalid, UnsupportedFile: KindInvalid,
	FileTooLarge: KindInvalid,
	EmptyFile:    KindInvalid, EncryptedFile: KindInvalid, DamagedFile: KindInvalid,
	FileTooComplex:  KindInvalid,
	QueryTooComplex: KindInvalid, UnsoundDefinition: KindInvalid, InvalidExpression: KindInvalid,
	Unauthenticated: KindUnauthenticated, SessionExpired: KindUnauthenticated,
	LockedOut: KindUnauthenticated, PasskeyRequired: KindUnauthenticated,
	NotPermitted: KindForbidden, ApprovalLimit: KindForbidden, ConflictOfInterest: KindForbidden,
	FourEyes: KindForbidden, OwnDocument: KindForbidden, NotEligible: KindForbidden,
	IntrospectionDisabled: KindForbidden,
	NotFound:              KindNotFound,
	AlreadyClaimed:        KindConflict, NotClaimedByYou: KindConflict, StaleVersion: KindConflict,
	AlreadyDecided:      KindConflict,
	IdempotencyMismatch: KindConflict, LeaseLost: KindConflict,
	StateMismatch: KindFailedPrecondition, NothingToClaim: KindFailedPrecondition,
	ClaimLimitReached:  KindFailedPrecondition,
	ConfirmationNeeded: KindFailedPrecondition, RateMissing: KindFailedPrecondition,
	OrderUnsupported: KindFailedPrecondition, OrderRequired: KindFailedPrecondition,
	SignatureRequired: KindFailedPrecondition, SignatureInvalid: KindFailedPrecondition,
	ProcessorNotFound: KindFailedPrecondition, AmbiguousProcessor: KindFailedPrecondition,
	ExpressionFailed: KindFailedPrecondition, SchemaTooOld: KindFailedPrecondition,
	EngineFailed: KindUnavailable, TimedOut: KindUnavailable, SandboxUnavailable: KindUnavailable,
	Busy: KindUnavailable, RateLimited: KindUnavailable, Unavailable: KindUnavailable,
	Internal: KindInternal,
}

// Codes returns every code, sorted. Tables of adapters are tested against it.
func Codes() []Code {
	codes := make([]Code, 0, len(kinds))
	for code := range kinds {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// Kind returns the kind of the code, KindInternal for an unknown code.
func (c Code) Kind() ErrorKind {
	if kind, ok := kinds[c]; ok {
		return kind
	}
	return KindInternal
}

// Error is the error type used between packages. Message and Remedy are sentences for users and
// never contain secrets or stack traces; Err is for the log.
type Error struct {
	Code    Code
	Message string
	// Remedy is what the user can do; empty if the message says it.
	Remedy string
	// Field is the invalid input field, if any.
	Field string
	// Op is the operation that failed, for the log.
	Op string
	// Detail holds values that a client may show, such as holder, limit and currentVersion.
	Detail map[string]string
	Err    error
}

// Error returns the operation, message and cause, for logs.
func (e *Error) Error() string {
	text := e.Message
	if text == "" {
		text = string(e.Code)
	}
	if e.Op != "" {
		text = e.Op + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is compares codes, so that errors.Is(err, &Error{Code: FourEyes}) checks for the code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// Errorf returns an error with a code and a message for users.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotFoundMessage is the message of NotFound for a user. It does not say whether the object exists.
const NotFoundMessage = "Not found, or you do not have access."

// NewNotFound returns the NotFound error for an object that does not exist or that the user may not
// see. Both get the same error, so that it does not reveal which objects exist.
func NewNotFound() *Error { return &Error{Code: NotFound, Message: NotFoundMessage} }

// Invalid returns an InvalidInput error about an input field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: InvalidInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// WithRemedy sets what the user can do.
func (e *Error) WithRemedy(format string, args ...any) *Error {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// WithDetail adds a value that a client may show.
func (e *Error) WithDetail(key, value string) *Error {
	if e.Detail == nil {
		e.Detail = map[string]string{}
	}
	e.Detail[key] = value
	return e
}

// WithCause sets the cause, for the log.
func (e *Error) WithCause(err error) *Error {
	e.Err = err
	return e
}

// CodeOf returns the code of the first Error in the chain, Internal if there is none, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// RemedyOf returns the remedy of the first Error in the chain, "" if it has none.
func RemedyOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Remedy
	}
	return ""
}

// retryable holds the codes of temporary errors with the default number of seconds until a retry.
var retryable = map[Code]int{
	RateLimited: 60, LockedOut: 60, SchemaTooOld: 60, SandboxUnavailable: 60,
	EngineFailed: 5, TimedOut: 5, Busy: 2, Unavailable: 2,
}

// RetryAfterDetail is the name of the detail with the number of seconds until a retry.
const RetryAfterDetail = "retryAfterSeconds"

// WithRetryAfter sets the time until a retry, rounded up to whole seconds.
func (e *Error) WithRetryAfter(wait time.Duration) *Error {
	seconds := int64(wait / time.Second)
	if wait%time.Second > 0 {
		seconds++
	}
	return e.WithDetail(RetryAfterDetail, strconv.FormatInt(max(1, seconds), 10))
}

// RetryAfter returns the number of seconds until a retry after a temporary error; false for any
// other error.
func RetryAfter(err error) (seconds int, temporary bool) {
	seconds, temporary = retryable[CodeOf(err)]
	var e *Error
	if temporary && errors.As(err, &e) {
		if stated, err := strconv.Atoi(e.Detail[RetryAfterDetail]); err == nil && stated > 0 {
			seconds = stated
		}
	}
	return seconds, temporary
}

// HasCode reports whether the chain's first Error has the code.
func HasCode(err error, code Code) bool { return err != nil && CodeOf(err) == code }
