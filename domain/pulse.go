package domain

// LogReading is what one statement read of a stream's log: events after a cursor in order, and, in the same snapshot,
// how far the log reaches, where the case stands and how new the rights are.
type LogReading struct {
	Events           []Event
	Head             int64  // newest seq of the stream
	Status           Status // of the case; "" for a stream that is no case
	AuthorityVersion int64
}

// Pulse is what one statement tells of everything that is watched: the newest seq of each stream, how new the rights
// are, and which of the sessions asked about have ended or expired.
type Pulse struct {
	Heads            map[ID]int64
	AuthorityVersion int64
	EndedSessions    []ID
}

// QueuesTopic is no stream: a hint with it says that some review was opened, claimed, moved or closed, so that open
// queue pages read their list again. Its Seq means nothing.
var QueuesTopic = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 1, 1}
