// Package slowbody ends requests whose body arrives too slowly, and responses that no client reads.
//
// What may enter: deadlines of an HTTP connection, and the one owner of them for each request.
// What never happens here: limits of size, a decision about what is sent, an answer.
package slowbody

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"countersign/domain"
)

// Pace says how slowly a body may arrive and an answer may be read; zero values take the defaults.
type Pace struct {
	// Idle is the longest pause between two reads of the body; default 30 s.
	Idle time.Duration
	// Grace is how long reads of the body may take whatever its rate; default 30 s. Beyond it the whole
	// must arrive at Rate. The time that the server takes between reads does not count.
	Grace time.Duration
	// Rate is the least number of bytes a second, over all that has arrived; default 2 048.
	Rate int64
	// Write is the longest wait for the client to take a part of the answer; default 30 s.
	Write time.Duration
}

// WithDefaults fills in what is not set.
func (p Pace) WithDefaults() Pace {
	if p.Idle == 0 {
		p.Idle = 30 * time.Second
	}
	if p.Grace == 0 {
		p.Grace = 30 * time.Second
	}
	if p.Rate == 0 {
		p.Rate = 2048
	}
	if p.Write == 0 {
		p.Write = 30 * time.Second
	}
	return p
}

// Handler holds every request of next to the pace. Wrapped twice, the outer pace holds.
func Handler(next http.Handler, pace Pace, clock domain.Clock) http.Handler {
	pace = pace.WithDefaults()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wrapped(w) {
			next.ServeHTTP(w, r)
			return
		}
		paced := &writer{ResponseWriter: w, control: http.NewResponseController(w), pace: pace,
			clock: clock}
		if r.Body != nil && r.Body != http.NoBody {
			paced.body = &body{ReadCloser: r.Body, control: paced.control, pace: pace, clock: clock}
			// Also holds where the handler never reads: the server itself reads on before it
			// answers.
			paced.body.renew()
			r.Body = paced.body
		}
		next.ServeHTTP(paced, r)
		paced.renew() // for what the server still writes
	})
}

func wrapped(w http.ResponseWriter) bool {
	for {
		switch inner := w.(type) {
		case *writer:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = inner.Unwrap()
		default:
			return false
		}
	}
}

// Late reports whether reading a body failed because it arrived too slowly.
func Late(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

// body sets the connection's read deadline before each read and clears it at the end of the body:
// from then on the server watches the connection for the client's leaving, and a deadline would end
// the request's context.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	pace    Pace
	clock   domain.Clock

	mu       sync.Mutex // a handler may interrupt a read from elsewhere
	received int64
	waited   time.Duration // in reads
	ended    bool
}

// Read reads on until the deadline.
func (b *body) Read(buffer []byte) (int, error) {
	b.renew()
	began := b.clock.Now()
	n, err := b.ReadCloser.Read(buffer)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received += int64(n)
	b.waited += b.clock.Now().Sub(began)
	if errors.Is(err, io.EOF) && !b.ended {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// renew allows a pause, but no more time than the bytes so far have earned. Servers without a
// connection, as in tests of a handler, have no deadlines.
func (b *body) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	earned := time.Duration(float64(b.received) / float64(b.pace.Rate) * float64(time.Second))
	left := min(b.pace.Idle, b.pace.Grace+earned-b.waited)
	_ = b.control.SetReadDeadline(b.clock.Now().Add(left))
}

// interrupt ends the read under way and all further ones.
func (b *body) interrupt(deadline time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	return b.control.SetReadDeadline(deadline)
}

// writer gives each write of an answer its time, unless the handler sets deadlines of its own.
type writer struct {
	http.ResponseWriter
	control  *http.ResponseController
	pace     Pace
	clock    domain.Clock
	body     *body // nil where the request has none
	own      bool  // the handler has set a deadline for its writes
	hijacked bool
}

// WriteHeader begins the answer.
func (w *writer) WriteHeader(status int) {
	w.renew()
	w.ResponseWriter.WriteHeader(status)
}

// Write writes within the pace.
func (w *writer) Write(text []byte) (int, error) {
	w.renew()
	return w.ResponseWriter.Write(text)
}

// FlushError sends what was written so far.
func (w *writer) FlushError() error {
	w.renew()
	return w.control.Flush()
}

// Flush sends what was written so far.
func (w *writer) Flush() { _ = w.FlushError() }

// Hijack hands the connection over; its deadlines are then the new owner's.
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := w.control.Hijack()
	w.hijacked = err == nil
	return conn, buffer, err
}

func (w *writer) renew() {
	if !w.own && !w.hijacked {
		_ = w.control.SetWriteDeadline(w.clock.Now().Add(w.pace.Write))
	}
}

// SetWriteDeadline takes the handler's own deadline.
func (w *writer) SetWriteDeadline(deadline time.Time) error {
	w.own = true
	return w.control.SetWriteDeadline(deadline)
}

// SetReadDeadline only interrupts, by a deadline that has passed. Any other is dropped: a library
// that moves the deadline on after each read would undo the least rate, and one without a body
// would end the request's context.
func (w *writer) SetReadDeadline(deadline time.Time) error {
	if w.body == nil || deadline.IsZero() || deadline.After(w.clock.Now()) {
		return nil
	}
	return w.body.interrupt(deadline)
}

// Unwrap serves http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
