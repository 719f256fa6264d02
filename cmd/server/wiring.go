package main

import (
	"context"
	"countersign/audit"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"countersign/blob"
	"countersign/blob/s3"
	"countersign/blob/stores"
	"countersign/casework"
	"countersign/connect/senders"
	"countersign/deliver"
	"countersign/domain"
	"countersign/graph/transport"
	"countersign/identity"
	"countersign/internal/config"
	"countersign/internal/program"
	"countersign/live"
	"countersign/notify"
	"countersign/reading/ocr"
	"countersign/rules"
	"countersign/store"
	"countersign/tasks"
	"countersign/views"
	"countersign/web"
	"countersign/workflow"
)

// stopTimeout bounds the end of requests in progress; subscriptions are asked to reconnect
// immediately.
const stopTimeout = 8 * time.Second

// sweepUploadsEvery is how often abandoned uploads are removed.
const sweepUploadsEvery = 10 * time.Minute

// components is the server put together.
type components struct {
	settings config.Config
	log      *slog.Logger
	clock    domain.Clock

	db        *store.DB
	blobs     blob.Store
	uploads   *web.UploadStore
	redis     *live.Redis
	hub       *live.Hub
	publisher *live.Publisher
	enqueuer  *tasks.Enqueuer
	service   *casework.Service
	views     *views.Views
	// the published versions, cached for the service layer and the read side
	definitions   domain.VersionCache[*workflow.Definition]
	ruleSets      domain.VersionCache[*rules.Set]
	documentTypes domain.VersionCache[*domain.DocumentType]
	authenticator *identity.Authenticator
	providers     []identity.Provider
	graph         *transport.Handler
	spans         program.Spans
	handler       *web.Handler
	logKeys       audit.Keys      // public keys of the audit log
	cleanup       program.Cleanup // at the end
}

// notifier sends notifications after a commit: to workers about new runs, to pages about changes.
type notifier struct {
	enqueuer  *tasks.Enqueuer
	publisher *live.Publisher
	log       *slog.Logger
}

// Enqueue notifies workers and logs the request's id with the runs, so that logs of both programs
// can be joined.
func (b notifier) Enqueue(ctx context.Context, wakes []domain.PendingRun) {
	b.enqueuer.Enqueue(ctx, wakes)
	for _, wake := range wakes {
		b.log.LogAttrs(ctx, slog.LevelInfo, "work enqueued",
			slog.String("correlation_id", wake.CorrelationID), slog.Any("case", wake.CaseID),
			slog.Any("run", wake.RunID), slog.String("queue", wake.Queue),
			slog.String("request_id", identity.RequestOf(ctx).ID))
	}
}

// PublishHints publishes the hints.
func (b notifier) PublishHints(ctx context.Context, hints []domain.Hint) {
	b.publisher.Publish(ctx, hints)
}

// assemble puts the packages together. Postgres must answer; Redis may be away.
func assemble(ctx context.Context, settings config.Config, log *slog.Logger) (*components, error) {
	p := &components{settings: settings, log: log, clock: domain.SystemClock{}}
	if err := p.spans.Open(ctx, "server", settings.Tracing, p.log, &p.cleanup); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{p.openStorage, p.openRedis,
		p.newServices, p.openHandlers} {
		if err := step(ctx); err != nil {
			p.cleanup.Run()
			return nil, err
		}
	}
	return p, nil
}

// openStorage opens what keeps rows and files.
func (p *components) openStorage(ctx context.Context) error {
	var err error
	if p.db, err = program.OpenDatabase(ctx, p.settings.Database, &p.cleanup); err != nil {
		return err
	}
	if p.blobs, err = stores.Open(ctx, p.settings); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.blobs.Close() })
	if bucket, is := p.blobs.(*s3.Bucket); is {
		p.uploads = web.NewUploadObjects(bucket.Uploads())
		return nil
	}
	p.uploads, err = web.OpenUploadFolder(p.settings.Storage.UploadFolder())
	return err
}

// openRedis prepares what may be forgotten: hints to and from other processes, and the queue's
// notifier.
func (p *components) openRedis(ctx context.Context) error {
	queue, err := tasks.Redis(p.settings.Redis.URL)
	if err != nil {
		return err
	}
	if p.redis, err = live.Connect(p.settings.Redis.URL); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.redis.Close() })
	p.views = views.NewWithCaches(p.db.Reader(), p.authority, &p.definitions, &p.ruleSets,
		&p.documentTypes)
	p.views.LimitClaims(p.settings.Work.ClaimLimit)
	if err := p.trustLog(ctx); err != nil {
		return err
	}
	p.hub = live.NewHub(live.Options{Log: p.db.Reader(), Authorizer: p.views, Logger: p.log})
	p.publisher = live.NewPublisher(p.redis, p.hub, p.log)
	p.db.OnRightsChange(p.publisher.RightsChanged)
	p.cleanup.Background(p.hub.Run)
	p.cleanup.Background(p.publisher.Run)
	p.cleanup.Background(live.NewListener(p.redis, p.hub, p.log).Run)
	if p.enqueuer, err = tasks.NewEnqueuer(queue, p.clock, p.log); err != nil {
		return err
	}
	p.cleanup.Add(func() { _ = p.enqueuer.Close() })
	return nil
}

