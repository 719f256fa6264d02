package views

import (
	"context"
	"time"

	"countersign/domain"
)

// IncidentPage is one page of failed stages, newest first.
type IncidentPage struct {
	Runs    []domain.StageRun
	HasMore bool
}

// Incidents reads a page of the failed stages of cases that the actor may read, newest first.
func (v *Views) Incidents(ctx context.Context, actor domain.Actor, query IncidentQuery) (
	IncidentPage, error) {
	filter, err := v.incidentFilter(ctx, actor)
	if err != nil {
		return IncidentPage{}, err
	}
	size := pageSize(query.Limit)
	runs, err := v.reader.IncidentPage(ctx, filter, query.forStore(size+1))
	return IncidentPage{Runs: runs[:min(len(runs), size)], HasMore: len(runs) > size}, err
}

func (v *Views) incidentFilter(ctx context.Context, actor domain.Actor) (domain.Filter, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return domain.Filter{}, err
	}
	return viewer.readFilter()
}

// IncidentGroup counts the incidents with the same cause. Message is what all of them say, "" if they differ.
type IncidentGroup struct {
	Code           string
	Node           string
	Message        string
	Count          int
	Oldest, Newest time.Time
}

// IncidentGroups counts the incidents of cases that the actor may read by cause, the most frequent
// first.
func (v *Views) IncidentGroups(ctx context.Context, actor domain.Actor) ([]IncidentGroup, error) {
	filter, err := v.incidentFilter(ctx, actor)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.IncidentGroups(ctx, filter)
	groups := make([]IncidentGroup, 0, len(rows))
	for _, row := range rows {
		groups = append(groups, IncidentGroup{Code: string(row.Code), Node: row.Node,
			Message: row.Message, Count: int(row.Count),
			Oldest: row.Oldest.UTC(), Newest: row.Newest.UTC()})
	}
	return groups, err
}
