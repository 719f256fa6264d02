package graph

import (
	"context"
	"encoding/base64"
	"fmt"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) AuditSearch(ctx context.Context, filter *donotuse.AuditSearchFilter, first int,
	after *string) (*donotuse.AuditSearchConnection, error) {
	if first < 1 || first > views.MaxPage {
		return nil, domain.Invalid("first", "Request between 1 and %d entries.", views.MaxPage)
	}
	query, err := auditSearchOf(filter)
	if err != nil {
		return nil, err
	}
	query.Limit = first
	if after != nil {
		if query.Before, err = parsePositionCursor(*after); err != nil {
			return nil, err
		}
	}
	page, err := r.views.SearchAudit(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	r.service.RecordRead(callerOf(ctx), domain.NoID, "audit search")
	connection := &donotuse.AuditSearchConnection{Edges: []donotuse.AuditSearchEdge{},
		Nodes:    []donotuse.FoundAuditEntry{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for i := range page.Entries {
		found := &page.Entries[i]
		node := donotuse.FoundAuditEntry{Entry: shownEntry(found.AuditLine), Reference: optional(found.Reference)}
		if found.CaseID != domain.NoID {
			node.CaseID = optional(scalar.GlobalID(scalar.KindCase, found.CaseID))
		}
		connection.Nodes = append(connection.Nodes, node)
		connection.Edges = append(connection.Edges, donotuse.AuditSearchEdge{
			Cursor: positionCursor(found.Position), Node: node})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor, connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func auditSearchOf(filter *donotuse.AuditSearchFilter) (query views.AuditSearch, err error) {
	if filter == nil {
		return query, nil
	}
	query = views.AuditSearch{Types: filter.Types, MinMinor: filter.MinBaseMinor,
		MaxMinor: filter.MaxBaseMinor, Rule: valueOrEmpty(filter.Rule)}
	query.Accesses = filter.Kind != nil && *filter.Kind == donotuse.AuditKindAccess
	if filter.From != nil {
		query.From = *filter.From
	}
	if filter.To != nil {
		query.To = *filter.To
	}
	if filter.Outcome != nil {
		query.Outcome = *filter.Outcome
	}
	if filter.PersonID != nil {
		query.Person, err = scalar.IDOf(scalar.KindPerson, "filter.personId", *filter.PersonID)
	}
	return query, err
}

func positionCursor(p domain.FeedPosition) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "p%d.%d.%d", p.Era, p.TxID, p.ID))
}

func parsePositionCursor(text string) (p domain.FeedPosition, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		_, err = fmt.Sscanf(string(raw), "p%d.%d.%d", &p.Era, &p.TxID, &p.ID)
	}
	if err != nil || positionCursor(p) != text {
		return p, domain.Invalid("after", "The cursor is not one of this list.")
	}
	return p, nil
}
