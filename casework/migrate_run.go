package casework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

const (
	// migrationBatch is the maximum number of cases that one sweep moves.
	migrationBatch = 200
	// maxMoveTries is how often a case is tried whose steps are being executed.
	maxMoveTries = 60
	// maxPreviewedCases bounds one page of a preview, because each case is locked and computed.
	maxPreviewedCases = 50
)

// MigrateCases moves a batch of cases of the running migrations and returns how many have a final
// result now. Each case has a transaction of its own, which also writes its result, so that a
// migration continues after a crash where it was.
func (svc *Service) MigrateCases(ctx context.Context) (int, error) {
	running, err := svc.db.Reader().RunningMigrations(ctx)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, migration := range running {
		cases, err := svc.db.Reader().DueMigrationCases(ctx, migration.ID, migrationBatch-done)
		if err != nil {
			return done, err
		}
		for _, id := range cases {
			move, err := svc.migrateCase(ctx, migration, id)
			if err != nil {
				return done, err
			}
			if move.Status != domain.MoveWaiting {
				done++
			}
			svc.announceMigrations(ctx)
		}
		if _, err := svc.db.Autocommit().EndMigration(ctx, migration.ID); err != nil {
			return done, err
		}
		svc.announceMigrations(ctx)
		if done >= migrationBatch {
			break
		}
	}
	return done, nil
}

// announceMigrations lets pages read the numbers of migrations again: a case that does not move has no event.
func (svc *Service) announceMigrations(ctx context.Context) {
	svc.ports.Notifier.PublishHints(ctx, []domain.Hint{{Stream: domain.ControlStream.ID}})
}

// migrateCase moves one case, or records why it does not move. An error means that the database could
// not be reached or the program is stopping; a case that fails otherwise does not move.
func (svc *Service) migrateCase(
	ctx context.Context, migration domain.CaseMigration, id domain.ID,
) (CaseMove, error) {
	move, err := svc.runMove(ctx, migration, id, false)
	if err == nil {
		return move, nil
	}
	if domain.CodeOf(err) == domain.Unavailable || ctx.Err() != nil {
		return move, err
	}
	busy := domain.HasCode(err, domain.Busy)
	if !busy {
		svc.log.ErrorContext(ctx, "case not moved", "case", id, "migration", migration.ID, "error", err)
	}
	why := &workflow.Immovable{Reason: moveFailed, Message: "The case could not be moved."}
	if busy {
		why.Reason = moveBusy
	}
	err = svc.db.InTx(ctx, func(tx *store.Tx) error {
		result, err := tx.LockMigratedCase(ctx, migration.ID, id)
		if err != nil || result.Status != domain.MoveWaiting {
			return err
		}
		move = refusedMove(result, why)
		return endMove(ctx, tx, result, move, nil, 0)
	})
	return move, err
}

// runMove moves a case in one transaction; a preview is rolled back.
func (svc *Service) runMove(
	ctx context.Context, migration domain.CaseMigration, id domain.ID, preview bool,
) (CaseMove, error) {
	var move CaseMove
	var moved []domain.PendingRun
	spec := workSpec{operation: "migrate", lock: lockShared, loggedCase: id, dryRun: preview}
	err := svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		m := &caseMigration{command: w.command, migration: migration}
		if err := m.open(id, preview); err != nil || m.result.Status != domain.MoveWaiting {
			move = m.move
			return err
		}
		err := m.run()
		if why, ok := asImmovable(err); ok {
			move = refusedMove(m.result, why)
			move.CaseID, move.Reference = m.before.ID, m.before.Reference
			if preview {
				return nil
			}
			return endMove(w.ctx, w.tx, m.result, move, nil, 0)
		}
		if err != nil {
			return err
		}
		move = m.move
		move.Status = domain.Moved
		if preview {
			return nil
		}
		if err := w.tx.MoveRows(w.ctx, m.rows); err != nil {
			return err
		}
		if err := w.write(m.command); err != nil {
			return err
		}
		before, err := json.Marshal(m.was)
		if err != nil {
			return fmt.Errorf("casework: encode the case before: %w", err)
		}
		moved = m.pendingMoved()
		return endMove(w.ctx, w.tx, m.result, move, before, m.change.Case.LastSeq)
	})
	if err == nil && len(moved) > 0 {
		svc.ports.Notifier.Enqueue(ctx, moved)
	}
	return move, err
}

