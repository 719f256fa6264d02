package batch

import (
	"context"
	"testing"
	"time"
)

// Batches that do not get further, such as those that wait for a lock, delay the others by
// acquireTimeout at most.
func TestStuckBatchesDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	slots := NewSemaphore()
	n := cap(slots)
	started, release := make(chan struct{}, n), make(chan struct{})
	done := make(chan error, n)
	for range n {
		stuck := NewWrites(slots, 1, nil, func(_ context.Context, inputs []int) ([]int, []error) {
			started <- struct{}{}
			<-release
			return inputs, make([]error, len(inputs))
		})
		go func() { _, err := stuck.Do(context.Background(), 1); done <- err }()
	}
	for range n {
		<-started
	}
	other := NewReads(slots, double)
	// would hang if a slot were required
	if got, err := other.Do(context.Background(), 2); got != 4 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	close(release)
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A request that finds a free slot runs immediately. A batcher that kept its slot would delay each
// request by the whole acquireTimeout; on a busy machine the fastest of many requests shows it.
func TestFreeSemaphoreDoesNotWait(t *testing.T) {
	t.Parallel()
	b := NewReads(NewSemaphore(), double)
	const times = 100
	fastest := time.Hour
	for range times {
		started := time.Now()
		if _, err := b.Do(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(started))
	}
	if fastest >= acquireTimeout {
		t.Errorf("the fastest of %d requests took %v", times, fastest)
	}
}

func double(_ context.Context, inputs []int) ([]int, []error) {
	values := make([]int, len(inputs))
	for i, n := range inputs {
		values[i] = 2 * n
	}
	return values, make([]error, len(inputs))
}
