package casework

import (
	"context"
	"errors"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// AgedFiles finds stored files that were written longer ago than a grace period; cmd fills it from blob.
type AgedFiles interface {
	// Next returns keys of the next files of the pass, having looked at no more than so many; done ends the pass, and the
	// next call begins another.
	Next(ctx context.Context, most int) (keys []string, done bool, err error)
	// Remove deletes the file unless it was written again within the grace period; false then.
	Remove(ctx context.Context, key string) (bool, error)
}

// sweptFiles is how many stored files one call of SweepFiles looks at.
const sweptFiles = 2000

// SweepFiles looks at the next stored files and removes those that are older than the grace period and that no row names:
// what a crash or a lost race between keeping a file and the commit left behind. done says that every file was looked at.
//
// The files are listed before the rows are asked, and removed only if still old: whatever commits a file has kept it
// shortly before, and keeping the same bytes again makes the file young.
func (svc *Service) SweepFiles(ctx context.Context) (removed int, done bool, err error) {
	if svc.ports.Aged == nil {
		return 0, true, nil
	}
	keys, done, err := svc.ports.Aged.Next(ctx, sweptFiles)
	if err != nil {
		return 0, true, err
	}
	for len(keys) > 0 {
		some := keys[:min(len(keys), checkBatchSize)]
		keys = keys[len(some):]
		unknown, err := svc.db.Reader().UnreferencedBlobs(ctx, some)
		if err != nil {
			return removed, true, err
		}
		for _, key := range unknown {
			gone, err := svc.ports.Aged.Remove(ctx, key)
			if err != nil {
				return removed, true, err
			}
			if gone {
				removed++
				svc.log.InfoContext(ctx, "orphan file removed", "key", key)
			}
		}
	}
	return removed, done, nil
}

// errTried ends a transaction that only judged.
var errTried = errors.New("casework: tried, nothing is written")

// tryOnCase judges a command as onCase does and writes nothing, so that what it would refuse is refused before a file is
// kept for it. The caller has asked for a stored outcome before.
func (svc *Service) tryOnCase(ctx context.Context, actor domain.Actor, operation string, caseID domain.ID, once Once, fn func(*command) error) error {
	err := svc.db.InTx(ctx, func(tx *store.Tx) error {
		cmd, err := svc.beginCommand(ctx, tx, actor)
		if err != nil {
			return err
		}
		if err := cmd.lock(caseID); err != nil {
			return err
		}
		if err := fn(cmd); err != nil {
			return err
		}
		if err := workflow.ExpectStatus(cmd.before.Status, once.Expect...); err != nil {
			return err
		}
		return errTried
	})
	if errors.Is(err, errTried) {
		return nil
	}
	svc.logRefusal(ctx, actor, operation, caseID, err)
	return err
}
