package views

import (
	"context"
	"strconv"

	"countersign/domain"
	"countersign/export"
	"countersign/forecast"
)

// replayPage returns three lines per queue: recorded, replayed and with the change.
func (e *Export) replayPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	replay, err := e.views.Replay(ctx, actor, e.query.Replay)
	if err != nil {
		return ExportPage{}, err
	}
	var page ExportPage
	for _, queue := range replay.Queues {
		recorded := replayLine(queue, "recorded", queue.Recorded)
		recorded.PerReviewerSeconds = nil
		replayed := replayLine(queue, "replayed", queue.Replayed)
		replayed.Reviewers = &queue.Reviewers
		if queue.Error.Weeks > 0 {
			replayed.ErrorWeeks = queue.Error.Weeks
			replayed.ErrorDecided, replayed.ErrorTime = percent(queue.Error.Decided),
				percent(queue.Error.Median)
		}
		changed := replayLine(queue, "changed", queue.Changed)
		changed.Reviewers = &queue.ChangedReviewers
		page.Records = append(page.Records, recorded, replayed, changed)
	}
	return page, nil
}

func replayLine(queue QueueReplay, name string, f forecast.Figures) *export.ReplayLine {
	line := &export.ReplayLine{Queue: queue.Queue, Figures: name, Opened: f.Arrived,
		Decided: f.Decided, Open: f.Open, Late: f.Late, PerReviewerSeconds: whole(f.PerPerson)}
	if f.Median > 0 || f.P90 > 0 {
		line.TotalMedianSeconds, line.TotalP90Seconds = whole(f.Median), whole(f.P90)
	}
	return line
}

func percent(value float64) *export.Decimal {
	text := export.Decimal(strconv.FormatFloat(value, 'f', 1, 64))
	return &text
}
