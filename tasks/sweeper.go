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

// watchInterval is how often the queue's epoch is asked: a queue that was emptied is rung at once.
const watchInterval = time.Second

// leaderTTL is how long a sweeper that died keeps the others waiting.
const leaderTTL = 8 * time.Second

// SweepHall is what the sweeper calls.
type SweepHall interface {
	Lead(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	Sweep(ctx context.Context) (int, error)
	RingAll(ctx context.Context) (int, error)
	LapseClaims(ctx context.Context) (int, error)
	Daily(ctx context.Context) error
}

// Epoch tells whether the queue's memory was lost since the last call: its key is missing or another.
type Epoch interface {
	Epoch(ctx context.Context) (value string, changed bool, err error)
}

// Sweeper is the net under the bell: one of all sweepers at a time rings what nobody came for.
type Sweeper struct {
	hall   SweepHall
	epoch  Epoch
	holder string
	clock  domain.Clock
	log    *slog.Logger
	daily  time.Time
	lead   bool
	lost   bool // the queue's memory was lost and not everything has been rung yet
	away   bool

	stop chan struct{}
	done sync.WaitGroup
}

// NewSweeper makes a sweeper; holder is unique among all processes.
func NewSweeper(hall SweepHall, epoch Epoch, holder string, clock domain.Clock, log *slog.Logger) *Sweeper {
	return &Sweeper{hall: hall, epoch: epoch, holder: holder, clock: clock, log: log, stop: make(chan struct{})}
}

// Start sweeps until Stop.
func (s *Sweeper) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.done.Go(func() {
		defer cancel()
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		last := time.Time{}
		for {
			s.Watch(ctx)
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

// Watch asks the epoch and rings everything when the queue's memory was lost.
func (s *Sweeper) Watch(ctx context.Context) {
	_, changed, err := s.epoch.Epoch(ctx)
	if err != nil {
		if !s.away {
			s.log.Warn("the queue cannot be reached", "error", err)
		}
		s.away = true
		return
	}
	if s.away {
		s.log.Info("the queue is back")
	}
	// After an outage every pending row is rung: what was enqueued meanwhile may have been refused or lost.
	s.lost = s.lost || changed || s.away
	s.away = false
	if !s.lost || !s.lead {
		return
	}
	n, err := s.hall.RingAll(ctx)
	if err != nil {
		s.log.Warn("not everything could be rung", "error", err)
		return
	}
	s.lost = false
	if n > 0 {
		s.log.Info("every pending run was rung", "runs", n)
	}
}

// Sweep does one round, if this process is the one that sweeps.
func (s *Sweeper) Sweep(ctx context.Context) {
	lead, err := s.hall.Lead(ctx, s.holder, leaderTTL)
	if err != nil {
		s.log.Warn("sweep", "error", err)
		return
	}
	s.lead = lead
	if !lead {
		return
	}
	if n, err := s.hall.Sweep(ctx); err != nil {
		s.log.Warn("sweep", "error", err)
	} else if n > 0 {
		s.log.Info("runs rung again", "runs", n)
	}
	if _, err := s.hall.LapseClaims(ctx); err != nil {
		s.log.Warn("claims not lapsed", "error", err)
	}
	if now := s.clock.Now(); now.Sub(s.daily) >= 24*time.Hour {
		if err := s.hall.Daily(ctx); err != nil {
			s.log.Warn("daily work", "error", err)
			return
		}
		s.daily = now
	}
}
