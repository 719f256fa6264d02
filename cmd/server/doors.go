package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
	"countersign/frontend"
	"countersign/graph"
	"countersign/internal/config"
	"countersign/live"
	"countersign/web"
)

// signInsPerMinute bounds the attempts to sign in from one network address.
const signInsPerMinute = 30

// uploadsPerMinute bounds the files one person begins to send, in pieces or whole.
const uploadsPerMinute = 600

// judge is the policy in force; the hall is made after the window.
func (p *parts) judge(ctx context.Context) (*authz.Authority, error) { return p.hall.Judge(ctx) }

// doors opens GraphQL and the rest of HTTP.
func (p *parts) doors(context.Context) error {
	rates := live.NewRates(p.redis, p.clock)
	open := p.settings.Environment != config.Production
	public := p.settings.HTTP.PublicAddress()
	callers := web.Callers{Gate: p.gate, PlainHTTP: open && strings.HasPrefix(public, "http://")}
	documents, err := pageDocuments()
	if err != nil {
		return err
	}
	p.graph = graph.New(graph.Options{Hall: p.hall, Views: p.views, Hub: p.hub, Rates: rates, Clock: p.clock, Logger: p.log, Open: open,
		Identify: callers.Identify, Documents: documents, TempDir: p.settings.Storage.TempDir, Origins: p.origins(), MaxFileBytes: p.settings.HTTP.MaxUploadBytes})
	p.later(p.graph.Close)
	var app fs.FS
	if frontend.Built() {
		app = frontend.App()
	}
	people, err := demoPeople(p.settings)
	if err != nil {
		return err
	}
	p.door, err = web.New(web.Options{Callers: callers, Files: p.hall, People: p.db.Reader(), GraphQL: p.graph, Inline: open, App: app,
		Checks: []web.Check{{Name: "postgres", Required: true, Ask: p.db.Ping}, {Name: "redis", Ask: p.redis.Ping}},
		AdmitSignIn: func(ctx context.Context, address string) error {
			return refusal(rates.Allow(ctx, "signin:"+address, signInsPerMinute, time.Minute), "Too many attempts to sign in.")
		},
		Uploads: web.UploadRules{MaxBytes: p.settings.HTTP.MaxUploadBytes, MediaTypes: casework.MediaTypes(), Folder: p.uploads, Desk: p.hall,
			Admit: func(ctx context.Context, actor domain.Actor) error {
				return refusal(rates.Allow(ctx, "uploads:"+actor.UserID.String(), uploadsPerMinute, time.Minute), "Too many uploads.")
			}}, DemoPeople: people,
		PublicURL: public, Metrics: p.settings.HTTP.Metrics, MetricsToken: p.settings.HTTP.MetricsToken, QueueAges: p.queueAges,
		Collectors: p.figures(), Clock: p.clock, Log: p.log})
	return err
}

// pageDocuments are the documents that the page was built with, by their hashes.
func pageDocuments() (map[string]string, error) {
	var documents map[string]string
	if err := json.Unmarshal(frontend.PersistedDocuments(), &documents); err != nil {
		return nil, domain.Fail(domain.Internal, "The page's persisted documents cannot be read.").Because(err)
	}
	return documents, nil
}

// origins are the pages that may open a WebSocket, besides the address that was asked.
func (p *parts) origins() []string {
	public, err := url.Parse(p.settings.HTTP.PublicAddress())
	if err != nil || public.Host == "" {
		return nil
	}
	return []string{public.Host}
}

// figures are the server's own, beside those of the door.
func (p *parts) figures() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return []prometheus.Collector{
		gauge("countersign_watched_streams", "Streams that somebody watches live on this server.", func() float64 {
			streams, _ := p.hub.Watched()
			return float64(streams)
		}),
		gauge("countersign_watched_lists", "Lists that somebody watches live on this server.", func() float64 {
			_, lists := p.hub.Watched()
			return float64(lists)
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "countersign_hints_dropped_total", Help: "Hints to live pages that never went out; the pulse heals them."},
			func() float64 { return float64(p.publisher.Dropped()) }),
	}
}

// queueAges tells the backlog for the metrics.
func (p *parts) queueAges(ctx context.Context) ([]web.QueueAge, error) {
	ages, err := p.hall.QueueAges(ctx)
	list := make([]web.QueueAge, 0, len(ages))
	for _, a := range ages {
		list = append(list, web.QueueAge{Queue: a.Queue, Due: a.Due, Oldest: time.Duration(a.OldestSec * float64(time.Second))})
	}
	return list, err
}

// refusal says how long one who asked too often has to wait.
func refusal(answer live.Allowance, sentence string) error {
	if answer.Allowed {
		return nil
	}
	seconds := int(answer.RetryAfter/time.Second) + 1
	return domain.Fail(domain.RateLimited, "%s", sentence).WithWayOut("Wait %d seconds.", seconds).
		WithDetail("retryAfterSeconds", strconv.Itoa(seconds))
}
