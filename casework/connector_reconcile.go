package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// ConnectorReconciler compares what a connector delivered with what its receiver has.
type ConnectorReconciler interface {
	Reconcile(ctx context.Context, query domain.ReconcileQuery) (domain.Reconciliation, error)
}

// ReconcileConnector asks to compare the events of a period; To is excluded.
type ReconcileConnector struct {
	Connector domain.ID
	From, To  time.Time
}

// ReconcileConnector asks the receiver which events it has and compares them with those that were
// delivered. Events from before the last change of the connector are left out, because another
// definition may have been in force. It requires the right to publish, and changes nothing.
func (svc *Service) ReconcileConnector(
	ctx context.Context, actor domain.Actor, in ReconcileConnector,
) (domain.Reconciliation, error) {
	const operation = "reconcileConnector"
	var none domain.Reconciliation
	connector, err := svc.connectorToAsk(ctx, actor, operation, in.Connector)
	if err != nil {
		return none, err
	}
	if svc.ports.ConnectorReconciler == nil {
		return none, domain.Errorf(domain.Unavailable, "This program cannot ask receivers.")
	}
	undelivered, err := svc.db.Reader().UndeliveredEvents(ctx, connector.ID)
	if err != nil {
		return none, err
	}
	query, err := svc.reconcileQuery(ctx, connector, undelivered, in.From, in.To)
	if err != nil {
		return none, err
	}
	if err := svc.logConnectorAccess(ctx, actor, operation, connector); err != nil {
		return none, err
	}
	return svc.ports.ConnectorReconciler.Reconcile(ctx, query)
}

// reconcileQuery returns what a reconciliation of the period compares. The connector must have been read
// before the events that it has not delivered.
func (svc *Service) reconcileQuery(
	ctx context.Context, connector domain.Connector, undelivered []string, from, to time.Time,
) (domain.ReconcileQuery, error) {
	query := domain.ReconcileQuery{Connector: connector, Undelivered: undelivered, From: from.UTC(),
		To: to.UTC()}
	if query.From.Before(connector.ChangedAt) {
		query.From = connector.ChangedAt
	}
	if !query.From.Before(query.To) {
		return query, domain.Invalid("to",
			"The period ends before it begins, or before the last change of the connector at %s.",
			connector.ChangedAt.Format(time.RFC3339)).WithRemedy("Choose a later end.")
	}
	start, found, err := svc.db.Reader().FirstEventSince(ctx, query.From)
	if query.Start = start; !found {
		query.Start = connector.Cursor
	}
	return query, err
}

// NightlyReconciliation begins the nightly reconciliation of a connector for which it is due at the
// hour (UTC), and returns one query for each day. It returns NotFound if none is due.
func (svc *Service) NightlyReconciliation(ctx context.Context, hour int) (
	[]domain.ReconcileQuery, error) {
	var claimed domain.ID
	var now time.Time
	spec := workSpec{operation: "claimReconciliation", callerLogsRefusal: true}
	err := svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) (err error) {
		if claimed, err = w.tx.ClaimReconciliation(w.ctx, hour); err == nil {
			now, err = w.tx.Clock(w.ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	connector, err := svc.db.Reader().Connector(ctx, claimed)
	if err != nil {
		return nil, err
	}
	undelivered, err := svc.db.Reader().UndeliveredEvents(ctx, connector.ID)
	if err != nil {
		return nil, err
	}
	var days []domain.ReconcileQuery
	for day := domain.ReconcileDays; day > 0; day-- {
		to := now.AddDate(0, 0, 1-day)
		if !connector.ChangedAt.Before(to) {
			continue
		}
		query, err := svc.reconcileQuery(ctx, connector, undelivered, now.AddDate(0, 0, -day), to)
		if err != nil {
			return nil, err
		}
		days = append(days, query)
	}
	return days, nil
}

// RecordReconciliation records how a nightly reconciliation ended. An event is recorded if what
// differs has changed.
func (svc *Service) RecordReconciliation(
	ctx context.Context, connector domain.Connector, result domain.NightlyReconciliation,
) error {
	spec := workSpec{operation: "recordReconciliation", stream: domain.ControlStream,
		callerLogsRefusal: true}
	return svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		before, err := w.tx.LockReconciliation(w.ctx, connector.ID)
		if err != nil {
			return err
		}
		if err := w.tx.RecordReconciliation(w.ctx, connector.ID, result); err != nil {
			return err
		}
		same := before.MissingCount == result.MissingCount &&
			before.UnknownCount == result.UnknownCount && slices.Equal(before.Missing, result.Missing) &&
			slices.Equal(before.Unknown, result.Unknown)
		if result.Hindered() || same {
			return nil
		}
		w.svc.log.WarnContext(w.ctx, "connector reconciled", "connector", connector.Spec.Name,
			"missing", result.MissingCount, "unknown", result.UnknownCount)
		w.emit(generated.ConnectorReconciledV1{ConnectorID: connector.ID, Name: connector.Spec.Name,
			From: result.From, To: result.To, Compared: int64(result.Compared),
			Missing: int64(result.MissingCount), Unknown: int64(result.UnknownCount)})
		return nil
	})
}