// open locks the case and its result, and loads both definitions.
func (m *caseMigration) open(id domain.ID, preview bool) error {
	err := m.lock(id)
	if err != nil {
		return err
	}
	if m.order, err = orderOf(m.migration.Plan); err != nil {
		return err
	}
	m.result = domain.MigratedCase{CaseID: id, Status: domain.MoveWaiting}
	if !preview {
		m.result, err = m.tx.LockMigratedCase(m.ctx, m.migration.ID, id)
		if err != nil {
			return err
		}
	}
	if undone := m.order.Undoes; undone != domain.NoID {
		was, err := m.tx.LockMigratedCase(m.ctx, undone, id)
		if err != nil {
			return err
		}
		m.result.Before, m.result.Seq = was.Before, was.Seq
	}
	if m.from, err = m.svc.definitions.get(m.ctx, m.tx.Reader, m.migration.Process,
		m.migration.From); err != nil {
		return err
	}
	m.to, err = m.svc.definitions.get(m.ctx, m.tx.Reader, m.migration.Process, m.migration.To)
	return err
}

// pendingMoved returns the tasks of the runs that got another id and are still pending.
func (m *caseMigration) pendingMoved() []domain.PendingRun {
	var pending []domain.PendingRun
	for _, run := range m.rows.Runs {
		if after := run.After; after.Queue != domain.QueueExternal && !m.cancelsRun(after) {
			pending = append(pending, domain.PendingRun{RunID: after.ID, CaseID: after.CaseID,
				Queue: after.Queue, RunAfter: after.RunAfter,
				CorrelationID: m.before.CorrelationID, Traceparent: after.Traceparent})
		}
	}
	return pending
}

// refusedMove is the result of a case that does not move, or is tried again.
func refusedMove(result domain.MigratedCase, why *workflow.Immovable) CaseMove {
	status := domain.NotMoved
	if why.Reason == moveBusy && result.Tries+1 < maxMoveTries {
		status = domain.MoveWaiting
	}
	return CaseMove{CaseID: result.CaseID, Reference: result.Reference, Status: status,
		Reason: why.Reason, Node: why.Node, Message: why.Message}
}

// endMove writes the result of a case.
func endMove(ctx context.Context, tx *store.Tx, result domain.MigratedCase, move CaseMove,
	before json.RawMessage, seq int64,
) error {
	result.Status, result.Reason, result.Node = move.Status, string(move.Reason), move.Node
	result.Message, result.Before, result.Seq = move.Message, before, seq
	return tx.EndMigratedCase(ctx, result, min(time.Duration(result.Tries+1)*time.Second, 30*time.Second))
}

// PreviewMigration asks what a plan would do to running cases.
type PreviewMigration struct {
	PlanMigration
	After domain.ID // the last case of the page before
	Limit int
}

// MigrationPreview is one page of a preview.
type MigrationPreview struct {
	CheckedMigration
	Moves []CaseMove
	// Hidden are the cases of the page that are left out, because the viewer may not see their review work.
	Hidden int
	Last   domain.ID // of the page
	More   bool
}

