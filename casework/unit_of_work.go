package casework

import (
	"context"
	"errors"

	"countersign/domain"
	"countersign/events"
	"countersign/internal/tracing"
	"countersign/store"
)

// authorityLock is the lock that a unit of work takes on the authority row.
type authorityLock int

const (
	// lockNone leaves locking to the work itself.
	lockNone authorityLock = iota
	// lockShared locks the authority row in share mode together with the rows of the acting users,
	// so permissions cannot change until the commit. It sets unitOfWork.command.
	lockShared
	// lockExclusive increments the authority version, so the unit waits for running commands, and
	// later commands wait for it.
	lockExclusive
)

// workSpec describes a unit of work to runUnitOfWork. Zero values skip the step.
type workSpec struct {
	operation string

	// Idempotency: once contains the key, request identifies the request, and result points to the
	// outcome to store or to replay.
	once    Once
	request any
	result  any

	lock authorityLock
	// authorize runs under the lock. It is nil where the work itself authorizes the actor, because
	// it has to read rows first or the system actor runs it.
	authorize func(*unitOfWork) error
	then      func(*unitOfWork) error // what follows from a published text

	stream       domain.SystemStream // to which emitted events are appended
	accessObject string              // the object of an access log entry written with the work
	loggedCase   domain.ID           // the case in the access log entry of a refusal

	// callerLogsRefusal leaves the access log entry of a refusal to the caller, who also records
	// refusals outside of the transaction.
	callerLogsRefusal bool
	// dryRun rolls back after the work, so that refusals occur and nothing is written.
	dryRun bool
}

// unitOfWork is one command in one transaction, while it runs.
type unitOfWork struct {
	svc     *Service
	ctx     context.Context
	span    tracing.Span
	tx      *store.Tx
	actor   domain.Actor
	command *command // of the acting users; set by lockShared

	bodies      []events.Body // to append to the stream
	streamHint  *domain.Hint  // of the appended events
	hints       []domain.Hint // to publish besides it
	transitions []*transition // written cases, to be enqueued and published
}

// emit adds events to the unit's stream.
func (w *unitOfWork) emit(bodies ...events.Body) { w.bodies = append(w.bodies, bodies...) }

// write writes a case's change, which is enqueued and published after the commit.
func (w *unitOfWork) write(c *command) error {
	w.transitions = append(w.transitions, c.transition)
	return c.write()
}

// errDryRun rolls back the transaction of a dry run.
var errDryRun = errors.New("casework: dry run, nothing is written")

// runUnitOfWork runs a command in one transaction. It replays the outcome stored under the
// idempotency key or reserves the key, locks the authority, authorizes the actor, runs do, appends
// the emitted events, writes the access log entry and stores the outcome. After the commit it
// enqueues runs and publishes hints; after a refusal it writes the refusal to the access log.
func (svc *Service) runUnitOfWork(
	ctx context.Context, actor domain.Actor, spec workSpec, do func(*unitOfWork) error,
) error {
	ctx, span := tracing.Begin(ctx, "command "+spec.operation)
	err := svc.runSpannedWork(ctx, span, actor, spec, do)
	span.End(spanCode(err))
	return err
}

// runSpannedWork is runUnitOfWork inside its span.
func (svc *Service) runSpannedWork(
	ctx context.Context, span tracing.Span, actor domain.Actor, spec workSpec,
	do func(*unitOfWork) error,
) error {
	var committed *unitOfWork
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		replayed, err := svc.replayOrReserve(ctx, tx, actor, spec.operation, spec.once,
			spec.request, spec.result)
		if err != nil || replayed {
			return err
		}
		w := &unitOfWork{svc: svc, ctx: ctx, span: span, tx: tx, actor: actor}
		if err := w.lockAuthority(spec.lock); err != nil {
			return err
		}
		if spec.authorize != nil {
			if err := spec.authorize(w); err != nil {
				return err
			}
		}
		if err := do(w); err != nil {
			return err
		}
		if spec.dryRun {
			return errDryRun
		}
		if err := w.finish(spec); err != nil {
			return err
		}
		committed = w
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err != nil {
		if !spec.callerLogsRefusal {
			svc.logRefusal(ctx, actor, spec.operation, spec.loggedCase, err)
		}
		return err
	}
	if committed != nil { // nil after a replay
		committed.notify()
	}
	return nil
}

func (w *unitOfWork) lockAuthority(lock authorityLock) (err error) {
	switch lock {
	case lockShared:
		w.command, err = w.svc.beginCommand(w.ctx, w.tx, w.actor)
	case lockExclusive:
		_, err = w.tx.IncrementAuthority(w.ctx)
	}
	return err
}

// finish writes what accompanies the work: its events, its access log entry and its outcome.
func (w *unitOfWork) finish(spec workSpec) error {
	if len(w.bodies) > 0 {
		hint, err := w.svc.appendEvents(w.ctx, w.tx, spec.stream, w.actor, w.bodies)
		if err != nil {
			return err
		}
		w.streamHint = &hint
	}
	if spec.accessObject != "" {
		entry := store.AccessEntry{Actor: w.actor.UserID, Action: spec.operation,
			Object: spec.accessObject, RequestID: w.actor.RequestID}
		if err := w.tx.LogAccess(w.ctx, entry); err != nil {
			return err
		}
	}
	return w.svc.storeOutcome(w.ctx, w.tx, w.actor, spec.operation, spec.once, spec.result)
}

// notify publishes hints and enqueues runs after the commit.
func (w *unitOfWork) notify() {
	hints := w.hints
	if w.streamHint != nil {
		hints = append([]domain.Hint{*w.streamHint}, hints...)
	}
	if len(hints) > 0 {
		w.svc.ports.Notifier.PublishHints(w.ctx, hints)
	}
	for _, t := range w.transitions {
		w.svc.notifyCommitted(w.ctx, t)
	}
}
