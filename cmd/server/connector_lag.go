package main

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/domain"
	"countersign/store"
)

// newConnectorLag returns how far the connectors are.
func newConnectorLag(reader store.Reader, log *slog.Logger) *databaseMetrics {
	lag := prometheus.NewDesc("countersign_connector_lag_seconds",
		"Age of the oldest event that the connector has not examined.", []string{"connector"}, nil)
	deliveries := prometheus.NewDesc("countersign_connector_deliveries",
		"Deliveries that wait, or are dead until a person ends them.",
		[]string{"connector", "status"}, nil)
	active := prometheus.NewDesc("countersign_connector_active",
		"1 while the connector delivers, 0 while it is paused or disabled.",
		[]string{"connector"}, nil)
	differences := prometheus.NewDesc("countersign_connector_differences",
		"Events that the last nightly reconciliation found missing at the receiver, or unknown.",
		[]string{"connector", "side"}, nil)
	return &databaseMetrics{what: "reading the lag of the connectors", log: log,
		descriptions: []*prometheus.Desc{lag, deliveries, active, differences},
		read: func(ctx context.Context, set setGauge) error {
			connectors, err := reader.Connectors(ctx)
			if err != nil {
				return err
			}
			for i := range connectors {
				name, delivers := connectors[i].Spec.Name, 0.0
				if connectors[i].Status == domain.ConnectorActive {
					delivers = 1
				}
				set(lag, connectors[i].Lag.Seconds(), name)
				set(active, delivers, name)
				set(deliveries, float64(connectors[i].Waiting), name, "waiting")
				set(deliveries, float64(connectors[i].Dead), name, "dead")
				set(differences, float64(connectors[i].Nightly.MissingCount), name, "missing")
				set(differences, float64(connectors[i].Nightly.UnknownCount), name, "unknown")
			}
			return nil
		}}
}
