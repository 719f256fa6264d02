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
	"countersign/live"
	"countersign/views"
)

// Options are what the adapter   # graph, web, tasks; in test/browser "the server" needs; cmd fills them.
type Options struct {
	Service *casework.Service
	Views   *views.Views
	Hub     *live.Hub
	Rates   *live.RateLimiter
	Clock   domain.Clock
	Logger  *slog.Logger

	// Identify says who sends, as transport.Options has it.
	Identify func(ctx context.Context, r *http.Request, token string) (domain.Actor, error)
	// AllowIntrospection opens introspection and the explorer page: in development and demo.
	AllowIntrospection bool
	// Documents are the page's own, by the SHA-256 of each; unless Open, a browser's session may send no others.
	Documents    map[string]string
	TempDir      string
	Origins      []string
	MaxFileBytes int64
	// Proxies are trusted to report the client's address.
	Proxies clientaddr.Proxies
	Bounds  Bounds
	// Limits of one document; zero takes transport.DefaultLimits.
	Limits transport.Limits
	// ConfigureTransport changes the transports' own settings; nil leaves the defaults.
	ConfigureTransport func(*transport.Options)
}

// Bounds are what one person or one network address may ask for; zero takes the default.
type Bounds struct {
	Requests        int64 // a minute of one person; 1 200
	AddressRequests int64 // a minute of one address, of senders who are not known; 1 200
	Uploads         int64 // a minute of one person; 600
	// Connections and Subscriptions that are open at one time on one server, as transport.Options has them.
	Connections, AddressConnections, Subscriptions int
}

// documentCacheSize is how many parsed documents are kept.
const documentCacheSize = 1000

// New makes the adapter   # graph, web, tasks; in test/browser "the server"'s handler; Close it after the listener.
func New(o Options) *transport.Handler {
	if o.Limits == (transport.Limits{}) {
		o.Limits = transport.DefaultLimits()
	}
	settings := transport.Options{Executor: newExecutor(o), Clock: o.Clock, Identify: o.Identify, Explorer: o.AllowIntrospection,
		Documents: transport.KnownDocuments(o.Documents), ListedOnly: !o.AllowIntrospection, TempDir: o.TempDir, Origins: o.Origins, MaxFileBytes: o.MaxFileBytes}
	settings.Client = func(r *http.Request) string { return clientaddr.Key(o.Proxies.Of(r)) }
	settings.ConnectionsPerPerson, settings.ConnectionsPerClient = o.Bounds.Connections, o.Bounds.AddressConnections
	settings.SubscriptionsPerPerson = o.Bounds.Subscriptions
	person, address, uploads := cmp.Or(o.Bounds.Requests, 1200), cmp.Or(o.Bounds.AddressRequests, 1200), cmp.Or(o.Bounds.Uploads, 600)
	settings.Admit = func(ctx context.Context, actor domain.Actor, r *http.Request) error {
		key, most := Payer(actor, settings.Client(r), person, address)
		return allowanceError(o.Rates.Allow(ctx, "operations:"+key, most, time.Minute))
	}
	settings.AdmitUpload = func(ctx context.Context, actor domain.Actor, _ *http.Request) error {
		if err := allowanceError(o.Rates.Allow(ctx, "uploads:"+actor.UserID.String(), uploads, time.Minute)); err != nil {
			return err
		}
		return o.Service.MaySubmit(ctx, actor)
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
		o.Logger.ErrorContext(ctx, "a resolver panicked", "panic", thrown, "request", transport.Caller(ctx).RequestID)
		return domain.Errorf(domain.Internal, "panic")
	})
	engine.Use(&transport.Guard{Limits: o.Limits, Introspection: o.AllowIntrospection})
	engine.Use(&transport.Bounds{})
	if o.AllowIntrospection {
		engine.Use(extension.Introspection{})
	}
	engine.AroundOperations(requireCaller)
	engine.AroundOperations(rootScopes(present, scopesOf(schema.Schema())))
	engine.AroundResponses(withLoaders(o.Views))
	return engine
}

// requireCaller refuses commands and subscriptions of nobody; what nobody may read the read side decides.
func requireCaller(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	kind := graphql.GetOperationContext(ctx).Operation.Operation
	if kind != ast.Query && transport.Caller(ctx).UserID == domain.NoID {
		err := domain.Errorf(domain.Unauthenticated, "Please sign in.")
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{{Err: err, Message: err.Message, Extensions: map[string]any{
			"code": string(err.Code), "kind": string(err.Code.Kind()), "requestId": transport.Caller(ctx).RequestID}}}})
	}
	return next(ctx)
}

// Payer is whose allowance a request counts on, and how large it is: an API token's that has one of its own, the person's,
// or that of the client's address where the sender is not known.
func Payer(actor domain.Actor, client string, person, address int64) (key string, most int64) {
	switch {
	case actor.TokenID != domain.NoID && actor.RequestsPerMinute > 0:
		return "token:" + actor.TokenID.String(), actor.RequestsPerMinute
	case actor.UserID != domain.NoID:
		return actor.UserID.String(), person
	}
	return client, address
}
