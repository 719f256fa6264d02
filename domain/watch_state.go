package domain

import "time"

// StreamPage is what one statement read of a stream's log: events after a cursor in order, and, in the same snapshot,
// how far the log reaches, where the case stands and how new the rights and the credentials are.
type StreamPage struct {
	Events            []Event
	LastSeq           int64  // newest seq of the stream
	Status            Status // of the case; "" for a stream that is no case
	AuthorityVersion  int64
	CredentialVersion int64
}

// WatchState is what one statement tells of everything that is watched: the newest seq of each stream, how new the rights
// and the credentials are, and which of the sessions and API tokens asked about no longer hold.
type WatchState struct {
	LastSeqs          map[ID]int64
	AuthorityVersion  int64
	CredentialVersion int64
	Ended             []ID
}

// RightsVersion is how new rights and credentials are at a moment of the database's clock.
type RightsVersion struct {
	Authority   int64
	Credentials int64
	At          time.Time
}

// CredentialState is a session or an API token as it is at the moment At of the database's clock.
type CredentialState struct {
	Holds   bool
	EndsAt  time.Time // when it ends by itself; zero = never
	At      time.Time
	Version int64 // of all credentials, in the same snapshot
}

// WatchRight is the right to watch a stream.
type WatchRight struct {
	Audience Audience
	// Until is when the right has to be asked again, because a delegation ends then; zero = it does not end by time.
	// Left is how long that is from now on.
	Until time.Time
	Left  time.Duration
}

// QueuesTopic is no stream: a hint with it says that some review was opened, claimed, moved or closed, so that open
// queue pages read their list again. Its Seq means nothing.
var QueuesTopic = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 1, 1}

// RightsTopic is no stream: a hint with it says that rights or credentials have changed, so that servers ask at once who
// may still watch. Its Seq means nothing.
var RightsTopic = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 1, 2}
