package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/store"
)

// feedLagTimeout bounds the read of one collection.
const feedLagTimeout = 2 * time.Second

// feedLag reads at every collection how long the feed is held back.
type feedLag struct {
	reader              store.Reader
	log                 *slog.Logger
	transaction, oldest *prometheus.Desc
	held                *prometheus.Desc
}

func newFeedLag(reader store.Reader, log *slog.Logger) *feedLag {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, nil, nil)
	}
	return &feedLag{reader: reader, log: log,
		transaction: describe("countersign_feed_transaction_seconds",
			"Age of the oldest transaction that writes; events after its start wait for its end."),
		oldest: describe("countersign_feed_lag_seconds",
			"Age of the oldest committed event that the feed holds back."),
		held: describe("countersign_feed_held_events",
			"Committed events that the feed holds back, at most 10000.")}
}

// Describe describes the metrics.
func (f *feedLag) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- f.transaction
	descriptions <- f.oldest
	descriptions <- f.held
}

// Collect reads the lag; it omits the metrics if the database is unreachable.
func (f *feedLag) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), feedLagTimeout)
	defer cancel()
	lag, err := f.reader.FeedLag(ctx)
	if err != nil {
		f.log.Warn("reading the lag of the feed failed", "error", err)
		return
	}
	for description, value := range map[*prometheus.Desc]float64{
		f.transaction: lag.Transaction.Seconds(), f.oldest: lag.OldestEvent.Seconds(),
		f.held: float64(lag.HeldEvents)} {
		metrics <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value)
	}
}
