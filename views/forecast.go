package views

import (
	"context"
	"time"

	"countersign/domain"
)

// forecastPast is the period over which the pace of a queue is measured.
const forecastPast = 24 * time.Hour

// QueueForecast is the forecast for a queue at the pace of the last day.
type QueueForecast struct {
	// Pace and Arrivals are decisions and new reviews per working hour.
	Pace, Arrivals float64
	Breaches       []domain.Breaches
	// HistoryMinutes is how long the period of the pace is: a day, or since the first case if that is less.
	HistoryMinutes int
}

// minHistory is the shortest period from which a pace is computed.
const minHistory = time.Hour

// Forecast estimates how many reviews of the queue will pass their deadline undecided within each
// of the durations, at the pace of the last day. Only viewers who may reassign reviews may ask.
func (v *Views) Forecast(ctx context.Context, actor domain.Actor, queue string,
	within ...time.Duration) (QueueForecast, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return QueueForecast{}, err
	}
	if _, err := listFilter(viewer, true); err != nil {
		return QueueForecast{}, err
	}
	if domain.ConfidentialQueue(queue) && !v.caseViewer(viewer).clearance {
		return QueueForecast{}, domain.NewNotFound()
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
	// Reviews due after the last duration cannot breach within it and need not be read.
	read, err := v.reader.QueueFlow(ctx, queue, now.Add(-forecastPast), last)
	if err != nil {
		return QueueForecast{}, err
	}
	flow := domain.ForecastInput{Waiting: read.Waiting, Unclaimed: read.Unclaimed,
		TimeToDecide: calendar.Between(now, now.Add(read.TimeToDecide)), Calendar: calendar}
	history := min(forecastPast, max(now.Sub(read.FirstCase), 0))
	if hours := calendar.Between(now.Add(-history), now).Hours(); history >= minHistory && hours > 0 {
		flow.Arrivals, flow.Pace = float64(read.Opened)/hours, float64(read.Decided)/hours
	}
	return QueueForecast{HistoryMinutes: int(history.Minutes()), Pace: flow.Pace, Arrivals: flow.Arrivals,
		Breaches: flow.Forecast(now, until...)}, nil
}

// calendarOf returns the working calendar of the queue; nil means around the clock.
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
