package checkpoint

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"countersign/audit"
	"countersign/domain"
)

// Records is the part of the service layer that makes checkpoints.
type Records interface {
	LeadCheckpoints(ctx context.Context, holder string, ttl time.Duration) (bool, error)
	SignCheckpoint(ctx context.Context, signer audit.Signer) (more bool, err error)
	SignedCheckpoint(ctx context.Context, keys audit.Keys) (audit.SealedCheckpoint, error)
	ProveCheckpoint(ctx context.Context, origin string, older, size uint64) ([][]byte, error)
	CopiedCheckpoints(ctx context.Context, origin string) (map[string]uint64, error)
	RecordCheckpointCopy(ctx context.Context, origin string, size uint64, place, signature string) error
}

// Options are the settings of a Signer; zero values have defaults.
type Options struct {
	Holder string        // unique among all programs
	Every  time.Duration // between two checkpoints; default 1 minute
	Key    audit.Signer
	Places []Place
	Log    *slog.Logger
	// Observe, if set, receives the result of each attempt: in the database ("") or in a place.
	Observe func(place string, err error)
}

// Signer signs a checkpoint at an interval and at the stop, and copies it to the places.
type Signer struct {
	records  Records
	options  Options
	stopping chan struct{}
	done     sync.WaitGroup
}

// New returns a Signer.
func New(records Records, options Options) *Signer {
	if options.Every == 0 {
		options.Every = time.Minute
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Observe == nil {
		options.Observe = func(string, error) {}
	}
	return &Signer{records: records, options: options, stopping: make(chan struct{})}
}

// stopGrace is how long signing may take after Stop, the last checkpoint included.
const stopGrace = 4 * time.Second

// Start signs in the background until Stop.
func (s *Signer) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.done.Go(func() {
		defer cancel()
		ticker := time.NewTicker(s.options.Every)
		defer ticker.Stop()
		for {
			s.attempt(ctx)
			select {
			case <-ticker.C:
			case <-s.stopping:
				s.attempt(ctx)
				return
			}
		}
	})
	s.done.Go(func() {
		<-s.stopping
		grace := time.AfterFunc(stopGrace, cancel)
		<-ctx.Done()
		grace.Stop()
	})
}

// Stop signs a last checkpoint and ends.
func (s *Signer) Stop() {
	close(s.stopping)
	s.done.Wait()
}

func (s *Signer) attempt(ctx context.Context) {
	if err := s.Round(ctx); err != nil {
		s.options.Log.ErrorContext(ctx, "checkpoint", "error", err)
	}
}

// Round signs what happened, and copies the newest checkpoint to the places that lack it. It returns
// the first error; a place that fails does not keep others from getting the checkpoint.
func (s *Signer) Round(ctx context.Context) error {
	leads, err := s.records.LeadCheckpoints(ctx, s.options.Holder, 2*s.options.Every)
	if err != nil || !leads {
		return err
	}
	for more := true; more && err == nil; {
		more, err = s.records.SignCheckpoint(ctx, s.options.Key)
	}
	s.options.Observe("", err)
	if copyErr := s.copy(ctx); err == nil {
		err = copyErr
	}
	return err
}

// copy copies the newest checkpoint.
func (s *Signer) copy(ctx context.Context) error {
	sealed, err := s.records.SignedCheckpoint(ctx, s.options.Key.Keys())
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	signed, err := audit.OpenNote(sealed.Note, s.options.Key.Keys())
	if err != nil {
		return err
	}
	copied, err := s.records.CopiedCheckpoints(ctx, signed.Origin)
	if err != nil {
		return err
	}
	var first error
	for _, place := range s.options.Places {
		if copied[place.Name()] == signed.Size {
			continue
		}
		err := s.copyTo(ctx, place, signed.Checkpoint, sealed.Note)
		s.options.Observe(place.Name(), err)
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (s *Signer) copyTo(ctx context.Context, place Place, checkpoint audit.Checkpoint,
	note []byte) error {
	signature, err := place.Keep(ctx, checkpoint, note,
		func(ctx context.Context, older uint64) ([][]byte, error) {
			return s.records.ProveCheckpoint(ctx, checkpoint.Origin, older, checkpoint.Size)
		})
	if err != nil {
		return err
	}
	return s.records.RecordCheckpointCopy(ctx, checkpoint.Origin, checkpoint.Size, place.Name(),
		signature)
}
