package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/config"
	"countersign/internal/tracing"
	"countersign/internal/tracing/otlp"
	"countersign/internal/version"
)

// flushTimeout bounds the sending of the last spans at the end.
const flushTimeout = 2 * time.Second

// Spans sends the spans of one program. The zero value sends none.
type Spans struct{ exporter *otlp.Exporter }

// Open begins to send spans of the named program if a receiver is set; the cleanup sends the last ones. It
// comes before everything that makes spans.
func (s *Spans) Open(ctx context.Context, name string, settings config.Tracing, log *slog.Logger,
	cleanup *Cleanup) (err error) {
	if settings.Endpoint == "" {
		return nil
	}
	if s.exporter, err = otlp.New(ctx, settings.Endpoint, name, version.Number, log); err != nil {
		return err
	}
	tracing.Install(s.exporter, settings.Ratio)
	cleanup.Add(func() {
		closing, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		s.exporter.Close(closing)
	})
	return nil
}

// Counters are the metrics of the export; zero without a receiver.
func (s *Spans) Counters() []prometheus.Collector {
	counter := func(name, help string, value func(*otlp.Exporter) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 {
				if s.exporter == nil {
					return 0
				}
				return float64(value(s.exporter))
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
