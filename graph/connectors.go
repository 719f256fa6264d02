package graph

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) Connectors(ctx context.Context) ([]donotuse.Connector, error) {
	connectors, err := r.views.Connectors(ctx, callerOf(ctx))
	shown := make([]donotuse.Connector, 0, len(connectors))
	for i := range connectors {
		shown = append(shown, connectorShown(&connectors[i]))
	}
	return shown, err
}

func connectorShown(c *domain.Connector) donotuse.Connector {
	shown := donotuse.Connector{ID: scalar.GlobalID(scalar.KindConnector, c.ID),
		Name: c.Spec.Name, Kind: c.Spec.Kind, URL: c.Spec.URL, Secrets: c.Spec.Secrets,
		Types: []string{}, Process: optional(c.Spec.Process), Audience: c.Spec.Audience,
		Snapshot: c.Spec.Snapshot, Mail: c.Spec.Mail, Version: c.Version, Status: c.Status,
		StatusReason: c.StatusReason, LagSeconds: c.Lag.Seconds(),
		FailingSince: timeOrNil(c.FailingSince), LastError: c.LastError,
		LastErrorAt: timeOrNil(c.LastErrorAt), LastDeliveredAt: timeOrNil(c.LastDelivered),
		Delivered: c.Delivered, Waiting: int(c.Waiting), Dead: int(c.Dead), By: c.SetBy,
		ChangedAt: c.ChangedAt}
	for _, kind := range c.Spec.Types {
		shown.Types = append(shown.Types, string(kind))
	}
	if c.Nightly.Outcome != "" {
		shown.Nightly = &donotuse.NightlyReconciliation{Outcome: c.Nightly.Outcome,
			EndedAt: c.Nightly.EndedAt, Error: c.Nightly.Error}
		if !c.Nightly.To.IsZero() {
			shown.Nightly.Result = reconciliationShown(&c.Nightly.Reconciliation)
		}
	}
	return shown
}

func reconciliationShown(found *domain.Reconciliation) *donotuse.Reconciliation {
	return &donotuse.Reconciliation{From: found.From, To: found.To, Compared: found.Compared,
		Missing: append([]string{}, found.Missing...), MissingCount: found.MissingCount,
		Unknown: append([]string{}, found.Unknown...), UnknownCount: found.UnknownCount}
}

func (connectorResolver) SetBy(ctx context.Context, c *donotuse.Connector) (*domain.User, error) {
	return personOrSystem(ctx, c.By)
}

func (deliveryResolver) SkippedBy(ctx context.Context, d *donotuse.Delivery) (*domain.User,
	error) {
	return personOrSystem(ctx, d.By)
}

func (r queryResolver) Deliveries(ctx context.Context, connectorID string, first int, after *string,
	status *domain.DeliveryStatus) (*donotuse.DeliveryConnection, error) {
	query := views.DeliveryQuery{Limit: first}
	err := checkPageSize(first)
	if err == nil {
		query.Connector, err = scalar.IDOf(scalar.KindConnector, "connectorId", connectorID)
	}
	if err == nil && after != nil {
		query.After, err = parseDeliveryCursor(*after)
	}
	if err != nil {
		return nil, err
	}
	if status != nil {
		query.Status = *status
	}
	page, err := r.views.Deliveries(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.DeliveryConnection{Edges: []donotuse.DeliveryEdge{},
		Nodes:    []donotuse.Delivery{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for i := range page.Deliveries {
		node := deliveryShown(&page.Deliveries[i])
		connection.Nodes = append(connection.Nodes, node)
		connection.Edges = append(connection.Edges, donotuse.DeliveryEdge{
			Cursor: deliveryCursor(page.Deliveries[i].Position), Node: node})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func deliveryCursor(at domain.FeedPosition) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "y%d.%d.%d", at.Era, at.TxID, at.ID))
}

func parseDeliveryCursor(cursor string) (at domain.FeedPosition, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(plain), "y%d.%d.%d", &at.Era, &at.TxID, &at.ID)
	}
	if err != nil || at.TxID < 0 || at.ID < 0 {
		return at, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
	}
	return at, nil
}

func deliveryShown(d *domain.Delivery) donotuse.Delivery {
	shown := donotuse.Delivery{ID: scalar.GlobalID(scalar.KindDelivery, d.ID), EventID: d.EventID,
		Type: string(d.Type), Status: d.Status, Attempts: d.Attempts, Since: d.ParkedAt,
		Error: d.Error, Answer: d.Answer, Reason: d.Reason, By: d.EndedBy,
		HTTPStatus: optionalStatus(d.HTTPStatus)}
	if d.Status == domain.DeliveryWaiting {
		shown.NextAt = timeOrNil(d.NextAt)
	}
	return shown
}

func optionalStatus(code int) *int {
	if code == 0 {
		return nil
	}
	return &code
}

// specTextOf returns the proposed spec of a connector as one line.
func specTextOf(text string) string {
	if text == "" {
		return ""
	}
	spec, err := domain.ParseConnectorSpec(text)
	if err != nil {
		return ""
	}
	parts := []string{spec.URL, "audience " + string(spec.Audience),
		"secrets " + strings.Join(spec.Secrets, ", ")}
	if spec.Mail != nil {
		parts = append(parts, "from "+spec.Mail.From, "to "+strings.Join(spec.Mail.To, ", "))
	}
	if spec.Snapshot {
		parts = append(parts, "with bodies")
	}
	if spec.Process != "" {
		parts = append(parts, "process "+spec.Process)
	}
	for _, kind := range spec.Types {
		parts = append(parts, string(kind))
	}
	return strings.Join(parts, " · ")
}

