package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/internal/slowbody"
)

// Options of a handler; zero values select the defaults.
type Options struct {
	Executor graphql.GraphExecutor
	Clock    domain.Clock // for deadlines of connections

	// Identify authenticates a request: by the token if there is one (of connection_init),
	// otherwise by the request's header or cookie. An anonymous request yields an Actor without
	// UserID; wrong credentials are an error of kind unauthenticated.
	Identify func(ctx context.Context, r *http.Request, token string) (domain.Actor, error)
	// Admit counts one operation of the actor and may refuse with RateLimited.
	Admit func(ctx context.Context, actor domain.Actor, r *http.Request) error
	// AdmitUpload decides before the first byte of a file is read whether the actor may send files.
	AdmitUpload func(ctx context.Context, actor domain.Actor, r *http.Request) error

	// Documents maps the SHA-256 in hexadecimal to the text of known documents, which clients may
	// send by id. Listed allows no others for browser sessions and unauthenticated callers.
	Documents  map[string]string
	ListedOnly bool

	TempDir  string // parent of the private upload folders
	Explorer bool   // serve browsers a page to try operations
	// other hosts whose pages may open a WebSocket; the server's own always may
	Origins      []string
	MaxBodyBytes int64 // of one JSON request or socket message; default 256 KiB
	// of one JSON request of an authenticated caller, who may send thousands of line items; default 1 MiB
	MaxCallerBodyBytes int64
	MaxFileBytes       int64 // of one file; default 50 MiB
	MaxFiles           int   // of one request; default 10

	// Client returns the key of the sender's network; nil counts all clients under one key.
	Client func(r *http.Request) string
	// Maximum open sockets and streams on this server per user (default 60) and per client (default
	// 600), and subscriptions per user over all of them (default 300).
	ConnectionsPerPerson, ConnectionsPerClient, SubscriptionsPerPerson int

	// of bodies and responses, unless the server around this handler has set one
	Pace        slowbody.Pace
	InitTimeout time.Duration // from opening a socket to connection_init; default 5 s
	// from the first to the last byte of a socket message; default 10 s
	MessageTimeout   time.Duration
	WriteTimeout     time.Duration // of one frame to a slow reader; default 5 s
	PingEvery        time.Duration // keep-alive on sockets and streams; default 15 s
	MaxSubscriptions int           // concurrent on one socket; default 100
}

func (o Options) withDefaults() Options {
	o.MaxBodyBytes = orDefault(o.MaxBodyBytes, 256<<10)
	o.MaxCallerBodyBytes = orDefault(o.MaxCallerBodyBytes, 1<<20)
	o.MaxFileBytes = orDefault(o.MaxFileBytes, 50<<20)
	o.MaxFiles = orDefault(o.MaxFiles, 10)
	o.InitTimeout = orDefault(o.InitTimeout, 5*time.Second)
	o.WriteTimeout = orDefault(o.WriteTimeout, 5*time.Second)
	o.MessageTimeout = orDefault(o.MessageTimeout, 10*time.Second)
	o.ConnectionsPerPerson = orDefault(o.ConnectionsPerPerson, 60)
	o.ConnectionsPerClient = orDefault(o.ConnectionsPerClient, 600)
	o.SubscriptionsPerPerson = orDefault(o.SubscriptionsPerPerson, 300)
	if o.Client == nil {
		o.Client = func(*http.Request) string { return "" }
	}
	o.PingEvery = orDefault(o.PingEvery, 15*time.Second)
	o.MaxSubscriptions = orDefault(o.MaxSubscriptions, 100)
	return o
}

func orDefault[T comparable](given, standard T) T {
	var zero T
	if given == zero {
		return standard
	}
	return given
}

type contextKey int

const (
	callerKey contextKey = iota
	subscriptionEndKey
)

// WithCaller adds the caller to the context of an operation.
func WithCaller(ctx context.Context, actor domain.Actor) context.Context {
	return context.WithValue(ctx, callerKey, actor)
}

// Caller returns the caller; an actor without UserID is unauthenticated.
func Caller(ctx context.Context) domain.Actor {
	actor, _ := ctx.Value(callerKey).(domain.Actor)
	return actor
}

// subscriptionEnd holds why a subscription ended, unless it completed, and the function that
// confirms each of its results.
type subscriptionEnd struct {
	err     error
	confirm Confirm
}

// Confirm decides, after a result was read completely, whether it is sent. An error ends the
// subscription.
type Confirm func(ctx context.Context) (send bool, err error)

// ConfirmWith is called by a subscription's resolver before it returns its channel. From then on
// every result is confirmed before it is sent, on every transport.
func ConfirmWith(ctx context.Context, confirm Confirm) {
	if e, ok := ctx.Value(subscriptionEndKey).(*subscriptionEnd); ok {
		e.confirm = confirm
	}
}

// EndSubscription is called by a subscription's resolver before it closes its channel, so that the
// client receives the reason.
func EndSubscription(ctx context.Context, err error) {
	if e, ok := ctx.Value(subscriptionEndKey).(*subscriptionEnd); ok {
		e.err = err
	}
}