// newServices makes the service layer and the gate.
func (p *components) newServices(context.Context) error {
	tester, closeSenders, err := senders.New(senders.Settings{
		Secrets: p.settings.Connect.Secrets, Networks: p.settings.Connect.Networks,
		PublicURL: p.settings.HTTP.PublicAddress(), Reference: p.db.Reader().CaseReference})
	if err != nil {
		return err
	}
	p.cleanup.Add(closeSenders)
	links, err := p.signInLinks()
	if err != nil {
		return err
	}
	if err := p.openProviders(); err != nil {
		return err
	}
	p.service, err = casework.New(p.db, casework.Ports{Blobs: p.blobs, Uploads: p.uploads,
		ConnectorTester: tester, ConnectorReconciler: deliver.NewReconciler(p.views, tester),
		Notifier:    notifier{p.enqueuer, p.publisher, p.log},
		Definitions: &p.definitions, RuleSets: &p.ruleSets, DocumentTypes: &p.documentTypes,
		UnsupportedFile: ocr.UnsupportedError, SignInLinks: links},
		casework.Settings{ClaimLease: p.settings.Work.ClaimLease,
			ClaimLimit:     p.settings.Work.ClaimLimit,
			DeadlineSpeed:  p.settings.Work.DeadlineSpeed,
			MaxUploadBytes: p.settings.HTTP.MaxUploadBytes,
			SendsMail:      p.settings.Mail.Server != "",
			PasswordsOff:   p.settings.SignIn.PasswordsOff(),
			OwnersWait:     p.settings.Publishing.OwnersWait,
			Providers:      providerNames(p.providers),
			OpenUploads: store.OpenUploadBounds{Number: p.settings.Bounds.OpenUploads,
				Bytes: p.settings.Bounds.OpenUploadBytes}}, p.log)
	if err != nil {
		return err
	}
	p.authenticator = identity.New(p.db, identity.Settings{
		PasswordsOff: p.settings.SignIn.PasswordsOff(), Accounts: p.service, Providers: p.providers,
		RelyingParty: identity.RelyingPartyOf(p.settings.HTTP.PublicAddress())}, p.log)
	p.cleanup.Add(func() {
		closing, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		p.authenticator.Close(closing)
		p.service.Close(closing)
	})
	p.cleanup.Background(func(running context.Context) {
		p.uploads.Run(running, p.service, p.settings.Storage.UploadKeep, sweepUploadsEvery, p.log)
	})
	return nil
}

// serveMetrics opens /metrics at its own address.
func (p *components) serveMetrics() (stop func(), err error) {
	server := p.handler.MetricsServer(p.settings.HTTP.MetricsAddr)
	if server == nil {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", p.settings.HTTP.MetricsAddr)
	if err != nil {
		return nil, domain.Errorf(domain.Unavailable,
			"The address %s of the metrics cannot be listened on.", p.settings.HTTP.MetricsAddr).
			WithRemedy("Set COUNTERSIGN_METRICS_ADDR to a free one, such as 127.0.0.1:0, or COUNTERSIGN_METRICS=false.").WithCause(err)
	}
	p.log.Info("the server's metrics", "addr", listener.Addr().String())
	go func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			p.log.Error("the metrics ended", "error", err)
		}
	}()
	return func() { _ = server.Close() }, nil
}

// serve answers until the context ends; then it finishes requests in progress and asks
// subscriptions to reconnect.
func (p *components) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", p.settings.HTTP.Addr)
	if err != nil {
		return domain.Errorf(domain.Unavailable, "The address %s cannot be listened on.",
			p.settings.HTTP.Addr).
			WithRemedy("Set COUNTERSIGN_ADDR to a free one.").WithCause(err)
	}
	server := p.handler.Server(p.settings.HTTP.Addr)
	stopMetrics, err := p.serveMetrics()
	if err != nil {
		_ = listener.Close()
		return err
	}
	defer stopMetrics()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	p.log.Info("the server listens", "addr", listener.Addr().String(), "public",
		p.settings.HTTP.PublicAddress(), "environment", p.settings.Environment)
	select {
	case err := <-failed:
		return domain.Errorf(domain.Unavailable, "The server's listener failed.").WithCause(err)
	case <-ctx.Done():
	}
	p.log.Info("the server stops")
	stopping, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(stopping) }()
	p.graph.Close()
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		_ = server.Close()
	}
	return nil
}

// signInLinks sends links by e-mail; nil without a mail server.
func (p *components) signInLinks() (casework.SignInLinkSender, error) {
	settings := p.settings.Mail
	if settings.Server == "" {
		return nil, nil
	}
	server, err := notify.OpenServer(settings.Server, settings.Login, settings.From)
	return notify.SignInLinks{Sender: server, From: settings.From,
		PublicURL: p.settings.HTTP.PublicAddress()}, err
}
