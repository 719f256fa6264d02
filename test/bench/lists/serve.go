package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"time"

	"countersign/domain"
	"countersign/graph"
	"countersign/internal/config"
	"countersign/live"
	"countersign/test/benchservice"
	"countersign/views"
)

// serve is the adapter on a free port until standard input ends. The caller is the senior reviewer: the
// measured document is that of a person whose rights are asked in each request.
func serve(ctx context.Context, databaseURL, redisURL, profile string) error {
	config.TuneMemory()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	redis, err := live.Connect(redisURL)
	if err != nil {
		return err
	}
	defer func() { _ = redis.Close() }()
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, service, err := benchservice.Open(ctx, databaseURL, 8, dir)
	if err != nil {
		return err
	}
	defer db.Close()
	defer service.Close(ctx)
	reads := views.New(db.Reader(), service.Authorizer)
	user, _, err := db.Reader().UserByEmail(ctx, senior)
	if err != nil {
		return err
	}
	caller := domain.Actor{UserID: user.ID, Channel: domain.ChannelAPI}
	handler := graph.New(graph.Options{Service: service, Views: reads, Logger: log, TempDir: dir,
		Hub:   live.NewHub(live.Options{Log: db.Reader(), Authorizer: reads, Logger: log}),
		Rates: live.NewRateLimiter(redis, domain.SystemClock{}), Clock: domain.SystemClock{},
		Identify: func(context.Context, *http.Request, string) (domain.Actor, error) { return caller, nil },
		Bounds:   graph.Bounds{Requests: 1_000_000_000}, AllowIntrospection: true})
	defer handler.Close()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	stop, err := startProfile(profile)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println("http://" + listener.Addr().String())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path) //nolint:gosec // chosen by who runs the bench
	if err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); _ = file.Close() }, pprof.StartCPUProfile(file)
}
