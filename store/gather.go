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

// answerLimit bounds a joint statement; it serves many, so nobody's own patience does.
const answerLimit = 30 * time.Second

// errAlone answers a question that the joint statement could not serve: its caller does it by itself.
var errAlone = errors.New("store: to be done alone")

// gather joins what several callers ask at the same time into one statement. Nobody waits for company: what comes while
// nothing is under way goes at once, alone; what comes meanwhile goes together, next. An answer is always computed after
// its question was asked.
type gather[Q, A any] struct {
	most  int         // questions of one statement
	apart func(Q) any // of questions with the same value one at most is in a statement; nil = all may be
	do    func(ctx context.Context, questions []Q) ([]A, []error)
	// binding questions write: whoever asked one that was taken waits for its answer, also when their context has ended.
	binding bool
	// lane is what its statements pass through, with those of other gathers.
	lane lane

	mu      sync.Mutex
	waiting []*asked[Q, A]
	busy    bool
}

// reading gathers questions that change nothing, up to readsTogether a statement.
func reading[Q, A any](l lane, do func(context.Context, []Q) ([]A, []error)) *gather[Q, A] {
	return &gather[Q, A]{lane: l, most: readsTogether, do: do}
}

// writing gathers binding questions.
func writing[Q, A any](l lane, most int, do func(context.Context, []Q) ([]A, []error)) *gather[Q, A] {
	return &gather[Q, A]{lane: l, most: most, do: do, binding: true}
}

type answer[A any] struct {
	value A
	err   error
}

type asked[Q, A any] struct {
	question Q
	answered chan answer[A] // of one place: the answer never waits for its reader
	taken    atomic.Bool    // by a statement, or by its caller who went away
}

// ask answers the question. A caller whose context ends takes back what no statement has taken yet; the answer to a
// binding one that was taken is waited for, so that the caller knows what became of it.
func (g *gather[Q, A]) ask(ctx context.Context, question Q) (A, error) {
	a := &asked[Q, A]{question: question, answered: make(chan answer[A], 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, a)
	if !g.busy {
		g.busy = true
		go g.serve()
	}
	g.mu.Unlock()
	select {
	case got := <-a.answered:
		return got.value, got.err
	case <-ctx.Done():
	}
	if a.taken.CompareAndSwap(false, true) || !g.binding {
		var none A
		return none, translate(ctx.Err(), "ask")
	}
	got := <-a.answered
	return got.value, got.err
}

// serve runs statements until nothing waits.
func (g *gather[Q, A]) serve() {
	for g.goesOn() {
		g.lane.pass(func() {
			runtime.Gosched() // whoever is about to ask goes along
			if batch := g.take(); len(batch) > 0 {
				g.answer(batch)
			}
		})
	}
}

// goesOn reports whether somebody waits; if not, the next who asks serves.
func (g *gather[Q, A]) goesOn() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy = len(g.waiting) > 0
	return g.busy
}

// take is the next batch; empty when everybody who waited has gone away.
func (g *gather[Q, A]) take() []*asked[Q, A] {
	g.mu.Lock()
	defer g.mu.Unlock()
	var batch, later []*asked[Q, A]
	seen := map[any]bool{}
	for i, a := range g.waiting {
		if len(batch) == g.most {
			later = append(later, g.waiting[i:]...)
			break
		}
		if g.apart != nil {
			value := g.apart(a.question)
			if seen[value] {
				later = append(later, a)
				continue
			}
			seen[value] = true
		}
		if a.taken.CompareAndSwap(false, true) {
			batch = append(batch, a)
		}
	}
	g.waiting = later
	return batch
}

// answer runs one statement; whatever happens to it, everybody gets an answer.
func (g *gather[Q, A]) answer(batch []*asked[Q, A]) {
	questions := make([]Q, len(batch))
	for i, a := range batch {
		questions[i] = a.question
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
	defer cancel()
	values, errs := make([]A, len(batch)), make([]error, len(batch))
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				for i := range errs {
					errs[i] = domain.Fail(domain.Internal, "the joint statement failed in an unforeseen way").Because(fmt.Errorf("panic: %v", cause))
				}
			}
		}()
		values, errs = g.do(ctx, questions)
	}()
	for i, a := range batch {
		a.answered <- answer[A]{values[i], errs[i]}
	}
}

// all gives every question of a batch the same error.
func all[A any](n int, err error) ([]A, []error) {
	errs := make([]error, n)
	for i := range errs {
		errs[i] = err
	}
	return make([]A, n), errs
}
