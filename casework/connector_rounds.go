package casework

import (
	"context"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/store"
)

// maxConnectorFailure is for how long a receiver may fail before its connector is disabled.
const maxConnectorFailure = 72 * time.Hour

// DueConnectors returns the connectors that have work to do or may have.
func (svc *Service) DueConnectors(ctx context.Context) ([]domain.Connector, error) {
	return svc.db.Reader().DueConnectors(ctx)
}

// LeadConnector acquires or renews the lease of a connector; false if another program has it.
func (svc *Service) LeadConnector(
	ctx context.Context, id domain.ID, holder string, ttl time.Duration,
) (bool, error) {
	return svc.db.Autocommit().AcquireLeadership(ctx, store.ConnectorLease(id), holder, ttl)
}

// DueDeliveries returns the deliveries of a connector that are due, one of each stream, and since
// when each was tried.
func (svc *Service) DueDeliveries(
	ctx context.Context, connector domain.ID, limit int,
) ([]domain.Delivery, error) {
	due, err := svc.db.Reader().DueDeliveries(ctx, connector, limit)
	deliveries := make([]domain.Delivery, 0, len(due))
	for _, one := range due {
		one.Exhausted = one.Attempts > 0 && one.Age >= maxConnectorFailure
		deliveries = append(deliveries, one.Delivery)
	}
	return deliveries, err
}

// HeldStreams returns those of the streams in which a delivery of the connector has not ended.
func (svc *Service) HeldStreams(
	ctx context.Context, connector domain.ID, streams []domain.ID,
) ([]domain.ID, error) {
	return svc.db.Reader().HeldStreams(ctx, connector, streams)
}

// RecordRound records what one round of a connector did. It returns LeaseLost, and records nothing,
// if another program leads or a person changed the connector meanwhile; the events of the round are
// then delivered again.
func (svc *Service) RecordRound(ctx context.Context, round domain.DeliveryRound) error {
	spec := workSpec{operation: "recordRound", stream: domain.ControlStream,
		callerLogsRefusal: true}
	return svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		connector, err := w.tx.LockRound(w.ctx, round)
		if err != nil {
			return err
		}
		recovered := connector.Failures > 0 && !round.Failed
		if err := w.tx.RecordDeliveries(w.ctx, round, recovered); err != nil {
			return err
		}
		if err := w.tx.ParkDeliveries(w.ctx, round.Parked); err != nil {
			return err
		}
		var failing time.Duration
		if round.Failed {
			failing, err = w.tx.FailConnector(w.ctx, round.Connector, round.Error, round.RetryAfter)
		} else {
			err = w.tx.AdvanceConnector(w.ctx, round)
		}
		if err != nil || connector.Status != domain.ConnectorActive {
			return err
		}
		switch {
		case round.Gone:
			return w.disableConnector(connector, "The receiver answered 410 (gone).")
		case failing >= maxConnectorFailure:
			return w.disableConnector(connector,
				fmt.Sprintf("Nothing was delivered for %s. %s", maxConnectorFailure, round.Error))
		}
		return nil
	})
}

func (w *unitOfWork) disableConnector(connector domain.Connector, reason string) error {
	w.svc.log.WarnContext(w.ctx, "connector disabled", "connector", connector.Spec.Name,
		"reason", reason)
	w.emitConnectorStatus(connector, domain.ConnectorDisabled, reason)
	return w.tx.SetConnectorStatus(w.ctx, connector.ID, domain.ConnectorDisabled, reason)
}

// checkConnectors reports connectors that are disabled, fail, or need a person.
func (svc *Service) checkConnectors(ctx context.Context) ([]Inconsistency, error) {
	connectors, err := svc.db.Reader().Connectors(ctx)
	var found []Inconsistency
	for _, c := range connectors {
		one := Inconsistency{Kind: FailingConnector, Count: max(c.Dead, 1),
			Remedy: "See countersign connector list and countersign connector deliveries."}
		switch {
		case c.Status == domain.ConnectorDisabled:
			one.Message = fmt.Sprintf("The connector %s is disabled: %s", c.Spec.Name, c.StatusReason)
		case c.Status == domain.ConnectorActive && !c.FailingSince.IsZero():
			one.Message = fmt.Sprintf("The connector %s has failed since %s: %s", c.Spec.Name,
				c.FailingSince.Format(time.RFC3339), c.LastError)
		case c.Dead > 0:
			one.Message = fmt.Sprintf("%d deliveries of the connector %s need a person.", c.Dead,
				c.Spec.Name)
		case c.Nightly.Different():
			one.Count = int64(c.Nightly.MissingCount + c.Nightly.UnknownCount)
			one.Message = fmt.Sprintf("%d events are missing at the receiver of the connector %s, and %d are unknown.",
				c.Nightly.MissingCount, c.Spec.Name, c.Nightly.UnknownCount)
			one.Remedy = "Deliver missing events again with countersign connector replay."
		case c.Nightly.Outcome == domain.ReconcileFailed:
			one.Message = fmt.Sprintf("The connector %s could not be compared with its receiver: %s",
				c.Spec.Name, c.Nightly.Error)
		default:
			continue
		}
		found = append(found, one)
	}
	return found, err
}
