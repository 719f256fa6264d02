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

// actorResult is the actor, or why the credential was refused.
type actorResult struct {
	actor domain.Actor
	err   error
}

// Request describes a request independently of its actor.
type Request struct {
	ID     string
	Locale string // a supported language: "en" or "zh"
}

// WithActor adds the actor to the context. The error says why a credential was refused. ActorOf
// returns it only when the actor is needed, so that a stale cookie does not prevent a new sign-in.
func WithActor(ctx context.Context, actor domain.Actor, err error) context.Context {
	return context.WithValue(ctx, actorKey, actorResult{actor, err})
}

// ActorOf returns the actor. An anonymous actor has no UserID; for a refused credential the error
// is returned.
func ActorOf(ctx context.Context) (domain.Actor, error) {
	a, _ := ctx.Value(actorKey).(actorResult)
	return a.actor, a.err
}

// SignedIn returns the actor; an anonymous one is Unauthenticated.
func SignedIn(ctx context.Context) (domain.Actor, error) {
	actor, err := ActorOf(ctx)
	if err == nil && actor.UserID == domain.NoID {
		err = domain.Errorf(domain.Unauthenticated, "Please sign in.")
	}
	return actor, err
}

// WithRequest adds the request to the context.
func WithRequest(ctx context.Context, request Request) context.Context {
	return context.WithValue(ctx, requestKey, request)
}

// RequestOf returns the request of the context, or the zero value.
func RequestOf(ctx context.Context) Request {
	request, _ := ctx.Value(requestKey).(Request)
	return request
}
