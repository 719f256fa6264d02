package graph

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r queryResolver) Node(ctx context.Context, id string) (shape.Node, error) {
	kind, key, err := scalar.ParseID(id)
	if err != nil {
		return nil, err
	}
	// A missing object must be an untyped nil.
	switch kind {
	case scalar.KindCase:
		if c, err := r.caseByID(ctx, key); c != nil || err != nil {
			return c, err
		}
	case scalar.KindReview:
		if review, err := r.reviewByID(ctx, key); review != nil || err != nil {
			return review, err
		}
	case scalar.KindProposal:
		if proposal, err := r.proposalByID(ctx, key); proposal != nil || err != nil {
			return proposal, err
		}
	case scalar.KindPerson:
		if sees, err := r.views.MaySeePerson(ctx, callerOf(ctx), key); !sees || err != nil {
			return nil, err
		}
		if someone, err := loadPerson(ctx, key); someone != nil || err != nil {
			return someone, err
		}
	}
	return nil, nil
}

func (r queryResolver) Viewer(ctx context.Context) (*shape.Viewer, error) {
	if callerOf(ctx).UserID == domain.NoID {
		return nil, nil
	}
	user, err := loadersFrom(ctx).viewer()
	if err != nil {
		return nil, err
	}
	return &shape.Viewer{Person: user}, nil
}

func (r queryResolver) Case(ctx context.Context, id, reference *string) (*shape.Case, error) {
	c, err := r.namedCase(ctx, id, reference)
	if c != nil {
		r.service.RecordRead(callerOf(ctx), c.ID, "case")
	}
	return c, err
}

func (r queryResolver) namedCase(ctx context.Context, id, reference *string) (*shape.Case, error) {
	if (id == nil) == (reference == nil) {
		return nil, domain.Invalid("id", "Name the case either by its id or by its reference.")
	}
	if reference != nil {
		seen, err := r.views.CaseByReference(ctx, callerOf(ctx), *reference)
		return nullIfNotFound(&shape.Case{CaseView: seen}, err)
	}
	key, err := scalar.IDOf(scalar.KindCase, "id", *id)
	if err != nil {
		return nil, err
	}
	return r.caseByID(ctx, key)
}

// checkPageSize returns an error if the page size is out of range.
func checkPageSize(first int) error {
	if first < 1 || first > views.MaxPage {
		return domain.Invalid("first", "Request between 1 and %d entries.", views.MaxPage)
	}
	return nil
}

// selects reports whether the document selects the member of the object that the current field returns.
func selects(ctx context.Context, object, member string) bool {
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{object}),
		func(field graphql.CollectedField) bool { return field.Name == member })
}

// makeCursor returns a keyset cursor over ids; kind prevents the use of a cursor of another list.
func makeCursor(kind string, id domain.ID) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + id.String()))
}

func parseCursor(kind, cursor string) (domain.ID, error) {
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	if tail, found := strings.CutPrefix(string(plain), kind+":"); err == nil && found {
		if id, err := domain.ParseID(tail); err == nil {
			return id, nil
		}
	}
	return domain.NoID, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
}

func (r queryResolver) Review(ctx context.Context, id string) (*domain.Review, error) {
	key, err := scalar.IDOf(scalar.KindReview, "id", id)
	if err != nil {
		return nil, err
	}
	review, err := r.reviewByID(ctx, key)
	if review != nil {
		r.service.RecordRead(callerOf(ctx), review.CaseID, "review")
	}
	return review, err
}

func queueQuery(first int, filter *donotuse.ReviewFilter, sort views.ReviewSort) (views.QueueQuery, error) {
	query := views.QueueQuery{First: first, Sort: sort}
	if filter == nil {
		return query, nil
	}
	set := func(flag *bool) bool { return flag != nil && *flag }
	query.Mine, query.Available, query.All, query.Queue = set(filter.Mine), set(filter.Available),
		set(filter.All), valueOrEmpty(filter.Queue)
	query.Text = valueOrEmpty(filter.Text)
	query.ExpiredClaims = set(filter.ExpiredClaims) || set(filter.Lapsed)
	if filter.Due != nil {
		query.Due = *filter.Due
	}
	var err error
	if filter.Assignee != nil {
		query.Assignee, err = scalar.IDOf(scalar.KindPerson, "filter.assignee", *filter.Assignee)
	}
	if filter.Cases != nil {
		query.Cases = []domain.ID{}
	}
	for _, text := range filter.Cases {
		if err != nil {
			break
		}
		var id domain.ID
		id, err = scalar.IDOf(scalar.KindCase, "filter.cases", text)
		query.Cases = append(query.Cases, id)
	}
	return query, err
}

