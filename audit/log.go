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

// leafTag begins every leaf, see headerTag.
const leafTag = "countersign.leaf.v1"

// Leaf says that a stream stood at an event with a hash when a checkpoint was made.
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

// Log is an RFC 6962 Merkle tree to which leaves are only added: each checkpoint adds one leaf for every stream that
// changed since the last. It holds no more than the tree's right edge.
type Log struct {
	edge *compact.Range
}

var ranges = compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}

// NewLog returns a log without leaves.
func NewLog() *Log { return &Log{edge: ranges.NewEmptyRange(0)} }

// ParseLog reads what State wrote.
func ParseLog(state []byte) (*Log, error) {
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
	return &Log{edge: edge}, nil
}

// State returns what the next checkpoint needs: the size and the hashes of the right edge, at most 64 of them.
func (l *Log) State() []byte {
	out := binary.BigEndian.AppendUint64(nil, l.edge.End())
	for _, hash := range l.edge.Hashes() {
		out = append(out, hash...)
	}
	return out
}

// Size returns the number of leaves.
func (l *Log) Size() uint64 { return l.edge.End() }

// Append adds leaves in their order.
func (l *Log) Append(leaves ...Leaf) error {
	for _, leaf := range leaves {
		if err := l.edge.Append(leaf.digest(), nil); err != nil {
			return fmt.Errorf("append to log: %w", err)
		}
	}
	return nil
}

// Root returns the RFC 6962 root over all leaves.
func (l *Log) Root() ([]byte, error) {
	if l.edge.End() == 0 {
		return rfc6962.DefaultHasher.EmptyRoot(), nil
	}
	root, err := l.edge.GetRootHash(nil)
	if err != nil {
		return nil, fmt.Errorf("root of log: %w", err)
	}
	return root, nil
}

// Seal adds the leaves and signs the new state at the given time.
func (l *Log) Seal(origin string, at time.Time, key ed25519.PrivateKey, leaves ...Leaf) (Sealed, error) {
	if err := l.Append(leaves...); err != nil {
		return Sealed{}, err
	}
	root, err := l.Root()
	if err != nil {
		return Sealed{}, err
	}
	note, err := Checkpoint{Origin: origin, Size: l.Size(), Root: root, At: at}.Sign(key)
	return Sealed{Note: note, Leaves: leaves}, err
}

// Sealed is a checkpoint as it is kept: the signed note, and the leaves it added.
type Sealed struct {
	Note   []byte
	Leaves []Leaf
}

// LogReport is what verifying the checkpoints found.
type LogReport struct {
	Checkpoints int64
	Leaves      int64
	Newest      Checkpoint
	Break       *Break
}

// LogCheck is what checkpoints are verified against.
type LogCheck struct {
	Origin string
	Key    ed25519.PublicKey
	// Outside are notes that were kept outside the database; each must be in the log.
	Outside [][]byte
	// At returns the hash that the event of the stream has now, nil when there is no such event. It is what finds that
	// the newest events of a stream were removed together with its record.
	At func(stream domain.ID, seq int64) ([]byte, error)
}

// VerifyLog walks all checkpoints from the first. The error is the iterator's or At's; tampering is the Break.
func VerifyLog(check LogCheck, checkpoints iter.Seq2[Sealed, error]) (LogReport, error) {
	var report LogReport
	log, roots := NewLog(), map[uint64][]byte{}
	for sealed, err := range checkpoints {
		if err != nil {
			return report, fmt.Errorf("verify checkpoints: %w", err)
		}
		if err := check.next(&report, log, sealed); err != nil {
			var found *Break
			if errors.As(err, &found) {
				report.Break = found
				return report, nil
			}
			return report, err
		}
		roots[report.Newest.Size] = report.Newest.Root
	}
	for _, note := range check.Outside {
		kept, err := OpenNote(note, check.Origin, check.Key)
		switch {
		case err != nil:
			report.Break = &Break{Fault: FaultLog, Message: "a checkpoint kept outside is not signed by this log"}
		case !bytes.Equal(roots[kept.Size], kept.Root):
			report.Break = &Break{Fault: FaultLog, Message: fmt.Sprintf("the checkpoint of %d leaves that was kept outside is not in the log", kept.Size)}
		}
		if report.Break != nil {
			break
		}
	}
	return report, nil
}

func (check LogCheck) next(report *LogReport, log *Log, sealed Sealed) error {
	number := report.Checkpoints + 1
	wrong := func(format string, args ...any) *Break {
		return &Break{Seq: number, Fault: FaultLog, Message: fmt.Sprintf("checkpoint %d ", number) + fmt.Sprintf(format, args...)}
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
		hash, err := check.At(leaf.Stream, leaf.Seq)
		if err != nil {
			return fmt.Errorf("verify checkpoint %d: %w", number, err)
		}
		if !bytes.Equal(hash, leaf.Hash) {
			return &Break{Stream: leaf.Stream, Seq: leaf.Seq, Fault: FaultLeaf,
				Message: fmt.Sprintf("checkpoint %d saw event %d of stream %s, which is gone or another now", number, leaf.Seq, leaf.Stream)}
		}
	}
	report.Checkpoints, report.Leaves, report.Newest = number, report.Leaves+int64(len(sealed.Leaves)), note
	return nil
}