func (r mutationResolver) PutConnector(ctx context.Context, in donotuse.PutConnectorInput) (
	*donotuse.ControlPayload, error) {
	command := casework.PutConnector{Reason: in.Reason,
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Spec: domain.ConnectorSpec{Name: strings.TrimSpace(in.Name), Kind: in.Kind, URL: in.URL,
			Secrets: in.Secrets, Process: valueOrEmpty(in.Process), Audience: in.Audience,
			Snapshot: in.Snapshot, Mail: in.Mail}}
	for _, kind := range in.Types {
		command.Spec.Types = append(command.Spec.Types, domain.EventType(kind))
	}
	done, err := r.service.PutConnector(ctx, callerOf(ctx), command)
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) TestConnector(ctx context.Context, in donotuse.TestConnectorInput) (
	*donotuse.TestConnectorPayload, error) {
	id, err := scalar.IDOf(scalar.KindConnector, "connectorId", in.ConnectorID)
	var attempt domain.DeliveryAttempt
	if err == nil {
		attempt, err = r.service.TestConnector(ctx, callerOf(ctx), id)
	}
	payload := &donotuse.TestConnectorPayload{}
	if err == nil {
		payload.Test = &donotuse.ConnectorTest{
			Delivered:  attempt.Outcome == domain.AttemptDelivered,
			HTTPStatus: optionalStatus(attempt.HTTPStatus), Answer: attempt.Answer,
			Milliseconds: float64(attempt.Took) / float64(time.Millisecond), Error: attempt.Error}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) ReconcileConnector(
	ctx context.Context, in donotuse.ReconcileConnectorInput,
) (*donotuse.ReconcileConnectorPayload, error) {
	command := casework.ReconcileConnector{From: in.From, To: in.To}
	id, err := scalar.IDOf(scalar.KindConnector, "connectorId", in.ConnectorID)
	var result domain.Reconciliation
	if err == nil {
		command.Connector = id
		result, err = r.service.ReconcileConnector(ctx, callerOf(ctx), command)
	}
	payload := &donotuse.ReconcileConnectorPayload{}
	if err == nil {
		payload.Reconciliation = reconciliationShown(&result)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

// connectorPayload reads the connector that a command changed.
func (r mutationResolver) connectorPayload(ctx context.Context, id domain.ID, err error) (
	*donotuse.ConnectorPayload, error) {
	payload := &donotuse.ConnectorPayload{}
	if err == nil {
		var connector domain.Connector
		if connector, err = r.views.Connector(ctx, callerOf(ctx), id); err == nil {
			shown := connectorShown(&connector)
			payload.Connector = &shown
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) PauseConnector(ctx context.Context, in donotuse.ConnectorInput) (
	*donotuse.ConnectorPayload, error) {
	return r.operateConnector(ctx, in, r.service.PauseConnector)
}

func (r mutationResolver) ResumeConnector(ctx context.Context, in donotuse.ConnectorInput) (
	*donotuse.ConnectorPayload, error) {
	return r.operateConnector(ctx, in, r.service.ResumeConnector)
}

func (r mutationResolver) operateConnector(ctx context.Context, in donotuse.ConnectorInput,
	run func(context.Context, domain.Actor, casework.OperateConnector) (domain.ID, error),
) (*donotuse.ConnectorPayload, error) {
	id, err := scalar.IDOf(scalar.KindConnector, "connectorId", in.ConnectorID)
	if err == nil {
		id, err = run(ctx, callerOf(ctx), casework.OperateConnector{Connector: id,
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Reason: valueOrEmpty(in.Reason)})
	}
	return r.connectorPayload(ctx, id, err)
}

func (r mutationResolver) ReplayConnector(ctx context.Context, in donotuse.ReplayConnectorInput) (
	*donotuse.ConnectorPayload, error) {
	command := casework.ReplayConnector{Reason: valueOrEmpty(in.Reason),
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}}
	if in.From != nil {
		command.From = *in.From
	}
	var err error
	command.Connector, err = scalar.IDOf(scalar.KindConnector, "connectorId", in.ConnectorID)
	id := command.Connector
	if err == nil {
		id, err = r.service.ReplayConnector(ctx, callerOf(ctx), command)
	}
	return r.connectorPayload(ctx, id, err)
}

func (r mutationResolver) RetryDelivery(ctx context.Context, in donotuse.RetryDeliveryInput) (
	*donotuse.ConnectorPayload, error) {
	command := casework.OperateDelivery{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}}
	return r.operateDelivery(ctx, in.DeliveryID, command, r.service.RetryDelivery)
}

func (r mutationResolver) SkipDelivery(ctx context.Context, in donotuse.SkipDeliveryInput) (
	*donotuse.ConnectorPayload, error) {
	command := casework.OperateDelivery{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: in.Reason}
	return r.operateDelivery(ctx, in.DeliveryID, command, r.service.SkipDelivery)
}

func (r mutationResolver) operateDelivery(ctx context.Context, delivery string,
	command casework.OperateDelivery,
	run func(context.Context, domain.Actor, casework.OperateDelivery) (domain.ID, error),
) (*donotuse.ConnectorPayload, error) {
	id, err := scalar.IDOf(scalar.KindDelivery, "deliveryId", delivery)
	if command.Delivery = id; err == nil {
		id, err = run(ctx, callerOf(ctx), command)
	}
	return r.connectorPayload(ctx, id, err)
}
