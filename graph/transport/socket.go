package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"countersign/domain"
)

// The protocol's close codes.
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

// message is one frame of graphql-transport-ws.
type message struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// socket is one connection that speaks graphql-transport-ws.
type socket struct {
	h       *Handler
	conn    *websocket.Conn
	request *http.Request
	token   string // of connection_init

	acknowledged bool // touched by the reading goroutine only

	mu         sync.Mutex
	operations map[string]context.CancelFunc
	running    sync.WaitGroup
}

func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	// A page of another origin is answered 403 here: browsers send cookies with a WebSocket from anywhere.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, OriginPatterns: h.options.Origins})
	if err != nil {
		return // answered
	}
	h.open.Add(1)
	defer h.open.Done()
	if conn.Subprotocol() != subprotocol {
		_ = conn.Close(closeSubprotocol, "Subprotocol not acceptable")
		return
	}
	conn.SetReadLimit(h.options.MaxBodyBytes)
	s := &socket{h: h, conn: conn, request: r, operations: map[string]context.CancelFunc{}}
	s.serve(context.WithoutCancel(r.Context()))
}

// serve reads until the connection ends, then ends what ran on it.
func (s *socket) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	goingAway := context.AfterFunc(s.h.closing, func() { _ = s.conn.Close(websocket.StatusGoingAway, "The server is stopping; connect again") })
	tooLate := time.AfterFunc(s.h.options.InitTimeout, func() { _ = s.conn.Close(closeInitTimeout, "Connection initialisation timeout") })
	defer func() {
		goingAway()
		tooLate.Stop()
		cancel()
		_ = s.conn.CloseNow()
		s.running.Wait()
	}()
	s.running.Go(func() { s.keepAlive(ctx) })
	for {
		kind, frame, err := s.conn.Read(ctx)
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

func (s *socket) close(code websocket.StatusCode, reason string) { _ = s.conn.Close(code, reason) }

// handle acts on one message and reports whether the connection goes on.
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
		s.token = either(s.token, other)
	}
	if _, ok := s.identify(ctx); !ok {
		return false
	}
	s.acknowledged = true
	return s.send(ctx, message{Type: "connection_ack"})
}

// identify finds out, anew for every operation, who is at the other end, and closes the connection if it is nobody.
// 4403 is for wrong credentials; when the answer cannot be had, the client is to come back.
func (s *socket) identify(ctx context.Context) (context.Context, bool) {
	ctx, err := s.h.identify(ctx, s.request, s.token)
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
	full := len(s.operations) >= s.h.options.MaxSubscriptions
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
		return s.sendError(ctx, m.ID, domain.Fail(domain.QueryTooComplex, "No more than %d operations can run on one connection.", s.h.options.MaxSubscriptions))
	}
	operationCtx, ok := s.identify(operationCtx)
	if !ok {
		stop()
		return false
	}
	s.running.Go(func() {
		defer stop()
		last := s.operate(operationCtx, m.ID, sent)
		// The id is free before the client is told the end, since it may use it again at once.
		s.mu.Lock()
		delete(s.operations, m.ID)
		s.mu.Unlock()
		if last != nil && operationCtx.Err() == nil {
			s.send(ctx, *last)
		}
	})
	return true
}

// operate runs one operation and returns the message that ends it, nil when the client is gone.
func (s *socket) operate(ctx context.Context, id string, sent *asked) *message {
	executor := s.h.options.Executor
	if err := s.h.options.Admit(ctx, Caller(ctx), s.request); err != nil {
		return s.errorMessage(ctx, id, err)
	}
	params, err := s.h.settle(ctx, sent)
	if err != nil {
		return s.errorMessage(ctx, id, err)
	}
	operation, errs := executor.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		return errorsMessage(id, encode(executor.DispatchError(withOperation(ctx, operation), errs), false))
	}
	last := &message{ID: id, Type: "complete"}
	s.h.results(ctx, operation, func(body []byte, failed bool) bool {
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

// errorsMessage makes the protocol's error message of an encoded response.
func errorsMessage(id string, body []byte) *message {
	var response struct {
		Errors json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(body, &response) // we wrote it
	return &message{ID: id, Type: "error", Payload: response.Errors}
}

func (s *socket) errorMessage(ctx context.Context, id string, err error) *message {
	response := s.h.options.Executor.DispatchError(withOperation(ctx, nil), listOf(err))
	return errorsMessage(id, encode(response, false))
}

func (s *socket) sendError(ctx context.Context, id string, err error) bool {
	return s.send(ctx, *s.errorMessage(ctx, id, err))
}

// send writes one message within the timeout. A reader that does not take it in time loses the connection, and with it
// everything that runs on it ends.
func (s *socket) send(ctx context.Context, m message) bool {
	frame, err := json.Marshal(m)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.h.options.WriteTimeout)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, frame); err != nil {
		_ = s.conn.CloseNow()
		return false
	}
	return true
}

// keepAlive pings, so that a connection whose other end has silently gone is noticed.
func (s *socket) keepAlive(ctx context.Context) {
	ticker := time.NewTicker(s.h.options.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		ping, cancel := context.WithTimeout(ctx, s.h.options.WriteTimeout)
		err := s.conn.Ping(ping)
		cancel()
		if err != nil {
			_ = s.conn.CloseNow()
			return
		}
	}
}

// shorten keeps a close reason within the 123 bytes that a close frame carries.
func shorten(id string) string {
	if len(id) > 60 {
		return id[:60] + "…"
	}
	return id
}