func (r queryResolver) Reviews(ctx context.Context, first int, after *string,
	filter *donotuse.ReviewFilter, sort views.ReviewSort) (*donotuse.ReviewConnection, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	query, err := queueQuery(first, filter, sort)
	if err != nil {
		return nil, err
	}
	if after != nil {
		at, err := parseQueueCursor(*after)
		if err != nil {
			return nil, err
		}
		query.After = &at
	}
	page, err := r.views.Queue(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.ReviewConnection{Edges: []donotuse.ReviewEdge{}, Nodes: page.Reviews,
		TotalCount: int(page.Total),
		PageInfo:   donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	ids := make([]domain.ID, 0, len(page.Reviews))
	for i := range page.Reviews {
		review := &page.Reviews[i]
		ids = append(ids, review.CaseID)
		connection.Edges = append(connection.Edges,
			donotuse.ReviewEdge{Cursor: queueCursor(review), Node: *review})
	}
	loadersFrom(ctx).group(ids)
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func queueCursor(review *domain.Review) string {
	return makeCursor("q"+review.DecideBy.UTC().Format(time.RFC3339Nano), review.ID)
}

func parseQueueCursor(cursor string) (views.QueueCursor, error) {
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	if cut := strings.LastIndexByte(string(plain), ':'); err == nil && cut > 1 && plain[0] == 'q' {
		at, timeErr := time.Parse(time.RFC3339Nano, string(plain[1:cut]))
		id, idErr := domain.ParseID(string(plain[cut+1:]))
		if timeErr == nil && idErr == nil {
			return views.QueueCursor{DecideBy: at, ID: id}, nil
		}
	}
	return views.QueueCursor{}, domain.Invalid("after", "%.60q is not a valid cursor of this list.",
		cursor)
}

// namesOf keeps the ids and names of the users, which all colleagues may see.
func namesOf(users []domain.User) []domain.User {
	names := make([]domain.User, 0, len(users))
	for _, user := range users {
		names = append(names, domain.User{ID: user.ID, Name: user.Name, Roles: user.Roles,
			Queues: user.Queues})
	}
	return names
}

func (r queryResolver) VerifyAudit(ctx context.Context, caseID *string) (
	*donotuse.AuditVerification, error) {
	id := domain.NoID
	if caseID != nil {
		var err error
		if id, err = scalar.IDOf(scalar.KindCase, "caseId", *caseID); err != nil {
			return nil, err
		}
	}
	verdict, err := r.views.VerifyAudit(ctx, callerOf(ctx), id)
	if err != nil {
		return nil, err
	}
	r.service.RecordRead(callerOf(ctx), id, "chain")
	shown := &donotuse.AuditVerification{Ok: len(verdict.Problems) == 0, Streams: verdict.Streams,
		Cases: int(verdict.Cases), Events: verdict.Events, Erased: verdict.Erased,
		UnrecordedDocuments: verdict.Unrecorded,
		Problems:            []donotuse.AuditProblem{}, Log: auditLogVerification(verdict.Log)}
	for _, problem := range verdict.Problems {
		shown.Problems = append(shown.Problems,
			donotuse.AuditProblem{Reference: problem.Reference, Seq: problem.Seq,
				Problem: problem.Message})
	}
	return shown, nil
}

func auditLogVerification(log *views.LogResult) *donotuse.AuditLogVerification {
	if log == nil {
		return nil
	}
	away := log.Away
	if away == nil {
		away = []string{}
	}
	return &donotuse.AuditLogVerification{Verified: log.Verified, Checkpoints: log.Checkpoints,
		NewestAt: timeOrNil(log.Newest.At), ExternalAt: timeOrNil(log.External.At),
		OpenEvents: log.OpenEvents, OpenAccesses: log.OpenAccesses, Away: away}
}

// AuditLog reads how the audit log is protected.
func (r queryResolver) AuditLog(ctx context.Context) (*donotuse.AuditLogStatus, error) {
	status, err := r.views.LogStatus(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	shown := &donotuse.AuditLogStatus{Size: status.Size, SignedAt: timeOrNil(status.SignedAt),
		Copies: []donotuse.AuditLogCopy{}}
	if status.Origin != "" {
		shown.Origin = &status.Origin
	}
	for _, kept := range status.Copies {
		shown.Copies = append(shown.Copies, donotuse.AuditLogCopy{
			Place: donotuse.AuditLogPlace(strings.ToUpper(kept.Place)), Size: kept.Size,
			SignedAt: kept.SignedAt.UTC(), At: kept.At.UTC()})
	}
	return shown, nil
}

func (r queryResolver) People(ctx context.Context, search *string, role *domain.Role) (
	[]domain.User, error) {
	wanted := domain.Role("")
	if role != nil {
		wanted = *role
	}
	return r.views.People(ctx, callerOf(ctx), valueOrEmpty(search), wanted)
}

func (r queryResolver) EligibleReviewers(ctx context.Context, reviewID string) (
	[]domain.User, error) {
	id, err := scalar.IDOf(scalar.KindReview, "reviewId", reviewID)
	if err != nil {
		return nil, err
	}
	people, err := r.views.Eligible(ctx, callerOf(ctx), id)
	return namesOf(people), err
}

func titleOf(titles map[string]string, otherwise string) string {
	if title := titles["en"]; title != "" {
		return title
	}
	return otherwise
}
