package views

import (
	"context"
	"reflect"
	"slices"

	"countersign/domain"
	"countersign/export"
)

// ExportQuery selects what an export contains.
type ExportQuery struct {
	Kind       export.Kind
	Cases      CaseQuery  // of cases and, without Case, of the cases whose audit trails are exported
	Reviews    QueueQuery // of reviews
	Case       domain.ID  // the case whose audit trail is exported; NoID means every case of Cases
	Connector  string     // the name of the connector whose deliveries are exported
	Deliveries DeliveryQuery
	Search     AuditSearch // of entries of the audit log
	Statistics StatisticsQuery
	Replay     ReplayQuery
}

// Export reads a list page by page. It has the rights and rules of the list, which apply to each page
// again. Rows that change meanwhile can be missing or occur twice, as on the pages of the list.
type Export struct {
	views *Views
	query ExportQuery
	begun bool
	first exportRights
	trail trailExport
}

// ExportPage is a part of an export. Trails are the cases whose audit trails begin on it.
type ExportPage struct {
	Records []export.Record
	Trails  []domain.ID
	HasMore bool
}

// exportTrailPage limits the entries of an audit trail that are read together, because their bodies
// can be long.
const exportTrailPage = 200

// Export begins an export.
func (v *Views) Export(query ExportQuery) *Export {
	query.Cases.Limit, query.Reviews.First, query.Deliveries.Limit = MaxPage, MaxPage, MaxPage
	query.Search.Limit = MaxPage
	return &Export{views: v, query: query}
}

// exportRights are the rights on which the rows of an export depend.
type exportRights struct {
	user               domain.ID
	roles              []domain.Role
	queues             []string
	clearance          bool
	cases, reviews     domain.Filter
	mayRead, mayReview bool
}

// Next reads the next page. It returns StaleVersion if the rights of the actor are no longer those of
// the first page, because the export would then be incomplete without saying so.
func (e *Export) Next(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	if err := e.checkRights(ctx, actor); err != nil {
		return ExportPage{}, err
	}
	var page ExportPage
	var err error
	switch e.query.Kind {
	case export.Cases:
		page, err = e.casePage(ctx, actor)
	case export.Reviews:
		page, err = e.reviewPage(ctx, actor)
	case export.Audit:
		page, err = e.trailPage(ctx, actor)
	case export.AuditSearch:
		page, err = e.searchPage(ctx, actor)
	case export.Deliveries:
		page, err = e.deliveryPage(ctx, actor)
	case export.Statistics:
		page, err = e.figurePage(ctx, actor)
	case export.StatisticsParts:
		page, err = e.figurePartPage(ctx, actor)
	case export.Replays:
		page, err = e.replayPage(ctx, actor)
	default:
		err = domain.Invalid("kind", "%.40q is not a kind of export.", e.query.Kind)
	}
	return page, err
}

func (e *Export) checkRights(ctx context.Context, actor domain.Actor) error {
	scopes := []domain.Action{domain.ActRead}
	if e.query.Kind.OfAudit() {
		scopes = []domain.Action{domain.ActReadAudit}
	}
	viewer, err := e.views.loadViewer(ctx, actor, scopes...)
	if err != nil {
		return err
	}
	now := rightsOf(viewer, e.views.caseViewer(viewer))
	if !e.begun {
		e.begun, e.first = true, now
		return nil
	}
	if !reflect.DeepEqual(e.first, now) {
		return domain.Errorf(domain.StaleVersion, "Your access rights changed during the export.").
			WithRemedy("Start the export again.")
	}
	return nil
}

func rightsOf(viewer viewer, shown *CaseViewer) exportRights {
	now := exportRights{user: viewer.user.ID, roles: slices.Sorted(slices.Values(viewer.user.Roles)),
		queues: slices.Sorted(slices.Values(shown.queues)), clearance: shown.clearance}
	var err error
	now.cases, err = viewer.readFilter()
	now.mayRead = err == nil
	now.reviews, err = viewer.queueFilter()
	now.mayReview = err == nil
	return now
}

func (e *Export) casePage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	list, err := e.views.Cases(ctx, actor, e.query.Cases)
	if err != nil {
		return ExportPage{}, err
	}
	page := ExportPage{HasMore: list.HasMore}
	if last := list.Cursor(); last != nil {
		e.query.Cases.After = last
	}
	shown, err := e.views.CaseViewer(ctx, actor)
	if err != nil {
		return page, err
	}
	page.Records, err = e.views.caseRecords(ctx, shown, list.Cases)
	return page, err
}

func (e *Export) reviewPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	list, err := e.views.Queue(ctx, actor, e.query.Reviews)
	if err != nil {
		return ExportPage{}, err
	}
	page := ExportPage{HasMore: list.HasMore}
	if n := len(list.Reviews); n > 0 {
		last := list.Reviews[n-1]
		e.query.Reviews.After = &QueueCursor{DecideBy: last.DecideBy, ID: last.ID}
	}
	shown, err := e.views.CaseViewer(ctx, actor)
	if err != nil {
		return page, err
	}
	page.Records, err = e.views.reviewRecords(ctx, shown, list.Reviews)
	return page, err
}
