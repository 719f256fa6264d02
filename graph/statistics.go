package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/scalar"
	"countersign/views"
)

type (
	statisticsResolver    struct{ *resolver }
	statisticsRowResolver struct{ *resolver }
)

func (r *resolver) Statistics() generated.StatisticsResolver { return statisticsResolver{r} }
func (r *resolver) StatisticsRow() generated.StatisticsRowResolver {
	return statisticsRowResolver{r}
}

func (r queryResolver) Statistics(ctx context.Context, period donotuse.StatisticsPeriod,
	by domain.StatisticsGroup, filter *donotuse.StatisticsFilter) (*views.Statistics, error) {
	days, err := domain.NewDays(period.From, period.To, period.Zone)
	if err != nil {
		return nil, err
	}
	query := views.StatisticsQuery{Days: days, By: by}
	if filter != nil {
		query.Queue, query.Process = valueOrEmpty(filter.Queue), valueOrEmpty(filter.Process)
		query.DocumentTypes = filter.DocumentTypes
		if filter.PersonID != nil {
			query.Person, err = scalar.IDOf(scalar.KindPerson, "filter.personId", *filter.PersonID)
			if err != nil {
				return nil, err
			}
		}
	}
	return r.views.Statistics(ctx, callerOf(ctx), query)
}

func (statisticsResolver) Queues(_ context.Context, s *views.Statistics) ([]string, error) {
	return append([]string{}, s.Queues...), nil
}

func (statisticsResolver) ExcludedProcesses(_ context.Context, s *views.Statistics) (
	[]string, error) {
	return append([]string{}, s.ExcludedProcesses...), nil
}

func (statisticsResolver) Total(_ context.Context, s *views.Statistics) (
	*donotuse.StatisticsRow, error) {
	row := statisticsRowOf(s.Total)
	return &row, nil
}

func (statisticsResolver) Rows(_ context.Context, s *views.Statistics) (
	[]donotuse.StatisticsRow, error) {
	rows := make([]donotuse.StatisticsRow, 0, len(s.Rows))
	for _, row := range s.Rows {
		rows = append(rows, statisticsRowOf(row))
	}
	return rows, nil
}

func (statisticsRowResolver) Person(ctx context.Context, row *donotuse.StatisticsRow) (
	*domain.User, error) {
	return loadPerson(ctx, row.By)
}

func statisticsRowOf(row views.StatisticsRow) donotuse.StatisticsRow {
	reviews := row.Reviews
	shown := donotuse.StatisticsRow{Key: row.Key, By: row.PersonID,
		Reviews: donotuse.ReviewStatistics{Decided: int(reviews.Decided), Late: int(reviews.Late),
			MissedClaims: int(reviews.MissedClaims),
			Wait:         timesOf(reviews.Decided, reviews.WaitMedian, reviews.WaitP90),
			Work:         timesOf(reviews.Decided, reviews.WorkMedian, reviews.WorkP90),
			Total:        timesOf(reviews.Decided, reviews.TotalMedian, reviews.TotalP90)}}
	if opened := int(reviews.Opened); opened >= 0 {
		shown.Reviews.Opened = &opened
	}
	if cases := row.Cases; cases != nil {
		shown.Cases = &donotuse.CaseStatistics{Submitted: int(cases.Submitted),
			Ended: int(cases.Ended), Archived: int(cases.Archived), Rejected: int(cases.Rejected),
			Abandoned: int(cases.Abandoned), StraightThrough: int(cases.Straight),
			LeadTime: timesOf(cases.Archived+cases.Rejected, cases.LeadMedian, cases.LeadP90)}
		if drawn := int(cases.Drawn); cases.DrawnKnown {
			shown.Cases.Drawn = &drawn
		}
	}
	return shown
}

// timesOf returns nil if there was nothing to measure.
func timesOf(count int64, median, p90 float64) *donotuse.TimeStatistics {
	if count == 0 {
		return nil
	}
	return &donotuse.TimeStatistics{Median: median, P90: p90}
}

func (statisticsResolver) Steps(ctx context.Context, s *views.Statistics, process string) (
	[]donotuse.StepStatistics, error) {
	steps, err := s.Steps(ctx, process)
	shown := make([]donotuse.StepStatistics, 0, len(steps))
	for _, step := range steps {
		one := donotuse.StepStatistics{Node: step.Node, Review: step.Review, Ended: int(step.Ended),
			Waiting: int(step.Waiting), Time: timesOf(step.Ended, step.Median, step.P90)}
		if step.Review && step.Ended > 0 {
			one.ClaimMedian = &step.ClaimMedian
		}
		shown = append(shown, one)
	}
	return shown, err
}

func (statisticsResolver) FieldCorrections(ctx context.Context, s *views.Statistics) (
	[]donotuse.CorrectionStatistics, error) {
	return correctionsOf(ctx, s, func(one views.CorrectionCount) string { return one.Field })
}

func (statisticsResolver) VendorCorrections(ctx context.Context, s *views.Statistics) (
	[]donotuse.CorrectionStatistics, error) {
	return correctionsOf(ctx, s, func(one views.CorrectionCount) string { return one.Vendor })
}

func correctionsOf(ctx context.Context, s *views.Statistics,
	name func(views.CorrectionCount) string) ([]donotuse.CorrectionStatistics, error) {
	list, err := s.Corrections(ctx)
	shown := []donotuse.CorrectionStatistics{}
	for _, one := range list {
		if text := name(one); text != "" {
			shown = append(shown, donotuse.CorrectionStatistics{Name: text,
				Corrections: int(one.Corrections), Cases: int(one.Cases)})
		}
	}
	return shown, err
}

func (statisticsResolver) Rules(ctx context.Context, s *views.Statistics) (
	[]donotuse.RuleStatistics, error) {
	rules, err := s.Rules(ctx)
	shown := make([]donotuse.RuleStatistics, 0, len(rules))
	for _, rule := range rules {
		shown = append(shown, donotuse.RuleStatistics{Rule: rule.Rule, Hits: int(rule.Hits),
			Overruled: int(rule.Overruled), Archived: int(rule.Archived)})
	}
	return shown, err
}

// addStatisticsCosts adds the costs of statistics, each of which reads many rows.
func addStatisticsCosts(c *generated.ComplexityRoot) {
	c.Query.Statistics = func(child int, _ donotuse.StatisticsPeriod, _ domain.StatisticsGroup,
		_ *donotuse.StatisticsFilter) int {
		return 50 + child
	}
	c.Statistics.Rows = func(child int) int { return 1 + 10*child }
	c.Statistics.Steps = func(child int, _ string) int { return 50 + child }
	c.Statistics.FieldCorrections = func(child int) int { return 50 + child }
	c.Statistics.VendorCorrections = c.Statistics.FieldCorrections
	c.Statistics.Rules = c.Statistics.FieldCorrections
	c.Query.Replay = func(child, _ int, _ string, _ *donotuse.ReplayChange) int { return 200 + child }
	c.Replay.Queues = func(child int) int { return 1 + 10*child }
	c.Replay.Days = func(child int) int { return 1 + 10*child }
}
