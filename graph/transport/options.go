package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/internal/slowbody"
)

// Options of a handler; zero values of limits and times take the defaults.
type Options struct {
	Executor graphql.GraphExecutor
	Clock    domain.Clock // deadlines of connections

	// Identify says who sends: from the token if there is one (that of connection_init), else from the request's own
	// header or cookie. Nobody is an Actor without UserID; wrong credentials are an error of kind unauthenticated.
	Identify func(ctx context.Context, r *http.Request, token string) (domain.Actor, error)
	// Admit counts one operation of the actor and refuses with RateLimited.
	Admit func(ctx context.Context, actor domain.Actor, r *http.Request) error
	// AdmitUpload asks, before the first byte of a file is read, whether the actor may send files at all and now.
	AdmitUpload func(ctx context.Context, actor domain.Actor, r *http.Request) error

	// Documents are texts by the SHA-256 of each in hexadecimal, which may be sent in their place. Listed allows no other
	// document to a browser's session or to whoever is not known.
	Documents  map[string]string
	ListedOnly bool

	TempDir      string   // parent of the private folders of uploads
	Explorer     bool     // answer browsers with a page to try queries on
	Origins      []string // further hosts whose pages may open a WebSocket; the server's own always may
	MaxBodyBytes int64    // of one JSON request or socket message; default 256 KiB
	MaxFileBytes int64    // of one file; default 50 MiB
	MaxFiles     int      // of one request; default 10

	// Client is what the sender's network is counted under; nil counts all under one.
	Client func(r *http.Request) string
	// Sockets and streams open at one time on this server, of one person (default 60) and of one client (default 600), and
	// subscriptions of one person over all of them (default 300).
	ConnectionsPerPerson, ConnectionsPerClient, SubscriptionsPerPerson int

	Pace             slowbody.Pace // of bodies and answers, unless the server around this handler has set one
	InitTimeout      time.Duration // from the socket's opening to connection_init; default 5 s
	MessageTimeout   time.Duration // from the first byte of a socket's message to its last; default 10 s
	WriteTimeout     time.Duration // of one frame to a slow reader; default 5 s
	PingEvery        time.Duration // sign of life on sockets and streams; default 15 s
	MaxSubscriptions int           // at one time on one socket; default 100
}

func (o Options) withDefaults() Options {
	o.MaxBodyBytes = orDefault(o.MaxBodyBytes, 256<<10)
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

// WithCaller puts who asks into the context of an operation.
func WithCaller(ctx context.Context, actor domain.Actor) context.Context {
	return context.WithValue(ctx, callerKey, actor)
}

// Caller returns who asks; an actor without UserID is nobody.
func Caller(ctx context.Context) domain.Actor {
	actor, _ := ctx.Value(callerKey).(domain.Actor)
	return actor
}

// subscriptionEnd holds why a subscription ended, if not because it was complete, and what is asked before each of its results is sent.
type subscriptionEnd struct {
	err     error
	confirm Confirm
}

// Confirm says, after a result with everything in it was read, whether it is sent. An error ends the subscription.
type Confirm func(ctx context.Context) (send bool, err error)

// ConfirmWith is called by a subscription's resolver before it returns its channel: from then on no result is sent that
// was not confirmed, on any transport.
func ConfirmWith(ctx context.Context, confirm Confirm) {
	if e, ok := ctx.Value(subscriptionEndKey).(*subscriptionEnd); ok {
		e.confirm = confirm
	}
}

// EndSubscription is called by a subscription's resolver before it closes its channel, so that the client is told why.
func EndSubscription(ctx context.Context, err error) {
	if e, ok := ctx.Value(subscriptionEndKey).(*subscriptionEnd); ok {
		e.err = err
	}
}
