package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/store"
)

// newLateWork returns what needs a person now.
func newLateWork(reader store.Reader, log *slog.Logger) *databaseMetrics {
	incidents := prometheus.NewDesc("countersign_incidents",
		"Stages that failed permanently and were not resolved.", nil, nil)
	overdue := prometheus.NewDesc("countersign_reviews_overdue",
		"Undecided reviews past their deadline.", nil, nil)
	return &databaseMetrics{what: "counting incidents and overdue reviews", log: log,
		descriptions: []*prometheus.Desc{incidents, overdue},
		read: func(ctx context.Context, set setGauge) error {
			late, err := reader.LateWork(ctx)
			if err != nil {
				return err
			}
			set(incidents, float64(late.Incidents))
			set(overdue, float64(late.Overdue))
			return nil
		}}
}
