package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/domain"
)

// SweepInterval is how often the sweeper looks for rows that nobody came for.
const SweepInterval = 5 * time.Second

// epochInterval is how often the queue's epoch is asked: a queue that was emptied is enqueued at once.
const epochInterval = time.Second

// filesInterval is how long after the end of one step   # workflow only over the stored files the next begins.
const filesInterval = time.Hour

// leaderTTL is how long a sweeper that died keeps the others waiting.
const leaderTTL = 8 * time.Second

// SweepService is what the sweeper calls.
type SweepService interface {
	AcquireLeadership(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	Sweep(ctx context.Context) (int, error)
	EnqueueAllPending(ctx context.Context) (int, error)
	ExpireClaims(ctx context.Context) (int, error)
	RunDailyMaintenance(ctx context.Context) error
	SweepFiles(ctx context.Context) (removed int, done bool, err error)
}

// Epoch tells whether the queue's memory was lost since the last call: its key is missing or another.
type Epoch interface {
	Epoch(ctx context.Context) (value string, changed bool, err error)
}

// Sweeper is the fallback of the notifier: one of all sweepers at a time enqueues runs that no worker has leased.
type Sweeper struct {
	service     SweepService
	epoch       Epoch
	holder      string
	clock       domain.Clock
	log         *slog.Logger
	lastDaily   time.Time
	files       time.Time // when the last pass over the stored files ended
	leader      bool
	queueLost   bool // the queue's memory was lost and not everything has been rung yet
	unreachable bool

	stop chan struct{}
	done sync.WaitGroup
}

// NewSweeper makes a sweeper; holder is unique among all processes.
func NewSweeper(service SweepService, epoch Epoch, holder string, clock domain.Clock, log *slog.Logger) *Sweeper {
	return &Sweeper{service: service, epoch: epoch, holder: holder, clock: clock, log: log, stop: make(chan struct{})}
}

// Start sweeps until Stop.
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

// Stop ends the sweeping and waits for the round under way.
func (s *Sweeper) Stop() {
	close(s.stop)
	s.done.Wait()
}

// CheckEpoch asks the epoch and rings everything when the queue's memory was lost.
func (s *Sweeper) CheckEpoch(ctx context.Context) {
	_, changed, err := s.epoch.Epoch(ctx)
	if err != nil {
		if !s.unreachable {
			s.log.Warn("the queue cannot be reached", "error", err)
		}
		s.unreachable = true
		return
	}
	if s.unreachable {
		s.log.Info("the queue is back")
	}
	// After an outage every pending row is enqueued: what was enqueued meanwhile may have been refused or lost.
	s.queueLost = s.queueLost || changed || s.unreachable
	s.unreachable = false
	if !s.queueLost || !s.leader {
		return
	}
	n, err := s.service.EnqueueAllPending(ctx)
	if err != nil {
		s.log.Warn("not everything could be rung", "error", err)
		return
	}
	s.queueLost = false
	if n > 0 {
		s.log.Info("every pending run was rung", "runs", n)
	}
}

// Sweep does one round, if this process is the one that sweeps.
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
		s.log.Info("runs rung again", "runs", n)
	}
	if _, err := s.service.ExpireClaims(ctx); err != nil {
		s.log.Warn("claims not lapsed", "error", err)
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

// sweepFiles removes orphan files, a few in each round, until a pass over all files has ended.
func (s *Sweeper) sweepFiles(ctx context.Context) {
	if s.clock.Now().Sub(s.files) < filesInterval {
		return
	}
	removed, done, err := s.service.SweepFiles(ctx)
	if err != nil {
		s.log.Warn("files not swept", "error", err)
	}
	if removed > 0 {
		s.log.Info("orphan files removed", "files", removed)
	}
	if done {
		s.files = s.clock.Now()
	}
}
