package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// databaseTimeout bounds the read of one collection.
const databaseTimeout = 2 * time.Second

// databaseMetrics are gauges that are read from the database at every collection.
type databaseMetrics struct {
	what         string // what the read does, for the log
	log          *slog.Logger
	descriptions []*prometheus.Desc
	// read sets the gauges; it sets none if it returns an error.
	read func(ctx context.Context, set setGauge) error
}

// setGauge sets the gauge of a description and the values of its labels.
type setGauge func(description *prometheus.Desc, value float64, labels ...string)

// Describe describes the metrics.
func (d *databaseMetrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, description := range d.descriptions {
		descriptions <- description
	}
}

// Collect reads the metrics; it omits them if the database is unreachable.
func (d *databaseMetrics) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	err := d.read(ctx, func(description *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value, labels...)
	})
	if err != nil {
		d.log.Warn(d.what+" failed", "error", err)
	}
}
