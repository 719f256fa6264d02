package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/tracing"
	"countersign/internal/tracing/otlp"
	"countersign/internal/version"
)

// flushTimeout bounds the sending of the last spans at the end.
const flushTimeout = 2 * time.Second

// openTracing begins to send spans if a receiver is set. It comes before everything that makes
// spans.
func (p *components) openTracing(ctx context.Context) error {
	settings := p.settings.Tracing
	if settings.Endpoint == "" {
		return nil
	}
	exporter, err := otlp.New(ctx, settings.Endpoint, "worker", version.Number, p.log)
	if err != nil {
		return err
	}
	tracing.Install(exporter, settings.Ratio)
	p.spans = exporter
	p.cleanup.Add(func() {
		closing, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		exporter.Close(closing)
	})
	return nil
}

// spanCounters are the metrics of the export; zero without a receiver.
func (p *components) spanCounters() []prometheus.Collector {
	counter := func(name, help string, value func(*otlp.Exporter) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 {
				if p.spans == nil {
					return 0
				}
				return float64(value(p.spans))
			})
	}
	return []prometheus.Collector{
		counter("countersign_spans_sent_total", "Spans that the receiver of traces accepted.",
			(*otlp.Exporter).Sent),
		counter("countersign_spans_dropped_total",
			"Spans that were dropped, because the receiver was slow, away or refused them.",
			(*otlp.Exporter).Dropped),
	}
}
