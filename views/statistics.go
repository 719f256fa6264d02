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

// StatisticsQuery selects figures. Empty values of Queue, Process and Person do not filter.
type StatisticsQuery struct {
	Days           domain.Days
	By             domain.StatisticsGroup
	Queue, Process string
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
		Process: query.Process, Person: query.Person, Viewer: viewer.user.ID}
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

// readRows reads the figures of the rows and the total.
func (s *Statistics) readRows(ctx context.Context) error {
	reviews, err := s.views.reader.ReviewStatistics(ctx, s.query)
	if err != nil {
		return err
	}
	late, err := s.views.reader.LateReviews(ctx, s.query)
	if err != nil {
		return err
	}
	opened := map[string]int64{}
	if s.knowsOpened() {
		if opened, err = s.views.reader.OpenedReviews(ctx, s.query); err != nil {
			return err
		}
	}
	cases, submitted := map[string]store.CaseCounts{}, map[string]int64{}
	if s.countsCases() {
		if cases, err = s.views.reader.CaseStatistics(ctx, s.query); err != nil {
			return err
		}
		if submitted, err = s.views.reader.SubmittedCases(ctx, s.query); err != nil {
			return err
		}
	}
	row := func(key string) StatisticsRow {
		made := StatisticsRow{Reviews: ReviewStatistics{ReviewCounts: reviews[key],
			Opened: opened[key], Late: late[key]}}
		if !s.knowsOpened() || key != "" && s.query.By == domain.ByPerson {
			made.Reviews.Opened = -1
		}
		grouped := s.query.By == domain.ByDay || s.query.By == domain.ByProcess
		if s.countsCases() && (key == "" || grouped) {
			made.Cases = &CaseStatistics{CaseCounts: cases[key], Submitted: submitted[key],
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
	return s.namedRows(row, groupKeys(reviews, late, opened, submitted, cases))
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

// groupKeys returns the keys of all groups, sorted.
func groupKeys(reviews map[string]store.ReviewCounts, late, opened, submitted map[string]int64,
	cases map[string]store.CaseCounts) []string {
	keys := map[string]bool{}
	for key := range reviews {
		keys[key] = true
	}
	for _, counts := range []map[string]int64{late, opened, submitted} {
		for key := range counts {
			keys[key] = true
		}
	}
	for key := range cases {
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
