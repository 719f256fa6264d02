package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// ConnectorTester sends a test event to the receiver of a connector.
type ConnectorTester interface {
	TestConnector(ctx context.Context, spec domain.ConnectorSpec) domain.DeliveryAttempt
}

// OperateConnector asks to pause or to resume a connector.
type OperateConnector struct {
	Once      Once
	Connector domain.ID
	Reason    string
}

// ReplayConnector asks to deliver the events since a time again; the zero time means all.
type ReplayConnector struct {
	Once      Once
	Connector domain.ID
	From      time.Time
	Reason    string
}

// OperateDelivery asks to retry or to skip a delivery. Skipping needs a reason.
type OperateDelivery struct {
	Once     Once
	Delivery domain.ID
	Reason   string
}

// runConnectorCommand runs a command on a connector as a unit of work with the right to publish. One
// person is enough, because where events go and which ones was confirmed by two.
func (svc *Service) runConnectorCommand(ctx context.Context, actor domain.Actor, operation string,
	once Once, request any, result *domain.ID, do func(*unitOfWork) error,
) error {
	spec := workSpec{operation: operation, once: once, request: request, result: result,
		stream: domain.ControlStream, authorize: func(w *unitOfWork) error {
			return svc.authorizeAction(w.ctx, w.tx.Reader, actor, domain.ActPublish)
		}}
	return svc.runUnitOfWork(ctx, actor, spec, do)
}

// PauseConnector stops deliveries. It requires the right to publish.
func (svc *Service) PauseConnector(
	ctx context.Context, actor domain.Actor, in OperateConnector,
) (domain.ID, error) {
	return svc.setConnectorStatus(ctx, actor, "pauseConnector", in, domain.ConnectorPaused)
}

// ResumeConnector continues deliveries where they stopped. It requires the right to publish.
func (svc *Service) ResumeConnector(
	ctx context.Context, actor domain.Actor, in OperateConnector,
) (domain.ID, error) {
	return svc.setConnectorStatus(ctx, actor, "resumeConnector", in, domain.ConnectorActive)
}

func (svc *Service) setConnectorStatus(ctx context.Context, actor domain.Actor, operation string,
	in OperateConnector, status domain.ConnectorStatus,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, operation, domain.ActPublish); err != nil {
		return domain.NoID, err
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return domain.NoID, err
	}
	result := in.Connector
	return result, svc.runConnectorCommand(ctx, actor, operation, in.Once, in, &result,
		func(w *unitOfWork) error {
			connector, err := w.tx.LockConnector(w.ctx, in.Connector)
			if err != nil || connector.Status == status {
				return err
			}
			if connector.Status == domain.ConnectorDisabled && status == domain.ConnectorPaused {
				return domain.Errorf(domain.StateMismatch, "The connector is already disabled.").
					WithDetail("status", string(connector.Status))
			}
			w.emitConnectorStatus(connector, status, reason)
			return w.tx.SetConnectorStatus(w.ctx, in.Connector, status, reason)
		})
}

func (w *unitOfWork) emitConnectorStatus(
	connector domain.Connector, status domain.ConnectorStatus, reason string,
) {
	w.emit(generated.ConnectorStatusChangedV1{ConnectorID: connector.ID, Name: connector.Spec.Name,
		Before: string(connector.Status), After: string(status), By: w.actor.UserID, Reason: reason})
}

// ReplayConnector moves the cursor of a connector back, so that it delivers events again. It never
// skips events. It requires the right to publish.
func (svc *Service) ReplayConnector(
	ctx context.Context, actor domain.Actor, in ReplayConnector,
) (domain.ID, error) {
	const operation = "replayConnector"
	if err := svc.inScope(ctx, actor, operation, domain.ActPublish); err != nil {
		return domain.NoID, err
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return domain.NoID, err
	}
	if err := svc.Authorize(ctx, actor, domain.ActPublish); err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return domain.NoID, err
	}
	var from domain.FeedPosition // the beginning
	body := generated.ConnectorReplayedV1{By: actor.UserID, Reason: reason}
	found := true
	if !in.From.IsZero() {
		if from, found, err = svc.db.Reader().FirstEventSince(ctx, in.From); err != nil {
			return domain.NoID, err
		}
		body.From = in.From.UTC()
	}
	result := in.Connector
	return result, svc.runConnectorCommand(ctx, actor, operation, in.Once, in, &result,
		func(w *unitOfWork) error {
			connector, err := w.tx.LockConnector(w.ctx, in.Connector)
			if err != nil {
				return err
			}
			if !found || !from.Before(connector.Cursor) {
				return domain.Invalid("from", "The connector has not delivered events since then.")
			}
			body.ConnectorID, body.Name = connector.ID, connector.Spec.Name
			w.emit(body)
			return w.tx.RewindConnector(w.ctx, in.Connector, from)
		})
}

