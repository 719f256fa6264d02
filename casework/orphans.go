package casework

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// AgedFiles lists stored files that are older than a grace period; cmd provides it.
type AgedFiles interface {
	// Next returns the keys of aged files among the next limit files of the scan. done ends the
	// scan; the next call starts another.
	Next(ctx context.Context, limit int) (keys []string, done bool, err error)
	// Remove deletes the file and reports true, unless it was written again within the grace
	// period.
	Remove(ctx context.Context, key string) (bool, error)
}

// sweptFiles is how many stored files one call of SweepFiles examines.
const sweptFiles = 2000

// SweepFiles examines the next stored files and removes those that are older than the grace period
// and that no row refers to. A crash or a lost race between storing a file and the commit leaves
// such files. done reports that the scan is complete.
//
// The files are listed before the rows are read, and removed only if still old: a file is stored
// shortly before its commit, and storing the same bytes again renews its age.
func (svc *Service) SweepFiles(ctx context.Context) (removed int, done bool, err error) {
	if svc.ports.Aged == nil {
		return 0, true, nil
	}
	keys, done, err := svc.ports.Aged.Next(ctx, sweptFiles)
	if err != nil {
		return 0, true, err
	}
	for len(keys) > 0 {
		batch := keys[:min(len(keys), checkBatchSize)]
		keys = keys[len(batch):]
		unknown, err := svc.db.Reader().UnreferencedBlobs(ctx, batch)
		if err != nil {
			return removed, true, err
		}
		for _, key := range unknown {
			deleted, err := svc.ports.Aged.Remove(ctx, key)
			if err != nil {
				return removed, true, err
			}
			if deleted {
				removed++
				svc.log.InfoContext(ctx, "orphan file removed", "key", key)
			}
		}
	}
	return removed, done, nil
}

// dryRunCaseCommand runs a command like runCaseCommand but writes nothing, so that refusals occur
// before a file is stored. The caller has already looked up a stored outcome.
func (svc *Service) dryRunCaseCommand(
	ctx context.Context, actor domain.Actor, operation string, caseID domain.ID, once Once,
	fn func(*command) error,
) error {
	spec := workSpec{operation: operation, lock: lockShared, loggedCase: caseID, dryRun: true}
	return svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		if err := w.command.lock(caseID); err != nil {
			return err
		}
		if err := fn(w.command); err != nil {
			return err
		}
		return workflow.ExpectStatus(w.command.before.Status, once.Expect...)
	})
}
