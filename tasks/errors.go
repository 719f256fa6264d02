package tasks

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/hibiken/asynq"

	"countersign/domain"
)

// disposition is what becomes of a task.
type disposition int

const (
	recorded disposition = iota // the row tells all; the task is done
	again                       // nothing could be recorded: Asynq brings the task again
	stop                        // the task itself is wrong; the row, if there is one, is rung by the sweeper
)

// dispositions is the queue's one translation table: every code has an entry.
var dispositions = map[domain.Code]disposition{
	domain.InvalidInput: stop, domain.ValidationFailed: stop, domain.UnsupportedFile: stop, domain.FileTooLarge: stop,
	domain.EmptyFile: stop, domain.EncryptedFile: stop, domain.DamagedFile: stop, domain.FileTooComplex: stop,
	domain.QueryTooComplex: stop, domain.UnsoundDefinition: stop, domain.InvalidExpression: stop,
	domain.Unauthenticated: stop, domain.SessionExpired: stop, domain.LockedOut: stop,
	domain.NotPermitted: stop, domain.ApprovalLimit: stop, domain.ConflictOfInterest: stop, domain.FourEyes: stop,
	domain.OwnDocument: stop, domain.NotEligible: stop,
	domain.NotFound:       recorded, // the case is gone: nothing to do
	domain.AlreadyClaimed: stop, domain.NotClaimedByYou: stop, domain.StaleVersion: again, domain.AlreadyDecided: stop,
	domain.IdempotencyMismatch: stop, domain.LeaseLost: recorded,
	domain.StateMismatch: recorded, domain.NothingToClaim: stop, domain.ConfirmationNeeded: stop, domain.RateMissing: stop,
	domain.ProcessorNotFound: stop, domain.AmbiguousProcessor: stop, domain.ExpressionFailed: stop, domain.SchemaTooOld: again,
	domain.EngineFailed: again, domain.TimedOut: again, domain.SandboxUnavailable: again, domain.Busy: again,
	domain.RateLimited: again, domain.Unavailable: again,
	domain.Internal: again,
}

// answer logs an error once and tells Asynq what to do.
func answer(ctx context.Context, log *slog.Logger, payload RunStagePayload, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err() // the worker is leaving; the run was handed back
	}
	switch dispositions[domain.CodeOf(err)] {
	case again:
		log.WarnContext(ctx, "task comes again", "run", payload.RunID, "case", payload.CaseID, "correlation_id", payload.CorrelationID, "error", err)
		return err
	case stop:
		log.ErrorContext(ctx, "task stopped", "run", payload.RunID, "case", payload.CaseID, "correlation_id", payload.CorrelationID, "error", err)
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	return nil
}
