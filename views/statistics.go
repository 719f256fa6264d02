package views

import (
	"context"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/store"
)

// StatisticsScope is whose figures a viewer sees.
type StatisticsScope string

// The scopes.
const (
	ScopeOwn    StatisticsScope = "own"    // decisions of the viewer
	ScopeQueues StatisticsScope = "queues" // reviews in the viewer's queues, and all cases
	ScopeAll    StatisticsScope = "all"
)

// StatisticsQuery selects figures. Empty values of Queue, Process, DocumentTypes and Person do not filter.
type StatisticsQuery struct {
	Days           domain.Days
	By             domain.StatisticsGroup
	Queue, Process string
	DocumentTypes  []string
	Person         domain.ID
}

// Statistics are figures of one period, as one viewer may see them.
type Statistics struct {
	Scope StatisticsScope
	// Queues are those whose reviews count, of the scope ScopeQueues.
	Queues []string
	// ExcludedProcesses do not count, because the viewer may not learn which reviews their cases need.
	ExcludedProcesses []string
	Total             StatisticsRow
	Rows              []StatisticsRow

	views  *Views
	viewer viewer
	query  store.StatisticsQuery
}

// StatisticsRow are the figures of one group.
type StatisticsRow struct {
	// Key is a day like 2026-11-28, the name of a queue or process, or empty for a person and the total.
	Key      string
	PersonID domain.ID
	// Cases is nil for viewers and groups without figures of cases.
	Cases   *CaseStatistics
	Reviews ReviewStatistics
}

// CaseStatistics are figures of cases.
type CaseStatistics struct {
	store.CaseCounts
	Submitted int64
	// DrawnKnown says that the viewer may see how many cases were drawn for the quality sample.
	DrawnKnown bool
}

// ReviewStatistics are figures of reviews. Opened is negative where it is unknown.
type ReviewStatistics struct {
	store.ReviewCounts
	Opened, Late int64
}

// Statistics computes figures of a period: of their own decisions for everybody, of the reviews in
// their queues for those who may reassign reviews, and of all for auditors and administrators. The
// policy's filters of the lists apply as well.
func (v *Views) Statistics(ctx context.Context, actor domain.Actor, query StatisticsQuery) (
	*Statistics, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	stats := &Statistics{views: v, viewer: viewer, Scope: statisticsScope(viewer)}
	stats.query = store.StatisticsQuery{Days: query.Days, By: query.By, Queue: query.Queue,
		Process: query.Process, DocumentTypes: query.DocumentTypes, Person: query.Person, Viewer: viewer.user.ID}
	if err := stats.limitToScope(ctx); err != nil {
		return nil, err
	}
	return stats, stats.readRows(ctx)
}

func statisticsScope(viewer viewer) StatisticsScope {
	for _, action := range []domain.Action{domain.ActVerify, domain.ActManagePeople} {
		if _, err := viewer.policy.AuthorizeGlobal(viewer.user, action); err == nil {
			return ScopeAll
		}
	}
	if _, err := listFilter(viewer, true); err == nil {
		return ScopeQueues
	}
	return ScopeOwn
}

// limitToScope sets what the viewer may see. Who does not see confidential reviews sees no figures of
// processes that have some, except of their own decisions: a missing review would tell where the case
// is.
func (s *Statistics) limitToScope(ctx context.Context) error {
	own := domain.All(domain.Where(domain.ColAssignee, "==", s.viewer.user.ID),
		domain.Where(domain.ColStatus, "==", string(domain.ReviewDecided)))
	if s.Scope == ScopeOwn {
		s.query.Reviews, s.query.Cases = own, domain.Constant(false)
		return nil
	}
	var err error
	if s.query.Reviews, err = s.viewer.policy.ReviewReadFilter(s.viewer.user); err != nil {
		return err
	}
	if s.query.Cases, err = s.viewer.policy.ReadFilter(s.viewer.user); err != nil {
		return err
	}
	if s.Scope == ScopeQueues {
		s.Queues = slices.Sorted(slices.Values(s.viewer.user.Queues))
		s.query.Reviews = domain.All(s.query.Reviews, domain.Filter{Compare: &domain.Comparison{
			Column: domain.ColQueue, Op: "in", Values: s.Queues}})
	}
	if !s.viewer.user.HasRole(domain.RoleManager) && !s.viewer.user.HasRole(domain.RoleAuditor) {
		// As on the pages of cases: the submitter learns nothing about the review of their document.
		notOwn := domain.Where(domain.ColSubmitter, "!=", s.viewer.user.ID)
		s.query.Reviews = domain.All(s.query.Reviews, notOwn)
		s.query.Cases = domain.All(s.query.Cases, notOwn)
	}
	_, err = s.viewer.policy.AuthorizeGlobal(s.viewer.user, domain.ActReadAudit)
	s.query.Drawn = err == nil
	s.ExcludedProcesses, err = s.views.confidentialProcesses(ctx, s.seesConfidential())
	s.query.ExcludedProcesses = s.ExcludedProcesses
	return err
}

