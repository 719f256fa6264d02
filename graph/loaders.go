package graph

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vikstrous/dataloadgen"

	"countersign/domain"
	"countersign/events"
	"countersign/graph/direct"
	"countersign/graph/shape"
	"countersign/graph/transport"
	"countersign/views"
)

// batchWait is how long a loader waits for further keys.
const batchWait = time.Millisecond

// loaders read in batches for all objects of one response. They live for one operation, or one
// event of a subscription, so their data does not become stale. They read only rows of cases that
// the actor may read.
type loaders struct {
	ctx              context.Context
	views            *views.Views
	viewer           func() (domain.User, error)
	caseViewer       func() (*views.CaseViewer, error) // shows cases to the viewer
	people           *dataloadgen.Loader[domain.ID, *domain.User]
	cases            *dataloadgen.Loader[domain.ID, *shape.Case]
	passkeys         *dataloadgen.Loader[domain.ID, domain.Passkey] // of signatures
	openReviewCounts *dataloadgen.Loader[domain.ID, *int]           // undecided reviews assigned to a person
	now              func() (time.Time, error)                      // by the database's clock
	skills           *dataloadgen.Loader[domain.ID, []string]
	signIns          *dataloadgen.Loader[domain.ID, *signInOf]
	tokens           *dataloadgen.Loader[domain.ID, []domain.APIToken]
	rules            func() (map[string]*domain.QueueRule, error) // by name of the queue
	absences         func() ([]domain.Absence, error)             // of all users

	mu              sync.Mutex
	batches         map[domain.ID]*caseBatch
	accessQuestions map[domain.ID]func() (*views.AccessQuestion, error)
}

type loadersKey struct{}

// withLoaders gives every response its own loaders. They are made when the first is used, because
// most frames of a subscription use none.
func withLoaders(v *views.Views) graphql.ResponseMiddleware {
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		made := sync.OnceValue(func() *loaders { return newLoaders(ctx, v) })
		return next(context.WithValue(direct.WithPlans(ctx), loadersKey{}, made))
	}
}

// loadersFrom returns the loaders of the response, or nil outside of one.
func loadersFrom(ctx context.Context) *loaders {
	made, _ := ctx.Value(loadersKey{}).(func() *loaders)
	if made == nil {
		return nil
	}
	return made()
}

func newLoaders(ctx context.Context, v *views.Views) *loaders {
	l := &loaders{ctx: ctx, views: v, batches: map[domain.ID]*caseBatch{},
		accessQuestions: map[domain.ID]func() (*views.AccessQuestion, error){}}
	l.caseViewer = sync.OnceValues(func() (*views.CaseViewer, error) {
		return v.CaseViewer(ctx, transport.Caller(ctx))
	})
	l.viewer = func() (domain.User, error) {
		viewer, err := l.caseViewer()
		if err != nil {
			return domain.User{}, err
		}
		return viewer.User(), nil
	}
	l.people = newLoader(l.readPeople)
	l.cases = newLoader(l.readCases)
	l.passkeys = newLoader(l.readPasskeys)
	l.openReviewCounts = newLoader(l.readOpenReviewCounts)
	l.skills = newLoader(l.readSkills)
	l.tokens = newLoader(l.readTokens)
	l.signIns = newLoader(l.readSignIns)
	l.rules = sync.OnceValues(l.readRules)
	l.absences = sync.OnceValues(func() ([]domain.Absence, error) {
		return v.Reader().Absences(ctx, nil)
	})
	l.now = sync.OnceValues(func() (time.Time, error) { return v.Reader().Clock(ctx) })
	return l
}

// forget drops what was read of a case before a command changed it, so that later commands of one
// request see the change.
func (l *loaders) forget(id domain.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cases.Clear(id)
	clear(l.batches)
	clear(l.accessQuestions)
}

// accessQuestion reads the facts for access questions about a review or a case once, for any number
// of questions.
func (l *loaders) accessQuestion(id domain.ID,
	read func(context.Context, domain.Actor, domain.ID) (*views.AccessQuestion, error)) (
	*views.AccessQuestion, error) {
	l.mu.Lock()
	once := l.accessQuestions[id]
	if once == nil {
		once = sync.OnceValues(func() (*views.AccessQuestion, error) {
			return read(l.ctx, transport.Caller(l.ctx), id)
		})
		l.accessQuestions[id] = once
	}
	l.mu.Unlock()
	return once()
}

// newLoader returns a loader that yields the zero value for missing keys.
func newLoader[K comparable, V any](read func(context.Context, []K) (map[K]V,
	error)) *dataloadgen.Loader[K, V] {
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
	}, dataloadgen.WithWait(batchWait))
}

func (l *loaders) readPeople(ctx context.Context, ids []domain.ID) (
	map[domain.ID]*domain.User, error) {
	users, err := l.views.Reader().Users(ctx, ids)
	byID := make(map[domain.ID]*domain.User, len(ids))
	for _, user := range users {
		byID[user.ID] = &domain.User{ID: user.ID, Name: user.Name} // other users see only the name
	}
	return byID, err
}

