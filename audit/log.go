package audit

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"

	"countersign/domain"
)

// leafTag prefixes every leaf, for the reason given at headerTag.
const leafTag = "countersign.leaf.v1"

// Leaf records the sequence number and hash of a stream's newest event at the time of a checkpoint.
type Leaf struct {
	Stream domain.ID
	Seq    int64
	Hash   []byte
}

func (l Leaf) digest() []byte {
	out := appendText(nil, leafTag)
	out = appendBytes(out, l.Stream[:])
	out = appendNumber(out, l.Seq)
	return rfc6962.DefaultHasher.HashLeaf(appendBytes(out, l.Hash))
}

// MerkleLog is an append-only RFC 6962 Merkle tree. Each checkpoint adds one leaf for every stream
// that changed since the previous one. It holds only the tree's right edge.
type MerkleLog struct {
	rightEdge *compact.Range
}

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// NewMerkleLog returns a log without leaves.
func NewMerkleLog() *MerkleLog { return &MerkleLog{rightEdge: ranges.NewEmptyRange(0)} }

// ParseMerkleLog parses the output of State.
func ParseMerkleLog(state []byte) (*MerkleLog, error) {
	if len(state) < 8 || (len(state)-8)%rfc6962.DefaultHasher.Size() != 0 {
		return nil, fmt.Errorf("read log state: %d bytes", len(state))
	}
	size := binary.BigEndian.Uint64(state)
	var hashes [][]byte
	for rest := state[8:]; len(rest) > 0; rest = rest[rfc6962.DefaultHasher.Size():] {
		hashes = append(hashes, bytes.Clone(rest[:rfc6962.DefaultHasher.Size()]))
	}
	edge, err := ranges.NewRange(0, size, hashes)
	if err != nil {
		return nil, fmt.Errorf("read log state: %w", err)
	}
	return &MerkleLog{rightEdge: edge}, nil
}

// State returns what the next checkpoint needs: the size and the hashes of the right edge, at most
// 64 of them.
func (l *MerkleLog) State() []byte {
	out := binary.BigEndian.AppendUint64(nil, l.rightEdge.End())
	for _, hash := range l.rightEdge.Hashes() {
		out = append(out, hash...)
	}
	return out
}

// Size returns the number of leaves.
func (l *MerkleLog) Size() uint64 { return l.rightEdge.End() }

// Append adds leaves in order.
func (l *MerkleLog) Append(leaves ...Leaf) error {
	for _, leaf := range leaves {
		if err := l.rightEdge.Append(leaf.digest(), nil); err != nil {
			return fmt.Errorf("append to log: %w", err)
		}
	}
	return nil
}

// Root returns the RFC 6962 root over all leaves.
func (l *MerkleLog) Root() ([]byte, error) {
	if l.rightEdge.End() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	root, err := l.rightEdge.GetRootHash(nil)
	if err != nil {
		return nil, fmt.Errorf("root of log: %w", err)
	}
	return root, nil
}

// Seal appends the leaves and signs the new state with the given time.
func (l *MerkleLog) Seal(
	origin string, at time.Time, key ed25519.PrivateKey, leaves ...Leaf,
) (SealedCheckpoint, error) {
	if err := l.Append(leaves...); err != nil {
		return SealedCheckpoint{}, err
	}
	root, err := l.Root()
	if err != nil {
		return SealedCheckpoint{}, err
	}
	note, err := Checkpoint{Origin: origin, Size: l.Size(), Root: root, At: at}.Sign(key)
	return SealedCheckpoint{Note: note, Leaves: leaves}, err
}

// SealedCheckpoint is a checkpoint as it is stored: the signed note and the leaves that it added.
type SealedCheckpoint struct {
	Note   []byte
	Leaves []Leaf
}

// LogReport is the result of verifying the checkpoints.
type LogReport struct {
	Checkpoints int64
	Leaves      int64
	Newest      Checkpoint
	Break       *Break
}

// LogVerification configures the verification of checkpoints.
type LogVerification struct {
	Origin string
	Key    ed25519.PublicKey
	// ExternalNotes are notes stored outside the database; each must be in the log.
	ExternalNotes [][]byte
	// EventHash returns the present hash of an event, or nil if the event does not exist. This
	// comparison detects that the newest events of a stream were removed together with its record.
	EventHash func(stream domain.ID, seq int64) ([]byte, error)
}

// VerifyLog verifies all checkpoints from the first. It returns errors of the iterator and of
// EventHash; it reports tampering as the report's Break.
func VerifyLog(
	check LogVerification, checkpoints iter.Seq2[SealedCheckpoint, error],
) (LogReport, error) {
	var report LogReport
	log, roots := NewMerkleLog(), map[uint64][]byte{}
	for sealed, err := range checkpoints {
		if err != nil {
			return report, fmt.Errorf("verify checkpoints: %w", err)
		}
		if err := check.verifyNext(&report, log, sealed); err != nil {
			var found *Break
			if errors.As(err, &found) {
				report.Break = found
				return report, nil
			}
			return report, err
		}
		roots[report.Newest.Size] = report.Newest.Root
	}
	for _, note := range check.ExternalNotes {
		external, err := OpenNote(note, check.Origin, check.Key)
		switch {
		case err != nil:
			report.Break = &Break{Kind: BreakAlteredLog,
				Message: "an external checkpoint is not signed by this log"}
		case !bytes.Equal(roots[external.Size], external.Root):
			report.Break = &Break{Kind: BreakAlteredLog,
				Message: fmt.Sprintf("the external checkpoint of %d leaves is not in the log",
					external.Size)}
		}
		if report.Break != nil {
			break
		}
	}
	return report, nil
}

func (check LogVerification) verifyNext(
	report *LogReport, log *MerkleLog, sealed SealedCheckpoint,
) error {
	number := report.Checkpoints + 1
	wrong := func(format string, args ...any) *Break {
		return &Break{Seq: number, Kind: BreakAlteredLog,
			Message: fmt.Sprintf("checkpoint %d ", number) + fmt.Sprintf(format, args...)}
	}
	note, err := OpenNote(sealed.Note, check.Origin, check.Key)
	if err != nil {
		return wrong("is not signed by this log")
	}
	if err := log.Append(sealed.Leaves...); err != nil {
		return err
	}
	root, err := log.Root()
	if err != nil {
		return err
	}
	switch {
	case note.Size != log.Size() || !bytes.Equal(note.Root, root):
		return wrong("does not follow from the leaves before it")
	case note.At.Before(report.Newest.At):
		return wrong("is older than the one before it")
	}
	for _, leaf := range sealed.Leaves {
		hash, err := check.EventHash(leaf.Stream, leaf.Seq)
		if err != nil {
			return fmt.Errorf("verify checkpoint %d: %w", number, err)
		}
		if !bytes.Equal(hash, leaf.Hash) {
			return &Break{Stream: leaf.Stream, Seq: leaf.Seq, Kind: BreakMissingEvent,
				Message: fmt.Sprintf(
					"checkpoint %d recorded event %d of stream %s, which is missing or has another hash", number, leaf.Seq, leaf.Stream)}
		}
	}
	report.Checkpoints, report.Leaves, report.Newest = number,
		report.Leaves+int64(len(sealed.Leaves)), note
	return nil
}
