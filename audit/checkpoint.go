package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"

	"countersign/domain"
)

// Checkpoint is the signed state of a log at a time.
type Checkpoint struct {
	Origin string // name of the log, one line without spaces or plus signs
	Size   uint64 // number of leaves
	Root   []byte
	At     time.Time
	// After is the number of leaves of the checkpoint before, so that none can be left out.
	After uint64
	// Events and Access are the positions up to which the leaves cover the events and the access
	// log.
	Events, Access domain.FeedPosition
	// NextKey is the public key that signs the later checkpoints; "" while the key does not change.
	NextKey string
}

// text returns the checkpoint in the format of transparency logs: origin, size and root, then our
// extension lines.
func (c Checkpoint) text() []byte {
	out := log.Checkpoint{Origin: c.Origin, Size: c.Size, Hash: c.Root}.Marshal()
	out = fmt.Appendf(out, "at %d\nafter %d\nevents %s\naccess %s\n", c.At.UnixMicro(), c.After,
		positionText(c.Events), positionText(c.Access))
	if c.NextKey != "" {
		out = fmt.Appendf(out, "key %s\n", c.NextKey)
	}
	return out
}

func positionText(p domain.FeedPosition) string { return fmt.Sprintf("%d %d %d", p.Era, p.TxID, p.ID) }

// Sign returns the checkpoint as a note that is signed by the signers. A checkpoint with a NextKey
// needs both the present and the next key.
func (c Checkpoint) Sign(signers ...note.Signer) ([]byte, error) {
	if len(c.Root) == 0 || c.Origin == "" || strings.ContainsAny(c.Origin, " +\n\r\t") {
		return nil, fmt.Errorf("sign checkpoint: %q is not a valid name of a log, or there is no root",
			c.Origin)
	}
	if len(signers) == 0 {
		return nil, errors.New("sign checkpoint: no key")
	}
	signed, err := note.Sign(&note.Note{Text: string(c.text())}, signers...)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint: %w", err)
	}
	return signed, nil
}

// SignedCheckpoint is a checkpoint with the keys that signed it.
type SignedCheckpoint struct {
	Checkpoint
	signatures []note.Signature // the verified ones
}

// SignedBy reports whether a valid signature by the key is on the note.
func (s SignedCheckpoint) SignedBy(key note.Verifier) bool {
	for _, signature := range s.signatures {
		if signature.Name == key.Name() && signature.Hash == key.KeyHash() {
			return true
		}
	}
	return false
}

// OpenNote verifies that a note is signed by at least one of the keys, and parses it. It ignores
// signatures by other keys on the same note.
func OpenNote(signed []byte, keys Keys) (SignedCheckpoint, error) {
	if len(keys.list) == 0 {
		return SignedCheckpoint{}, errors.New("open checkpoint: a public key is required")
	}
	opened, err := note.Open(signed, keys.Verifiers())
	if err != nil {
		return SignedCheckpoint{}, fmt.Errorf("open checkpoint: %w", err)
	}
	checkpoint, err := parseCheckpoint([]byte(opened.Text))
	if err != nil {
		return SignedCheckpoint{}, err
	}
	// Accept only the spelling that Sign writes, so that a note has exactly one interpretation.
	if checkpoint.Origin != keys.Origin() || string(checkpoint.text()) != opened.Text {
		return SignedCheckpoint{},
			errors.New("open checkpoint: the note belongs to another log or has another format")
	}
	return SignedCheckpoint{checkpoint, opened.Sigs}, nil
}

// ParseNote parses a note without verifying its signatures, to learn its log and size.
func ParseNote(signed []byte) (Checkpoint, error) {
	text, _, found := bytes.Cut(signed, []byte("\n\n"))
	if !found {
		return Checkpoint{}, errors.New("read checkpoint: the note has no signature")
	}
	return parseCheckpoint(append(bytes.Clone(text), '\n'))
}

func parseCheckpoint(text []byte) (Checkpoint, error) {
	var base log.Checkpoint
	rest, err := base.Unmarshal(text)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %w", err)
	}
	c := Checkpoint{Origin: base.Origin, Size: base.Size, Root: base.Hash}
	lines := strings.Split(strings.TrimSuffix(string(rest), "\n"), "\n")
	if len(lines) < 4 || len(lines) > 5 {
		return c, errors.New("open checkpoint: the note does not have the lines of this log")
	}
	var micros int64
	_, err1 := fmt.Sscanf(lines[0], "at %d", &micros)
	_, err2 := fmt.Sscanf(lines[1], "after %d", &c.After)
	_, err3 := fmt.Sscanf(lines[2], "events %d %d %d", &c.Events.Era, &c.Events.TxID, &c.Events.ID)
	_, err4 := fmt.Sscanf(lines[3], "access %d %d %d", &c.Access.Era, &c.Access.TxID, &c.Access.ID)
	c.At = time.UnixMicro(micros).UTC()
	if len(lines) == 5 {
		c.NextKey = strings.TrimPrefix(lines[4], "key ")
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return c, fmt.Errorf("open checkpoint: %w", err)
	}
	return c, nil
}
