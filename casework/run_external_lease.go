package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// maxHandOutChecks is the maximum number of tasks that one call checks.
const maxHandOutChecks = 100

// leaseExternalRuns leases due runs of a topic whose cases need no review before. A task is checked
// before it is leased, so that a lease always says that a program may have it.
func (svc *Service) leaseExternalRuns(
	ctx context.Context, actor domain.Actor, in LeaseExternal,
) ([]store.LeasedRun, error) {
	var tried []domain.ID
	for len(tried) < maxHandOutChecks {
		due, controls, err := svc.dueExternalRuns(ctx, actor, in, tried)
		if err != nil || len(due) == 0 {
			return nil, err
		}
		var ready []domain.ID
		for _, run := range due {
			tried = append(tried, run.ID)
			checked, err := svc.checkHandOut(ctx, run, controls)
			if err != nil {
				return nil, err
			}
			if checked {
				ready = append(ready, run.ID)
			}
		}
		leased, err := svc.leaseCheckedRuns(ctx, actor, in, ready, controls)
		if err != nil || len(leased) > 0 {
			return leased, err
		}
	}
	return nil, nil
}

// dueExternalRuns returns due runs of the topic, without those already tried, and whether control data
// has changed and not all cases were evaluated since.
func (svc *Service) dueExternalRuns(
	ctx context.Context, actor domain.Actor, in LeaseExternal, tried []domain.ID,
) (due []domain.StageRun, controls bool, err error) {
	err = svc.runUnitOfWork(ctx, actor, externalLeaseSpec(in), func(w *unitOfWork) (err error) {
		controls = w.command.authority.ControlPending
		due, err = w.tx.DueExternal(ctx, in.Topic, tried, max(in.MaxTasks, 1))
		return err
	})
	return due, controls, err
}

func externalLeaseSpec(in LeaseExternal) workSpec {
	return workSpec{operation: "leaseExternal", lock: lockShared,
		authorize: func(w *unitOfWork) error { return w.command.authorizeExternal(in.Topic) }}
}

// checkHandOut checks a case before its task is handed out for the first time, and reports whether the
// task may be leased. The check cancels the run of a case that needs a review before. A case whose
// evaluation fails keeps its task.
func (svc *Service) checkHandOut(
	ctx context.Context, run domain.StageRun, controlsChanged bool,
) (bool, error) {
	if run.Attempt > 1 || run.Expiries > 0 || run.Failures > 0 {
		return true, nil // a program may have acted
	}
	record, err := svc.db.Reader().Case(ctx, run.CaseID)
	if err != nil {
		return false, err
	}
	p := &stageSession{svc: svc, record: record, run: run}
	_, err = svc.evaluateBeforeRelease(ctx, p, controlsChanged)
	if err == nil {
		return true, nil
	}
	if domain.CodeOf(err) == domain.Unavailable || ctx.Err() != nil {
		return false, err
	}
	svc.log.ErrorContext(ctx, "external task not handed out", "case", run.CaseID, "run", run.ID,
		"correlation_id", record.CorrelationID, "error", err)
	return false, nil
}

// leaseCheckedRuns leases the runs that are still due. It leases none if control data has changed
// during the check; the next call checks them again.
func (svc *Service) leaseCheckedRuns(
	ctx context.Context, actor domain.Actor, in LeaseExternal, ready []domain.ID, controls bool,
) (leased []store.LeasedRun, err error) {
	if len(ready) == 0 {
		return nil, nil
	}
	err = svc.runUnitOfWork(ctx, actor, externalLeaseSpec(in), func(w *unitOfWork) (err error) {
		if w.command.authority.ControlPending && !controls {
			return nil
		}
		leased, err = w.tx.LeaseExternal(ctx, in.Topic, externalWorkerPrefix(actor)+in.Worker, ready)
		return err
	})
	return leased, err
}
