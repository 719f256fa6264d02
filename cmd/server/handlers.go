package main

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
	"countersign/frontend"
	"countersign/graph"
	"countersign/internal/config"
	"countersign/internal/version"
	"countersign/live"
	"countersign/web"
)

// piecesPerUpload is how many requests a person may send about uploads for each upload that may be
// begun.
const piecesPerUpload = 10

// authority is the policy in force; the service layer is made after the read side.
func (p *components) authority(ctx context.Context) (*authz.Authority, error) {
	return p.service.Authorizer(ctx)
}

// openHandlers opens GraphQL and the rest of HTTP.
func (p *components) openHandlers(ctx context.Context) error {
	bounds := p.settings.Bounds
	counted := counters{rates: live.NewRateLimiter(p.redis, p.clock), bounds: bounds}
	proxies, err := p.trustedProxies(ctx)
	if err != nil {
		return err
	}
	open := p.settings.Environment != config.Production
	public := p.settings.HTTP.PublicAddress()
	callers := web.Callers{Authenticator: p.authenticator, PlainHTTP: open &&
		strings.HasPrefix(public, "http://")}
	documents, err := pageDocuments()
	if err != nil {
		return err
	}
	p.graph = graph.New(graph.Options{Service: p.service, Views: p.views, Hub: p.hub,
		Rates: counted.rates, Clock: p.clock, Logger: p.log, AllowIntrospection: open,
		Identify: callers.Identify, Documents: documents, TempDir: p.settings.Storage.TempDir,
		Origins:      p.origins(),
		MaxFileBytes: p.settings.HTTP.MaxUploadBytes, Proxies: proxies,
		Bounds: graph.Bounds{Requests: bounds.Requests,
			AddressRequests: bounds.AddressRequests, Uploads: bounds.Uploads,
			Connections:        bounds.Connections,
			AddressConnections: bounds.AddressConnections, Subscriptions: bounds.Subscriptions}})
	p.cleanup.Add(p.graph.Close)
	var app fs.FS
	if frontend.Built() {
		app = frontend.App()
	}
	people, err := demoPeople(p.settings)
	if err != nil {
		return err
	}
	p.handler, err = web.New(web.Options{Callers: callers, Files: p.service, People: p.db.Reader(),
		Feed: p.views, Exports: p.views, Reads: p.service, Unsubscribe: p.unsubscribe,
		GraphQL: p.graph, AllowInlineScripts: open, App: app,
		Checks: []web.Check{{Name: "postgres", Required: true, Probe: p.db.Ping},
			{Name: "redis", Probe: p.redis.Ping}},
		ChoosePassword: p.service.ChoosePassword, Passkeys: p.service,
		WritePack: func(ctx context.Context, actor domain.Actor, id domain.ID,
			begin func(string) io.Writer) error {
			return p.service.WritePack(ctx, actor, id, p.logKeys, begin)
		},
		AdmitSignIn: counted.signIn, Admit: counted.request, Proxies: proxies,
		Uploads: web.UploadRules{MaxBytes: p.settings.HTTP.MaxUploadBytes,
			MediaTypes: casework.MediaTypes(), Store: p.uploads, Service: p.service,
			Admit: counted.upload, AdmitPiece: counted.piece}, DemoPeople: people,
		PublicURL: public, Version: version.Number, Metrics: p.settings.HTTP.Metrics,
		MetricsToken: p.settings.HTTP.MetricsToken, QueueAges: p.queueAges,
		Collectors: p.collectors(), Clock: p.clock, Log: p.log})
	return err
}

// pageDocuments are the documents that the page was built with, by their hashes.
func pageDocuments() (map[string]string, error) {
	var documents map[string]string
	if err := json.Unmarshal(frontend.PersistedDocuments(), &documents); err != nil {
		return nil, domain.Errorf(domain.Internal,
			"The page's persisted documents cannot be read.").WithCause(err)
	}
	return documents, nil
}

// origins are the pages that may open a WebSocket, besides the address that was asked.
func (p *components) origins() []string {
	public, err := url.Parse(p.settings.HTTP.PublicAddress())
	if err != nil || public.Host == "" {
		return nil
	}
	return []string{public.Host}
}

// collectors are the metrics of the server itself; the adapters register their own.
func (p *components) collectors() []prometheus.Collector {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	return append(append(p.spans.Counters(), newFeedLag(p.db.Reader(), p.log),
		newLateWork(p.db.Reader(), p.log), newConnectorLag(p.db.Reader(), p.log)),
		gauge("countersign_watched_streams", "Streams with live subscribers on this server.",
			func() float64 {
				streams, _ := p.hub.Watched()
				return float64(streams)
			}),
		gauge("countersign_watched_lists", "Lists with live subscribers on this server.",
			func() float64 {
				_, lists := p.hub.Watched()
				return float64(lists)
			}),
		gauge("countersign_open_connections", "WebSockets and event streams open on this server.",
			func() float64 {
				connections, _ := p.graph.Open()
				return float64(connections)
			}),
		gauge("countersign_open_subscriptions", "Subscriptions under way on this server.",
			func() float64 {
				_, subscriptions := p.graph.Open()
				return float64(subscriptions)
			}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "countersign_hints_dropped_total",
			Help: "Hints to live pages that never went out; the pulse heals them."},
			func() float64 { return float64(p.publisher.Dropped()) }))
}

// queueAges reports the backlog to the metrics.
func (p *components) queueAges(ctx context.Context) ([]web.QueueAge, error) {
	ages, err := p.service.QueueAges(ctx)
	list := make([]web.QueueAge, 0, len(ages))
	for _, a := range ages {
		list = append(list, web.QueueAge{Queue: a.Queue, Due: a.Due,
			Oldest: time.Duration(a.OldestSec * float64(time.Second))})
	}
	return list, err
}

// counters count requests over all servers and refuse those beyond the bounds.
type counters struct {
	rates  *live.RateLimiter
	bounds config.Bounds
}

// request counts a request other than GraphQL, by its sender or, without one, by the client's
// address.
func (c counters) request(ctx context.Context, actor domain.Actor, client string) error {
	key, most := graph.Payer(actor, client, c.bounds.Requests, c.bounds.AddressRequests)
	return c.refuse(c.rates.Allow(ctx, "web:"+key, most, time.Minute), "Too many requests.")
}

func (c counters) signIn(ctx context.Context, key string) error {
	return c.refuse(c.rates.Allow(ctx, "signin:"+key, c.bounds.SignIns, time.Minute),
		"Too many attempts to sign in.")
}

func (c counters) upload(ctx context.Context, actor domain.Actor) error {
	return c.refuse(c.rates.Allow(ctx, "uploads:"+actor.UserID.String(), c.bounds.Uploads,
		time.Minute), "Too many uploads.")
}

func (c counters) piece(ctx context.Context, actor domain.Actor) error {
	return c.refuse(c.rates.Allow(ctx, "pieces:"+actor.UserID.String(),
		c.bounds.Uploads*piecesPerUpload, time.Minute), "Too many requests about uploads.")
}

// refuse says how long one who asked too often has to wait.
func (c counters) refuse(answer live.Allowance, sentence string) error {
	if answer.Allowed {
		return nil
	}
	refusal := domain.Errorf(domain.RateLimited, "%s", sentence).WithRetryAfter(answer.RetryAfter)
	return refusal.WithRemedy("Wait %s seconds.", refusal.Detail[domain.RetryAfterDetail])
}
