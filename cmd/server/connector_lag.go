package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/domain"
	"countersign/store"
)

// connectorLag reads at every collection how far the connectors are.
type connectorLag struct {
	reader                  store.Reader
	log                     *slog.Logger
	lag, deliveries, active *prometheus.Desc
}

func newConnectorLag(reader store.Reader, log *slog.Logger) *connectorLag {
	return &connectorLag{reader: reader, log: log,
		lag: prometheus.NewDesc("countersign_connector_lag_seconds",
			"Age of the oldest event that the connector has not examined.", []string{"connector"}, nil),
		deliveries: prometheus.NewDesc("countersign_connector_deliveries",
			"Deliveries that wait, or are dead until a person ends them.",
			[]string{"connector", "status"}, nil),
		active: prometheus.NewDesc("countersign_connector_active",
			"1 while the connector delivers, 0 while it is paused or disabled.",
			[]string{"connector"}, nil)}
}

// Describe describes the metrics.
func (c *connectorLag) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.lag
	descriptions <- c.deliveries
	descriptions <- c.active
}

// Collect reads the connectors; it omits the metrics if the database is unreachable.
func (c *connectorLag) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), feedLagTimeout)
	defer cancel()
	connectors, err := c.reader.Connectors(ctx)
	if err != nil {
		c.log.Warn("reading the lag of the connectors failed", "error", err)
		return
	}
	for i := range connectors {
		name, active := connectors[i].Spec.Name, 0.0
		if connectors[i].Status == domain.ConnectorActive {
			active = 1
		}
		gauge := func(description *prometheus.Desc, value float64, labels ...string) {
			metrics <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value,
				append([]string{name}, labels...)...)
		}
		gauge(c.lag, connectors[i].Lag.Seconds())
		gauge(c.active, active)
		gauge(c.deliveries, float64(connectors[i].Waiting), "waiting")
		gauge(c.deliveries, float64(connectors[i].Dead), "dead")
	}
}
