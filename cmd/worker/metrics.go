package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/slowbody"
	"countersign/internal/version"
)

// workerMetrics is what the worker lets be seen of itself: metrics and health.
type workerMetrics struct {
	registry      *prometheus.Registry
	clock         domain.Clock
	queueWait     prometheus.Histogram
	stageRuns     *prometheus.HistogramVec
	documentReads *prometheus.HistogramVec
	// secondReadings counts the pages that a second engine was asked for.
	secondReadings *prometheus.CounterVec
	// checkpoints counts signed checkpoints and their copies, checkpointAt is when each last succeeded.
	checkpoints  *prometheus.CounterVec
	checkpointAt *prometheus.GaugeVec
}

func newWorkerMetrics() *workerMetrics {
	s := &workerMetrics{registry: prometheus.NewRegistry(), clock: domain.SystemClock{},
		queueWait: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "countersign_hop_seconds",
			Help:    "From a step's due time to its lease by a worker.",
			Buckets: []float64{.001, .002, .004, .01, .02, .05, .1, .25, 1, 5, 30}}),
		stageRuns: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: "countersign_pass_seconds",
				Help:    "A worker's way through one run and the light ones after it.",
				Buckets: prometheus.ExponentialBuckets(.002, 3, 10)}, []string{"outcome"}),
		documentReads: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Name: "countersign_read_seconds",
				Help:    "Reading one document.",
				Buckets: prometheus.ExponentialBuckets(.02, 2.5, 9)}, []string{"outcome"}),
		secondReadings: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "countersign_second_readings_total",
				Help: "Pages that a second OCR engine was asked for, by outcome."},
			[]string{"outcome"}),
		checkpoints: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "countersign_checkpoints_total",
				Help: "Attempts to sign a checkpoint of the audit log (database) or to keep it outside, by place and outcome."},
			[]string{"place", "outcome"}),
		checkpointAt: prometheus.NewGaugeVec(
			prometheus.GaugeOpts{Name: "countersign_checkpoint_timestamp_seconds",
				Help: "When the last attempt in the place succeeded."}, []string{"place"}),
	}
	s.registry.MustRegister(s.queueWait, s.stageRuns, s.documentReads, s.secondReadings,
		s.checkpoints, s.checkpointAt,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

func (s *workerMetrics) observeQueueWait(
	waited time.Duration) {
	s.queueWait.Observe(waited.Seconds())
}

// exportCheckpoints exports the counters of the database ("") or of a place before the first attempt.
// Prometheus computes no increase for a counter that it first sees at 1, so the alert would miss
// the first failure.
func (s *workerMetrics) exportCheckpoints(place string) {
	for _, outcome := range []string{"ok", "failed"} {
		s.checkpoints.WithLabelValues(cmp.Or(place, "database"), outcome)
	}
}

// observeCheckpoint counts an attempt to sign a checkpoint in the database ("") or to keep it in a place.
func (s *workerMetrics) observeCheckpoint(place string, err error) {
	place = cmp.Or(place, "database")
	if err != nil {
		s.checkpoints.WithLabelValues(place, "failed").Inc()
		return
	}
	s.checkpoints.WithLabelValues(place, "ok").Inc()
	s.checkpointAt.WithLabelValues(place).Set(float64(s.clock.Now().Unix()))
}

// startReading begins to measure one document; the returned function ends it and says how long it
// took.
func (s *workerMetrics) startReading() func(error) time.Duration {
	began := s.clock.Now()
	return func(err error) time.Duration {
		took := s.clock.Now().Sub(began)
		s.documentReads.WithLabelValues(outcomeLabel(err)).Observe(took.Seconds())
		return took
	}
}

// timedService measures each pass.
type timedService struct {
	*casework.Service
	metrics *workerMetrics
}

// RunStage does the run and measures it.
func (h timedService) RunStage(ctx context.Context, request casework.RunRequest) error {
	began := h.metrics.clock.Now()
	err := h.Service.RunStage(ctx, request)
	h.metrics.stageRuns.WithLabelValues(outcomeLabel(err)).Observe(
		h.metrics.clock.Now().Sub(began).Seconds())
	return err
}

// queueAges asks the rows how long what is due has waited, when metrics are asked for.
type queueAges struct {
	service *casework.Service
	due     *prometheus.Desc
	age     *prometheus.Desc
}

func newQueueAges(service *casework.Service) queueAges {
	return queueAges{service: service,
		due: prometheus.NewDesc("countersign_queue_due", "Steps that are due and wait, by queue.",
			[]string{"queue"}, nil),
		age: prometheus.NewDesc("countersign_queue_age_seconds",
			"How long the oldest due step has waited, by queue.", []string{"queue"}, nil)}
}

// Describe names the two metrics.
func (q queueAges) Describe(to chan<- *prometheus.Desc) { to <- q.due; to <- q.age }

// Collect reads them; without the database there is nothing to report.
func (q queueAges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	ages, err := q.service.QueueAges(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(q.age, err)
		return
	}
	for _, a := range ages {
		to <- prometheus.MustNewConstMetric(q.due, prometheus.GaugeValue, float64(a.Due), a.Queue)
		to <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, a.OldestSec, a.Queue)
	}
}

