package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// Close codes of the protocol.
const (
	closeBadMessage   websocket.StatusCode = 4400
	closeUnauthorized websocket.StatusCode = 4401
	closeForbidden    websocket.StatusCode = 4403
	closeSubprotocol  websocket.StatusCode = 4406
	closeInitTimeout  websocket.StatusCode = 4408
	closeDuplicate    websocket.StatusCode = 4409
	closeTooManyInits websocket.StatusCode = 4429
)

const subprotocol = "graphql-transport-ws"

// message is one message of graphql-transport-ws.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// socket is one connection that speaks graphql-transport-ws.
type socket struct {
	handler *Handler
	conn    *websocket.Conn
	request *http.Request
	token   string // of connection_init

	acknowledged bool // used by the reading goroutine only

	mu         sync.Mutex
	operations map[string]context.CancelFunc
	running    sync.WaitGroup

	leave func() // releases the user's connection count; used by the reading goroutine only
}

func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	// The caller is not authenticated yet, so opening counts against the client's address.
	err := h.options.Admit(r.Context(), domain.Actor{}, r)
	leave := func() {}
	if err == nil {
		leave, err = h.enterClient(r)
	}
	if err != nil {
		newResponseWriter(h, w, r).fail(r.Context(), err)
		return
	}
	defer leave()
	if err := h.join(); err != nil {
		newResponseWriter(h, w, r).fail(r.Context(), err)
		return
	}
	defer h.open.Done()
	// Pages of other origins get 403, because browsers send cookies with a WebSocket from any page.
	conn, err := websocket.Accept(w, r,
		&websocket.AcceptOptions{Subprotocols: []string{subprotocol},
			OriginPatterns: h.options.Origins})
	if err != nil {
		return // Accept has responded
	}
	if conn.Subprotocol() != subprotocol {
		_ = conn.Close(closeSubprotocol, "Subprotocol not acceptable")
		return
	}
	conn.SetReadLimit(h.options.MaxBodyBytes)
	s := &socket{handler: h, conn: conn, request: r, operations: map[string]context.CancelFunc{},
		leave: func() {}}
	s.serve(context.WithoutCancel(r.Context()))
}

// serve reads until the connection ends, then ends its operations.
func (s *socket) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	goingAway := context.AfterFunc(s.handler.closing,
		func() {
			_ = s.conn.Close(websocket.StatusGoingAway,
				"The server is stopping; connect again")
		})
	tooLate := time.AfterFunc(s.handler.options.InitTimeout,
		func() { _ = s.conn.Close(closeInitTimeout, "Connection initialisation timeout") })
	defer func() {
		goingAway()
		tooLate.Stop()
		cancel()
		_ = s.conn.CloseNow()
		s.running.Wait()
		s.leave()
	}()
	defer s.keepAlive(ctx)()
	late := time.AfterFunc(s.handler.options.MessageTimeout, func() { _ = s.conn.CloseNow() })
	late.Stop()
	defer late.Stop()
	for {
		kind, frame, err := s.read(ctx, late)
		if err != nil {
			return
		}
		var m message
		if kind != websocket.MessageText || json.Unmarshal(frame, &m) != nil {
			s.close(closeBadMessage, "Invalid message received")
			return
		}
		if !s.handle(ctx, m, tooLate) {
			return
		}
	}
}

// read reads one message. The wait for a message is unlimited, but its arrival is not, so that slow
// senders lose the connection.
func (s *socket) read(ctx context.Context, late *time.Timer) (
	websocket.MessageType, []byte, error) {
	kind, reader, err := s.conn.Reader(ctx)
	if err != nil {
		return 0, nil, err
	}
	late.Reset(s.handler.options.MessageTimeout)
	defer late.Stop()
	frame, err := io.ReadAll(reader)
	return kind, frame, err
}

func (s *socket) close(code websocket.StatusCode, reason string) { _ = s.conn.Close(code, reason) }

// handle processes one message and reports whether the connection stays open.
func (s *socket) handle(ctx context.Context, m message, tooLate *time.Timer) bool {
	switch m.Type {
	case "connection_init":
		return s.init(ctx, m, tooLate)
	case "ping":
		return s.send(ctx, message{Type: "pong", Payload: m.Payload})
	case "pong":
		return true
	case "subscribe":
		return s.subscribe(ctx, m)
	case "complete":
		if m.ID == "" {
			break
		}
		s.mu.Lock()
		stop := s.operations[m.ID]
		s.mu.Unlock()
		if stop != nil {
			stop()
		}
		return true
	}
	s.close(closeBadMessage, "Invalid message received")
	return false
}

func (s *socket) init(ctx context.Context, m message, tooLate *time.Timer) bool {
	if s.acknowledged {
		s.close(closeTooManyInits, "Too many initialisation requests")
		return false
	}
	tooLate.Stop()
	var credentials struct{ Authorization, AuthToken, Token string }
	if len(m.Payload) > 0 && json.Unmarshal(m.Payload, &credentials) != nil {
		s.close(closeBadMessage, "Invalid connection_init payload")
		return false
	}
	s.token = credentials.Authorization
	for _, other := range []string{credentials.AuthToken, credentials.Token} {
		s.token = orDefault(s.token, other)
	}
	known, ok := s.identify(ctx)
	if !ok {
		return false
	}
	leave, err := s.handler.enterPerson(Caller(known))
	if err != nil {
		seconds, _ := domain.RetryAfter(err)
		s.close(websocket.StatusTryAgainLater,
			fmt.Sprintf("Too many connections; retry after %d seconds", seconds))
		return false
	}
	s.leave, s.acknowledged = leave, true
	return s.send(ctx, message{Type: "connection_ack"})
}

