package graph

import (
	"context"

	"countersign/domain"
	"countersign/events"
	"countersign/graph/shape"
	"countersign/graph/transport"
)

// These functions are how resolvers read what can be confidential about a case: they return only
// what the viewer may see.

// findingsOf returns the findings of the case.
func findingsOf(ctx context.Context, c *shape.Case) ([]domain.Finding, error) {
	if !isStaff(c) {
		return []domain.Finding{}, nil
	}
	findings, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).findings())(c.ID)
	return c.CaseView.Findings(findings), err
}

// reviewsOf returns the reviews of the case.
func reviewsOf(ctx context.Context, c *shape.Case) ([]domain.Review, error) {
	if !isStaff(c) {
		return []domain.Review{}, nil
	}
	reviews, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).reviews())(c.ID)
	if err != nil {
		return nil, err
	}
	return loadersFrom(ctx).seenReviews(c, reviews)
}

// seenReviews returns the reviews without those that a redacted case does not show.
func (l *loaders) seenReviews(c *shape.Case, reviews []domain.Review) ([]domain.Review, error) {
	if !c.Redacted {
		return reviews, nil
	}
	viewer, err := l.caseViewer()
	if err != nil {
		return nil, err
	}
	return viewer.Reviews(c.CaseView, reviews), nil
}

// seenReviewsOf is seenReviews for several cases.
func (l *loaders) seenReviewsOf(cases []*shape.Case, reviews map[domain.ID][]domain.Review) (
	map[domain.ID][]domain.Review, error) {
	seen := make(map[domain.ID][]domain.Review, len(cases))
	for _, c := range cases {
		if c == nil {
			continue
		}
		var err error
		if seen[c.ID], err = l.seenReviews(c, reviews[c.ID]); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// visibleEventsOf returns the events of a redacted case.
func visibleEventsOf(ctx context.Context, c *shape.Case) ([]events.VisibleEvent, error) {
	return shareOfCase(loadersFrom(ctx).batchOf(c.ID).visibleEvents())(c.ID)
}

// readVisibleEvents reads the events of those of the cases that are redacted.
func (l *loaders) readVisibleEvents(ids []domain.ID) (map[domain.ID][]events.VisibleEvent, error) {
	cases, err := l.cases.LoadAll(l.ctx, ids)
	if err != nil {
		return nil, err
	}
	redacted := []domain.ID{}
	for _, c := range cases {
		if c != nil && c.Redacted {
			redacted = append(redacted, c.ID)
		}
	}
	return l.views.VisibleEvents(l.ctx, transport.Caller(l.ctx).UserID, redacted...)
}

// readableDecisions reads the decisions of the cases, of hidden votes only the caller's own.
func (l *loaders) readableDecisions(ctx context.Context, cases ...domain.ID) ([]domain.Decision, error) {
	return l.views.Reader().DecisionsFor(ctx, callerOf(l.ctx).UserID, cases...)
}
