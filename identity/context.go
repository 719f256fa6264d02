package identity

import (
	"context"

	"countersign/domain"
)

type contextKey int

const (
	actorKey contextKey = iota
	requestKey
)

// actorResult is who asks, or why their credential was refused.
type actorResult struct {
	actor domain.Actor
	err   error
}

// Request is what is known of a request whoever sent it.
type Request struct {
	ID     string
	Locale string // a language we speak: "en" or "zh"
}

// WithActor puts who acts into the context. The error says why a credential was refused; it is answered when somebody
// asks for the actor, so that a stale cookie does not keep its holder from signing in again.
func WithActor(ctx context.Context, actor domain.Actor, err error) context.Context {
	return context.WithValue(ctx, actorKey, actorResult{actor, err})
}

// ActorOf returns who acts. An anonymous actor has no UserID; a refused credential is its error.
func ActorOf(ctx context.Context) (domain.Actor, error) {
	a, _ := ctx.Value(actorKey).(actorResult)
	return a.actor, a.err
}

// SignedIn returns who acts; nobody is Unauthenticated.
func SignedIn(ctx context.Context) (domain.Actor, error) {
	actor, err := ActorOf(ctx)
	if err == nil && actor.UserID == domain.NoID {
		err = domain.Errorf(domain.Unauthenticated, "Please sign in.")
	}
	return actor, err
}

// WithRequest puts what is known of the request into the context.
func WithRequest(ctx context.Context, request Request) context.Context {
	return context.WithValue(ctx, requestKey, request)
}

// RequestOf returns what is known of the request; the zero value outside one.
func RequestOf(ctx context.Context) Request {
	request, _ := ctx.Value(requestKey).(Request)
	return request
}
