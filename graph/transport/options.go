package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
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
	Documents map[string]string
	Listed    bool

	TempDir      string   // parent of the private folders of uploads
	Explorer     bool     // answer browsers with a page to try queries on
	Origins      []string // further hosts whose pages may open a WebSocket; the server's own always may
	MaxBodyBytes int64    // of one JSON request or socket message; default 256 KiB
	MaxFileBytes int64    // of one file; default 50 MiB
	MaxFiles     int      // of one request; default 10

	InitTimeout      time.Duration // from the socket's opening to connection_init; default 5 s
	WriteTimeout     time.Duration // of one frame to a slow reader; default 5 s
	IdleTimeout      time.Duration // between two reads of an upload; default 30 s
	PingEvery        time.Duration // sign of life on sockets and streams; default 15 s
	MaxSubscriptions int           // at one time on one socket; default 100
}

func (o Options) withDefaults() Options {
	o.MaxBodyBytes = either(o.MaxBodyBytes, 256<<10)
	o.MaxFileBytes = either(o.MaxFileBytes, 50<<20)
	o.MaxFiles = either(o.MaxFiles, 10)
	o.InitTimeout = either(o.InitTimeout, 5*time.Second)
	o.WriteTimeout = either(o.WriteTimeout, 5*time.Second)
	o.IdleTimeout = either(o.IdleTimeout, 30*time.Second)
	o.PingEvery = either(o.PingEvery, 15*time.Second)
	o.MaxSubscriptions = either(o.MaxSubscriptions, 100)
	return o
}

func either[T comparable](given, standard T) T {
	var zero T
	if given == zero {
		return standard
	}
	return given
}

type contextKey int

const (
	callerKey contextKey = iota
	endingKey
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

// ending holds why a subscription ended, if not because it was complete.
type ending struct{ err error }

// EndWith is called by a subscription's resolver before it closes its channel, so that the client is told why.
func EndWith(ctx context.Context, err error) {
	if e, ok := ctx.Value(endingKey).(*ending); ok {
		e.err = err
	}
}
