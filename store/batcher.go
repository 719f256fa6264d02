package store

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

// batchTimeout bounds a batch statement; it serves many, so nobody's own patience does.
const batchTimeout = 30 * time.Second

// errNotBatched answers a question that the batch statement could not serve: its caller does it by itself.
var errNotBatched = errors.New("store: to be done alone")

// batcher runs what several callers request concurrently as one batch statement. There is no batching delay: what comes while
// nothing is under way goes at once, alone; what comes meanwhile goes together, next. An answer is always computed after
// its question was asked.
type batcher[Q, A any] struct {
	maxBatch    int         // questions of one statement
	conflictKey func(Q) any // of questions with the same value one at most is in a statement; nil = all may be
	execute     func(ctx context.Context, questions []Q) ([]A, []error)
	// awaitClaimed questions write: whoever asked one that was taken waits for its answer, also when their context has ended.
	awaitClaimed bool
	// slots is what its statements pass through, with those of other gathers.
	slots semaphore

	mu      sync.Mutex
	pending []*batchRequest[Q, A]
	running bool
}

// newReadBatcher gathers questions that change nothing, up to readsTogether a statement.
func newReadBatcher[Q, A any](l semaphore, do func(context.Context, []Q) ([]A, []error)) *batcher[Q, A] {
	return &batcher[Q, A]{slots: l, maxBatch: maxReadBatch, execute: do}
}

// newWriteBatcher gathers binding questions.
func newWriteBatcher[Q, A any](l semaphore, most int, do func(context.Context, []Q) ([]A, []error)) *batcher[Q, A] {
	return &batcher[Q, A]{slots: l, maxBatch: most, execute: do, awaitClaimed: true}
}

type batchResult[A any] struct {
	value A
	err   error
}

type batchRequest[Q, A any] struct {
	input   Q
	result  chan batchResult[A] // of one place: the answer never waits for its reader
	claimed atomic.Bool         // by a statement, or by its caller who went away
}

// submit answers the question. A caller whose context ends takes back what no statement has taken yet; the answer to a
// binding one that was taken is waited for, so that the caller knows what became of it.
func (g *batcher[Q, A]) submit(ctx context.Context, question Q) (A, error) {
	a := &batchRequest[Q, A]{input: question, result: make(chan batchResult[A], 1)}
	g.mu.Lock()
	g.pending = append(g.pending, a)
	if !g.running {
		g.running = true
		go g.runBatches()
	}
	g.mu.Unlock()
	select {
	case got := <-a.result:
		return got.value, got.err
	case <-ctx.Done():
	}
	if a.claimed.CompareAndSwap(false, true) || !g.awaitClaimed {
		var none A
		return none, translate(ctx.Err(), "ask")
	}
	got := <-a.result
	return got.value, got.err
}

// runBatches runs statements until nothing waits.
func (g *batcher[Q, A]) runBatches() {
	for g.continueRunning() {
		g.slots.runInSlot(func() {
			runtime.Gosched() // callers that are about to submit join this batch
			if batch := g.nextBatch(); len(batch) > 0 {
				g.runBatch(batch)
			}
		})
	}
}

// continueRunning reports whether somebody waits; if not, the next who asks serves.
func (g *batcher[Q, A]) continueRunning() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = len(g.pending) > 0
	return g.running
}

// nextBatch is the next batch; empty when everybody who waited has gone away.
func (g *batcher[Q, A]) nextBatch() []*batchRequest[Q, A] {
	g.mu.Lock()
	defer g.mu.Unlock()
	var batch, later []*batchRequest[Q, A]
	seen := map[any]bool{}
	for i, a := range g.pending {
		if len(batch) == g.maxBatch {
			later = append(later, g.pending[i:]...)
			break
		}
		if g.conflictKey != nil {
			value := g.conflictKey(a.input)
			if seen[value] {
				later = append(later, a)
				continue
			}
			seen[value] = true
		}
		if a.claimed.CompareAndSwap(false, true) {
			batch = append(batch, a)
		}
	}
	g.pending = later
	return batch
}

// runBatch runs one statement; whatever happens to it, everybody gets an answer.
func (g *batcher[Q, A]) runBatch(batch []*batchRequest[Q, A]) {
	questions := make([]Q, len(batch))
	for i, a := range batch {
		questions[i] = a.input
	}
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	values, errs := make([]A, len(batch)), make([]error, len(batch))
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				for i := range errs {
					errs[i] = domain.Errorf(domain.Internal, "the joint statement failed in an unforeseen way").WithCause(fmt.Errorf("panic: %v", cause))
				}
			}
		}()
		values, errs = g.execute(ctx, questions)
	}()
	for i, a := range batch {
		a.result <- batchResult[A]{values[i], errs[i]}
	}
}

// uniformResults gives every question of a batch the same error.
func uniformResults[A any](n int, err error) ([]A, []error) {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return make([]A, n), errs
}
