package transport

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
)

// serveStream responds to one operation with server-sent events, by the distinct connections mode
// of the GraphQL over SSE protocol: next for every result, complete at the end. Errors of the
// operation are sent as results too.
func (h *Handler) serveStream(ctx context.Context, a *responseWriter, r *http.Request,
	operation *graphql.OperationContext, errs gqlerror.List) {
	leaveClient, err := h.enterClient(r)
	if err != nil {
		a.fail(ctx, err)
		return
	}
	defer leaveClient()
	leave, err := h.enterPerson(Caller(ctx))
	if err != nil {
		a.fail(ctx, err)
		return
	}
	defer leave()
	if err := h.join(); err != nil {
		a.fail(ctx, err)
		return
	}
	defer h.open.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(h.closing, cancel)
	defer stop()
	header := a.w.Header()
	header.Set("Content-Type", mediaStream+"; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	a.w.WriteHeader(http.StatusOK)
	out := &eventWriter{w: a.w, control: http.NewResponseController(a.w), clock: h.options.Clock,
		timeout: h.options.WriteTimeout}
	if !out.comment() {
		return
	}
	if len(errs) > 0 {
		response := h.options.Executor.DispatchError(withOperation(ctx, operation), errs)
		_ = out.event("next", encode(response, false)) && out.event("complete", nil)
		return
	}
	results := make(chan []byte)
	go func() {
		defer close(results)
		h.results(ctx, operation, func(body []byte, _ bool) bool {
			select {
			case results <- body:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	h.forward(ctx, cancel, out, results)
}

// forward writes results, and a keep-alive comment when there are none.
func (h *Handler) forward(ctx context.Context, cancel context.CancelFunc, out *eventWriter,
	results <-chan []byte) {
	ticker := time.NewTicker(h.options.PingEvery)
	defer ticker.Stop()
	alive := true
	for {
		select {
		case body, more := <-results:
			if !more {
				if alive && ctx.Err() == nil {
					out.event("complete", nil)
				}
				return
			}
			alive = alive && out.event("next", body)
		case <-ticker.C:
			alive = alive && out.comment()
		}
		if !alive {
			cancel() // the client is gone or too slow; wait for the resolvers to end
		}
	}
}

// results runs an operation and passes every encoded result to deliver until there are no more or
// deliver returns false. failed marks a result with the reason why a subscription could not start
// or continue.
func (h *Handler) results(ctx context.Context, operation *graphql.OperationContext,
	deliver func(body []byte, failed bool) bool) {
	subscription := operation.Operation.Operation == ast.Subscription
	if subscription {
		leave, err := h.enterSubscription(Caller(ctx))
		if err != nil {
			deliver(encode(h.options.Executor.DispatchError(withOperation(ctx, operation),
				errorList(err)), false), true)
			return
		}
		defer leave()
	}
	end := &subscriptionEnd{}
	responses, ctx := h.options.Executor.DispatchOperation(
		context.WithValue(ctx, subscriptionEndKey, end), operation)
	for {
		response := responses(ctx)
		if response == nil {
			break
		}
		refused := subscription && len(response.Errors) > 0 &&
			(len(response.Data) == 0 || string(response.Data) == "null")
		if end.confirm != nil && !refused {
			send, err := end.confirm(ctx)
			if err != nil {
				h.finish(ctx, err, deliver)
				return
			}
			if !send {
				continue
			}
		}
		if !deliver(encode(response, !refused), refused) || refused || !subscription {
			return
		}
	}
	h.finish(ctx, end.err, deliver)
}

// finish passes the reason why a subscription ended to deliver, unless it completed.
func (h *Handler) finish(ctx context.Context, err error,
	deliver func(body []byte, failed bool) bool) {
	if err != nil && ctx.Err() == nil {
		deliver(encode(h.options.Executor.DispatchError(ctx, errorList(err)), false), true)
	}
}

// eventWriter writes server-sent events, each within the timeout.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	clock   domain.Clock
	timeout time.Duration
}

func (s *eventWriter) event(name string, data []byte) bool {
	frame := make([]byte, 0, len(data)+len(name)+24)
	frame = append(append(append(frame, "event: "...), name...), "\ndata: "...)
	frame = append(append(frame, data...), "\n\n"...) // encoded JSON contains no line breaks
	return s.writeFrame(frame)
}

func (s *eventWriter) comment() bool { return s.writeFrame([]byte(":\n\n")) }

func (s *eventWriter) writeFrame(frame []byte) bool {
	// if it cannot be set, the server's own deadline applies
	_ = s.control.SetWriteDeadline(s.clock.Now().Add(s.timeout))
	if _, err := s.w.Write(frame); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
