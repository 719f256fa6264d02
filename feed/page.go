package feed

import "countersign/domain"

// Page is a part of the feed as a connector may see it.
type Page struct {
	Events []Event
	// Next is the position after everything that was examined.
	Next domain.FeedPosition
	// Complete reports whether the page reaches the end of the feed.
	Complete bool
}
