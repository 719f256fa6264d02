package casework

import (
	"context"
	"fmt"
	"time"
)

// checkFeed reports committed events that the feed has held back for longer than the grace period:
// a transaction that writes is open somewhere in the cluster, or events have transaction ids of
// another cluster.
func (svc *Service) checkFeed(ctx context.Context, grace time.Duration) ([]Inconsistency, error) {
	lag, err := svc.db.Reader().FeedLag(ctx)
	if err != nil || lag.HeldEvents == 0 || lag.OldestEvent <= max(grace, minFeedGrace) {
		return nil, err
	}
	return []Inconsistency{{Kind: HeldFeed, Count: lag.HeldEvents, Message: fmt.Sprintf(
		"The feed of events has held back %d events for %s.", lag.HeldEvents,
		lag.OldestEvent.Round(time.Second)),
		Remedy: "End the oldest transaction of the database cluster (pg_stat_activity, pg_prepared_xacts). " +
			"After a logical restore, see the section on restoring in docs/events.md."}}, nil
}

// minFeedGrace is how long a transaction may always take.
const minFeedGrace = time.Minute
