package casework

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
)

// withLease runs work while it renews the lease of the session at 30 % of its duration. If the
// lease is lost, it cancels the work and returns LeaseLost.
func (svc *Service) withLease(
	ctx context.Context, p *stageSession, work func(context.Context) error,
) error {
	leaseCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	renewer := svc.renewLease(leaseCtx, cancel, p)
	defer renewer.stop()
	err := work(leaseCtx)
	if cause := context.Cause(leaseCtx); cause != nil && domain.HasCode(cause, domain.LeaseLost) {
		return cause
	}
	return err
}

// leaseRenewer renews a lease until it is stopped.
type leaseRenewer struct {
	timer *time.Timer
	mu    sync.Mutex
	ended bool
}

func (r *leaseRenewer) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.timer.Stop()
}

func (svc *Service) renewLease(
	ctx context.Context, cancel context.CancelCauseFunc, p *stageSession,
) *leaseRenewer {
	renewer := &leaseRenewer{}
	run, every, correlation := p.leasedRun, svc.settings.RunLease*3/10, p.record.CorrelationID
	renewer.mu.Lock()
	defer renewer.mu.Unlock()
	renewer.timer = time.AfterFunc(every, func() {
		renewed, err := svc.db.Autocommit().RenewLease(ctx, run.CaseID, run.ID, run.LeaseToken,
			svc.settings.RunLease)
		if err == nil && !renewed {
			cancel(leaseTakenOver())
			return
		}
		if err != nil && ctx.Err() == nil {
			svc.log.WarnContext(ctx, "lease not renewed", "run", run.ID, "case", run.CaseID,
				"correlation_id", correlation, "error", err)
		}
		renewer.mu.Lock()
		defer renewer.mu.Unlock()
		if !renewer.ended {
			renewer.timer.Reset(every)
		}
	})
	return renewer
}

func leaseTakenOver() *domain.Error {
	return domain.Errorf(domain.LeaseLost, "The work was taken over by another worker.")
}
