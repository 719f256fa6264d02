// Package bank is a bank and a ledger for tests: a real HTTP server that speaks the protocol of package connect and keeps its
// own books, so that a test can count how often money really moved.
//
// What may enter: what another system would do. What never happens here: knowledge of the house beyond the protocol.
package bank

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Order is one call as the bank got it.
type Order struct {
	Operation                                                     string
	Key                                                           string
	Case, Amount, Currency, Payee, Account, Number, Undoes, Token string
}

// Bank keeps what it was told. It is safe for concurrent use.
type Bank struct {
	URL string

	mu     sync.Mutex
	calls  []Order          // every call, also repeated ones
	done   map[string]Order // by key: each once
	answer func(Order) (status int, message string)
	hold   map[string]chan struct{} // operations that are done, but whose answer waits
}

// Open opens a bank for the test.
func Open(tb testing.TB) *Bank {
	tb.Helper()
	b := &Bank{done: map[string]Order{}, hold: map[string]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	b.URL = server.URL
	tb.Cleanup(server.Close)
	tb.Cleanup(server.CloseClientConnections)
	return b
}

// Answer lets the bank answer calls other than with success: a status of 0 is success.
func (b *Bank) Answer(answer func(Order) (status int, message string)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

// Hold lets the next call of the operation be carried out but not answered until release is called.
func (b *Bank) Hold(operation string) (release func()) {
	gate := make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hold[operation] = gate
	return sync.OnceFunc(func() { close(gate) })
}

func (b *Bank) serve(w http.ResponseWriter, r *http.Request) {
	order := Order{Operation: r.URL.Path[1:], Key: r.Header.Get("Idempotency-Key"), Token: r.Header.Get("Authorization")}
	if json.NewDecoder(r.Body).Decode(&order) != nil || order.Key == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // until then the server does not see that the caller is gone
	status, message, gate := b.take(order)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"reference": "B-" + order.Key[:6], "message": message}) // whoever went away needs none
}

// take books the order, once for each key.
func (b *Bank) take(order Order) (status int, message string, gate chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, order)
	if b.answer != nil {
		if status, message = b.answer(order); status != 0 {
			return status, message, nil
		}
	}
	if _, known := b.done[order.Key]; !known {
		b.done[order.Key] = order
	}
	gate = b.hold[order.Operation]
	delete(b.hold, order.Operation)
	return http.StatusOK, "", gate
}

// Calls are the calls of an operation, repeated ones too; "" means all.
func (b *Bank) Calls(operation string) []Order {
	b.mu.Lock()
	defer b.mu.Unlock()
	var calls []Order
	for _, order := range b.calls {
		if operation == "" || order.Operation == operation {
			calls = append(calls, order)
		}
	}
	return calls
}

// Done are the operations that were really carried out, each once.
func (b *Bank) Done(operation string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, order := range b.done {
		if order.Operation == operation {
			n++
		}
	}
	return n
}
