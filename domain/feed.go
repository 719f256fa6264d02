package domain

import (
	"cmp"
	"time"
)

// FeedPosition is a position in the feed, the one order over the events of all streams. The zero
// position is before the first event.
type FeedPosition struct {
	Era  int32
	TxID int64
	ID   int64
}

// Before reports whether the position is before the other.
func (p FeedPosition) Before(other FeedPosition) bool {
	return cmp.Or(cmp.Compare(p.Era, other.Era), cmp.Compare(p.TxID, other.TxID),
		cmp.Compare(p.ID, other.ID)) < 0
}

// FeedEra is a time in which the transaction ids of the database rise and none is used twice. A
// restored database may begin an era of the same number again, with another tag.
type FeedEra struct {
	Number int32
	Tag    ID
}

// FeedLag is how long the feed is held back by transactions in progress.
type FeedLag struct {
	Transaction time.Duration // age of the oldest transaction that writes
	OldestEvent time.Duration // age of the oldest committed event that is held back; 0 = none
	HeldEvents  int64         // number of such events, bounded
}
