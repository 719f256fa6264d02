package graph

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/views"
)

// maxForecasts and maxAhead limit the times of one forecast.
const (
	maxForecasts = 10
	maxAhead     = 24 * 14 // hours
)

func (r queueCountResolver) Forecast(ctx context.Context, count *views.QueueCount, hours []int) (
	*views.QueueForecast, error) {
	if len(hours) > maxForecasts {
		return nil, domain.Invalid("hours", "Request at most %d times.", maxForecasts)
	}
	within := make([]time.Duration, len(hours))
	for i, ahead := range hours {
		if ahead < 1 || ahead > maxAhead || i > 0 && ahead < hours[i-1] {
			return nil, domain.Invalid("hours",
				"Enter ascending numbers of hours between 1 and %d.", maxAhead)
		}
		within[i] = time.Duration(ahead) * time.Hour
	}
	forecast, err := r.views.Forecast(ctx, callerOf(ctx), count.Name, within...)
	if domain.HasCode(err, domain.NotPermitted) {
		return nil, nil
	}
	return &forecast, err
}
