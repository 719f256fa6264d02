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

// QueueAge is the backlog of one queue, for /metrics: rows that are due, and how long the oldest has been.
type QueueAge struct {
	Queue  string
	Due    int64
	Oldest time.Duration
}

// requestMetrics are what Prometheus reads at /metrics.
type requestMetrics struct {
	duration *prometheus.HistogramVec
	handler  http.Handler
}

func newRequestMetrics(options Options) (*requestMetrics, error) {
	f := &requestMetrics{duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "countersign_http_request_seconds",
		Help: "How long requests took, by route and class of status; sockets are left out.", Buckets: prometheus.DefBuckets}, []string{"route", "status"})}
	all := append([]prometheus.Collector{f.duration, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})}, options.Collectors...)
	if options.QueueAges != nil {
		all = append(all, newQueueAges(options))
	}
	registry := prometheus.NewRegistry()
	for _, collector := range all {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("web: metrics: %w", err)
		}
	}
	// A figure that cannot be had is left out, the rest served.
	f.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
	return f, nil
}

// serveMetrics shows the figures at the address people use, to callers with the token. Where a request came from says nothing
// there: a proxy on this machine passes everybody's on.
func (d *Handler) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !d.hasMetricsToken(r) {
		d.notFound(w, r)
		return
	}
	d.requestMetrics.handler.ServeHTTP(w, r)
}

// MetricsServer serves /metrics alone, to everybody who reaches the address; nil without metrics.
func (d *Handler) MetricsServer(addr string) *http.Server {
	if d.requestMetrics == nil {
		return nil
	}
	return d.serverOf(addr, d.guarded(d.metricsRoutes()))
}

func (d *Handler) metricsRoutes() []route {
	return []route{{"GET /metrics", nil, "an address of its own, which only operators reach", d.requestMetrics.handler},
		{"/", nil, "there is nothing", http.HandlerFunc(d.notFound)}}
}

func (d *Handler) hasMetricsToken(r *http.Request) bool {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer && d.options.MetricsToken != "" && subtle.ConstantTimeCompare([]byte(given), []byte(d.options.MetricsToken)) == 1
}

// observe notes one request. The route is the pattern that took it, of which there are few.
func (f *requestMetrics) observe(route string, status int, took time.Duration) {
	if f == nil {
		return
	}
	if route == "" {
		route = "none"
	}
	f.duration.WithLabelValues(route, fmt.Sprintf("%dxx", status/100)).Observe(took.Seconds())
}

// queueAges reads the queues' backlog each time it is asked.
type queueAges struct {
	read   func(context.Context) ([]QueueAge, error)
	log    *slog.Logger
	due    *prometheus.Desc
	oldest *prometheus.Desc
}

func newQueueAges(options Options) *queueAges {
	return &queueAges{read: options.QueueAges, log: options.Log,
		due:    prometheus.NewDesc("countersign_queue_due", "Stages that are due and not yet taken.", []string{"queue"}, nil),
		oldest: prometheus.NewDesc("countersign_queue_age_seconds", "How long the oldest due stage has been waiting.", []string{"queue"}, nil)}
}

// Describe names the figures.
func (q *queueAges) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- q.due
	descriptions <- q.oldest
}

// Collect reads the backlog; without a database there is none to tell.
func (q *queueAges) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	ages, err := q.read(ctx)
	if err != nil {
		q.log.Warn("queue ages not read", "error", err)
		return
	}
	for _, age := range ages {
		metrics <- prometheus.MustNewConstMetric(q.due, prometheus.GaugeValue, float64(age.Due), age.Queue)
		metrics <- prometheus.MustNewConstMetric(q.oldest, prometheus.GaugeValue, age.Oldest.Seconds(), age.Queue)
	}
}
