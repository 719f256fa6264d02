package batch

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/domain"
)

// runConcurrently calls do n times side by side.
func runConcurrently(n int, do func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}

// hold returns a Func that notes its batches and blocks the first one until release is closed.
func hold(started, release chan struct{}, batches *[][]int) Func[int, int] {
	return func(ctx context.Context, inputs []int) ([]int, []error) {
		if *batches = append(*batches, inputs); len(*batches) == 1 {
			close(started)
			<-release
		}
		return double(ctx, inputs)
	}
}

// waitPending returns when n requests wait for the next batch.
func waitPending(b *Batcher[int, int], n int) {
	for {
		b.mu.Lock()
		pending := len(b.pending)
		b.mu.Unlock()
		if pending == n {
			return
		}
		runtime.Gosched()
	}
}

// Requests that arrive while a batch runs form the next ones, of the largest size at most and
// without equal conflict keys.
func TestRequestsOfARunningBatchFormTheNext(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	var batches [][]int
	b := NewWrites(NewSemaphore(), 2,
		func(n int) any { return n % 10 }, hold(started, release, &batches))
	var group sync.WaitGroup
	submit := func(n int) {
		group.Go(func() {
			if got, err := b.Do(context.Background(), n); got != 2*n || err != nil {
				t.Errorf("%d: %d, %v", n, got, err)
			}
		})
	}
	submit(1)
	<-started
	for i, n := range []int{2, 12, 3, 4} { // 2 and 12 conflict
		submit(n)
		waitPending(b, i+1)
	}
	close(release)
	group.Wait()
	if want := [][]int{{1}, {2, 3}, {12, 4}}; !reflect.DeepEqual(batches, want) {
		t.Errorf("batches %v, want %v", batches, want)
	}
}

// Every caller gets a result also if a batch panics.
func TestBatcherSurvivesAPanic(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	b := NewWrites(NewSemaphore(), 4, nil, func(_ context.Context, inputs []int) ([]int, []error) {
		if calls.Add(1) == 1 {
			panic("unforeseen")
		}
		return inputs, make([]error, len(inputs))
	})
	var broken, answered atomic.Int64
	runConcurrently(20, func(i int) {
		got, err := b.Do(context.Background(), i)
		switch {
		case domain.HasCode(err, domain.Internal):
			broken.Add(1)
		case err == nil && got == i:
			answered.Add(1)
		default:
			t.Errorf("request %d: %d %v", i, got, err)
		}
	})
	if broken.Load() == 0 || broken.Load() > 4 || broken.Load()+answered.Load() != 20 {
		t.Errorf("%d broken, %d answered", broken.Load(), answered.Load())
	}
}

// A request whose caller's context ends before a batch claims it is not executed; a claimed write
// is waited for.
func TestCanceledRequests(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	var batches [][]int
	b := NewWrites(NewSemaphore(), 4, nil, hold(started, release, &batches))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { _, err := b.Do(ctx, 1); done <- err }()
	<-started
	cancel() // the first request is claimed
	var canceled *CanceledError
	if _, err := b.Do(ctx, 2); !errors.As(err, &canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled request returned %v", err)
	}
	go func() { _, err := b.Do(context.Background(), 3); done <- err }()
	close(release)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if want := [][]int{{1}, {3}}; !reflect.DeepEqual(batches, want) {
		t.Errorf("executed %v, want %v", batches, want)
	}
}

// The caller of a claimed read does not wait for its result.
func TestCanceledReadReturnsImmediately(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	var batches [][]int
	b := NewReads(NewSemaphore(), hold(started, release, &batches))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { _, err := b.Do(ctx, 1); done <- err }()
	<-started
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled read returned %v", err)
	}
	close(release)
}