func (l *loaders) readCases(ctx context.Context, ids []domain.ID) (
	map[domain.ID]*shape.Case, error) {
	viewer, err := l.caseViewer()
	if err != nil {
		return nil, err
	}
	cases, err := l.views.Reader().Cases(ctx, ids)
	byID := make(map[domain.ID]*shape.Case, len(ids))
	for _, c := range cases {
		seen, err := viewer.Case(ctx, c)
		if err != nil {
			return nil, err
		}
		byID[c.ID] = &shape.Case{CaseView: seen}
	}
	return byID, err
}

// readPasskeys reads passkeys, removed ones included, whose signatures the viewer may see.
func (l *loaders) readPasskeys(ctx context.Context, ids []domain.ID) (
	map[domain.ID]domain.Passkey, error) {
	passkeys, err := l.views.Reader().Passkeys(ctx, ids)
	byID := make(map[domain.ID]domain.Passkey, len(ids))
	for _, passkey := range passkeys {
		byID[passkey.ID] = passkey
	}
	return byID, err
}

// readOpenReviewCounts reads the number of undecided reviews of people, for managers and people
// administrators.
func (l *loaders) readOpenReviewCounts(ctx context.Context, ids []domain.ID) (
	map[domain.ID]*int, error) {
	viewer, err := l.viewer()
	if err != nil || !viewer.HasRole(domain.RoleManager) && !viewer.HasRole(domain.RoleAdmin) &&
		!viewer.HasRole(domain.RoleAuditor) {
		return nil, err
	}
	shown, err := l.caseViewer()
	if err != nil {
		return nil, err
	}
	counts, err := shown.OpenReviewCounts(ctx, ids)
	loads := make(map[domain.ID]*int, len(ids))
	for _, id := range ids {
		n := counts[id]
		loads[id] = &n
	}
	return loads, err
}

// caseBatch holds the cases of one list. The first access to a kind of data reads it for all cases,
// so that a list takes the same number of statements whatever its length and the order of its
// resolvers.
type caseBatch struct {
	documents func() (map[domain.ID][]domain.Document, error)
	fields    func() (map[domain.ID][]domain.Field, error)
	findings  func() (map[domain.ID][]domain.Finding, error)
	reviews   func() (map[domain.ID][]domain.Review, error)
	decisions func() (map[domain.ID][]domain.Decision, error)
	votes     func() (map[domain.ID][]domain.Vote, error) // those that count
	runs      func() (map[domain.ID][]domain.StageRun, error)
	overrides func() (map[domain.ID][]domain.FindingOverride, error)
	// sets of assertions as stored; historyOf returns what they amount to
	assertions func() (map[domain.ID][]domain.AssertionSet, error)
	orders     func() (map[domain.ID][]domain.Order, error)
	grounds    func() (map[domain.ID][]domain.OrderGround, error)
	// the case whose file was split, of parts, and the parts of split files
	parents func() (map[domain.ID]*views.ParentCase, error)
	parts   func() (map[domain.ID][]views.FilePart, error)
	// events of redacted cases as the viewer may see them
	visibleEvents func() (map[domain.ID][]events.VisibleEvent, error)
	next          func() (map[domain.ID]views.NextStep, error)
	// users who can perform the next step
	eligible func() (map[domain.ID][]domain.User, error)
	// recovery actions that the viewer may take
	incidentActions func() (map[domain.ID][]domain.Action, error)

	mu     sync.Mutex
	events map[newestEvents]func() (map[domain.ID][]domain.Event, error) // by number and viewer
	newest func(newestEvents) func() (map[domain.ID][]domain.Event, error)
}

