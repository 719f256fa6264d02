package graph

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vikstrous/dataloadgen"

	"countersign/domain"
	"countersign/events"
	"countersign/graph/shape"
	"countersign/graph/transport"
	"countersign/views"
)

// gather is how long a loader waits for more keys; resolvers of one list ask within microseconds of each other.
const gather = time.Millisecond

// loaders read for all objects of one answer at once. They live for one operation, or one event of a subscription, so
// nothing they hold grows old. What they read belongs to cases whose reading was allowed before.
type loaders struct {
	views  *views.Views
	viewer func() (domain.User, error)

	documents *dataloadgen.Loader[domain.ID, []domain.Document]
	fields    *dataloadgen.Loader[domain.ID, []domain.Field]
	findings  *dataloadgen.Loader[domain.ID, []domain.Finding]
	reviews   *dataloadgen.Loader[domain.ID, []domain.Review]
	decisions *dataloadgen.Loader[domain.ID, []domain.Decision]
	runs      *dataloadgen.Loader[domain.ID, []domain.StageRun]
	people    *dataloadgen.Loader[domain.ID, *domain.User]
	cases     *dataloadgen.Loader[domain.ID, *shape.Case]
	events    *dataloadgen.Loader[eventsKey, []domain.Event]
}

// eventsKey asks for the newest events of a case.
type eventsKey struct {
	caseID domain.ID
	last   int
}

type loadersKey struct{}

// withLoaders gives every answer loaders of its own.
func withLoaders(v *views.Views) graphql.ResponseMiddleware {
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(context.WithValue(ctx, loadersKey{}, newLoaders(ctx, v)))
	}
}

func load(ctx context.Context) *loaders {
	found, _ := ctx.Value(loadersKey{}).(*loaders)
	return found
}

func newLoaders(ctx context.Context, v *views.Views) *loaders {
	reader := v.Reader()
	l := &loaders{views: v}
	l.viewer = sync.OnceValues(func() (domain.User, error) { return v.Viewer(ctx, transport.Caller(ctx)) })
	l.documents = perCase(reader.Documents, func(d domain.Document) (domain.ID, domain.Document) { return d.CaseID, d })
	l.reviews = perCase(reader.ReviewsOf, func(r domain.Review) (domain.ID, domain.Review) { return r.CaseID, r })
	l.decisions = perCase(reader.Decisions, func(d domain.Decision) (domain.ID, domain.Decision) { return d.CaseID, d })
	l.runs = perCase(reader.RunsOf, func(r domain.StageRun) (domain.ID, domain.StageRun) { return r.CaseID, r })
	l.fields = newLoader(func(ctx context.Context, ids []domain.ID) (map[domain.ID][]domain.Field, error) {
		rows, err := reader.Fields(ctx, ids...)
		byCase := make(map[domain.ID][]domain.Field, len(ids))
		for _, row := range rows {
			byCase[row.CaseID] = append(byCase[row.CaseID], row.Field)
		}
		return byCase, err
	})
	l.findings = newLoader(func(ctx context.Context, ids []domain.ID) (map[domain.ID][]domain.Finding, error) {
		rows, err := reader.Findings(ctx, ids...)
		byCase := make(map[domain.ID][]domain.Finding, len(ids))
		for _, row := range rows {
			byCase[row.CaseID] = append(byCase[row.CaseID], row.Finding)
		}
		return byCase, err
	})
	l.people = newLoader(func(ctx context.Context, ids []domain.ID) (map[domain.ID]*domain.User, error) {
		users, err := reader.Users(ctx, ids)
		byID := make(map[domain.ID]*domain.User, len(ids))
		for _, user := range users {
			byID[user.ID] = &domain.User{ID: user.ID, Name: user.Name} // a name is all that work shows of a person
		}
		return byID, err
	})
	l.cases = newLoader(l.readCases)
	l.events = newLoader(l.readEvents)
	return l
}

// newLoader makes a loader whose missing keys are zero values.
func newLoader[K comparable, V any](read func(context.Context, []K) (map[K]V, error)) *dataloadgen.Loader[K, V] {
	return dataloadgen.NewLoader(func(ctx context.Context, keys []K) ([]V, []error) {
		found, err := read(ctx, keys)
		if err != nil {
			return nil, []error{err}
		}
		values := make([]V, len(keys))
		for i, key := range keys {
			values[i] = found[key]
		}
		return values, nil
	}, dataloadgen.WithWait(gather))
}

func perCase[R, V any](read func(context.Context, ...domain.ID) ([]R, error), split func(R) (domain.ID, V)) *dataloadgen.Loader[domain.ID, []V] {
	return newLoader(func(ctx context.Context, ids []domain.ID) (map[domain.ID][]V, error) {
		rows, err := read(ctx, ids...)
		byCase := make(map[domain.ID][]V, len(ids))
		for _, row := range rows {
			id, value := split(row)
			byCase[id] = append(byCase[id], value)
		}
		return byCase, err
	})
}

func (l *loaders) readCases(ctx context.Context, ids []domain.ID) (map[domain.ID]*shape.Case, error) {
	viewer, err := l.viewer()
	if err != nil {
		return nil, err
	}
	cases, err := l.views.Reader().Cases(ctx, ids)
	byID := make(map[domain.ID]*shape.Case, len(ids))
	for _, c := range cases {
		byID[c.ID] = &shape.Case{Case: c, Audience: views.AudienceOn(viewer, c)}
	}
	return byID, err
}

// readEvents reads the most that any of the keys asks for and gives each key its share.
func (l *loaders) readEvents(ctx context.Context, keys []eventsKey) (map[eventsKey][]domain.Event, error) {
	most, ids := 0, make([]domain.ID, 0, len(keys))
	for _, key := range keys {
		most, ids = max(most, key.last), append(ids, key.caseID)
	}
	rows, err := l.views.Reader().LastEvents(ctx, most, ids...)
	byCase := make(map[domain.ID][]domain.Event, len(ids))
	for _, row := range rows {
		byCase[row.Stream] = append(byCase[row.Stream], row)
	}
	byKey := make(map[eventsKey][]domain.Event, len(keys))
	for _, key := range keys {
		all := byCase[key.caseID]
		byKey[key] = all[max(0, len(all)-key.last):]
	}
	return byKey, err
}

// person reads the name of someone; null for nobody.
func person(ctx context.Context, id domain.ID) (*domain.User, error) {
	if id == domain.NoID {
		return nil, nil
	}
	return load(ctx).people.Load(ctx, id)
}

// seenEvents shows events as the audience may see them.
func seenEvents(all []domain.Event, c *shape.Case, viewer domain.ID) []shape.CaseEvent {
	seen := make([]shape.CaseEvent, 0, len(all))
	for i := range all {
		if one, visible := events.View(&all[i], c.Audience, viewer); visible {
			seen = append(seen, shape.CaseEvent{Seen: one, CaseID: c.ID})
		}
	}
	return seen
}
