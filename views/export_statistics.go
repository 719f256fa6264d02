package views

import (
	"context"
	"math"

	"countersign/domain"
	"countersign/export"
	"countersign/store"
)

// figures reads the statistics of the export.
func (e *Export) figures(ctx context.Context, actor domain.Actor) (*Statistics, error) {
	if len(e.query.Statistics.Days.Starts) == 0 {
		return nil, domain.Invalid("from", "Choose the days of the figures.")
	}
	return e.views.Statistics(ctx, actor, e.query.Statistics)
}

// figurePage returns all rows: there are at most as many as days or groups.
func (e *Export) figurePage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	stats, err := e.figures(ctx, actor)
	if err != nil {
		return ExportPage{}, err
	}
	people := make([]domain.ID, 0, len(stats.Rows))
	for _, row := range stats.Rows {
		people = append(people, row.PersonID)
	}
	names, err := e.views.personNames(ctx, people)
	if err != nil {
		return ExportPage{}, err
	}
	var page ExportPage
	for _, row := range stats.Rows {
		record := figureOf(row)
		record.By, record.Person = string(e.query.Statistics.By), names[row.PersonID]
		page.Records = append(page.Records, record)
	}
	total := figureOf(stats.Total)
	total.By = "total"
	page.Records = append(page.Records, total)
	return page, nil
}

func figureOf(row StatisticsRow) *export.Figure {
	reviews := row.Reviews
	figure := &export.Figure{Key: row.Key, PersonID: export.IDOrNil(row.PersonID),
		Decided: reviews.Decided, Late: reviews.Late, MissedClaims: reviews.MissedClaims}
	if reviews.Opened >= 0 {
		figure.Opened = &reviews.Opened
	}
	if reviews.Decided > 0 {
		figure.WaitMedianSeconds, figure.WaitP90Seconds = whole(reviews.WaitMedian),
			whole(reviews.WaitP90)
		figure.WorkMedianSeconds, figure.WorkP90Seconds = whole(reviews.WorkMedian),
			whole(reviews.WorkP90)
		figure.TotalMedianSeconds, figure.TotalP90Seconds = whole(reviews.TotalMedian),
			whole(reviews.TotalP90)
	}
	if row.Cases == nil {
		return figure
	}
	cases := *row.Cases
	figure.Submitted, figure.Ended, figure.Archived = &cases.Submitted, &cases.Ended, &cases.Archived
	figure.Rejected, figure.Abandoned = &cases.Rejected, &cases.Abandoned
	figure.StraightThrough = &cases.Straight
	if cases.DrawnKnown {
		figure.Drawn = &cases.Drawn
	}
	if cases.Archived+cases.Rejected > 0 {
		figure.LeadMedianSeconds, figure.LeadP90Seconds = whole(cases.LeadMedian),
			whole(cases.LeadP90)
	}
	return figure
}

// whole returns seconds without fractions.
func whole(seconds float64) *int64 {
	rounded := int64(math.Round(seconds))
	return &rounded
}

// figurePartPage returns the figures of steps of the chosen process, of corrections and of rules.
func (e *Export) figurePartPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	stats, err := e.figures(ctx, actor)
	if err != nil {
		return ExportPage{}, err
	}
	steps, err := stats.Steps(ctx, e.query.Statistics.Process)
	if err != nil {
		return ExportPage{}, err
	}
	corrections, err := stats.Corrections(ctx)
	if err != nil {
		return ExportPage{}, err
	}
	rules, err := stats.Rules(ctx)
	return ExportPage{Records: figureParts(steps, corrections, rules)}, err
}

func figureParts(steps []store.StepStatistics, corrections []store.CorrectionCount,
	rules []store.RuleCount) (records []export.Record) {
	for _, step := range steps {
		record := &export.FigurePart{Part: "step", Name: step.Node, Count: step.Ended,
			Waiting: &step.Waiting}
		if step.Ended > 0 {
			record.MedianSeconds, record.P90Seconds = whole(step.Median), whole(step.P90)
		}
		records = append(records, record)
	}
	for _, one := range corrections {
		record := &export.FigurePart{Part: "field", Name: one.Field, Count: one.Corrections,
			Cases: &one.Cases}
		if one.Field == "" {
			record.Part, record.Name = "vendor", one.Vendor
		}
		records = append(records, record)
	}
	for _, rule := range rules {
		records = append(records, &export.FigurePart{Part: "rule", Name: rule.Rule, Count: rule.Hits,
			Overruled: &rule.Overruled, Archived: &rule.Archived})
	}
	return records
}
