package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events"
	"countersign/feed"
	"countersign/store"
)

// audienceRoles are the roles whose view of the events a connector sends. The policy is not asked,
// because two persons decided that the receiver gets the events of all cases.
var audienceRoles = map[domain.ConnectorAudience]domain.Role{
	domain.ForSubmitters: domain.RoleSubmitter, domain.ForStaff: domain.RoleManager,
	domain.ForAuditors: domain.RoleAuditor,
}

// connectorReading returns the reading of the feed by a connector. What is confidential, and streams
// that are not of a case, are shown to auditors only.
func (v *Views) connectorReading(ctx context.Context, spec domain.ConnectorSpec) (*feedReading,
	error) {
	role, known := audienceRoles[spec.Audience]
	if !known {
		return nil, domain.Errorf(domain.Internal, "Unknown audience %q.", spec.Audience)
	}
	key, err := v.reader.InstallationKey(ctx, "feed")
	if err != nil {
		return nil, err
	}
	cursors, err := feed.NewCursors(key, feed.EventCursors)
	shown := v.caseViewer(viewer{user: domain.User{Roles: []domain.Role{role}}})
	return &feedReading{views: v, shown: shown, cursors: cursors, types: spec.Types,
		seesStream: func(domain.ID) bool { return spec.Audience == domain.ForAuditors }}, err
}

// ConnectorPage reads the events after the cursor of a connector that it sends.
func (v *Views) ConnectorPage(ctx context.Context, spec domain.ConnectorSpec,
	after domain.FeedPosition, limit int) (feed.Page, error) {
	reading, err := v.connectorReading(ctx, spec)
	if err != nil {
		return feed.Page{}, err
	}
	read, err := v.reader.FeedAfter(ctx, store.FeedQuery{After: after, Process: spec.Process,
		Types: spec.Types, StatusChanges: slices.Contains(spec.Types, events.StatusChanged),
		Limit: min(max(limit, 1), MaxFeed)})
	if err != nil {
		return feed.Page{}, err
	}
	shown, err := reading.show(ctx, read)
	return feed.Page{Events: shown, Next: read.Next, Complete: read.Complete}, err
}

// ConnectorEvents reads the events at the positions, without those that the connector does not send
// any more.
func (v *Views) ConnectorEvents(ctx context.Context, spec domain.ConnectorSpec,
	positions []domain.FeedPosition) ([]feed.Event, error) {
	reading, err := v.connectorReading(ctx, spec)
	if err != nil {
		return nil, err
	}
	eras, err := v.reader.FeedEras(ctx)
	if err != nil || len(eras) == 0 {
		return nil, err
	}
	found, err := v.reader.FeedEventsAt(ctx, positions)
	if err != nil {
		return nil, err
	}
	return reading.show(ctx, store.FeedPage{Events: found, Era: eras[len(eras)-1]})
}

// Connectors reads all connectors with their lag, for publishers, people administrators and auditors.
func (v *Views) Connectors(ctx context.Context, actor domain.Actor) ([]domain.Connector, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	return v.reader.Connectors(ctx)
}

// Connector reads one connector, for those who have just changed it.
func (v *Views) Connector(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Connector,
	error) {
	if err := v.requirePolicyAccess(ctx, actor, domain.ActRead, domain.ActPublish); err != nil {
		return domain.Connector{}, err
	}
	return v.reader.Connector(ctx, id)
}

// DeliveryPage is a page of deliveries of a connector.
type DeliveryPage struct {
	Deliveries []domain.Delivery
	HasMore    bool
}

// DeliveryQuery selects deliveries of a connector.
type DeliveryQuery = store.DeliveryQuery

// Deliveries reads the deliveries of a connector that did not succeed at the first attempt, in the
// order of the feed, for publishers, people administrators and auditors.
func (v *Views) Deliveries(ctx context.Context, actor domain.Actor, query DeliveryQuery) (
	DeliveryPage, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return DeliveryPage{}, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	found, err := v.reader.Deliveries(ctx, query)
	return DeliveryPage{Deliveries: found[:min(len(found), size)], HasMore: len(found) > size}, err
}
