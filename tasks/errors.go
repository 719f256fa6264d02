package tasks

import (
	"context"
	"log/slog"
	"strings"

	"github.com/hibiken/asynq"

	"countersign/domain"
)

// disposition is the outcome of a task for Asynq.
type disposition int

const (
	taskDone  disposition = iota // the row records the outcome; the task is done
	taskRetry                    // nothing could be recorded; Asynq delivers the task again
	// the task itself is invalid; the sweeper enqueues its row, if there is one
	taskStop
)

// dispositions maps every error code to the disposition of the task.
var dispositions = map[domain.Code]disposition{
	domain.InvalidInput: taskStop, domain.ValidationFailed: taskStop,
	domain.UnsupportedFile: taskStop, domain.FileTooLarge: taskStop,
	domain.EmptyFile: taskStop, domain.EncryptedFile: taskStop, domain.DamagedFile: taskStop,
	domain.FileTooComplex:  taskStop,
	domain.QueryTooComplex: taskStop, domain.UnsoundDefinition: taskStop,
	domain.InvalidExpression: taskStop,
	domain.Unauthenticated:   taskStop, domain.SessionExpired: taskStop, domain.LockedOut: taskStop,
	domain.NotPermitted: taskStop, domain.IntrospectionDisabled: taskStop,
	domain.ApprovalLimit: taskStop, domain.ConflictOfInterest: taskStop,
	domain.FourEyes:    taskStop,
	domain.OwnDocument: taskStop, domain.NotEligible: taskStop,
	domain.NotFound:       taskDone, // the case no longer exists
	domain.AlreadyClaimed: taskStop, domain.NotClaimedByYou: taskStop,
	domain.StaleVersion: taskRetry, domain.AlreadyDecided: taskStop,
	domain.IdempotencyMismatch: taskStop, domain.LeaseLost: taskDone,
	domain.StateMismatch: taskDone, domain.OrderUnsupported: taskDone, domain.OrderRequired: taskDone,
	domain.SignatureRequired: taskStop, domain.SignatureInvalid: taskStop,
	domain.PasskeyRequired:    taskStop,
	domain.NothingToClaim:     taskStop,
	domain.ClaimLimitReached:  taskStop,
	domain.ConfirmationNeeded: taskStop, domain.RateMissing: taskStop,
	domain.ProcessorNotFound: taskStop, domain.AmbiguousProcessor: taskStop,
	domain.ExpressionFailed: taskStop, domain.SchemaTooOld: taskRetry,
	domain.EngineFailed: taskRetry, domain.TimedOut: taskRetry,
	domain.SandboxUnavailable: taskRetry, domain.Busy: taskRetry,
	domain.RateLimited: taskRetry, domain.Unavailable: taskRetry,
	domain.Internal: taskRetry,
}

// asynqError logs an error once and converts it to the error that Asynq expects.
func asynqError(ctx context.Context, log *slog.Logger, payload RunStagePayload, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err() // the worker is stopping and has released the run
	}
	switch dispositions[domain.CodeOf(err)] {
	case taskRetry:
		log.WarnContext(ctx, "task will be retried", "run", payload.RunID, "case", payload.CaseID,
			"correlation_id", payload.CorrelationID, "error", err)
		return err
	case taskStop:
		log.ErrorContext(ctx, "task stopped", "run", payload.RunID, "case", payload.CaseID,
			"correlation_id", payload.CorrelationID, "error", err)
		return stopError{err}
	}
	return nil
}

// stopError is an error after which Asynq archives the task. Asynq stores its text, which operators
// read, so the text is that of the cause alone.
type stopError struct{ cause error }

// Error returns the text of the cause.
func (e stopError) Error() string { return e.cause.Error() }

// Unwrap returns the cause and Asynq's instruction not to retry.
func (e stopError) Unwrap() []error { return []error{e.cause, asynq.SkipRetry} }

// causeText returns the text of an archived task's error without the text of asynq.SkipRetry, which
// tasks archived by earlier versions have.
func causeText(text string) string {
	return strings.TrimSuffix(text, ": "+asynq.SkipRetry.Error())
}
