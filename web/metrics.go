package web

import (
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// QueueAge is the backlog of one queue, for /metrics: the number of due rows, and the age of the
// oldest.
type QueueAge struct {
	Queue  string
	Due    int64
	Oldest time.Duration
}

// requestMetrics are the metrics at /metrics.
type requestMetrics struct {
	duration *prometheus.HistogramVec
	handler  http.Handler
}

func newRequestMetrics(options Options) (*requestMetrics, error) {
	f := &requestMetrics{duration: prometheus.NewHistogramVec(
		prometheus.HistogramOpts{Name: "countersign_http_request_seconds",
			Help:    "Duration of requests by route and status class, without sockets.",
			Buckets: prometheus.DefBuckets}, []string{"route", "status"})}
	all := append([]prometheus.Collector{f.duration, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})}, options.Collectors...)
	if options.QueueAges != nil {
		all = append(all, newQueueAges(options))
	}
	registry := prometheus.NewRegistry()
	for _, collector := range all {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("web: metrics: %w", err)
		}
	}
	// A metric that cannot be collected is omitted; the others are served.
	f.handler = promhttp.HandlerFor(registry,
		promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4,
			Timeout: 10 * time.Second})
	return f, nil
}

// serveMetrics serves the metrics at the public address to callers with the token. The client's
// address is not checked, because a proxy on this machine forwards requests of everyone.
func (h *Handler) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !h.hasMetricsToken(r) {
		h.notFound(w, r)
		return
	}
	h.requestMetrics.handler.ServeHTTP(w, r)
}

// MetricsServer serves only /metrics, without a token; nil without metrics.
func (h *Handler) MetricsServer(addr string) *http.Server {
	if h.requestMetrics == nil {
		return nil
	}
	return h.serverOf(addr, h.guarded(h.metricsRoutes()))
}

func (h *Handler) metricsRoutes() []route {
	return []route{{"GET /metrics", nil,
		"served on a separate address that only operators can reach", h.requestMetrics.handler},
		{"/", nil, "always not found", http.HandlerFunc(h.notFound)}}
}

func (h *Handler) hasMetricsToken(r *http.Request) bool {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer && h.options.MetricsToken != "" &&
		subtle.ConstantTimeCompare([]byte(given), []byte(h.options.MetricsToken)) == 1
}

// observe records one request. The route is the matched pattern, which has few values.
func (f *requestMetrics) observe(route string, status int, took time.Duration) {
	if f == nil {
		return
	}
	if route == "" {
		route = "none"
	}
	f.duration.WithLabelValues(route, fmt.Sprintf("%dxx", status/100)).Observe(took.Seconds())
}

// queueAges reads the queues' backlog on every collection.
type queueAges struct {
	read   func(context.Context) ([]QueueAge, error)
	log    *slog.Logger
	due    *prometheus.Desc
	oldest *prometheus.Desc
}

func newQueueAges(options Options) *queueAges {
	return &queueAges{read: options.QueueAges, log: options.Log,
		due: prometheus.NewDesc("countersign_queue_due", "Stages that are due and not leased.",
			[]string{"queue"}, nil),
		oldest: prometheus.NewDesc("countersign_queue_age_seconds",
			"Age of the oldest due stage in seconds.", []string{"queue"}, nil)}
}

// Describe describes the metrics.
func (q *queueAges) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- q.due
	descriptions <- q.oldest
}

// Collect reads the backlog; it omits the metrics if the database is unreachable.
func (q *queueAges) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	ages, err := q.read(ctx)
	if err != nil {
		q.log.Warn("reading queue ages failed", "error", err)
		return
	}
	for _, age := range ages {
		metrics <- prometheus.MustNewConstMetric(q.due, prometheus.GaugeValue, float64(age.Due),
			age.Queue)
		metrics <- prometheus.MustNewConstMetric(q.oldest, prometheus.GaugeValue,
			age.Oldest.Seconds(), age.Queue)
	}
}
