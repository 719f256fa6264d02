package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
)

const (
	// Timeout bounds the execution of a batch. The deadlines of its callers do not, because a batch
	// serves several.
	Timeout = 30 * time.Second
	// MaxReads is the largest batch of reads.
	MaxReads = 128
)

// ErrNotBatched is the error of a request that its batch could not serve; the caller executes the
// request individually.
var ErrNotBatched = errors.New("batch: execute the request individually")

// CanceledError reports that the caller's context ended before the request had a result. A write
// with this error was not executed.
type CanceledError struct{ Err error }

// Error describes the end of the context.
func (e *CanceledError) Error() string { return "batch: request canceled: " + e.Err.Error() }

// Unwrap returns the error of the context.
func (e *CanceledError) Unwrap() error { return e.Err }

// Func executes a batch. It returns a value and an error for every input, in the order of the
// inputs.
type Func[I, O any] func(ctx context.Context, inputs []I) ([]O, []error)

// Batcher executes concurrent requests of one kind in batches, one batch at a time.
type Batcher[I, O any] struct {
	slots   Semaphore // shared with other batchers
	maxSize int
	execute Func[I, O]
	// conflictKey, if set, keeps requests with equal keys out of the same batch.
	conflictKey func(I) any
	// awaitClaimed makes a canceled caller wait for the result of a request that a batch has
	// claimed.
	awaitClaimed bool

	mu      sync.Mutex
	pending []*request[I, O]
	running bool
}

// NewReads returns a batcher of requests that change nothing.
func NewReads[I, O any](slots Semaphore, execute Func[I, O]) *Batcher[I, O] {
	return &Batcher[I, O]{slots: slots, maxSize: MaxReads, execute: execute}
}

// NewWrites returns a batcher of writes, at most maxSize in a batch. Of the requests with the same
// conflict key, a batch holds at most one; a nil conflictKey allows all.
func NewWrites[I, O any](slots Semaphore, maxSize int, conflictKey func(I) any,
	execute Func[I, O]) *Batcher[I, O] {
	return &Batcher[I, O]{slots: slots, maxSize: maxSize, conflictKey: conflictKey,
		execute: execute, awaitClaimed: true}
}

type result[O any] struct {
	value O
	err   error
}

type request[I, O any] struct {
	input   I
	result  chan result[O] // buffered, so that sending never waits for the caller
	claimed atomic.Bool    // by a batch, or by a caller whose context ended
}

// Do executes the request and returns its result. If the context ends first, Do withdraws a request
// that no batch has claimed. It waits for the result of a claimed write, so that the caller learns
// the outcome.
func (b *Batcher[I, O]) Do(ctx context.Context, input I) (O, error) {
	r := &request[I, O]{input: input, result: make(chan result[O], 1)}
	b.mu.Lock()
	b.pending = append(b.pending, r)
	if !b.running {
		b.running = true
		go b.runBatches()
	}
	b.mu.Unlock()
	select {
	case got := <-r.result:
		return got.value, got.err
	case <-ctx.Done():
	}
	if r.claimed.CompareAndSwap(false, true) || !b.awaitClaimed {
		var none O
		return none, &CanceledError{ctx.Err()}
	}
	got := <-r.result
	return got.value, got.err
}

// runBatches runs batches until no request is pending.
func (b *Batcher[I, O]) runBatches() {
	for b.continueRunning() {
		b.slots.run(func() {
			runtime.Gosched() // lets callers that are about to submit join this batch
			if requests := b.nextBatch(); len(requests) > 0 {
				b.runBatch(requests)
			}
		})
	}
}

// continueRunning reports whether requests are pending; if not, the next call of Do starts
// runBatches again.
func (b *Batcher[I, O]) continueRunning() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = len(b.pending) > 0
	return b.running
}

// nextBatch claims the requests of the next batch; there are none if all pending requests were
// withdrawn.
func (b *Batcher[I, O]) nextBatch() []*request[I, O] {
	b.mu.Lock()
	defer b.mu.Unlock()
	var claimed, later []*request[I, O]
	keys := map[any]bool{}
	for i, r := range b.pending {
		if len(claimed) == b.maxSize {
			later = append(later, b.pending[i:]...)
			break
		}
		if b.conflictKey != nil {
			key := b.conflictKey(r.input)
			if keys[key] {
				later = append(later, r)
				continue
			}
			keys[key] = true
		}
		if r.claimed.CompareAndSwap(false, true) {
			claimed = append(claimed, r)
		}
	}
	b.pending = later
	return claimed
}

// runBatch executes the requests and sends every caller a result, also if execute panics.
func (b *Batcher[I, O]) runBatch(requests []*request[I, O]) {
	inputs := make([]I, len(requests))
	for i, r := range requests {
		inputs[i] = r.input
	}
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	values, errs := b.executeRecovered(ctx, inputs)
	for i, r := range requests {
		r.result <- result[O]{values[i], errs[i]}
	}
}

// executeRecovered calls execute and turns a panic into an internal error of every request.
func (b *Batcher[I, O]) executeRecovered(ctx context.Context,
	inputs []I) (values []O, errs []error) {
	defer func() {
		if cause := recover(); cause != nil {
			values, errs = SameError[O](len(inputs),
				domain.Errorf(domain.Internal, "The batch failed unexpectedly.").
					WithCause(fmt.Errorf("panic: %v", cause)))
		}
	}()
	return b.execute(ctx, inputs)
}

// SameError returns the results of n requests that failed with the same error, or zero values if
// err is nil.
func SameError[O any](n int, err error) ([]O, []error) {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return make([]O, n), errs
}
