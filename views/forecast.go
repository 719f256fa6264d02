package views

import (
	"context"
	"time"

	"countersign/domain"
)

// forecastPast is how far back a queue's pace is measured.
const forecastPast = 24 * time.Hour

// QueueForecast is what is expected of a queue at the pace of the last day.
type QueueForecast struct {
	// Pace and Arrivals are decisions and new reviews in an hour of working time.
	Pace, Arrivals float64
	Breaches       []domain.Breaches
}

// Forecast tells, for who may give the reviews of the queue to others, how many of its reviews will pass their time
// undecided within each of the times, at the pace of the last day.
func (v *Views) Forecast(ctx context.Context, actor domain.Actor, queue string, within ...time.Duration) (QueueForecast, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return QueueForecast{}, err
	}
	if _, err := listFilter(viewer, true); err != nil {
		return QueueForecast{}, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return QueueForecast{}, err
	}
	calendar, err := v.calendarOf(ctx, queue)
	if err != nil {
		return QueueForecast{}, err
	}
	until := make([]time.Time, len(within))
	last := now
	for i, time := range within {
		until[i] = now.Add(time)
		if until[i].After(last) {
			last = until[i]
		}
	}
	// What is due later is decided later and breaks nothing until then.
	read, err := v.reader.QueueFlow(ctx, queue, now.Add(-forecastPast), last)
	if err != nil {
		return QueueForecast{}, err
	}
	flow := domain.ForecastInput{Waiting: read.Waiting, TimeToDecide: calendar.Between(now, now.Add(read.TimeToDecide)), Calendar: calendar}
	if hours := calendar.Between(now.Add(-forecastPast), now).Hours(); hours > 0 {
		flow.Arrivals, flow.Pace = float64(read.Opened)/hours, float64(read.Decided)/hours
	}
	return QueueForecast{Pace: flow.Pace, Arrivals: flow.Arrivals, Breaches: flow.Forecast(now, until...)}, nil
}

// calendarOf is when the queue's people work; nil is whole time.
func (v *Views) calendarOf(ctx context.Context, queue string) (*domain.Calendar, error) {
	rules, err := v.reader.Queues(ctx)
	if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if rule.Name == queue && rule.Calendar != "" {
			return v.calendar(ctx, rule.Calendar)
		}
	}
	return nil, nil
}