// identify authenticates the caller again for every operation and closes the connection without
// one. Wrong credentials close with 4403; if authentication is unavailable, the client is asked to
// retry.
func (s *socket) identify(ctx context.Context) (context.Context, bool) {
	ctx, err := s.handler.identify(ctx, s.request, s.token)
	switch kind := domain.CodeOf(err).Kind(); {
	case err == nil && Caller(ctx).UserID != domain.NoID:
		return ctx, true
	case err == nil, kind == domain.KindUnauthenticated, kind == domain.KindForbidden:
		s.close(closeForbidden, "Forbidden")
	default:
		s.close(websocket.StatusTryAgainLater, "Try again later")
	}
	return ctx, false
}

func (s *socket) subscribe(ctx context.Context, m message) bool {
	if !s.acknowledged {
		s.close(closeUnauthorized, "Unauthorized")
		return false
	}
	if m.ID == "" {
		s.close(closeBadMessage, "A subscribe message needs an id")
		return false
	}
	sent, err := parseParams(m.Payload)
	if err != nil {
		s.close(closeBadMessage, "Invalid subscribe payload")
		return false
	}
	operationCtx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	_, duplicate := s.operations[m.ID]
	full := len(s.operations) >= s.handler.options.MaxSubscriptions
	if !duplicate && !full {
		s.operations[m.ID] = stop
	}
	s.mu.Unlock()
	switch {
	case duplicate:
		stop()
		s.close(closeDuplicate, "Subscriber for "+shorten(m.ID)+" already exists")
		return false
	case full:
		stop()
		return s.sendError(ctx, m.ID, domain.Errorf(domain.QueryTooComplex,
			"At most %d operations can run on one connection.", s.handler.options.MaxSubscriptions))
	}
	operationCtx, ok := s.identify(operationCtx)
	if !ok {
		stop()
		return false
	}
	s.running.Go(func() {
		defer stop()
		last := s.runOperation(operationCtx, m.ID, sent)
		// The id is released before the client is notified of the end, because the client may reuse
		// it immediately.
		s.mu.Lock()
		delete(s.operations, m.ID)
		s.mu.Unlock()
		if last != nil && operationCtx.Err() == nil {
			s.send(ctx, *last)
		}
	})
	return true
}

// runOperation runs one operation and returns its final message, or nil if the client is gone.
func (s *socket) runOperation(ctx context.Context, id string, sent *documentRequest) *message {
	executor := s.handler.options.Executor
	if err := s.handler.options.Admit(ctx, Caller(ctx), s.request); err != nil {
		return s.errorMessage(ctx, id, err)
	}
	params, err := s.handler.resolveDocument(ctx, sent)
	if err != nil {
		return s.errorMessage(ctx, id, err)
	}
	operation, errs := executor.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		return errorsMessage(id, encode(executor.DispatchError(withOperation(ctx, operation), errs),
			false))
	}
	last := &message{ID: id, Type: "complete"}
	s.handler.results(ctx, operation, func(body []byte, failed bool) bool {
		if failed {
			last = errorsMessage(id, body)
			return false
		}
		if !s.send(ctx, message{ID: id, Type: "next", Payload: body}) {
			last = nil
			return false
		}
		return true
	})
	return last
}

// errorsMessage returns the protocol's error message for an encoded response.
func errorsMessage(id string, body []byte) *message {
	var response struct {
		Errors json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(body, &response) // our own encoding
	return &message{ID: id, Type: "error", Payload: response.Errors}
}

func (s *socket) errorMessage(ctx context.Context, id string, err error) *message {
	response := s.handler.options.Executor.DispatchError(withOperation(ctx, nil), errorList(err))
	return errorsMessage(id, encode(response, false))
}

func (s *socket) sendError(ctx context.Context, id string, err error) bool {
	return s.send(ctx, *s.errorMessage(ctx, id, err))
}

// send writes one message within the timeout. A client that does not read it in time loses the
// connection with all its operations.
func (s *socket) send(ctx context.Context, m message) bool {
	frame, err := json.Marshal(m)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.handler.options.WriteTimeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, frame); err != nil {
		_ = s.conn.CloseNow()
		return false
	}
	return true
}

// keepAlive sends pings to detect dead connections. It uses a timer, because a goroutine between
// pings would cost each idle connection its stack.
func (s *socket) keepAlive(ctx context.Context) (stop func()) {
	var timer *time.Timer
	begun := make(chan struct{})
	timer = time.AfterFunc(s.handler.options.PingEvery, func() {
		<-begun
		ping, cancel := context.WithTimeout(ctx, s.handler.options.WriteTimeout)
		defer cancel()
		if err := s.conn.Ping(ping); err != nil {
			_ = s.conn.CloseNow()
			return
		}
		if ctx.Err() == nil {
			timer.Reset(s.handler.options.PingEvery)
		}
	})
	close(begun)
	return func() { timer.Stop() }
}

// shorten shortens an id for a close reason, which may have at most 123 bytes.
func shorten(id string) string {
	if len(id) > 60 {
		return id[:60] + "…"
	}
	return id
}
