package graph

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/transport"
	"countersign/internal/clientaddr"
	"countersign/internal/tracing"
	"countersign/live"
	"countersign/views"
)

// Options configure the adapter; cmd sets them.
type Options struct {
	Service *casework.Service
	Views   *views.Views
	Hub     *live.Hub
	Rates   *live.RateLimiter
	Clock   domain.Clock
	Logger  *slog.Logger

	// Identify authenticates a request; see transport.Options.
	Identify func(ctx context.Context, r *http.Request, token string) (domain.Actor, error)
	// AllowIntrospection enables introspection and the explorer page, for development and demo.
	AllowIntrospection bool
	// Documents are the application's persisted documents by SHA-256. Unless Open is set, browser
	// sessions may send no others.
	Documents    map[string]string
	TempDir      string
	Origins      []string
	MaxFileBytes int64
	// Proxies are trusted to report the client's address.
	Proxies clientaddr.Source
	Bounds  Bounds
	// Limits of one document; zero selects transport.DefaultLimits.
	Limits transport.Limits
	// ConfigureTransport modifies the options of the transports; nil keeps the defaults.
	ConfigureTransport func(*transport.Options)
}

// Bounds are the rate limits of one user or network address; zero selects the default.
type Bounds struct {
	Requests        int64 // per minute and user; 1 200
	AddressRequests int64 // per minute and address, for unauthenticated callers; 1 200
	Uploads         int64 // per minute and user; 600
	// Connections and Subscriptions limit what is open on one server; see transport.Options.
	Connections, AddressConnections, Subscriptions int
}

// documentCacheSize is the number of cached parsed documents.
const documentCacheSize = 1000

// New returns the adapter's handler. Close it after the listener.
func New(o Options) *transport.Handler {
	if o.Limits == (transport.Limits{}) {
		o.Limits = transport.DefaultLimits()
	}
	if o.Proxies == nil {
		o.Proxies = clientaddr.Proxies(nil)
	}
	settings := transport.Options{Executor: newExecutor(o), Clock: o.Clock, Identify: o.Identify,
		Explorer:  o.AllowIntrospection,
		Documents: transport.KnownDocuments(o.Documents), ListedOnly: !o.AllowIntrospection,
		TempDir: o.TempDir, Origins: o.Origins, MaxFileBytes: o.MaxFileBytes}
	settings.Client = func(r *http.Request) string { return clientaddr.Key(o.Proxies.Of(r)) }
	settings.ConnectionsPerPerson, settings.ConnectionsPerClient = o.Bounds.Connections,
		o.Bounds.AddressConnections
	settings.SubscriptionsPerPerson = o.Bounds.Subscriptions
	person, address, uploads := cmp.Or(o.Bounds.Requests, 1200),
		cmp.Or(o.Bounds.AddressRequests, 1200), cmp.Or(o.Bounds.Uploads, 600)
	settings.Admit = func(ctx context.Context, actor domain.Actor, r *http.Request) error {
		key, most := Payer(actor, settings.Client(r), person, address)
		return allowanceError(o.Rates.Allow(ctx, "operations:"+key, most, time.Minute))
	}
	settings.AdmitUpload = func(ctx context.Context, actor domain.Actor, _ *http.Request) error {
		if err := allowanceError(o.Rates.Allow(ctx, "uploads:"+actor.UserID.String(), uploads,
			time.Minute)); err != nil {
			return err
		}
		return o.Service.MaySendFiles(ctx, actor)
	}
	if o.ConfigureTransport != nil {
		o.ConfigureTransport(&settings)
	}
	return transport.New(settings)
}

func newExecutor(o Options) *executor.Executor {
	root := &resolver{service: o.Service, views: o.Views, hub: o.Hub, clock: o.Clock}
	schema := generated.NewExecutableSchema(config(root))
	engine := executor.New(schema)
	engine.SetQueryCache(lru.New[*ast.QueryDocument](documentCacheSize))
	engine.SetParserTokenLimit(o.Limits.Tokens)
	engine.SetDisableSuggestion(!o.AllowIntrospection)
	present := presenter(o.Logger)
	engine.SetErrorPresenter(present)
	engine.SetRecoverFunc(func(ctx context.Context, thrown any) error {
		o.Logger.ErrorContext(ctx, "a resolver panicked", "panic", thrown, "request",
			transport.Caller(ctx).RequestID)
		return domain.Errorf(domain.Internal, "A resolver panicked.")
	})
	engine.Use(&transport.Guard{Limits: o.Limits, Introspection: o.AllowIntrospection})
	engine.Use(&transport.Bounds{})
	if o.AllowIntrospection {
		engine.Use(extension.Introspection{})
	}
	engine.AroundOperations(traceOperation)
	if tracing.Installed() {
		engine.AroundFields(traceSlowResolver)
	}
	engine.AroundOperations(requireCaller)
	engine.AroundOperations(rootScopes(present, scopesOf(schema.Schema())))
	engine.AroundResponses(withLoaders(o.Views))
	return engine
}

// requireCaller refuses commands and subscriptions of unauthenticated callers; for queries the read
// side decides.
func requireCaller(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	kind := graphql.GetOperationContext(ctx).Operation.Operation
	if kind != ast.Query && transport.Caller(ctx).UserID == domain.NoID {
		err := domain.Errorf(domain.Unauthenticated, "Please sign in.")
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{{Err: err,
			Message: err.Message, Extensions: map[string]any{
				"code": string(err.Code), "kind": string(err.Code.Kind()),
				"requestId": transport.Caller(ctx).RequestID}}}})
	}
	return next(ctx)
}

// Payer returns the key and the size of the allowance that a request counts against: the API
// token's own if it has one, the user's, or that of the client's address for unauthenticated
// callers.
func Payer(actor domain.Actor, client string, person, address int64) (key string, most int64) {
	switch {
	case actor.TokenID != domain.NoID && actor.RequestsPerMinute > 0:
		return "token:" + actor.TokenID.String(), actor.RequestsPerMinute
	case actor.UserID != domain.NoID:
		return actor.UserID.String(), person
	}
	return client, address
}
