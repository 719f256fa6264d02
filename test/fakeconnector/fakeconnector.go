// Package fakeconnector is a bank and a ledger for tests: a real HTTP server that speaks the
// protocol of package connect and keeps its own books, so that a test can count how often money
// really moved.
//
// What may enter: what another system would do. What never happens here: knowledge of the project
// beyond the protocol.
package fakeconnector

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Call is one call as the bank got it.
type Call struct {
	Operation                                                     string
	Key                                                           string
	Case, Amount, Currency, Payee, Account, Number, Undoes, Token string
}

// Connector records the calls it received. It is safe for concurrent use.
type Connector struct {
	URL string

	mu        sync.Mutex
	calls     []Call          // every call, also repeated ones
	completed map[string]Call // by key: each once
	respond   func(Call) (status int, message string)
	delayed   map[string]chan struct{} // operations that are done, but whose answer waits
}

// New opens a bank for the test.
func New(tb testing.TB) *Connector {
	tb.Helper()
	b := &Connector{completed: map[string]Call{}, delayed: map[string]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	b.URL = server.URL
	tb.Cleanup(server.Close)
	tb.Cleanup(server.CloseClientConnections)
	return b
}

// RespondWith lets the bank answer calls other than with success: a status of 0 is success.
func (b *Connector) RespondWith(answer func(Call) (status int, message string)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.respond = answer
}

// DelayAnswer lets the next call of the operation be carried out but not answered until release is
// called.
func (b *Connector) DelayAnswer(operation string) (release func()) {
	gate := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.delayed[operation] = gate
	return sync.OnceFunc(func() { close(gate) })
}

func (b *Connector) serve(w http.ResponseWriter, r *http.Request) {
	order := Call{Operation: r.URL.Path[1:], Key: r.Header.Get("Idempotency-Key"),
		Token: r.Header.Get("Authorization")}
	if json.NewDecoder(r.Body).Decode(&order) != nil || order.Key == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // until then the server does not see that the caller is gone
	status, message, gate := b.record(order)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"reference": "B-" + order.Key[:6], "message": message}) // a client that left needs none
}

// record books the order, once for each key.
func (b *Connector) record(order Call) (status int, message string, gate chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, order)
	if b.respond != nil {
		if status, message = b.respond(order); status != 0 {
			return status, message, nil
		}
	}
	if _, known := b.completed[order.Key]; !known {
		b.completed[order.Key] = order
	}
	gate = b.delayed[order.Operation]
	delete(b.delayed, order.Operation)
	return http.StatusOK, "", gate
}

// Calls are the calls of an operation, repeated ones too; "" means all.
func (b *Connector) Calls(operation string) []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	var calls []Call
	for _, order := range b.calls {
		if operation == "" || order.Operation == operation {
			calls = append(calls, order)
		}
	}
	return calls
}

// Completed are the operations that were really carried out, each once.
func (b *Connector) Completed(operation string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, order := range b.completed {
		if order.Operation == operation {
			n++
		}
	}
	return n
}