// RetryDelivery makes a delivery due now. It requires the right to publish.
func (svc *Service) RetryDelivery(
	ctx context.Context, actor domain.Actor, in OperateDelivery,
) (domain.ID, error) {
	return svc.changeDelivery(ctx, actor, "retryDelivery", in, false)
}

// SkipDelivery ends a delivery without delivering the event, so that later events of its case are
// delivered. It requires the right to publish.
func (svc *Service) SkipDelivery(
	ctx context.Context, actor domain.Actor, in OperateDelivery,
) (domain.ID, error) {
	return svc.changeDelivery(ctx, actor, "skipDelivery", in, true)
}

// changeDelivery returns the id of the connector.
func (svc *Service) changeDelivery(ctx context.Context, actor domain.Actor, operation string,
	in OperateDelivery, skip bool,
) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, operation, domain.ActPublish); err != nil {
		return domain.NoID, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && skip && reason == "" {
		err = domain.Invalid("reason", "Enter a reason.")
	}
	if err != nil {
		return domain.NoID, err
	}
	var result domain.ID
	err = svc.runConnectorCommand(ctx, actor, operation, in.Once, in, &result,
		func(w *unitOfWork) error {
			delivery, err := w.tx.LockDelivery(w.ctx, in.Delivery)
			if err != nil {
				return err
			}
			connector, err := w.tx.Connector(w.ctx, delivery.Connector)
			if err != nil {
				return err
			}
			result = connector.ID
			if delivery.Status == domain.DeliverySkipped {
				return domain.Errorf(domain.StateMismatch, "The delivery was already skipped.").
					WithDetail("status", string(delivery.Status))
			}
			body := generated.ConnectorDeliveryChangedV1{ConnectorID: connector.ID,
				Name: connector.Spec.Name, DeliveryID: delivery.ID, EventID: delivery.EventID,
				Action: "retried", By: actor.UserID, Reason: reason}
			if !skip {
				w.emit(body)
				return w.tx.RetryDelivery(w.ctx, delivery.ID)
			}
			body.Action = "skipped"
			w.emit(body)
			return w.tx.SkipDelivery(w.ctx, delivery.ID, actor.UserID, reason)
		})
	return result, err
}

// TestConnector sends a test event to the receiver now. It requires the right to publish.
func (svc *Service) TestConnector(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (domain.DeliveryAttempt, error) {
	const operation = "testConnector"
	connector, err := svc.connectorToAsk(ctx, actor, operation, id)
	if err != nil {
		return domain.DeliveryAttempt{}, err
	}
	if svc.ports.ConnectorTester == nil {
		return domain.DeliveryAttempt{}, domain.Errorf(domain.Unavailable,
			"This program cannot send test events.")
	}
	attempt := svc.ports.ConnectorTester.TestConnector(ctx, connector.Spec)
	return attempt, svc.logConnectorAccess(ctx, actor, operation, connector)
}

// connectorToAsk reads a connector whose receiver the actor wants to ask. It requires the right to
// publish.
func (svc *Service) connectorToAsk(
	ctx context.Context, actor domain.Actor, operation string, id domain.ID,
) (domain.Connector, error) {
	if err := svc.inScope(ctx, actor, operation, domain.ActPublish); err != nil {
		return domain.Connector{}, err
	}
	if err := svc.Authorize(ctx, actor, domain.ActPublish); err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return domain.Connector{}, err
	}
	return svc.db.Reader().Connector(ctx, id)
}

func (svc *Service) logConnectorAccess(
	ctx context.Context, actor domain.Actor, operation string, connector domain.Connector,
) error {
	spec := workSpec{operation: operation, accessObject: "connector " + connector.Spec.Name}
	return svc.runUnitOfWork(ctx, actor, spec, func(*unitOfWork) error { return nil })
}
