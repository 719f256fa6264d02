package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/store"
)

// newFeedLag returns how long the feed is held back.
func newFeedLag(reader store.Reader, log *slog.Logger) *databaseMetrics {
	transaction := prometheus.NewDesc("countersign_feed_transaction_seconds",
		"Age of the oldest transaction that writes; events after its start wait for its end.", nil, nil)
	oldest := prometheus.NewDesc("countersign_feed_lag_seconds",
		"Age of the oldest committed event that the feed holds back.", nil, nil)
	held := prometheus.NewDesc("countersign_feed_held_events",
		"Committed events that the feed holds back, at most 10000.", nil, nil)
	return &databaseMetrics{what: "reading the lag of the feed", log: log,
		descriptions: []*prometheus.Desc{transaction, oldest, held},
		read: func(ctx context.Context, set setGauge) error {
			lag, err := reader.FeedLag(ctx)
			if err != nil {
				return err
			}
			set(transaction, lag.Transaction.Seconds())
			set(oldest, lag.OldestEvent.Seconds())
			set(held, float64(lag.HeldEvents))
			return nil
		}}
}
