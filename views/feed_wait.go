package views

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
	"countersign/store"
)

// feedPollInterval is how often the end of the feed is read while receivers wait, by all of them
// together.
const feedPollInterval = 250 * time.Millisecond

// feedEnd is the newest known end of the feed.
type feedEnd struct {
	mu   sync.Mutex
	at   time.Time // of the last read
	head domain.FeedPosition
}

// movedBeyond reports whether the feed has an event after the position, which a receiver has read
// up to. At most one read per interval is made for all receivers.
func (e *feedEnd) movedBeyond(ctx context.Context, reader store.Reader, clock domain.Clock,
	seen domain.FeedPosition) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.head.Before(seen) {
		e.head = seen
	}
	if now := clock.Now(); seen == e.head && now.Sub(e.at).Abs() >= feedPollInterval {
		page, err := reader.FeedAfter(ctx, store.FeedQuery{After: e.head, Limit: 1})
		if err != nil {
			return false, err
		}
		if e.at = now; len(page.Events) > 0 {
			e.head = page.Next
		}
	}
	return seen.Before(e.head), nil
}

// AwaitFeed returns when the feed has an event after the page, for any receiver, or after the
// duration. It returns false when the duration has passed.
func (v *Views) AwaitFeed(ctx context.Context, page FeedPage, most time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ticker := time.NewTicker(feedPollInterval)
	defer ticker.Stop()
	for {
		moved, err := v.feedEnd.movedBeyond(ctx, v.reader, domain.SystemClock{}, page.next)
		if ctx.Err() != nil {
			return false, nil //nolint:nilerr // the time has passed, or the caller sees its own context
		}
		if moved || err != nil {
			return moved, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return false, nil
		}
	}
}
