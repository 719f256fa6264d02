package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
)

// SweepInterval is the interval at which the sweeper looks for overdue runs.
const SweepInterval = 5 * time.Second

// epochInterval is the interval at which the sweeper checks the epoch, so that it refills an
// emptied queue within a second.
const epochInterval = time.Second

// filesInterval is the pause between two passes over the stored files.
const filesInterval = time.Hour

// leaderTTL is how long the lease of a dead leader blocks the others.
const leaderTTL = 8 * time.Second

// SweepService is the part of the service layer that the sweeper calls.
type SweepService interface {
	AcquireLeadership(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	Sweep(ctx context.Context) (int, error)
	EnqueueAllPending(ctx context.Context) (int, error)
	ExpireClaims(ctx context.Context) (int, error)
	RunDailyMaintenance(ctx context.Context) error
	SweepFiles(ctx context.Context) (removed int, done bool, err error)
}

// Epoch reports whether the queue's data was lost since the last call: its key is missing or has
// another value.
type Epoch interface {
	Epoch(ctx context.Context) (value string, changed bool, err error)
}

// Sweeper re-enqueues overdue runs. A leader lease ensures that only one process sweeps.
type Sweeper struct {
	service     SweepService
	epoch       Epoch
	holder      string
	clock       domain.Clock
	log         *slog.Logger
	lastDaily   time.Time
	files       time.Time // end of the last pass over the stored files
	leader      bool
	queueLost   bool // the queue's data was lost and not all runs have been enqueued again
	unreachable bool

	stop chan struct{}
	done sync.WaitGroup
}

// NewSweeper returns a sweeper; holder must be unique among all processes.
func NewSweeper(service SweepService, epoch Epoch, holder string, clock domain.Clock,
	log *slog.Logger) *Sweeper {
	return &Sweeper{service: service, epoch: epoch, holder: holder, clock: clock, log: log,
		stop: make(chan struct{})}
}

// Start sweeps in the background until Stop.
func (s *Sweeper) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.done.Go(func() {
		defer cancel()
		ticker := time.NewTicker(epochInterval)
		defer ticker.Stop()
		last := time.Time{}
		for {
			s.CheckEpoch(ctx)
			if now := s.clock.Now(); now.Sub(last) >= SweepInterval {
				last = now
				s.Sweep(ctx)
			}
			select {
			case <-ticker.C:
			case <-s.stop:
				return
			}
		}
	})
}

// Stop ends sweeping and waits for the current round.
func (s *Sweeper) Stop() {
	close(s.stop)
	s.done.Wait()
}

// CheckEpoch checks the epoch and enqueues every pending run if the queue's data was lost.
func (s *Sweeper) CheckEpoch(ctx context.Context) {
	_, changed, err := s.epoch.Epoch(ctx)
	if err != nil {
		if !s.unreachable {
			s.log.Warn("the queue is unreachable", "error", err)
		}
		s.unreachable = true
		return
	}
	if s.unreachable {
		s.log.Info("the queue is reachable again")
	}
	// After an outage every pending row is enqueued, because enqueue calls during the outage may
	// have failed.
	s.queueLost = s.queueLost || changed || s.unreachable
	s.unreachable = false
	if !s.queueLost || !s.leader {
		return
	}
	n, err := s.service.EnqueueAllPending(ctx)
	if err != nil {
		s.log.Warn("enqueuing all pending runs failed", "error", err)
		return
	}
	s.queueLost = false
	if n > 0 {
		s.log.Info("all pending runs enqueued", "runs", n)
	}
}

// Sweep does one round if this process is the leader.
func (s *Sweeper) Sweep(ctx context.Context) {
	lead, err := s.service.AcquireLeadership(ctx, s.holder, leaderTTL)
	if err != nil {
		s.log.Warn("sweep", "error", err)
		return
	}
	s.leader = lead
	if !lead {
		return
	}
	if n, err := s.service.Sweep(ctx); err != nil {
		s.log.Warn("sweep", "error", err)
	} else if n > 0 {
		s.log.Info("overdue runs enqueued again", "runs", n)
	}
	if _, err := s.service.ExpireClaims(ctx); err != nil {
		s.log.Warn("expiring claims failed", "error", err)
	}
	if now := s.clock.Now(); now.Sub(s.lastDaily) >= 24*time.Hour {
		if err := s.service.RunDailyMaintenance(ctx); err != nil {
			s.log.Warn("daily work", "error", err)
		} else {
			s.lastDaily = now
		}
	}
	s.sweepFiles(ctx)
}

// sweepFiles removes a few orphan files in each round until a pass over all files is complete.
func (s *Sweeper) sweepFiles(ctx context.Context) {
	if s.clock.Now().Sub(s.files) < filesInterval {
		return
	}
	removed, done, err := s.service.SweepFiles(ctx)
	if err != nil {
		s.log.Warn("sweeping files failed", "error", err)
	}
	if removed > 0 {
		s.log.Info("orphan files removed", "files", removed)
	}
	if done {
		s.files = s.clock.Now()
	}
}
