package tasks_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/tasks"
)

// indexService has a number of batches to index, and one leader.
type indexService struct {
	mu      sync.Mutex
	leader  string
	batches int
	by      map[string]int // batches by the holder that indexed them
	current string
	fails   error
	indexed chan struct{}
}

func (s *indexService) LeadSearch(_ context.Context, holder string, _ time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leader == "" {
		s.leader = holder
	}
	s.current = holder
	return s.leader == holder, s.fails
}

func (s *indexService) IndexSearch(context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.batches == 0 {
		return false, nil
	}
	s.batches--
	s.by[s.current]++
	if s.batches == 0 && s.indexed != nil {
		close(s.indexed)
	}
	return s.batches > 0, nil
}

// Only the leader indexes, everything that there is, and nothing while the lease cannot be acquired.
func TestIndexerRounds(t *testing.T) {
	t.Parallel()
	service := &indexService{batches: 3, by: map[string]int{}, fails: errors.New("no database")}
	first := tasks.NewIndexer(service, "first", domain.SystemClock{}, slog.New(slog.DiscardHandler))
	if err := first.Round(t.Context()); err == nil || service.batches != 3 {
		t.Errorf("%v, %d batches left", err, service.batches)
	}
	service.fails = nil
	if err := first.Round(t.Context()); err != nil || service.batches != 0 {
		t.Errorf("%v, %d batches left", err, service.batches)
	}
	service.batches = 2
	second := tasks.NewIndexer(service, "second", domain.SystemClock{}, slog.New(slog.DiscardHandler))
	if err := second.Round(t.Context()); err != nil || service.batches != 2 {
		t.Errorf("another one indexed: %v, %v", err, service.by)
	}
}

// A started indexer indexes in the background until it is stopped.
func TestIndexerRunsInTheBackground(t *testing.T) {
	t.Parallel()
	service := &indexService{batches: 2, by: map[string]int{}, indexed: make(chan struct{})}
	indexer := tasks.NewIndexer(service, "one", domain.SystemClock{}, slog.New(slog.DiscardHandler))
	indexer.Start()
	<-service.indexed
	indexer.Stop()
	if service.by["one"] != 2 {
		t.Errorf("indexed %v", service.by)
	}
}
