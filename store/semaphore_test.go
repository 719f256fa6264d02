package store_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"countersign/store"
)

// Joint statements that get no further, such as those that wait for a lock, keep the others waiting a moment and no more.
func TestStuckStatementsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	places := runtime.GOMAXPROCS(0)
	started, release := make(chan struct{}, places), make(chan struct{})
	done := make(chan error, places)
	for range places {
		stuck := store.NewBatcher(w.db, 1, func(_ context.Context, questions []int) ([]int, []error) {
			started <- struct{}{}
			<-release
			return questions, make([]error, len(questions))
		})
		go func() { _, err := stuck.Do(context.Background(), 1); done <- err }()
	}
	for range places {
		<-started
	}
	if _, err := w.read().Clock(w.ctx); err != nil { // would wait for ever, had it to wait for a place
		t.Error(err)
	}
	close(release)
	for range places {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// Who finds the lane free goes at once. A gather that forgot its lane would wait out the whole acquire timeout each time; on a busy
// machine the fastest of many tells.
func TestFreeSemaphoreDoesNotWait(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const times = 100
	fastest := time.Hour
	for range times {
		begun := time.Now()
		if _, err := w.read().Clock(w.ctx); err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(begun))
	}
	if fastest >= store.AcquireTimeout {
		t.Errorf("the fastest of %d readings of the clock took %v", times, fastest)
	}
}
