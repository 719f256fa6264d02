package audit

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/mod/sumdb/note"

	"countersign/domain"
)

// ExternalNote is a checkpoint that is kept outside of the database.
type ExternalNote struct {
	Place string // for people: a folder, a bucket, a witness
	Note  []byte
}

// LogReport is the result of verifying the checkpoints.
type LogReport struct {
	Checkpoints int64
	Leaves      int64
	Newest      Checkpoint
	// External is the newest external checkpoint, the zero Checkpoint without one. What happened
	// later is proved only against those who cannot write to the database.
	External Checkpoint
	// ExternalCount is the number of external checkpoints that were compared.
	ExternalCount int
	Break         *Break
}

// LogVerification configures the verification of checkpoints.
type LogVerification struct {
	// Keys must contain the key of the first checkpoint; the checkpoints announce the later ones.
	Keys Keys
	// External checkpoints must all be in the log.
	External []ExternalNote
	// Compare compares the leaves of a checkpoint with the present rows, and returns the first one that does not match.
	// Before is the checkpoint before, the zero Checkpoint for the first.
	Compare func(before, checkpoint Checkpoint, leaves []Leaf) (*Break, error)
}

// VerifyLog verifies all checkpoints from the first. It returns errors of the iterator and of
// Compare; it reports tampering as the report's Break.
func VerifyLog(
	check LogVerification, checkpoints iter.Seq2[SealedCheckpoint, error],
) (LogReport, error) {
	v := newLogVerifier(check)
	for sealed, err := range checkpoints {
		if err != nil {
			return v.report, fmt.Errorf("verify checkpoints: %w", err)
		}
		if err := v.next(sealed); err != nil {
			return v.report, v.found(err)
		}
	}
	return v.report, v.found(v.compareExternal(check.External))
}

// logVerifier verifies checkpoints one after the other.
type logVerifier struct {
	check  LogVerification
	report LogReport
	log    *MerkleLog
	keys   Keys          // all so far
	key    note.Verifier // of the checkpoint before; nil before the first
	roots  map[uint64][]byte
}

func newLogVerifier(check LogVerification) *logVerifier {
	return &logVerifier{check: check, log: NewMerkleLog(), keys: check.Keys,
		roots: map[uint64][]byte{}}
}

// found moves a Break from an error to the report.
func (v *logVerifier) found(err error) error {
	var found *Break
	if errors.As(err, &found) {
		v.report.Break = found
		return nil
	}
	return err
}

func (v *logVerifier) next(sealed SealedCheckpoint) error {
	number := v.report.Checkpoints + 1
	wrong := func(format string, args ...any) error {
		return &Break{Seq: number, Kind: BreakAlteredLog,
			Message: fmt.Sprintf("checkpoint %d ", number) + fmt.Sprintf(format, args...)}
	}
	checkpoint, err := OpenNote(sealed.Note, v.keys)
	if err != nil || !v.acceptsKey(checkpoint) {
		return wrong("is not signed by the key of this log")
	}
	if err := v.log.Append(sealed.Leaves...); err != nil {
		return err
	}
	root, err := v.log.Root()
	if err != nil {
		return err
	}
	before := v.report.Newest
	switch {
	case checkpoint.Size != v.log.Size() || !bytes.Equal(checkpoint.Root, root):
		return wrong("does not follow from the leaves before it")
	case checkpoint.After != before.Size:
		return wrong("does not follow the one before it: one is missing")
	case checkpoint.At.Before(before.At):
		return wrong("is older than the one before it")
	case checkpoint.Events.Before(before.Events) || checkpoint.Access.Before(before.Access):
		return wrong("covers less than the one before it")
	}
	if err := v.rotate(checkpoint, sealed.Note); err != nil {
		return wrong("%v", err)
	}
	if v.check.Compare != nil {
		switch found, err := v.check.Compare(before, checkpoint.Checkpoint, sealed.Leaves); {
		case err != nil:
			return fmt.Errorf("verify checkpoint %d: %w", number, err)
		case found != nil:
			return found
		}
	}
	v.roots[checkpoint.Size] = checkpoint.Root
	v.report.Checkpoints, v.report.Leaves, v.report.Newest = number,
		v.report.Leaves+int64(len(sealed.Leaves)), checkpoint.Checkpoint
	return nil
}

