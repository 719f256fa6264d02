package views

import (
	"context"

	"countersign/domain"
	"countersign/export"
)

// deliveryPage reads the next deliveries of the connector.
func (e *Export) deliveryPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	connector, err := e.views.connectorNamed(ctx, actor, e.query.Connector)
	if err != nil {
		return ExportPage{}, err
	}
	e.query.Deliveries.Connector = connector.ID
	list, err := e.views.Deliveries(ctx, actor, e.query.Deliveries)
	if err != nil {
		return ExportPage{}, err
	}
	page := ExportPage{HasMore: list.HasMore}
	if n := len(list.Deliveries); n > 0 {
		e.query.Deliveries.After = list.Deliveries[n-1].Position
	}
	page.Records, err = e.views.deliveryRecords(ctx, connector, list.Deliveries)
	return page, err
}

// connectorNamed reads the connector with the name, for publishers, people administrators and auditors.
func (v *Views) connectorNamed(ctx context.Context, actor domain.Actor, name string) (
	domain.Connector, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return domain.Connector{}, err
	}
	found, err := v.reader.ConnectorNamed(ctx, name)
	if err == nil && found.ID == domain.NoID {
		err = domain.NewNotFound()
	}
	return found, err
}

func (v *Views) deliveryRecords(ctx context.Context, connector domain.Connector,
	deliveries []domain.Delivery) ([]export.Record, error) {
	people := make([]domain.ID, 0, len(deliveries))
	for i := range deliveries {
		people = append(people, deliveries[i].EndedBy)
	}
	names, err := v.personNames(ctx, people)
	records := make([]export.Record, 0, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		record := &export.Delivery{ID: d.ID, ConnectorID: connector.ID, Connector: connector.Spec.Name,
			EventID: d.EventID, Type: string(d.Type), Status: string(d.Status), Attempts: d.Attempts,
			Since: d.ParkedAt.UTC(), Error: d.Error, Answer: d.Answer, Reason: d.Reason,
			SkippedByID: export.IDOrNil(d.EndedBy), SkippedBy: names[d.EndedBy]}
		if d.Status == domain.DeliveryWaiting {
			record.NextAt = export.TimeOrNil(d.NextAt)
		}
		if d.HTTPStatus != 0 {
			record.HTTPStatus = &d.HTTPStatus
		}
		records = append(records, record)
	}
	return records, err
}
