package domain

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// ID identifies a row. IDs of cases and stage runs are UUID v7: their first 48 bits are the time of
// creation in milliseconds, by which monthly partitions are divided.
type ID = uuid.UUID

// NoID is the zero ID. It means "none" in key columns that may not be NULL.
var NoID = uuid.Nil

// NewID returns a UUID v7 from the system's clock and random source.
func NewID() ID { return uuid.Must(uuid.NewV7()) }

// ParseID parses the text form of an ID. The error has code InvalidInput.
func ParseID(text string) (ID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return NoID, Invalid("id", "%q is not a valid identifier.", text)
	}
	return id, nil
}

// SystemStream is a stream of events that does not belong to a case. Its ID is fixed, so it has its
// own partition.
type SystemStream struct {
	Name string
	ID   ID
}

// The system streams. Their IDs sort below every UUID v7, so they are in the partition of streams.
var (
	PolicyStream = SystemStream{"policy", uuid.MustParse("00000000-0000-7000-8000-000000000001")}
	PeopleStream = SystemStream{"people", uuid.MustParse("00000000-0000-7000-8000-000000000002")}
	// ControlStream has the changes of country risks and exchange rates.
	ControlStream = SystemStream{"control", uuid.MustParse("00000000-0000-7000-8000-000000000003")}
	// QualityStream has the draws and checks of the quality sample.
	QualityStream = SystemStream{"quality", uuid.MustParse("00000000-0000-7000-8000-000000000004")}
	// ViewsStream has the changes of shared views of lists.
	ViewsStream = SystemStream{"views", uuid.MustParse("00000000-0000-7000-8000-000000000005")}
)

// PublicID returns the opaque id by which the API and the addresses of pages name an object of a kind.
func PublicID(kind string, id ID) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + id.String()))
}

// ParsePublicID returns the kind of object and the id in an opaque id; false for every other text. The
// plain UUID of an object is not a public id.
func ParsePublicID(text string) (kind string, id ID, ok bool) {
	plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	kind, tail, found := strings.Cut(string(plain), ":")
	if err != nil || !found || len(tail) != 36 {
		return "", NoID, false
	}
	id, err = ParseID(tail)
	return kind, id, err == nil
}

// DefinitionStream returns the stream of the versions of a process definition. Its ID is derived
// from the key.
func DefinitionStream(key string) SystemStream { return keyedStream("definition:" + key) }

// RuleSetStream returns the stream of the versions of a rule set.
func RuleSetStream(key string) SystemStream { return keyedStream("rule_set:" + key) }

// DocumentTypeStream returns the stream of the versions of a document type.
func DocumentTypeStream(key string) SystemStream { return keyedStream("document_type:" + key) }

func keyedStream(name string) SystemStream {
	id := uuid.NewSHA1(PolicyStream.ID, []byte(name))
	id[0], id[1], id[2], id[3] = 0, 0, 0, 0 // keeps it inside the partition of streams
	return SystemStream{name, id}
}

// CompareIDs orders ids, for slices.SortFunc.
func CompareIDs(a, b ID) int { return bytes.Compare(a[:], b[:]) }
