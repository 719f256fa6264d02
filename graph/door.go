package graph

import (
	"cmp"
	"context"
	"log/slog"
	"net"
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
	"countersign/live"
	"countersign/views"
)

// Options are what the door needs; cmd fills them.
type Options struct {
	Hall   *casework.Hall
	Views  *views.Views
	Hub    *live.Hub
	Rates  *live.Rates
	Clock  domain.Clock
	Logger *slog.Logger

	// Identify says who sends, as transport.Options has it.
	Identify func(ctx context.Context, r *http.Request, token string) (domain.Actor, error)
	// Open opens introspection and the explorer page: in development and demo.
	Open bool
	// Documents are the page's own, by the SHA-256 of each; unless Open, a browser's session may send no others.
	Documents    map[string]string
	TempDir      string
	Origins      []string
	MaxFileBytes int64
	// OperationsPerMinute and UploadsPerMinute bound one person; 0 takes the defaults 1 200 and 600.
	OperationsPerMinute, UploadsPerMinute int64
	// Limits of one document; zero takes transport.DefaultLimits.
	Limits transport.Limits
	// Carry changes the transports' own settings; nil leaves the defaults.
	Carry func(*transport.Options)
}

// rememberedDocuments is how many parsed documents are kept.
const rememberedDocuments = 1000

// New makes the door's handler; Close it after the listener.
func New(o Options) *transport.Handler {
	if o.Limits == (transport.Limits{}) {
		o.Limits = transport.DefaultLimits()
	}
	settings := transport.Options{Executor: newExecutor(o), Clock: o.Clock, Identify: o.Identify, Explorer: o.Open,
		Documents: transport.KnownDocuments(o.Documents), Listed: !o.Open, TempDir: o.TempDir, Origins: o.Origins, MaxFileBytes: o.MaxFileBytes}
	operations, uploads := cmp.Or(o.OperationsPerMinute, 1200), cmp.Or(o.UploadsPerMinute, 600)
	settings.Admit = func(ctx context.Context, actor domain.Actor, r *http.Request) error {
		return admit(o.Rates.Allow(ctx, "operations:"+payer(actor, r), operations, time.Minute))
	}
	settings.AdmitUpload = func(ctx context.Context, actor domain.Actor, r *http.Request) error {
		if err := admit(o.Rates.Allow(ctx, "uploads:"+payer(actor, r), uploads, time.Minute)); err != nil {
			return err
		}
		return o.Hall.MaySubmit(ctx, actor)
	}
	if o.Carry != nil {
		o.Carry(&settings)
	}
	return transport.New(settings)
}

func newExecutor(o Options) *executor.Executor {
	root := &resolver{hall: o.Hall, views: o.Views, hub: o.Hub, clock: o.Clock}
	engine := executor.New(generated.NewExecutableSchema(generated.Config{Resolvers: root, Complexity: costs()}))
	engine.SetQueryCache(lru.New[*ast.QueryDocument](rememberedDocuments))
	engine.SetParserTokenLimit(o.Limits.Tokens)
	engine.SetDisableSuggestion(!o.Open)
	engine.SetErrorPresenter(presenter(o.Logger))
	engine.SetRecoverFunc(func(ctx context.Context, thrown any) error {
		o.Logger.ErrorContext(ctx, "a resolver panicked", "panic", thrown, "request", transport.Caller(ctx).RequestID)
		return domain.Fail(domain.Internal, "panic")
	})
	engine.Use(&transport.Guard{Limits: o.Limits})
	if o.Open {
		engine.Use(extension.Introspection{})
	}
	engine.AroundOperations(knownCaller)
	engine.AroundResponses(withLoaders(o.Views))
	return engine
}

// knownCaller refuses commands and subscriptions of nobody; what nobody may read the window decides.
func knownCaller(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	kind := graphql.GetOperationContext(ctx).Operation.Operation
	if kind != ast.Query && transport.Caller(ctx).UserID == domain.NoID {
		err := domain.Fail(domain.Unauthenticated, "Please sign in.")
		return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{{Err: err, Message: err.Message, Extensions: map[string]any{
			"code": string(err.Code), "kind": string(err.Code.Kind()), "requestId": transport.Caller(ctx).RequestID}}}})
	}
	return next(ctx)
}

// payer is whose allowance a request counts on: the person's, or the address's of nobody known.
func payer(actor domain.Actor, r *http.Request) string {
	if actor.UserID != domain.NoID {
		return actor.UserID.String()
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