func (s *Statistics) seesConfidential() bool { return s.viewer.user.SeesConfidential() }

// groups are the figures of the rows, by key; the total has the key "".
type groups struct {
	reviews                 map[string]store.ReviewCounts
	cases                   map[string]store.CaseCounts
	late, opened, submitted map[string]int64
}

// longPeriod is the number of days above which a period is read as an analysis. The plans that look up
// row by row need less processor time for a week, as much for a month, and more for three months.
const longPeriod = 31

// read runs fn with a reader for the period.
func (s *Statistics) read(ctx context.Context, fn func(store.Reader) error) error {
	if s.query.Days.Len() <= longPeriod {
		return fn(s.views.reader)
	}
	return s.views.reader.Analysis(ctx, fn)
}

// readGroups reads the figures.
func (s *Statistics) readGroups(ctx context.Context) (g groups, err error) {
	err = s.read(ctx, func(r store.Reader) (err error) {
		if g.reviews, err = r.ReviewStatistics(ctx, s.query); err != nil {
			return err
		}
		if g.late, err = r.LateReviews(ctx, s.query); err != nil {
			return err
		}
		if s.knowsOpened() {
			if g.opened, err = r.OpenedReviews(ctx, s.query); err != nil {
				return err
			}
		}
		if !s.countsCases() {
			return nil
		}
		if g.cases, err = r.CaseStatistics(ctx, s.query); err != nil {
			return err
		}
		g.submitted, err = r.SubmittedCases(ctx, s.query)
		return err
	})
	return g, err
}

// readRows reads the figures of the rows and the total.
func (s *Statistics) readRows(ctx context.Context) error {
	g, err := s.readGroups(ctx)
	if err != nil {
		return err
	}
	row := func(key string) StatisticsRow {
		made := StatisticsRow{Reviews: ReviewStatistics{ReviewCounts: g.reviews[key],
			Opened: g.opened[key], Late: g.late[key]}}
		if !s.knowsOpened() || key != "" && s.query.By == domain.ByPerson {
			made.Reviews.Opened = -1
		}
		grouped := s.query.By == domain.ByDay || s.query.By == domain.ByProcess
		if s.countsCases() && (key == "" || grouped) {
			made.Cases = &CaseStatistics{CaseCounts: g.cases[key], Submitted: g.submitted[key],
				DrawnKnown: s.query.Drawn}
		}
		return made
	}
	s.Total = row("")
	if s.query.By == domain.ByDay {
		for day := range s.query.Days.Len() {
			made := row(strconv.Itoa(day))
			made.Key = s.query.Days.Name(day)
			s.Rows = append(s.Rows, made)
		}
		return nil
	}
	return s.namedRows(row, g.keys())
}

// knowsOpened reports whether opened reviews are counted: those who see only their own decisions do
// not see others, and a review is opened by no person.
func (s *Statistics) knowsOpened() bool {
	return s.Scope != ScopeOwn && s.query.Person == domain.NoID
}

// countsCases reports whether figures of cases are computed. A case belongs to no queue and person.
func (s *Statistics) countsCases() bool {
	return s.Scope != ScopeOwn && s.query.Queue == "" && s.query.Person == domain.NoID
}

// keys returns the keys of all groups except the total, sorted.
func (g *groups) keys() []string {
	keys := map[string]bool{}
	for key := range g.reviews {
		keys[key] = true
	}
	for _, counts := range []map[string]int64{g.late, g.opened, g.submitted} {
		for key := range counts {
			keys[key] = true
		}
	}
	for key := range g.cases {
		keys[key] = true
	}
	delete(keys, "")
	list := make([]string, 0, len(keys))
	for key := range keys {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// maxStatisticsGroups limits the rows of one answer.
const maxStatisticsGroups = 500

func (s *Statistics) namedRows(row func(string) StatisticsRow, keys []string) error {
	for _, key := range keys[:min(len(keys), maxStatisticsGroups)] {
		made := row(key)
		made.Key = key
		if s.query.By == domain.ByPerson {
			person, err := domain.ParseID(key)
			if err != nil {
				return err
			}
			made.Key, made.PersonID = "", person
			if person == domain.NoID {
				continue
			}
		}
		s.Rows = append(s.Rows, made)
	}
	return nil
}
