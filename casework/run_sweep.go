package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// sweepBatch is the maximum number of rows of each kind in one sweep.
const sweepBatch = 1000

// AcquireLeadership acquires or renews the lease of the sweeper; false if another process holds it.
func (svc *Service) AcquireLeadership(
	ctx context.Context, holder string, ttl time.Duration,
) (bool, error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, "sweeper", holder, ttl)
}

// Sweep enqueues overdue runs and releases runs whose lease expired. It returns how many it
// enqueued.
func (svc *Service) Sweep(ctx context.Context) (int, error) {
	pendingRuns, err := svc.db.Autocommit().Sweep(ctx, sweepBatch)
	if err != nil {
		return 0, err
	}
	// External runs are not enqueued, because programs lease them by themselves.
	pendingRuns = slices.DeleteFunc(pendingRuns,
		func(w domain.PendingRun) bool { return w.Queue == domain.QueueExternal })
	if len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	if _, err := svc.CheckStaffing(ctx, false); err != nil { // does not stop the sweep
		svc.log.WarnContext(ctx, "staffing not checked", "error", err)
	}
	if _, err := svc.MigrateCases(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "cases not moved", "error", err)
	}
	if _, err := svc.ReevaluateCases(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "cases not evaluated again", "error", err)
	}
	if _, err := svc.EvaluatePairs(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "duplicates not evaluated again", "error", err)
	}
	if err := svc.RekeyParties(ctx); err != nil { // older versions may add keys in the old format
		svc.log.WarnContext(ctx, "keys of parties not renewed", "error", err)
	}
	if _, err := svc.DrawSamples(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "quality sample not drawn", "error", err)
	}
	if _, err := svc.LearnVendors(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "vendors not learned", "error", err)
	}
	if _, err := svc.DrawReviewers(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "reviewers not drawn", "error", err)
	}
	if err := svc.AdvanceBreakGlass(ctx); err != nil { // the next sweep continues
		svc.log.WarnContext(ctx, "requests of the operator not advanced", "error", err)
	}
	_, err = svc.ApplyDelegationTransitions(ctx)
	return len(pendingRuns), err
}

// EnqueueAllPending enqueues every pending run immediately, after the queue was emptied.
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

// DueRuns returns due runs of the queues, at most the given number of each, for a worker whose
// queue delivers nothing.
func (svc *Service) DueRuns(ctx context.Context,
	queues map[string]int) ([]domain.PendingRun, error) {
	return svc.db.Reader().DueRuns(ctx, queues)
}

const maxReleaseAttempts = 3

// ReleaseWorkerRuns releases the runs of a stopping worker and enqueues them immediately.
func (svc *Service) ReleaseWorkerRuns(ctx context.Context, worker string) (int, error) {
	pendingRuns, err := svc.db.Autocommit().ReleaseWorkerRuns(ctx, worker)
	for tries := 0; domain.HasCode(err, domain.Busy) && tries < maxReleaseAttempts; tries++ {
		// conflicted with the last steps of the worker
		pendingRuns, err = svc.db.Autocommit().ReleaseWorkerRuns(ctx, worker)
	}
	if err == nil && len(pendingRuns) > 0 {
		svc.ports.Notifier.Enqueue(ctx, pendingRuns)
	}
	return len(pendingRuns), err
}

// ExpireClaims releases claims whose lease has expired and keeps their drafts. Each claim is
// released in its own transaction.
func (svc *Service) ExpireClaims(ctx context.Context) (int, error) {
	expired, err := svc.db.Reader().ExpiredClaims(ctx, 100)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, review := range expired {
		_, err := runReviewCommand(ctx, svc, domain.SystemActor(), "lapse",
			ReviewTarget{ReviewID: review.ID}, nil,
			func(c *command, review domain.Review) (ReviewResult, error) {
				if review.Status != domain.ReviewClaimed || review.ClaimUntil.After(c.now) {
					return ReviewResult{}, nil // the assignee renewed the claim
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

// RunDailyMaintenance creates partitions ahead of time, deletes old idempotency keys and notices, ends
// watches of people who may not read their cases any more, and checks the staffing.
func (svc *Service) RunDailyMaintenance(ctx context.Context) error {
	db := svc.db.Autocommit()
	if err := db.EnsurePartitions(ctx, 24); err != nil {
		return err
	}
	if err := db.DeleteOldOutcomes(ctx, 7*24*time.Hour); err != nil {
		return err
	}
	if err := db.DeleteOldNotices(ctx, noticeAge); err != nil {
		return err
	}
	if err := svc.EndWatches(ctx); err != nil {
		return err
	}
	_, err := svc.CheckStaffing(ctx, true)
	return err
}

// QueueAges returns the backlog per queue, for metrics.
func (svc *Service) QueueAges(ctx context.Context) ([]store.QueueAge, error) {
	return svc.db.Reader().QueueAges(ctx)
}
