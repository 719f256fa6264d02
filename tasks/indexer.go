package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
)

// indexInterval is the pause between looks at the feed, so that a change is found within two seconds.
const indexInterval = 500 * time.Millisecond

// indexLease is how long the lease of a dead indexer blocks the others.
const indexLease = 15 * time.Second

// IndexService is the part of the service layer that fills the search index.
type IndexService interface {
	LeadSearch(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	IndexSearch(ctx context.Context) (more bool, err error)
}

// Indexer fills the search index. A leader lease ensures that only one process does.
type Indexer struct {
	service IndexService
	holder  string
	clock   domain.Clock
	log     *slog.Logger
	asked   time.Time // last attempt to acquire or to renew the lease
	leads   bool

	stop chan struct{}
	done sync.WaitGroup
}

// NewIndexer returns an indexer; holder must be unique among all processes.
func NewIndexer(service IndexService, holder string, clock domain.Clock, log *slog.Logger) *Indexer {
	return &Indexer{service: service, holder: holder, clock: clock, log: log, stop: make(chan struct{})}
}

// Start indexes in the background until Stop.
func (x *Indexer) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	x.done.Go(func() {
		defer cancel()
		ticker := time.NewTicker(indexInterval)
		defer ticker.Stop()
		for {
			if err := x.Round(ctx); err != nil {
				x.log.Warn("filling the search index failed", "error", err)
			}
			select {
			case <-ticker.C:
			case <-x.stop:
				return
			}
		}
	})
}

// Stop ends indexing and waits for the current batch.
func (x *Indexer) Stop() {
	close(x.stop)
	x.done.Wait()
}

// Round indexes everything that changed, if this process is the leader.
func (x *Indexer) Round(ctx context.Context) error {
	for more := true; more && !x.stopped(); {
		leads, err := x.lead(ctx)
		if err != nil || !leads {
			return err
		}
		if more, err = x.service.IndexSearch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lead acquires the lease, or renews it when a third of it has passed.
func (x *Indexer) lead(ctx context.Context) (bool, error) {
	now := x.clock.Now()
	if now.Sub(x.asked).Abs() < indexLease/3 {
		return x.leads, nil
	}
	leads, err := x.service.LeadSearch(ctx, x.holder, indexLease)
	if err == nil {
		x.asked, x.leads = now, leads
	}
	return leads, err
}

func (x *Indexer) stopped() bool {
	select {
	case <-x.stop:
		return true
	default:
		return false
	}
}
