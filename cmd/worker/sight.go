package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"countersign/casework"
	"countersign/domain"
)

// sight is what the worker lets be seen of itself: metrics and health.
type sight struct {
	registry *prometheus.Registry
	clock    domain.Clock
	hop      prometheus.Histogram
	passes   *prometheus.HistogramVec
	reads    *prometheus.HistogramVec
}

func newSight() *sight {
	s := &sight{registry: prometheus.NewRegistry(), clock: domain.SystemClock{},
		hop: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "countersign_hop_seconds", Help: "From a step's due time to its lease by a worker.",
			Buckets: []float64{.001, .002, .004, .01, .02, .05, .1, .25, 1, 5, 30}}),
		passes: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "countersign_pass_seconds", Help: "A worker's way through one run and the light ones after it.",
			Buckets: prometheus.ExponentialBuckets(.002, 3, 10)}, []string{"outcome"}),
		reads: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "countersign_read_seconds", Help: "Reading one document.",
			Buckets: prometheus.ExponentialBuckets(.02, 2.5, 9)}, []string{"outcome"}),
	}
	s.registry.MustRegister(s.hop, s.passes, s.reads, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

func (s *sight) hopped(waited time.Duration) { s.hop.Observe(waited.Seconds()) }

// reading begins to measure one document; the returned function ends it and says how long it took.
func (s *sight) reading() func(error) time.Duration {
	began := s.clock.Now()
	return func(err error) time.Duration {
		took := s.clock.Now().Sub(began)
		s.reads.WithLabelValues(outcomeLabel(err)).Observe(took.Seconds())
		return took
	}
}

// timedHall measures each pass.
type timedHall struct {
	*casework.Hall
	sight *sight
}

// RunStage does the run and measures it.
func (h timedHall) RunStage(ctx context.Context, waking casework.Waking) error {
	began := h.sight.clock.Now()
	err := h.Hall.RunStage(ctx, waking)
	h.sight.passes.WithLabelValues(outcomeLabel(err)).Observe(h.sight.clock.Now().Sub(began).Seconds())
	return err
}

// queueAges asks the rows how long what is due has waited, when metrics are asked for.
type queueAges struct {
	hall *casework.Hall
	due  *prometheus.Desc
	age  *prometheus.Desc
}

func newQueueAges(hall *casework.Hall) queueAges {
	return queueAges{hall: hall,
		due: prometheus.NewDesc("countersign_queue_due", "Steps that are due and wait, by queue.", []string{"queue"}, nil),
		age: prometheus.NewDesc("countersign_queue_age_seconds", "How long the oldest due step has waited, by queue.", []string{"queue"}, nil)}
}

// Describe names the two metrics.
func (q queueAges) Describe(to chan<- *prometheus.Desc) { to <- q.due; to <- q.age }

// Collect reads them; without the database there is nothing to tell.
func (q queueAges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	ages, err := q.hall.QueueAges(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(q.age, err)
		return
	}
	for _, a := range ages {
		to <- prometheus.MustNewConstMetric(q.due, prometheus.GaugeValue, float64(a.Due), a.Queue)
		to <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, a.OldestSec, a.Queue)
	}
}

// serveHealth answers /healthz, /readyz and /metrics. Redis may be away without making the worker unready: it works on
// when it is back, and nothing is lost.
func (p *parts) serveHealth() (func(), error) {
	p.sight.registry.MustRegister(newQueueAges(p.hall))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := p.db.Ping(ctx); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	})
	if p.settings.HTTP.Metrics {
		mux.Handle("GET /metrics", promhttp.HandlerFor(p.sight.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	}
	listener, err := net.Listen("tcp", p.settings.Work.HealthAddr)
	if err != nil {
		return nil, domain.Fail(domain.Unavailable, "The address %s of the worker's health page cannot be had.", p.settings.Work.HealthAddr).
			WithWayOut("Set COUNTERSIGN_WORKER_ADDR to a free one, such as 127.0.0.1:0.").Because(err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	p.log.Info("the worker's health page", "addr", listener.Addr().String())
	go func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the health page ended", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}
