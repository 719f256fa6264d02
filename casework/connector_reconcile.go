package casework

import (
	"context"
	"time"

	"countersign/domain"
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
	query := domain.ReconcileQuery{Connector: connector, From: in.From.UTC(), To: in.To.UTC()}
	if query.From.Before(connector.ChangedAt) {
		query.From = connector.ChangedAt
	}
	if !query.From.Before(query.To) {
		return none, domain.Invalid("to", "The period ends before it begins, or before the last change of the connector at %s.",
			connector.ChangedAt.Format(time.RFC3339)).WithRemedy("Choose a later end.")
	}
	reader := svc.db.Reader()
	if query.Undelivered, err = reader.UndeliveredEvents(ctx, connector.ID); err != nil {
		return none, err
	}
	var found bool
	if query.Start, found, err = reader.FirstEventSince(ctx, query.From); err != nil {
		return none, err
	}
	if !found {
		query.Start = connector.Cursor
	}
	if err := svc.logConnectorAccess(ctx, actor, operation, connector); err != nil {
		return none, err
	}
	return svc.ports.ConnectorReconciler.Reconcile(ctx, query)
}