func (l *loaders) newCaseBatch(ids []domain.ID) *caseBatch {
	reader := l.views.Reader()
	f := &caseBatch{events: map[newestEvents]func() (map[domain.ID][]domain.Event, error){}}
	f.documents = perCase(l.ctx, ids, reader.Documents,
		func(d domain.Document) (domain.ID, domain.Document) { return d.CaseID, d })
	f.decisions = perCase(l.ctx, ids, l.readableDecisions,
		func(d domain.Decision) (domain.ID, domain.Decision) { return d.CaseID, d })
	f.votes = perCase(l.ctx, ids, reader.VotesOfCases, func(v domain.Vote) (domain.ID, domain.Vote) { return v.CaseID, v })
	f.runs = perCase(l.ctx, ids, reader.RunsOf,
		func(r domain.StageRun) (domain.ID, domain.StageRun) { return r.CaseID, r })
	f.assertions = perCase(l.ctx, ids, reader.Assertions,
		func(s domain.AssertionSet) (domain.ID, domain.AssertionSet) { return s.CaseID, s })
	f.overrides = perCase(l.ctx, ids, reader.Overrides,
		func(o domain.FindingOverride) (domain.ID, domain.FindingOverride) { return o.CaseID, o })
	f.orders = perCase(l.ctx, ids, reader.Orders,
		func(o domain.Order) (domain.ID, domain.Order) { return o.CaseID, o })
	f.grounds = perCase(l.ctx, ids, reader.OrderGrounds,
		func(g domain.OrderGround) (domain.ID, domain.OrderGround) { return g.CaseID, g })
	f.fields = sync.OnceValues(func() (map[domain.ID][]domain.Field, error) {
		rows, err := reader.Fields(l.ctx, ids...)
		grouped := newGrouped[domain.Field](len(ids), len(rows))
		for i := range rows {
			grouped.add(rows[i].CaseID, rows[i].Field)
		}
		return grouped.byCase, err
	})
	f.findings = sync.OnceValues(func() (map[domain.ID][]domain.Finding, error) {
		rows, err := reader.Findings(l.ctx, ids...)
		byCase := make(map[domain.ID][]domain.Finding, len(ids))
		for _, row := range rows {
			byCase[row.CaseID] = append(byCase[row.CaseID], row.Finding)
		}
		return byCase, err
	})
	f.reviews = sync.OnceValues(func() (map[domain.ID][]domain.Review, error) {
		rows, err := reader.ReviewsWithAssignees(l.ctx, ids...)
		byCase := make(map[domain.ID][]domain.Review, len(ids))
		for _, row := range rows {
			byCase[row.CaseID] = append(byCase[row.CaseID], row.Review)
			l.people.Prime(row.Assignee, &domain.User{ID: row.Assignee, Name: row.AssigneeName})
		}
		return byCase, err
	})
	f.parents = sync.OnceValues(func() (map[domain.ID]*views.ParentCase, error) {
		return l.views.Parents(l.ctx, ids)
	})
	f.parts = sync.OnceValues(func() (map[domain.ID][]views.FilePart, error) {
		return l.views.Parts(l.ctx, ids)
	})
	l.addNextSteps(f, ids)
	f.visibleEvents = sync.OnceValues(func() (map[domain.ID][]events.VisibleEvent, error) {
		return l.readVisibleEvents(ids)
	})
	f.newest = func(wanted newestEvents) func() (map[domain.ID][]domain.Event, error) {
		return sync.OnceValues(func() (map[domain.ID][]domain.Event, error) {
			return l.readNewest(wanted, ids)
		})
	}
	return f
}

// readNewest reads the newest events of each case that the viewer may see.
func (l *loaders) readNewest(
	wanted newestEvents, ids []domain.ID,
) (map[domain.ID][]domain.Event, error) {
	var rows []domain.Event
	var err error
	if wanted.audience == domain.AudienceStaff {
		rows, err = l.views.Reader().LastEvents(l.ctx, wanted.last, ids...)
	} else {
		rows, err = l.views.Reader().LastEventsOfTypes(l.ctx, wanted.last, events.PublicTypes(),
			ids...)
	}
	byCase := make(map[domain.ID][]domain.Event, len(ids))
	for _, row := range rows {
		byCase[row.Stream] = append(byCase[row.Stream], row)
	}
	return byCase, err
}

// newestEvents identifies a request for the newest events of each case: their number and the
// viewer, because invisible events do not count.
type newestEvents struct {
	last     int
	audience domain.Audience
}

// lastEvents reads the newest events of the batch's cases.
func (f *caseBatch) lastEvents(wanted newestEvents) (map[domain.ID][]domain.Event, error) {
	f.mu.Lock()
	read := f.events[wanted]
	if read == nil {
		read = f.newest(wanted)
		f.events[wanted] = read
	}
	f.mu.Unlock()
	return read()
}

// perCase reads the rows of all cases once and groups them by case.
func perCase[R, V any](ctx context.Context, ids []domain.ID,
	read func(context.Context, ...domain.ID) ([]R, error),
	split func(R) (domain.ID, V),
) func() (map[domain.ID][]V, error) {
	return sync.OnceValues(func() (map[domain.ID][]V, error) {
		rows, err := read(ctx, ids...)
		byCase := make(map[domain.ID][]V, len(ids))
		for _, row := range rows {
			id, value := split(row)
			byCase[id] = append(byCase[id], value)
		}
		return byCase, err
	})
}

// shareOfCase returns a function that selects one case's rows of a batch; a list is never null.
func shareOfCase[V any](all map[domain.ID][]V, err error) func(domain.ID) ([]V, error) {
	return func(id domain.ID) ([]V, error) {
		if err != nil {
			return nil, err
		}
		if share := all[id]; share != nil {
			return share, nil
		}
		return []V{}, nil
	}
}

// loadPerson reads the name of a user; null for NoID.
func loadPerson(ctx context.Context, id domain.ID) (*domain.User, error) {
	if id == domain.NoID {
		return nil, nil
	}
	return loadersFrom(ctx).people.Load(ctx, id)
}

// visibleEvents returns the events as the audience may see them.
func visibleEvents(all []domain.Event, c *shape.Case, viewer domain.ID) []shape.CaseEvent {
	seen := make([]shape.CaseEvent, 0, len(all))
	for i := range all {
		if one, visible := events.View(&all[i], c.Audience, viewer); visible {
			seen = append(seen, shape.CaseEvent{VisibleEvent: one, CaseID: c.ID})
		}
	}
	return seen
}
