package graph

import (
	"testing"

	"countersign/domain"
)

func TestForecastOfAQueue(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for _, amount := range []string{"90001.00", "90002.00", "90003.00"} {
		w.submit("sam", amount)
		w.runPending()
	}
	// No decisions were made, so all three reviews will pass their deadline, which is in a day.
	got := w.mustExecute("ma", `{ queues(all: true) { name forecast(hours: [4, 48]) { pace
		arrivals historyMinutes breaches { until count claims } } } }`)
	if got.text("queues", 0, "name") != "L1" ||
		got.at("queues", 0, "forecast", "pace") != float64(0) ||
		got.at("queues", 0, "forecast", "historyMinutes").(float64) > 59 ||
		got.at("queues", 0, "forecast", "breaches", 0, "count") != float64(0) ||
		got.at("queues", 0, "forecast", "breaches", 1, "count") != float64(3) ||
		got.at("queues", 0, "forecast", "breaches", 0, "claims") != float64(3) {
		t.Errorf("%+v", got.Data)
	}
	if got := w.mustExecute("lea", `{ queues { forecast { pace } } }`); got.at("queues", 0,
		"forecast") != nil {
		t.Errorf("a reviewer reads the forecast: %+v", got.Data)
	}
	if got := w.execute("ma", `{ queues(all: true) { forecast(hours: [48, 4]) { pace } } }`); len(
		got.Errors) == 0 {
		t.Errorf("hours out of order: %+v", got.Data)
	}
}
