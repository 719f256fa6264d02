package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// sweepBatch is how many rows one sweep takes of each kind.
const sweepBatch = 1000

// AcquireLeadership takes or keeps the lease of the one sweeper; false when another process sweeps.
func (svc *Service) AcquireLeadership(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, "sweeper", holder, ttl)
}

// Sweep enqueues overdue runs and releases runs whose lease expired. It returns how many it enqueued.
func (svc *Service) Sweep(ctx context.Context) (int, error) {
	pendingRuns, err := svc.db.Autocommit().Sweep(ctx, sweepBatch)
	if err != nil {
		return 0, err
	}
	// A program outside that died is not followed by one of ours: its run is offered again.
	pendingRuns = slices.DeleteFunc(pendingRuns, func(w domain.PendingRun) bool { return w.Queue == domain.QueueExternal })
	if len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	if _, err := svc.CheckStaffing(ctx, false); err != nil { // nothing else is held up by it
		svc.log.WarnContext(ctx, "staffing not asked", "error", err)
	}
	if err := svc.RekeyParties(ctx); err != nil { // an older program added some
		svc.log.WarnContext(ctx, "keys of parties not renewed", "error", err)
	}
	_, err = svc.ApplyDelegationTransitions(ctx)
	return len(pendingRuns), err
}

// EnqueueAllPending rings every pending row at once: the queue was emptied.
func (svc *Service) EnqueueAllPending(ctx context.Context) (int, error) {
	total, after := 0, domain.NoID
	for {
		pendingRuns, err := svc.db.Autocommit().EnqueueAllPending(ctx, after, sweepBatch)
		if err != nil || len(pendingRuns) == 0 {
			return total, err
		}
		for _, pendingRun := range pendingRuns {
			if pendingRun.RunID.String() > after.String() {
				after = pendingRun.RunID
			}
		}
		total += len(pendingRuns)
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
}

// DueRuns returns runs that are due in the queues, at most the given number of each, for a worker whose queue is silent.
func (svc *Service) DueRuns(ctx context.Context, queues map[string]int) ([]domain.PendingRun, error) {
	return svc.db.Reader().DueRuns(ctx, queues)
}

const maxReleaseAttempts = 3

// ReleaseWorkerRuns releases the runs of a stopping worker and enqueues them immediately.
func (svc *Service) ReleaseWorkerRuns(ctx context.Context, worker string) (int, error) {
	pendingRuns, err := svc.db.Autocommit().ReleaseWorkerRuns(ctx, worker)
	for tries := 0; domain.HasCode(err, domain.Busy) && tries < maxReleaseAttempts; tries++ {
		pendingRuns, err = svc.db.Autocommit().ReleaseWorkerRuns(ctx, worker) // it met the worker's own last steps
	}
	if err == nil && len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	return len(pendingRuns), err
}

// ExpireClaims gives claims whose lease ran out back to their queue; drafts are kept. One transaction an item.
func (svc *Service) ExpireClaims(ctx context.Context) (int, error) {
	lapsed, err := svc.db.Reader().ExpiredClaims(ctx, 100)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, review := range lapsed {
		_, err := runReviewCommand(ctx, svc, domain.SystemActor(), "lapse", ReviewTarget{ReviewID: review.ID}, nil,
			func(c *command, review domain.Review) (ReviewResult, error) {
				if review.Status != domain.ReviewClaimed || review.ClaimUntil.After(c.now) {
					return ReviewResult{}, nil // the holder came back meanwhile
				}
				return c.reviewResult(c.releaseReview(review, "expired")), nil
			})
		if err != nil && !domain.HasCode(err, domain.Busy) {
			return done, err
		}
		done++
	}
	return done, nil
}

// RunDailyMaintenance does what is due once a day: partitions ahead, old idempotency keys away.
func (svc *Service) RunDailyMaintenance(ctx context.Context) error {
	alone := svc.db.Autocommit()
	if err := alone.EnsurePartitions(ctx, 24); err != nil {
		return err
	}
	if err := alone.DeleteOldOutcomes(ctx, 7*24*time.Hour); err != nil {
		return err
	}
	_, err := svc.CheckStaffing(ctx, true)
	return err
}

// QueueAges tells the backlog per queue, for the metrics.
func (svc *Service) QueueAges(ctx context.Context) ([]store.QueueAge, error) {
	return svc.db.Reader().QueueAges(ctx)
}
