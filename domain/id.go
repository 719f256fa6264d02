package domain

import "github.com/google/uuid"

// ID identifies a row of ours. IDs of cases and stage runs are UUID v7: their first 48 bits are the birth time in
// milliseconds, which is what the monthly partitions are cut by.
type ID = uuid.UUID

// NoID is the zero ID; it stands for "none" in rows whose key columns may not be NULL.
var NoID = uuid.Nil

// NewID makes a UUID v7 from the system's clock and random source.
func NewID() ID { return uuid.Must(uuid.NewV7()) }

// ParseID reads the canonical text form. The error carries code InvalidInput.
func ParseID(text string) (ID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return NoID, Invalid("id", "%q is not a valid identifier", text)
	}
	return id, nil
}

// SystemStream names a stream of events that is not a case; its ID is fixed so that it lies in a partition of its own.
type SystemStream struct {
	Name string
	ID   ID
}

// The streams that are not cases. Their IDs sort below every UUID v7, into the partition of streams.
var (
	PolicyStream = SystemStream{"policy", uuid.MustParse("00000000-0000-7000-8000-000000000001")}
	PeopleStream = SystemStream{"people", uuid.MustParse("00000000-0000-7000-8000-000000000002")}
)

// DefinitionStream is the stream of one process definition's versions; its ID is derived from the key.
func DefinitionStream(key string) SystemStream { return keyedStream("definition:" + key) }

// RuleSetStream is the stream of one rule set's versions.
func RuleSetStream(key string) SystemStream { return keyedStream("rule_set:" + key) }

func keyedStream(name string) SystemStream {
	id := uuid.NewSHA1(PolicyStream.ID, []byte(name))
	id[0], id[1], id[2], id[3] = 0, 0, 0, 0 // keeps it inside the partition of streams
	return SystemStream{name, id}
}