// readiness is the answer of /readyz. Degraded means that work continues, but slower: due runs are
// found by polling Postgres.
type readiness struct {
	Status   string `json:"status"`   // ready, degraded or not ready
	Postgres string `json:"postgres"` // ok or unreachable
	Redis    string `json:"redis"`    // ok or unreachable
	Queue    string `json:"queue"`    // redis or polling
}

// ready reports how the worker gets its work. Only Postgres is required.
func (p *components) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	answer, status := readiness{Status: "ready", Postgres: "ok", Redis: "ok", Queue: "redis"},
		http.StatusOK
	if p.queueAway(ctx) {
		answer.Status, answer.Redis, answer.Queue = "degraded", "unreachable", "polling"
	}
	if err := p.db.Ping(ctx); err != nil {
		answer.Status, answer.Postgres, status = "not ready", "unreachable",
			http.StatusServiceUnavailable
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	writeJSON(w, status, answer)
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone needs no answer
}

// queueAway reports whether Redis does not answer. Before the worker is put together nothing is
// known of it.
func (p *components) queueAway(ctx context.Context) bool {
	return p.worker != nil && !p.worker.Health().Reachable || p.redis != nil &&
		p.redis.Ping(ctx) != nil
}

// observeQueue adds how the worker gets its work to the metrics.
func (p *components) observeQueue() {
	p.metrics.registry.MustRegister(p.spans.Counters()...)
	p.metrics.registry.MustRegister(newQueueAges(p.service),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "countersign_queue_reachable",
			Help: "1 while Redis answers the worker, 0 while it polls Postgres only."},
			func() float64 {
				if p.worker.Health().Reachable {
					return 1
				}
				return 0
			}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "countersign_runs_polled_total",
			Help: "Runs found in Postgres because the queue delivered none."},
			func() float64 { return float64(p.worker.Health().Polled) }))
}

// healthServer holds the worker's few routes to the pace: other machines may reach them.
func healthServer(mux http.Handler, pace slowbody.Pace) *http.Server {
	return &http.Server{Handler: slowbody.Handler(mux, pace, domain.SystemClock{}),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       time.Minute, MaxHeaderBytes: 16 << 10}
}

// routes is the table of all that the worker serves.
func (p *components) routes() map[string]http.Handler {
	table := map[string]http.Handler{
		"GET /healthz": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]string{"status": "ok",
				"version": version.Number})
		}),
		"GET /readyz": http.HandlerFunc(p.ready),
	}
	if p.settings.HTTP.Metrics {
		table["GET /metrics"] = promhttp.HandlerFor(p.metrics.registry,
			promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
	}
	return table
}

// serveHealth answers /healthz, /readyz and /metrics.
func (p *components) serveHealth() (func(), error) {
	p.observeQueue()
	mux := http.NewServeMux()
	for pattern, handler := range p.routes() {
		mux.Handle(pattern, handler)
	}
	listener, err := net.Listen("tcp", p.settings.Work.HealthAddr)
	if err != nil {
		return nil, domain.Errorf(domain.Unavailable,
			"The address %s of the worker's health page cannot be had.",
			p.settings.Work.HealthAddr).
			WithRemedy("Set COUNTERSIGN_WORKER_ADDR to a free one, such as 127.0.0.1:0.").WithCause(
			err)
	}
	server := healthServer(mux, slowbody.Pace{})
	p.log.Info("the worker's health page", "addr", listener.Addr().String())
	go func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the health page ended", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
