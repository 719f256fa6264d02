package deliver

import (
	"context"
	"log/slog"
	"time"

	"countersign/domain"
)

// NightlyRecords is the part of the service layer that says what is due at night and stores the result.
type NightlyRecords interface {
	// NightlyReconciliation returns the queries of a connector that is due, one for each day, or
	// NotFound.
	NightlyReconciliation(ctx context.Context, hour int) ([]domain.ReconcileQuery, error)
	RecordReconciliation(ctx context.Context, connector domain.Connector,
		result domain.NightlyReconciliation) error
}

// Nightly reconciles every connector once a day.
type Nightly struct {
	records    NightlyRecords
	reconciler *Reconciler
	hour       int // of the day, UTC
	log        *slog.Logger
}

// NewNightly returns a Nightly that begins at the hour (UTC).
func NewNightly(records NightlyRecords, reconciler *Reconciler, hour int, log *slog.Logger) *Nightly {
	return &Nightly{records: records, reconciler: reconciler, hour: hour, log: log}
}

// nightlyPoll is the pause between looks for a connector that is due.
const nightlyPoll = time.Minute

// Run reconciles until the context ends.
func (n *Nightly) Run(ctx context.Context) {
	ticker := time.NewTicker(nightlyPoll)
	defer ticker.Stop()
	for {
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = n.Next(ctx); err != nil && ctx.Err() == nil {
				n.log.WarnContext(ctx, "nightly reconciliation", "error", err)
				break
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Next reconciles a connector that is due; false if there is none.
func (n *Nightly) Next(ctx context.Context) (bool, error) {
	days, err := n.records.NightlyReconciliation(ctx, n.hour)
	if domain.HasCode(err, domain.NotFound) || err == nil && len(days) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	result := n.reconcile(ctx, days)
	if ctx.Err() != nil {
		return false, ctx.Err() // begun again by another program
	}
	return true, n.records.RecordReconciliation(ctx, days[0].Connector, result)
}

// reconcile compares day by day, so that memory holds the ids of one day only.
func (n *Nightly) reconcile(ctx context.Context, days []domain.ReconcileQuery,
) domain.NightlyReconciliation {
	result := domain.NightlyReconciliation{Outcome: domain.ReconcileEqual}
	result.From = days[0].From
	for i, day := range days {
		found, err := n.reconciler.Reconcile(ctx, day)
		if domain.HasCode(err, domain.InvalidInput) && i < len(days)-1 {
			// The receiver has not kept this day, or it has too many events. What was compared is always
			// without a gap.
			result.Reconciliation = domain.Reconciliation{From: days[i+1].From}
			continue
		}
		if domain.HasCode(err, domain.NotFound) {
			result.Outcome, result.Error = domain.ReconcileNotOffered, err.Error()
			return result
		}
		if err != nil {
			result.Outcome, result.Error = domain.ReconcileFailed, err.Error()
			return result
		}
		result.Add(found)
	}
	if result.Different() {
		result.Outcome = domain.ReconcileDiffers
	}
	return result
}
