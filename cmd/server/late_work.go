package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/store"
)

// lateWorkTimeout bounds the read of one collection.
const lateWorkTimeout = 2 * time.Second

// lateWork reads at every collection what needs a person now.
type lateWork struct {
	reader             store.Reader
	log                *slog.Logger
	incidents, overdue *prometheus.Desc
}

func newLateWork(reader store.Reader, log *slog.Logger) *lateWork {
	return &lateWork{reader: reader, log: log,
		incidents: prometheus.NewDesc("countersign_incidents",
			"Stages that failed permanently and were not resolved.", nil, nil),
		overdue: prometheus.NewDesc("countersign_reviews_overdue",
			"Undecided reviews past their deadline.", nil, nil)}
}

// Describe describes the metrics.
func (l *lateWork) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- l.incidents
	descriptions <- l.overdue
}

// Collect reads the counts; it omits the metrics if the database is unreachable.
func (l *lateWork) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lateWorkTimeout)
	defer cancel()
	late, err := l.reader.LateWork(ctx)
	if err != nil {
		l.log.Warn("counting incidents and overdue reviews failed", "error", err)
		return
	}
	metrics <- prometheus.MustNewConstMetric(l.incidents, prometheus.GaugeValue,
		float64(late.Incidents))
	metrics <- prometheus.MustNewConstMetric(l.overdue, prometheus.GaugeValue, float64(late.Overdue))
}
