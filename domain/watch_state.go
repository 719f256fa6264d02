package domain

import "time"

// StreamPage is a page of events after a cursor, and, from the same snapshot, the last event of the
// stream, the status of the case and the versions of authority and credentials.
type StreamPage struct {
	Events            []Event
	LastSeq           int64  // last seq of the stream
	Status            Status // of the case; "" for a system stream
	AuthorityVersion  int64
	CredentialVersion int64
}

// WatchState is a snapshot for all watchers: the last seq of each stream, the versions of authority
// and credentials, and which of the given sessions and API tokens have ended.
type WatchState struct {
	LastSeqs          map[ID]int64
	AuthorityVersion  int64
	CredentialVersion int64
	Ended             []ID
}

// RightsVersion holds the versions of authority and credentials at a time of the database's clock.
type RightsVersion struct {
	Authority   int64
	Credentials int64
	At          time.Time
}

// CredentialState is the state of a session or an API token at the time At of the database's clock.
type CredentialState struct {
	Holds   bool
	EndsAt  time.Time // when it expires; zero = never
	At      time.Time
	Version int64 // of all credentials, from the same snapshot
}

// WatchRight is the right to watch a stream.
type WatchRight struct {
	Audience Audience
	// Redacted says that the watcher must not learn whether the case was in a confidential review.
	Redacted bool
	// Until is when the right must be checked again because a delegation ends; zero = it does not
	// expire. Left is the time remaining until then.
	Until time.Time
	Left  time.Duration
}

// QueuesTopic is the stream id of hints that a review was opened, claimed, moved or closed, after
// which open queue pages reload. It has no events, and the Seq of its hints is meaningless.
var QueuesTopic = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 1, 1}

// RightsTopic is the stream id of hints that rights or credentials have changed, after which
// servers immediately check who may still watch. It has no events, and the Seq of its hints is
// meaningless.
var RightsTopic = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 1, 2}
