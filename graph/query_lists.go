package graph

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r queryResolver) Incidents(ctx context.Context, first int, after *string,
	filter *donotuse.IncidentFilter) (*donotuse.IncidentConnection, error) {
	query := views.IncidentQuery{Limit: first}
	err := checkPageSize(first)
	if err == nil && after != nil {
		query.After, err = parseIncidentCursor(*after)
	}
	if err != nil {
		return nil, err
	}
	if filter != nil {
		query.Code, query.Node = domain.Code(valueOrEmpty(filter.Code)), valueOrEmpty(filter.Node)
	}
	page, err := r.views.Incidents(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.IncidentConnection{Edges: []donotuse.IncidentEdge{}, Nodes: page.Runs,
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	ids := make([]domain.ID, 0, len(page.Runs))
	for _, run := range page.Runs {
		ids = append(ids, run.CaseID)
		connection.Edges = append(connection.Edges,
			donotuse.IncidentEdge{Cursor: incidentCursor(run), Node: run})
	}
	loadersFrom(ctx).group(ids)
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func incidentCursor(run domain.StageRun) string {
	return base64.RawURLEncoding.EncodeToString(
		[]byte("i" + run.EndedAt.UTC().Format(time.RFC3339Nano) + "|" + run.ID.String()))
}

func parseIncidentCursor(cursor string) (*views.IncidentCursor, error) {
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	moment, id, found := strings.Cut(strings.TrimPrefix(string(plain), "i"), "|")
	if err == nil && found && plain[0] == 'i' {
		at, timeErr := time.Parse(time.RFC3339Nano, moment)
		run, idErr := domain.ParseID(id)
		if timeErr == nil && idErr == nil {
			return &views.IncidentCursor{EndedAt: at, RunID: run}, nil
		}
	}
	return nil, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
}

func (r queryResolver) IncidentGroups(ctx context.Context) ([]views.IncidentGroup, error) {
	return r.views.IncidentGroups(ctx, callerOf(ctx))
}

func (r queryResolver) Queues(ctx context.Context, all bool) ([]views.QueueCount, error) {
	return r.views.Queues(ctx, callerOf(ctx), all)
}

func (r queryResolver) Explain(ctx context.Context, reviewID string, action domain.Action) (
	*views.Explanation, error) {
	id, err := scalar.IDOf(scalar.KindReview, "reviewId", reviewID)
	if err != nil {
		return nil, err
	}
	return accessExplanation(ctx, id, action, r.views.ReviewAccessQuestion)
}

func (r queryResolver) AuditTrail(ctx context.Context, caseID string, first int, after *string) (
	*donotuse.AuditConnection, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	if first < 1 || first > views.MaxTrail {
		return nil, domain.Invalid("first", "Request between 1 and %d entries.", views.MaxTrail)
	}
	var place views.TrailCursor
	if after != nil {
		if place, err = parseTrailCursor(*after); err != nil {
			return nil, err
		}
	}
	page, err := r.views.AuditTrail(ctx, callerOf(ctx), id, place, first)
	if err != nil {
		return nil, err
	}
	r.service.RecordRead(callerOf(ctx), id, "audit trail")
	connection := &donotuse.AuditConnection{Edges: []donotuse.AuditEdge{},
		Nodes:    []shape.AuditEntry{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for i := range page.Entries {
		line := &page.Entries[i]
		entry := auditEntryOf(line, callerOf(ctx).UserID)
		connection.Nodes = append(connection.Nodes, entry)
		connection.Edges = append(connection.Edges,
			donotuse.AuditEdge{Cursor: trailCursor(line.After), Node: entry})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func auditEntryOf(entry *views.TrailEntry, viewer domain.ID) shape.AuditEntry {
	return shownEntry(entry.Line(viewer))
}

func shownEntry(line views.AuditLine) shape.AuditEntry {
	shown := shape.AuditEntry{Kind: "ACCESS", At: line.At, ActorID: line.Actor, ForID: line.OnBehalf,
		Type: line.Type, Sentence: line.Sentence, Hash: optional(line.Hash),
		Code: optional(string(line.Code)), Object: optional(line.Object), Body: line.Body}
	if line.Event {
		shown.Kind, shown.Seq = "EVENT", &line.Seq
	}
	if line.Status != "" {
		shown.Status = &line.Status
	}
	return shown
}

func trailCursor(place views.TrailCursor) string {
	at := int64(0)
	if !place.At.IsZero() {
		at = place.At.UnixMicro()
	}
	return base64.RawURLEncoding.EncodeToString(
		fmt.Appendf(nil, "t%d.%d.%d", place.Seq, at, place.Number))
}

func parseTrailCursor(cursor string) (views.TrailCursor, error) {
	var place views.TrailCursor
	var at int64
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(plain), "t%d.%d.%d", &place.Seq, &at, &place.Number)
	}
	if err != nil || place.Seq < 0 || place.Number < 0 {
		return place, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
	}
	if at != 0 {
		place.At = time.UnixMicro(at).UTC()
	}
	return place, nil
}