// PreviewMigration returns what a plan would do to each running case of a page. It runs the migration
// of each case and rolls it back, so that it shows exactly what would happen at this moment.
func (svc *Service) PreviewMigration(
	ctx context.Context, actor domain.Actor, in PreviewMigration,
) (MigrationPreview, error) {
	checked, err := svc.CheckMigration(ctx, actor, in.PlanMigration)
	preview := MigrationPreview{CheckedMigration: checked}
	if err != nil || len(checked.Problems) > 0 {
		return preview, err
	}
	limit := min(max(in.Limit, 1), maxPreviewedCases)
	cases, err := svc.db.Reader().MovableCases(ctx, in.Process, in.From, in.After, limit+1)
	if err != nil {
		return preview, err
	}
	err = svc.previewMoves(ctx, actor, &preview, cases, limit)
	return preview, err
}

// previewMoves adds what the order of the preview would do to the cases, of which at most limit are computed.
func (svc *Service) previewMoves(
	ctx context.Context, actor domain.Actor, preview *MigrationPreview, cases []domain.ID, limit int,
) error {
	plan, err := json.Marshal(preview.Order)
	if err != nil {
		return fmt.Errorf("casework: encode the plan: %w", err)
	}
	if preview.More = len(cases) > limit; preview.More {
		cases = cases[:limit]
	}
	migration := domain.CaseMigration{Process: preview.From.Key, From: preview.From.Version,
		To: preview.To.Version, Plan: string(plan)}
	hidden, err := svc.hiddenMoves(ctx, actor, preview.From, preview.To, cases)
	if err != nil {
		return err
	}
	for _, id := range cases {
		if preview.Last = id; hidden[id] {
			preview.Hidden++
			continue
		}
		move, err := svc.runMove(ctx, migration, id, true)
		if err != nil {
			return err
		}
		preview.Moves = append(preview.Moves, move)
	}
	return nil
}

// MigrationProgress is a migration with the number of cases by result.
type MigrationProgress struct {
	domain.CaseMigration
	Counts []store.MoveCount
}

// Count returns the number of cases with a status.
func (p MigrationProgress) Count(status domain.MoveStatus) (cases int) {
	for _, count := range p.Counts {
		if count.Status == status {
			cases += count.Cases
		}
	}
	return cases
}

// Migration returns a migration with its counts. It requires the right to publish.
func (svc *Service) Migration(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (MigrationProgress, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return MigrationProgress{}, err
	}
	migration, err := svc.db.Reader().CaseMigration(ctx, id)
	if err != nil {
		return MigrationProgress{}, err
	}
	counts, err := svc.db.Reader().CountMigrated(ctx, id)
	return MigrationProgress{migration, counts}, err
}

// maxListedMigrations bounds the migrations that are listed of a process.
const maxListedMigrations = 50

// Migrations returns the newest migrations of a process. It requires the right to publish.
func (svc *Service) Migrations(
	ctx context.Context, actor domain.Actor, process string,
) ([]MigrationProgress, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, err
	}
	found, err := svc.db.Reader().CaseMigrations(ctx, process, maxListedMigrations)
	listed := make([]MigrationProgress, 0, len(found))
	for _, migration := range found {
		counts, err := svc.db.Reader().CountMigrated(ctx, migration.ID)
		if err != nil {
			return nil, err
		}
		listed = append(listed, MigrationProgress{migration, counts})
	}
	return listed, err
}

// MigratedCases returns results of a migration after a case, at most limit, and whether there are
// more. It requires the right to publish.
func (svc *Service) MigratedCases(ctx context.Context, actor domain.Actor, id domain.ID,
	status domain.MoveStatus, after domain.ID, limit int,
) (results []domain.MigratedCase, more bool, err error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, false, err
	}
	results, err = svc.db.Reader().MigratedCases(ctx, id, status, after, limit+1)
	if more = len(results) > limit; more {
		results = slices.Clip(results[:limit])
	}
	if err == nil {
		err = svc.withoutReasons(ctx, actor, id, results)
	}
	return results, more, err
}

// asImmovable returns the reason for which a case does not move, false for other errors.
func asImmovable(err error) (*workflow.Immovable, bool) {
	var why *workflow.Immovable
	return why, errors.As(err, &why)
}