// acceptsKey reports whether the checkpoint is signed by the key of the checkpoint before. A key that
// was replaced signs nothing any more.
func (v *logVerifier) acceptsKey(checkpoint SignedCheckpoint) bool {
	if v.key != nil {
		return checkpoint.SignedBy(v.key)
	}
	for _, key := range v.keys.list {
		if checkpoint.SignedBy(key) {
			v.key = key
			return true
		}
	}
	return false
}

// rotate continues with the next key, if the checkpoint announces one. Both keys must have signed it.
func (v *logVerifier) rotate(checkpoint SignedCheckpoint, text []byte) error {
	if checkpoint.NextKey == "" {
		return nil
	}
	keys, err := v.keys.with(checkpoint.NextKey)
	if err != nil {
		return errors.New("announces a key that is none of this log")
	}
	next, err := note.NewVerifier(checkpoint.NextKey)
	if err != nil {
		return err
	}
	if signed, err := OpenNote(text, keys); err != nil || !signed.SignedBy(next) {
		return errors.New("announces a key that has not signed it")
	}
	v.keys, v.key = keys, next
	return nil
}

// compareExternal requires that every external checkpoint is in the log.
func (v *logVerifier) compareExternal(external []ExternalNote) error {
	for _, outside := range external {
		wrong := func(format string, args ...any) error {
			return &Break{Kind: BreakAlteredLog, Message: fmt.Sprintf("the checkpoint in %s ",
				outside.Place) + fmt.Sprintf(format, args...)}
		}
		checkpoint, err := OpenNote(outside.Note, v.keys)
		switch {
		case err != nil:
			return wrong("is not signed by this log")
		case checkpoint.Size > v.log.Size():
			return wrong("has %d leaves, but the log has only %d: records or checkpoints were removed",
				checkpoint.Size, v.log.Size())
		case !bytes.Equal(v.roots[checkpoint.Size], checkpoint.Root):
			return wrong("of %d leaves is not in the log: the record was altered before %s",
				checkpoint.Size, checkpoint.At.Format(time.RFC3339))
		}
		v.report.ExternalCount++
		if checkpoint.Size >= v.report.External.Size {
			v.report.External = checkpoint.Checkpoint
		}
	}
	return nil
}

// LeafBreak is the Break of a leaf whose row is missing or has another hash.
func LeafBreak(leaf Leaf, message string) *Break {
	kind := BreakAlteredRow
	if leaf.Kind == LeafHead {
		kind = BreakMissingEvent
	}
	return &Break{Stream: leaf.Subject, Seq: leaf.Seq, Kind: kind, Message: message}
}

// MissingLeaf is the Break of a leaf whose row is missing or has another hash.
func MissingLeaf(leaf Leaf) *Break {
	return LeafBreak(leaf, fmt.Sprintf("a checkpoint recorded %s, which is missing or has another hash",
		leaf))
}

// maxBackdating is how much earlier than the checkpoint before it an event may say it happened: a
// transaction may have been open for so long.
const maxBackdating = time.Hour

// EarliestAfter returns the earliest time that an event may have which the checkpoint does not cover.
func EarliestAfter(before Checkpoint) time.Time { return before.At.Add(-maxBackdating) }

// Backdated reports whether an event that the checkpoint before does not cover says that it happened
// long before that checkpoint.
func Backdated(before Checkpoint, at time.Time) bool {
	return !before.At.IsZero() && at.Before(EarliestAfter(before))
}

// BackdatedEvent is the Break of such an event.
func BackdatedEvent(stream domain.ID, seq int64, at time.Time, before Checkpoint) *Break {
	return &Break{Stream: stream, Seq: seq, Kind: BreakAlteredRow, Message: fmt.Sprintf(
		"event %d says that it happened at %s, but the checkpoint of %s does not have it", seq,
		at.Format(time.RFC3339), before.At.Format(time.RFC3339))}
}
