package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// sweepBatch is how many rows one sweep takes of each kind.
const sweepBatch = 1000

// Lead takes or keeps the lease of the one sweeper; false when another process sweeps.
func (h *Hall) Lead(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	return h.db.Alone().Lead(ctx, "sweeper", holder, ttl)
}

// Sweep rings rows that nobody came for and takes back rows whose worker died. It returns how many it rang.
func (h *Hall) Sweep(ctx context.Context) (int, error) {
	wakes, err := h.db.Alone().Sweep(ctx, sweepBatch)
	if err != nil {
		return 0, err
	}
	// A program outside that died is not followed by one of ours: its run is offered again.
	wakes = slices.DeleteFunc(wakes, func(w domain.Wake) bool { return w.Queue == domain.QueueExternal })
	if len(wakes) > 0 {
		h.ports.Bell.Ring(ctx, wakes)
	}
	if _, err := h.AskStaffing(ctx, false); err != nil { // nothing else is held up by it
		h.log.WarnContext(ctx, "staffing not asked", "error", err)
	}
	_, err = h.TurnPowers(ctx)
	return len(wakes), err
}

// RingAll rings every pending row at once: the queue was emptied.
func (h *Hall) RingAll(ctx context.Context) (int, error) {
	total, after := 0, domain.NoID
	for {
		wakes, err := h.db.Alone().RingAll(ctx, after, sweepBatch)
		if err != nil || len(wakes) == 0 {
			return total, err
		}
		for _, wake := range wakes {
			if wake.RunID.String() > after.String() {
				after = wake.RunID
			}
		}
		total += len(wakes)
		h.ports.Bell.Ring(ctx, wakes)
	}
}

const handBackTries = 3

// HandBack returns a leaving worker's runs to the queue at once and rings them.
func (h *Hall) HandBack(ctx context.Context, worker string) (int, error) {
	wakes, err := h.db.Alone().HandBack(ctx, worker)
	for tries := 0; domain.HasCode(err, domain.Busy) && tries < handBackTries; tries++ {
		wakes, err = h.db.Alone().HandBack(ctx, worker) // it met the worker's own last steps
	}
	if err == nil && len(wakes) > 0 {
		h.ports.Bell.Ring(ctx, wakes)
	}
	return len(wakes), err
}

// LapseClaims gives claims whose lease ran out back to their queue; drafts are kept. One transaction an item.
func (h *Hall) LapseClaims(ctx context.Context) (int, error) {
	lapsed, err := h.db.Reader().LapsedClaims(ctx, 100)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, review := range lapsed {
		_, err := onReview(ctx, h, domain.SystemActor(), "lapse", OnReview{ReviewID: review.ID}, nil,
			func(c *command, review domain.Review) (Reviewed, error) {
				if review.Status != domain.ReviewClaimed || review.ClaimUntil.After(c.now) {
					return Reviewed{}, nil // the holder came back meanwhile
				}
				return c.reviewed(c.release(review, "expired")), nil
			})
		if err != nil && !domain.HasCode(err, domain.Busy) {
			return done, err
		}
		done++
	}
	return done, nil
}

// Daily does what is due once a day: partitions ahead, old idempotency keys away.
func (h *Hall) Daily(ctx context.Context) error {
	alone := h.db.Alone()
	if err := alone.EnsurePartitions(ctx, 24); err != nil {
		return err
	}
	if err := alone.ForgetOutcomes(ctx, 7*24*time.Hour); err != nil {
		return err
	}
	_, err := h.AskStaffing(ctx, true)
	return err
}

// QueueAges tells the backlog per queue, for the metrics.
func (h *Hall) QueueAges(ctx context.Context) ([]store.QueueAge, error) {
	return h.db.Reader().QueueAges(ctx)
}
