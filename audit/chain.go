package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"countersign/domain"
)

// SaltSize is the length of a body's salt in bytes.
const SaltSize = 16

// headerTag prefixes every hashed header for domain separation: no other text that this project
// hashes can collide with a header. The layout below the tag never changes; a new layout needs a
// new tag.
const headerTag = "countersign.event.v1"

// ChainHead is the position of a stream: the sequence number and hash of its newest event. The zero
// ChainHead is a stream without events.
type ChainHead struct {
	Seq  int64
	Hash []byte // 32 bytes, empty when Seq is 0
}

// nextPrevHash returns the prev_hash of the event after the head.
func (h ChainHead) nextPrevHash() []byte {
	if h.Seq == 0 {
		return make([]byte, sha256.Size)
	}
	return h.Hash
}

// Chain numbers, salts and hashes a batch of new events of one stream in place and returns the new
// head. It reads salts from the given source. The caller sets every header value except Seq and the
// hashes. Chain truncates At to microseconds, because that is the stored precision, and sets the
// empty marking where an event has none.
func Chain(head ChainHead, salts io.Reader, batch ...*domain.Event) (ChainHead, error) {
	if head.Seq > 0 && len(head.Hash) != sha256.Size {
		return ChainHead{}, fmt.Errorf("chain events: the head at %d has a hash of %d bytes",
			head.Seq, len(head.Hash))
	}
	allSalts := make([]byte, len(batch)*SaltSize)
	if _, err := io.ReadFull(salts, allSalts); err != nil {
		return ChainHead{}, fmt.Errorf("chain events: read salts: %w", err)
	}
	previous := head.nextPrevHash()
	for i, event := range batch {
		switch {
		case event.Stream != batch[0].Stream:
			return ChainHead{}, errors.New("chain events: the batch has events of two streams")
		case len(event.Body) == 0:
			return ChainHead{}, fmt.Errorf("chain events: %s has no body", event.Type)
		case event.At.IsZero():
			return ChainHead{}, fmt.Errorf("chain events: %s has no time", event.Type)
		}
		event.Seq = head.Seq + int64(i) + 1
		event.At = event.At.UTC().Truncate(1000)
		event.MarkingBefore = cmp.Or(event.MarkingBefore, domain.EmptyMarking)
		event.MarkingAfter = cmp.Or(event.MarkingAfter, domain.EmptyMarking)
		event.Salt = allSalts[i*SaltSize : (i+1)*SaltSize : (i+1)*SaltSize]
		Seal(event, previous)
		previous = event.Hash
	}
	return ChainHead{Seq: head.Seq + int64(len(batch)), Hash: previous}, nil
}

// Seal sets the three hashes of an event that has its number and salt.
func Seal(event *domain.Event, previous []byte) {
	body := BodyHash(event.Salt, event.Body)
	event.PrevHash, event.BodyHash = previous, body[:]
	hash := HeaderHash(event)
	event.Hash = hash[:]
}

// BodyHash returns SHA-256(salt, body). The salt prevents guessing a short body after its erasure.
func BodyHash(salt, body []byte) [sha256.Size]byte {
	var buffer [1024]byte
	return sha256.Sum256(append(append(buffer[:0], salt...), body...))
}

// HeaderHash returns SHA-256 over the tag and every header value. Each value is prefixed with its
// length in four bytes, most significant first; numbers are eight bytes, the time is in
// microseconds since 1970, and markings are canonical JSON.
func HeaderHash(event *domain.Event) [sha256.Size]byte {
	var buffer [1536]byte
	out := appendText(buffer[:0], headerTag)
	out = appendBytes(out, event.Stream[:])
	out = appendNumber(out, event.Seq)
	out = appendText(out, string(event.Type))
	out = appendNumber(out, int64(event.SchemaVersion))
	out = appendBytes(out, event.Actor[:])
	out = appendBytes(out, event.OnBehalfOf[:])
	out = appendText(out, event.CorrelationID)
	out = appendNumber(out, event.At.UnixMicro())
	out = appendText(out, string(event.StatusBefore))
	out = appendText(out, string(event.StatusAfter))
	out = appendText(out, event.MarkingBefore)
	out = appendText(out, event.MarkingAfter)
	out = appendBytes(out, event.PrevHash)
	out = appendBytes(out, event.BodyHash)
	return sha256.Sum256(out)
}

func appendBytes(out, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(value))), value...)
}

func appendText(out []byte, value string) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(value))), value...)
}

func appendNumber(out []byte, value int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(out, 8), uint64(value))
}

// Equal reports whether two heads have the same sequence number and hash. The database records the
// hash of a stream without events as zeros, and a verifier has none.
func (h ChainHead) Equal(other ChainHead) bool {
	return h.Seq == other.Seq && bytes.Equal(h.recordedHash(), other.recordedHash())
}

func (h ChainHead) recordedHash() []byte {
	if h.Seq == 0 && len(h.Hash) == 0 {
		return h.nextPrevHash()
	}
	return h.Hash
}
