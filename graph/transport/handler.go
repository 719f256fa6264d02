package transport

import (
	"context"
	"crypto/rand"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
	"countersign/internal/slowbody"
)

// Handler serves one GraphQL endpoint over every transport.
type Handler struct {
	options Options
	closing context.Context // ends with Close
	close   context.CancelFunc
	// joining excludes that a socket or stream joins open while Close begins to wait for it.
	joining sync.Mutex
	open    sync.WaitGroup // sockets and streams
	paced   http.Handler

	byClient, byPerson, subscriptions openCounts
}

// New returns a handler.
func New(options Options) *Handler {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Handler{options: options.withDefaults(), closing: ctx, close: cancel}
	h.paced = slowbody.Handler(http.HandlerFunc(h.serve), h.options.Pace, h.options.Clock)
	return h
}

// Close ends every socket and stream, asks clients to reconnect, and waits for them.
func (h *Handler) Close() {
	h.joining.Lock()
	h.close()
	h.joining.Unlock()
	h.open.Wait()
}

// join counts a socket or stream until it calls h.open.Done. Error: Unavailable after Close.
func (h *Handler) join() error {
	h.joining.Lock()
	defer h.joining.Unlock()
	if h.closing.Err() != nil {
		return domain.Errorf(domain.Unavailable, "The server is stopping.").
			WithRemedy("Connect again in a few seconds.")
	}
	h.open.Add(1)
	return nil
}

// ServeHTTP handles one request, subject to Pace.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.paced.ServeHTTP(w, r) }

// serve selects the transport.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	if headerHas(r.Header, "Connection", "upgrade") &&
		strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		h.serveSocket(w, r)
		return
	}
	answer := newResponseWriter(h, w, r)
	switch r.Method {
	case http.MethodGet:
		if h.options.Explorer && accepts(r, "text/html") && r.URL.RawQuery == "" {
			serveExplorer(w)
			return
		}
		h.serveGet(answer, r)
	case http.MethodPost:
		h.servePost(answer, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		answer.refuse(r.Context(), http.StatusMethodNotAllowed,
			domain.Invalid("", "Use GET or POST."))
	}
}

func (h *Handler) servePost(answer *responseWriter, r *http.Request) {
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := parameters["charset"]
	switch {
	case err != nil, charset != "" && !strings.EqualFold(charset, "utf-8"):
		answer.refuse(r.Context(), http.StatusUnsupportedMediaType,
			domain.Invalid("", "Send application/json in UTF-8, or multipart/form-data for files."))
	case mediaType == "application/json":
		h.serveJSON(answer, r)
	case mediaType == "multipart/form-data":
		h.serveMultipart(answer, r)
	default:
		answer.refuse(r.Context(), http.StatusUnsupportedMediaType,
			domain.Invalid("", "Send application/json in UTF-8, or multipart/form-data for files."))
	}
}

func (h *Handler) serveJSON(answer *responseWriter, r *http.Request) {
	ctx, ok := h.authenticate(answer, r)
	if !ok {
		return
	}
	limit := h.options.MaxBodyBytes
	if Caller(ctx).UserID != domain.NoID {
		limit = max(limit, h.options.MaxCallerBodyBytes)
	}
	body, err := readCapped(r.Body, limit)
	if err != nil {
		answer.fail(ctx, err)
		return
	}
	sent, err := parseParams(body)
	if err != nil {
		answer.fail(ctx, err)
		return
	}
	params, err := h.resolveDocument(ctx, sent)
	if err != nil {
		answer.fail(ctx, err)
		return
	}
	h.run(ctx, answer, r, params, nil)
}

func (h *Handler) serveGet(answer *responseWriter, r *http.Request) {
	ctx, ok := h.authenticate(answer, r)
	if !ok {
		return
	}
	sent, err := paramsOfURL(r.URL.Query())
	if err != nil {
		answer.fail(ctx, err)
		return
	}
	params, err := h.resolveDocument(ctx, sent)
	if err != nil {
		answer.fail(ctx, err)
		return
	}
	h.run(ctx, answer, r, params, func(operation *graphql.OperationContext) error {
		if operation.Operation.Operation == ast.Mutation {
			answer.w.Header().Set("Allow", "POST")
			answer.status = http.StatusMethodNotAllowed
			return domain.Invalid("", "Send mutations by POST.")
		}
		return nil
	})
}

// authenticate authenticates the caller and counts the request before its body is read. A refused
// credential counts against the client's address.
func (h *Handler) authenticate(answer *responseWriter, r *http.Request) (context.Context, bool) {
	ctx, err := h.identify(r.Context(), r, "")
	counted := Caller(ctx)
	if err != nil {
		counted = domain.Actor{}
	}
	if refusal := h.options.Admit(ctx, counted, r); refusal != nil {
		err = refusal
	}
	if err != nil {
		answer.fail(ctx, err)
		return ctx, false
	}
	return ctx, true
}

func (h *Handler) identify(ctx context.Context, r *http.Request, token string) (
	context.Context, error) {
	actor, err := h.options.Identify(ctx, r, token)
	if actor.RequestID == "" {
		actor.RequestID = rand.Text()
	}
	return WithCaller(graphql.StartOperationTrace(ctx), actor), err
}

// run executes the operation and writes the response, as a stream if requested.
func (h *Handler) run(ctx context.Context, answer *responseWriter, r *http.Request,
	params *graphql.RawParams, check func(*graphql.OperationContext) error) {
	operation, errs := h.options.Executor.CreateOperationContext(ctx, params)
	if len(errs) == 0 && check != nil {
		if err := check(operation); err != nil {
			errs = errorList(err)
		}
	}
	if len(errs) == 0 && operation.Operation.Operation == ast.Subscription && !answer.stream {
		answer.status = http.StatusNotAcceptable
		errs = errorList(domain.Invalid("",
			"A subscription needs a WebSocket, or Accept: text/event-stream."))
	}
	if answer.stream {
		h.serveStream(ctx, answer, r, operation, errs)
		return
	}
	if len(errs) > 0 {
		answer.reject(withOperation(ctx, operation), errs)
		return
	}
	responses, ctx := h.options.Executor.DispatchOperation(ctx, operation)
	answer.write(http.StatusOK, responses(ctx))
}

// toGraphQLError converts any error to a GraphQL error; the presenter unwraps it.
func toGraphQLError(err error) *gqlerror.Error {
	return &gqlerror.Error{Err: err, Message: err.Error()}
}

func errorList(err error) gqlerror.List { return gqlerror.List{toGraphQLError(err)} }

// withOperation adds the operation context that the presenter expects, also if no operation could
// be created.
func withOperation(ctx context.Context, operation *graphql.OperationContext) context.Context {
	if operation == nil {
		operation = &graphql.OperationContext{}
	}
	return graphql.WithOperationContext(ctx, operation)
}

func headerHas(header http.Header, name, word string) bool {
	for _, line := range header.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), word) {
				return true
			}
		}
	}
	return false
}
