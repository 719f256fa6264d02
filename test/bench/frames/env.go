package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"countersign/authz"
	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/graph"
	"countersign/internal/devservices"
	"countersign/live"
	"countersign/migrations"
	"countersign/store"
	"countersign/views"
)

// bench is a server in this process, with the port of reading answered by a fixed e-invoice.
type bench struct {
	db        *store.DB
	service   *casework.Service
	publisher *live.Publisher
	url       string
	redisURL  string
	database  string // URL of the database
	cleanups  []func()
	people    map[string]domain.Actor // by token
	reviews   []review

	mu      sync.Mutex
	pending []domain.PendingRun
	commits commitTimes
}

// Enqueue keeps runs until the preparation executes them. Those due later, such as deadlines of
// reviews, are left alone.
func (b *bench) Enqueue(_ context.Context, wakes []domain.PendingRun) {
	soon := time.Now().Add(time.Minute)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, wake := range wakes {
		if wake.RunAfter.Before(soon) {
			b.pending = append(b.pending, wake)
		}
	}
}

// PublishHints is called right after a commit: it notes the time and publishes as a server does.
func (b *bench) PublishHints(ctx context.Context, hints []domain.Hint) {
	b.commits.add(hints)
	b.publisher.Publish(ctx, hints)
}

func (b *bench) takePending() []domain.PendingRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	wakes := b.pending
	b.pending = nil
	return wakes
}

// addCleanup stops something when the bench ends, the last begun first.
func (b *bench) addCleanup(stop func()) { b.cleanups = append(b.cleanups, stop) }

func (b *bench) stop() {
	for i := range b.cleanups {
		b.cleanups[len(b.cleanups)-1-i]()
	}
}

// servers starts a durable Postgres and a Redis, and lays the schema.
func (b *bench) servers(ctx context.Context) (*live.Redis, error) {
	postgres, err := devservices.StartPostgres(ctx,
		devservices.PostgresOptions{Settings: map[string]string{"fsync": "on",
			"synchronous_commit": "on", "full_page_writes": "on", "max_connections": "100",
			"shared_buffers": "256MB"}})
	if err != nil {
		return nil, err
	}
	b.addCleanup(func() { _ = postgres.Close() })
	server, err := devservices.StartRedis(ctx, devservices.RedisOptions{})
	if err != nil {
		return nil, err
	}
	b.addCleanup(func() { _ = server.Close() })
	if err := postgres.CreateDatabase(ctx, "bench"); err != nil {
		return nil, err
	}
	if _, err := migrations.Up(ctx, postgres.OwnerURL("bench"), 24); err != nil {
		return nil, err
	}
	b.database, b.redisURL = postgres.AppURL("bench"), server.URL()
	if b.db, err = store.Open(ctx, b.database, 40); err != nil {
		return nil, err
	}
	b.addCleanup(b.db.Close)
	redis, err := live.Connect(b.redisURL)
	if err == nil {
		b.addCleanup(func() { _ = redis.Close() })
	}
	return redis, err
}

// start opens the server. What it returns stops all that was begun, also after an error.
func (b *bench) start(ctx context.Context, dir string) (func(), error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	redis, err := b.servers(ctx)
	if err != nil {
		return b.stop, err
	}
	folder, err := blob.OpenFolder(filepath.Join(dir, "blobs"))
	if err != nil {
		return b.stop, err
	}
	readViews := views.New(b.db.Reader(),
		func(ctx context.Context) (*authz.Authority, error) { return b.service.Authorizer(ctx) })
	hub := live.NewHub(live.Options{Log: b.db.Reader(), Authorizer: readViews, Logger: log})
	// No hub at the publisher: the hints come back by Redis, as those of another process.
	b.publisher = live.NewPublisher(redis, nil, log)
	loop, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, part := range []func(context.Context){hub.Run, b.publisher.Run,
		live.NewListener(redis, hub, log).Run} {
		running.Go(func() { part(loop) })
	}
	b.addCleanup(func() { cancel(); running.Wait() })
	b.service, err = casework.New(b.db, casework.Ports{Reader: fakeReader{}, Blobs: folder,
		Notifier: b}, casework.Settings{}, log)
	if err != nil {
		return b.stop, err
	}
	b.addCleanup(func() { b.service.Close(context.WithoutCancel(ctx)) })
	handler := graph.New(graph.Options{Service: b.service, Views: readViews, Hub: hub,
		Rates: live.NewRateLimiter(redis, domain.SystemClock{}),
		Clock: domain.SystemClock{}, Logger: log, TempDir: dir, Identify: b.identify,
		Bounds: graph.Bounds{Requests: 1_000_000, Connections: 100_000,
			AddressConnections: 100_000, Subscriptions: 100_000},
		AllowIntrospection: true})
	return b.stop, b.listen(ctx, handler, handler.Close)
}

func (b *bench) listen(ctx context.Context, handler http.Handler, closeHandler func()) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	b.url = "http://" + listener.Addr().String()
	go func() { _ = server.Serve(listener) }()
	b.addCleanup(func() { closeHandler(); _ = server.Close() })
	return nil
}

// identify takes a person's name for their token: sign-in is not measured here.
func (b *bench) identify(_ context.Context, r *http.Request, token string) (domain.Actor, error) {
	if token == "" {
		token = r.Header.Get("Authorization")
	}
	return b.people[strings.TrimPrefix(token, "Bearer ")], nil
}
